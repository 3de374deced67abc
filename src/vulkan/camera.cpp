// Cameras that show a field well, and the view that cuts and culls for them.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "arete/vulkan.h"

namespace arete::vulkan {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

struct Extent {
  double centre_x_m, centre_z_m, size_m;  // size: the diagonal
  double low_m, high_m;
};

Extent extent_of(const Bounds& bounds) {
  const Lattice& lattice = bounds.lattice();
  return {lattice.width_m() / 2, lattice.depth_m() / 2,
          std::max(std::hypot(lattice.width_m(), lattice.depth_m()), 1e-3), lattice.height_m(bounds.field_min),
          lattice.height_m(bounds.field_max)};
}

}  // namespace

Camera default_camera(const Bounds& bounds, double orbit_deg) {
  const Extent field = extent_of(bounds);
  const Lattice& lattice = bounds.lattice();
  // Towards the viewer: south at 0, east at 90.
  const double toward_x = std::sin(orbit_deg * kDegree);
  const double toward_z = std::cos(orbit_deg * kDegree);
  // From the centre to the rim on the viewer's side.
  const double half_x = lattice.width_m() / 2, half_z = lattice.depth_m() / 2;
  const double rim = std::min(half_x / std::max(std::abs(toward_x), 1e-9), half_z / std::max(std::abs(toward_z), 1e-9));
  const double relief = field.high_m - field.low_m;
  const double height = std::max({0.055 * field.size_m, 0.85 * relief, 1e-3});
  Camera camera;
  camera.vertical_fov_rad = 38 * kDegree;
  camera.eye_x_m = field.centre_x_m + 1.02 * rim * toward_x;
  camera.eye_z_m = field.centre_z_m + 1.02 * rim * toward_z;
  camera.eye_y_m = field.low_m + 0.45 * relief + height;
  const double reach = 0.75 * rim;
  camera.target_x_m = camera.eye_x_m - reach * toward_x;
  camera.target_z_m = camera.eye_z_m - reach * toward_z;
  camera.target_y_m = field.low_m + 0.4 * relief;
  return camera;
}

Camera overview_camera(const Bounds& bounds, double aspect, double orbit_deg) {
  const Extent field = extent_of(bounds);
  Camera camera;
  camera.vertical_fov_rad = 28 * kDegree;
  const double pitch = 30 * kDegree;
  const double tightest = std::tan(camera.vertical_fov_rad / 2) * std::min(1.0, aspect / 1.55);
  const double distance = 0.375 * field.size_m / tightest;
  camera.target_x_m = field.centre_x_m;
  camera.target_z_m = field.centre_z_m;
  camera.target_y_m = (field.low_m + field.high_m) / 2;
  camera.eye_x_m = field.centre_x_m + distance * std::cos(pitch) * std::sin(orbit_deg * kDegree);
  camera.eye_z_m = field.centre_z_m + distance * std::cos(pitch) * std::cos(orbit_deg * kDegree);
  camera.eye_y_m = camera.target_y_m + distance * std::sin(pitch);
  return camera;
}

View picture_view(const Camera& camera, int width, int height) {
  View view;
  view.eye_x_m = camera.eye_x_m;
  view.eye_y_m = camera.eye_y_m;
  view.eye_z_m = camera.eye_z_m;
  const double reach_y = std::tan(camera.vertical_fov_rad / 2);
  const double reach_x = reach_y * width / height;
  view.pixels_per_radian = height / (2 * reach_y);
  double fx = camera.target_x_m - camera.eye_x_m, fy = camera.target_y_m - camera.eye_y_m,
         fz = camera.target_z_m - camera.eye_z_m;
  const double length = std::sqrt(fx * fx + fy * fy + fz * fz);
  fx /= length, fy /= length, fz /= length;
  // right = forward x up; looking straight up or down, north is up.
  double rx = -fz, rz = fx;
  const double flat = std::hypot(rx, rz);
  if (flat < 5e-3) {
    return view;  // nothing is culled
  }
  rx /= flat, rz /= flat;
  const double ux = -rz * fy, uy = rz * fx - rx * fz, uz = rx * fy;
  const auto plane = [&](double nx, double ny, double nz) {
    view.frustum.push_back({nx, ny, nz, -(nx * view.eye_x_m + ny * view.eye_y_m + nz * view.eye_z_m)});
  };
  plane(fx * reach_x + rx, fy * reach_x, fz * reach_x + rz);
  plane(fx * reach_x - rx, fy * reach_x, fz * reach_x - rz);
  plane(fx * reach_y + ux, fy * reach_y + uy, fz * reach_y + uz);
  plane(fx * reach_y - ux, fy * reach_y - uy, fz * reach_y - uz);
  plane(fx, fy, fz);
  return view;
}

}  // namespace arete::vulkan
