// Reads sizes, colours, suns and cameras.
#include "picture_arguments.h"

#include <cmath>
#include <cstdio>
#include <numbers>

#include "arete/export.h"

namespace arete::cli {
namespace {

Result<void> read_size(const std::string& text, vulkan::PictureOptions& picture) {
  int used = 0;
  if (std::sscanf(text.c_str(), "%dx%d%n", &picture.width, &picture.height, &used) != 2 || used != int(text.size()) ||
      picture.width < 1 || picture.height < 1 || picture.width > 16384 || picture.height > 16384) {
    return usage_error(fmt::format("--size: expected WxH of 1 to 16384 pixels, found '{}'", text));
  }
  return {};
}

Result<void> read_colour(const std::string& text, PictureJob& job) {
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

}  // namespace

Result<void> read_picture(const PictureArguments& arguments, PictureJob& job) {
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
  job.ranges.max_error_px = arguments.error_px;
  job.ranges.plane = arguments.plane == "max" ? HeightPlane::max : HeightPlane::subsample;
  return {};
}

Result<vulkan::Camera> camera_for(const PictureArguments& arguments, const Bounds& bounds, const PictureJob& job) {
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
    for (const double metres : {(*eye)[0], (*eye)[1], (*eye)[2], (*target)[0], (*target)[1], (*target)[2]}) {
      if (std::abs(metres) > kFarthest_m) {
        return usage_error(fmt::format("--eye and --target: expected metres of at most {}, found {}",
                                       number(kFarthest_m), number(metres)));
      }
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

vulkan::DeviceOptions device_options(const PictureArguments& arguments) {
  return {.device = arguments.device, .software = arguments.software, .validation = arguments.validation};
}

}  // namespace arete::cli
