// arete render: a store as a picture, or as the pictures of a flight.
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "arete/export.h"
#include "arete/tiles.h"
#include "arete/vulkan.h"
#include "arguments.h"
#include "flight.h"
#include "picture_arguments.h"

namespace arete::cli {
namespace {

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
  PictureJob job;
  if (const Result<void> read = read_picture(arguments.picture, job); !read) {
    return fail(read.error());
  }
  job.picture.mesher = arguments.mesher == "cpu" ? vulkan::MesherKind::cpu : vulkan::MesherKind::vulkan;
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
    const Result<vulkan::Camera> camera = camera_for(arguments.picture, bounds, job);
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
  const Result<std::unique_ptr<vulkan::Renderer>> renderer =
      vulkan::Renderer::create(device_options(arguments.picture));
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
      return fail(naming_store(drawn.error(), arguments.store));
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
  if (arguments.picture.validation && (*renderer)->validation_messages() > 0) {
    return fail(
        gpu_error(fmt::format("the validation layers printed {} messages", (*renderer)->validation_messages())).error);
  }
  return kDone;
}

}  // namespace arete::cli
