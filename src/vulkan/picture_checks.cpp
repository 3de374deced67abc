// Refuses pictures that cannot be drawn.
#include "vulkan/picture_checks.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vulkan/picture_pipelines.h"

namespace arete::vulkan {
namespace {

constexpr int kMaxSide = 16384;

Result<void> check_size(const PictureOptions& options, int limit) {
  if (options.width < 1 || options.height < 1 || options.width > limit || options.height > limit) {
    return usage_error("a picture of " + std::to_string(options.width) + "x" + std::to_string(options.height) +
                       " pixels cannot be drawn here; each side must be 1.." + std::to_string(limit));
  }
  return {};
}

}  // namespace

Result<void> check_samples(const Gpu& gpu, const std::string& device_name) {
  if ((gpu.limits.framebufferColorSampleCounts & gpu.limits.framebufferDepthSampleCounts & kSamples) == 0) {
    return gpu_error("vulkan: " + device_name + " cannot draw with 4 samples a pixel; choose another device");
  }
  return {};
}

Result<void> check_options(const Camera& camera, const PictureOptions& options) {
  ARETE_TRY(check_size(options, kMaxSide));
  const double values[] = {camera.eye_x_m,    camera.eye_y_m,    camera.eye_z_m,          camera.target_x_m,
                           camera.target_y_m, camera.target_z_m, options.sun_azimuth_deg, options.sun_altitude_deg};
  if (!std::all_of(std::begin(values), std::end(values), [](double value) { return std::isfinite(value); })) {
    return usage_error("the camera and the sun must be finite numbers");
  }
  if (camera.eye_x_m == camera.target_x_m && camera.eye_y_m == camera.target_y_m &&
      camera.eye_z_m == camera.target_z_m) {
    return usage_error("the camera's eye and target are one point; move one of them");
  }
  if (!(camera.vertical_fov_rad > 0 && camera.vertical_fov_rad < std::numbers::pi)) {
    return usage_error("the camera's field of view must lie between 0 and 180 degrees");
  }
  if (!(options.sun_altitude_deg >= -90 && options.sun_altitude_deg <= 90)) {
    return usage_error("the sun's altitude must lie in -90..90 degrees");
  }
  if (!(options.haze >= 0 && options.haze <= 1000)) {
    return usage_error("haze must lie in 0..1000");
  }
  if (options.contour_step_m && !(*options.contour_step_m > 0)) {
    return usage_error("the contour step must be above 0 metres");
  }
  if (options.colour == Colour::drape &&
      (options.drape == nullptr || options.drape->width < 1 || options.drape->height < 1 ||
       options.drape->rgba.size() !=
           std::size_t(4) * std::size_t(options.drape->width) * std::size_t(options.drape->height))) {
    return usage_error("colouring by a drape needs an RGBA8 image");
  }
  return {};
}

Result<void> check_picture(const Gpu& gpu, const Camera& camera, const PictureOptions& options) {
  ARETE_TRY(check_options(camera, options));
  const int limit = int(std::min<std::uint32_t>(gpu.limits.maxImageDimension2D, kMaxSide));
  ARETE_TRY(check_size(options, limit));
  if (options.drape != nullptr && std::max(options.drape->width, options.drape->height) > limit) {
    return usage_error("the drape is larger than " + std::to_string(limit) + " pixels a side; make it smaller");
  }
  return {};
}

}  // namespace arete::vulkan
