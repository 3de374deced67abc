// arete render: a store as a picture, or as the pictures of a flight.
#include <cmath>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>

#include "arete/export.h"
#include "arete/tiles.h"
#include "arete/vulkan.h"
#include "arguments.h"
#include "flight.h"

namespace arete::cli {
namespace {

struct Job {
  vulkan::PictureOptions picture;
  RangeOptions ranges;
  PngImage drape_file;
  vulkan::Picture drape;
};

Result<void> read_size(const std::string& text, vulkan::PictureOptions& picture) {
  int used = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &picture.width, &picture.height, &used) != 2 || used != int(text.size()) ||
      picture.width < 1 || picture.height < 1 || picture.width > 16384 || picture.height > 16384) {
    return usage_error(fmt::format("--size: expected WxH of 1 to 16384 pixels, found '{}'", text));
  }
  return {};
}

Result<void> read_colour(const std::string& text, Job& job) {
  using vulkan::Colour;
  constexpr std::string_view kDrape = "drape=";
  const std::pair<const char*, Colour> names[] = {
      {"relief", Colour::relief}, {"slope", Colour::slope}, {"lod", Colour::lod}, {"contour", Colour::contour}};
  for (const auto& [name, colour] : names) {
    if (text == name) {
      job.picture.colour = colour;
      return {};
    }
  }
  if (!text.starts_with(kDrape) || text == kDrape) {
    return usage_error(fmt::format("--colour: expected relief, slope, lod, contour or drape=IMAGE, found '{}'", text));
  }
  Result<PngImage> image = read_png(text.substr(kDrape.size()));
  if (!image) {
    return Unexpected{image.error()};
  }
  job.drape = {image->width, image->height, std::move(image->rgba)};
  job.picture.colour = Colour::drape;
  job.picture.drape = &job.drape;
  return {};
}

Result<void> read_job(const RenderArguments& arguments, Job& job) {
  if (Result<void> read = read_size(arguments.size, job.picture); !read) {
    return read;
  }
  if (Result<void> read = read_colour(arguments.colour, job); !read) {
    return read;
  }
  if (!arguments.sun.empty()) {
    const Result<std::vector<double>> sun = parse_numbers(arguments.sun, 2, "--sun");
    if (!sun) {
      return Unexpected{sun.error()};
    }
    job.picture.sun_azimuth_deg = (*sun)[0];
    job.picture.sun_altitude_deg = (*sun)[1];
  }
  job.picture.wireframe = arguments.wireframe;
  job.picture.haze = arguments.haze;
  job.picture.shadows = !arguments.no_shadows;
  job.picture.walls = !arguments.no_walls;
  job.picture.sea_level_m = arguments.sea_level_m;
  job.picture.contour_step_m = arguments.contour_step_m;
  job.picture.mesher = arguments.mesher == "cpu" ? vulkan::MesherKind::cpu : vulkan::MesherKind::vulkan;
  job.ranges.max_error_px = arguments.error_px;
  job.ranges.plane = arguments.plane == "max" ? HeightPlane::max : HeightPlane::subsample;
  return {};
}

Result<vulkan::Camera> camera_for(const RenderArguments& arguments, const Bounds& bounds, const Job& job) {
  vulkan::Camera camera = arguments.overview
                              ? vulkan::overview_camera(bounds, double(job.picture.width) / job.picture.height,
                                                        arguments.orbit_deg.value_or(30))
                              : vulkan::default_camera(bounds, arguments.orbit_deg);
  if (arguments.eye.empty() != arguments.target.empty()) {
    return usage_error("--eye and --target: give both or neither");
  }
  if (!arguments.eye.empty()) {
    const Result<std::vector<double>> eye = parse_numbers(arguments.eye, 3, "--eye");
    const Result<std::vector<double>> target = parse_numbers(arguments.target, 3, "--target");
    if (!eye || !target) {
      return Unexpected{eye ? target.error() : eye.error()};
    }
    if (*eye == *target) {
      return usage_error("--eye and --target: are the same point");
    }
    camera.eye_x_m = (*eye)[0], camera.eye_y_m = (*eye)[1], camera.eye_z_m = (*eye)[2];
    camera.target_x_m = (*target)[0], camera.target_y_m = (*target)[1], camera.target_z_m = (*target)[2];
  }
  if (arguments.field_of_view_deg) {
    camera.vertical_fov_rad = *arguments.field_of_view_deg * std::numbers::pi / 180;
  }
  return camera;
}

Json picture_json(const std::filesystem::path& path, const vulkan::Camera& camera,
                  const vulkan::PictureStatistics& drawn) {
  Json document;
  document["picture"] = path.string();
  document["eye"] = {camera.eye_x_m, camera.eye_y_m, camera.eye_z_m};
  document["target"] = {camera.target_x_m, camera.target_y_m, camera.target_z_m};
  document["nodes"] = drawn.nodes;
  document["cut_nodes"] = drawn.cut_nodes;
  document["triangles"] = drawn.triangles;
  document["vertices"] = drawn.vertices;
  document["cut_ms"] = drawn.cut_ms;
  document["mesh_ms"] = drawn.mesh_ms;
  document["light_ms"] = drawn.light_ms;
  document["draw_ms"] = drawn.draw_ms;
  return document;
}

}  // namespace

int run_render(const RenderArguments& arguments, const Globals& globals) {
  Job job;
  if (const Result<void> read = read_job(arguments, job); !read) {
    return fail(read.error());
  }
  if (arguments.flight.empty() != (arguments.frames == 0)) {
    return fail(usage_error("--flight and --frames: give both or neither").error);
  }
  if (std::filesystem::path(arguments.output).extension() != ".png") {
    return fail(usage_error(fmt::format("{}: expected a name that ends in .png", arguments.output)).error);
  }
  if (const Result<void> checked = check_output(arguments.output, {&arguments.store, 1}); !checked) {
    return fail(checked.error());
  }
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.store);
  if (!store) {
    return fail(store.error());
  }
  const Bounds& bounds = (*store)->bounds();
  std::vector<vulkan::Camera> cameras;
  if (arguments.flight.empty()) {
    const Result<vulkan::Camera> camera = camera_for(arguments, bounds, job);
    if (!camera) {
      return fail(camera.error());
    }
    cameras.push_back(*camera);
  } else {
    const Result<std::vector<vulkan::Camera>> flight = read_flight(arguments.flight, arguments.frames);
    if (!flight) {
      return fail(flight.error());
    }
    cameras = *flight;
  }
  const Result<std::unique_ptr<vulkan::Renderer>> renderer = vulkan::Renderer::create(
      {.device = arguments.device, .software = arguments.software, .validation = arguments.validation});
  if (!renderer) {
    return fail(renderer.error());
  }
  ProgressBar bar(globals, "drawing");
  const std::function<void(double)> progress = bar.callback();
  vulkan::FieldPictures field(**renderer, **store, bounds);
  Json pictures = Json::array();
  for (std::size_t frame = 0; frame < cameras.size(); ++frame) {
    const Result<vulkan::DrawnPicture> drawn = field.draw(cameras[frame], job.picture, job.ranges);
    if (!drawn) {
      const bool is_of_store = drawn.error().kind == Error::Kind::data;
      return fail({drawn.error().kind, (is_of_store ? arguments.store + ": " : "") + drawn.error().message});
    }
    const std::filesystem::path path =
        cameras.size() == 1 ? std::filesystem::path(arguments.output) : numbered_path(arguments.output, int(frame));
    const vulkan::Picture& picture = drawn->picture;
    if (const Result<void> written = write_png(path, picture.width, picture.height, picture.rgba); !written) {
      return fail(written.error());
    }
    pictures.push_back(picture_json(path, cameras[frame], drawn->statistics));
    if (arguments.stats && !globals.json) {
      const vulkan::PictureStatistics& s = drawn->statistics;
      print_text(globals,
                 fmt::format("{}: {} of {} nodes, {} triangles; cut {:.2f} ms, mesh {:.1f} ms, light {:.0f} ms, draw "
                             "{:.0f} ms on {}\n",
                             path.string(), with_commas(s.nodes), with_commas(s.cut_nodes), with_commas(s.triangles),
                             s.cut_ms, s.mesh_ms, s.light_ms, s.draw_ms, (*renderer)->device_name()));
    } else if (!globals.json) {
      print_text(globals, path.string() + "\n");
    }
    if (progress) {
      progress(double(frame + 1) / double(cameras.size()));
    }
  }
  if (globals.json) {
    Json document;
    document["device"] = (*renderer)->device_name();
    document["pictures"] = pictures;
    print_json(document);
  }
  if (arguments.validation && (*renderer)->validation_messages() > 0) {
    return fail(
        gpu_error(fmt::format("the validation layers printed {} messages", (*renderer)->validation_messages())).error);
  }
  return kDone;
}

}  // namespace arete::cli
