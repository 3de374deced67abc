// Camera and sun in the frame of the scene's anchor.
//
// Vertices are metres from the anchor and the eye's place enters as one f32 offset made in double, so that far from the
// field's origin nothing trembles. Depth is reversed (near 1, infinity 0) over f32: its precision is even in distance.
#include "vulkan/scene_constants.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "vulkan/camera_axes.h"

namespace arete::vulkan {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

Vector4 as_floats(Vector v, double w = 0) { return {float(v.x), float(v.y), float(v.z), float(w)}; }

double round_step(double wanted) {
  const double decade = std::pow(10, std::floor(std::log10(wanted)));
  for (const double nice : {1.0, 2.0, 5.0}) {
    if (wanted <= nice * decade) return nice * decade;
  }
  return 10 * decade;
}

}  // namespace

SceneConstants make_scene_constants(const Scene& scene, const Camera& camera, const PictureOptions& options,
                                    const LightMap* light) {
  const Bounds& bounds = *scene.bounds;
  const Lattice& lattice = bounds.lattice();
  SceneConstants constants{};

  const auto [right, up, forward, reach_x, reach_y] = CameraAxes(camera, options.width, options.height);
  const double low = lattice.height_m(bounds.field_min);
  const double high = lattice.height_m(bounds.field_max);
  const double relief = std::max(high - low, 1e-3);
  const double across = std::hypot(lattice.width_m(), lattice.depth_m());
  const double size = std::hypot(across, relief);
  const double near = std::max(0.05, 1e-5 * size);

  // Rows of the view, then clip = (x / reach_x, -y / reach_y, near, distance): Vulkan's y points down.
  const Vector rows[] = {right * (1 / reach_x), up * (-1 / reach_y), {0, 0, 0}, forward};
  for (int row = 0; row < 4; ++row) {
    constants.view_projection[std::size_t(row)] = float(rows[row].x);
    constants.view_projection[std::size_t(row) + 4] = float(rows[row].y);
    constants.view_projection[std::size_t(row) + 8] = float(rows[row].z);
  }
  constants.view_projection[14] = float(near);

  const double anchor_x = scene.anchor.half_x * double(lattice.half_x_m());
  const double anchor_z = scene.anchor.half_z * double(lattice.half_z_m());
  constants.anchor_from_eye =
      as_floats({anchor_x - camera.eye_x_m, -camera.eye_y_m, anchor_z - camera.eye_z_m}, camera.eye_y_m);
  constexpr double kNever = -1e3;
  const bool is_blurred = light != nullptr && scene.finest_range_m > 0;
  constants.right = as_floats(right * reach_x, is_blurred ? -std::log2(scene.finest_range_m) - light->lod : kNever);
  constants.up = as_floats(up * reach_y, scene.floor_m);
  constants.forward = as_floats(forward);

  const double azimuth = options.sun_azimuth_deg * kDegree;
  const double altitude = options.sun_altitude_deg * kDegree;
  const Vector sun{std::sin(azimuth) * std::cos(altitude), std::sin(altitude), -std::cos(azimuth) * std::cos(altitude)};
  constants.sun = as_floats(sun, options.haze * 0.75 / size);

  const bool spans_zero = low <= 0 && high > 0;
  const double sea = options.sea_level_m.value_or(0);
  const bool has_sea = options.sea_level_m ? sea >= low : spans_zero;
  // Air as deep as the ground is high, but above fields that are taller than wide it ends where eyes look from.
  const double air_m = std::max(std::min(std::max(relief, 0.03 * size), 0.25 * across), 1e-3 * size);
  constants.heights = {float(low), float(high), float(sea), float(air_m)};
  if (light != nullptr) {
    constants.light_map = {float(light->u_scale), float(light->v_scale),
                           float(light->u_offset + anchor_x * light->u_scale),
                           float(light->v_offset + anchor_z * light->v_scale)};
  }
  const auto share = [](double value, double none, double all) {
    return std::clamp((value - none) / (all - none), 0.0, 1.0);
  };
  // Hills have neither snow nor bare summits.
  constants.style = {float(options.contour_step_m.value_or(round_step(relief / 24))),
                     float(share(relief, 700, 1700) * share(high, 1300, 2200)), float(share(relief, 150, 900)),
                     float(size)};
  constants.mode = {int(options.colour), light != nullptr ? 1 : 0, options.wireframe ? 1 : 0, has_sea ? 1 : 0};
  constants.layout_words = {scene.layout.stride_words, scene.layout.position, scene.layout.normal, scene.layout.colour};
  constants.more_words = {scene.layout.uv0, 0, 0, 0};
  return constants;
}

}  // namespace arete::vulkan
