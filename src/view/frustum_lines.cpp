// Projects in double.
#include "view/frustum_lines.h"

#include <array>

#include "vulkan/camera_axes.h"

namespace arete::view {
namespace {

using vulkan::CameraAxes;
using vulkan::Vector;

Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector eye_of(const vulkan::Camera& camera) { return {camera.eye_x_m, camera.eye_y_m, camera.eye_z_m}; }

}  // namespace

std::vector<Line> frustum_lines(const vulkan::Camera& frozen, double far_m, const vulkan::Camera& camera, int width,
                                int height) {
  const CameraAxes of_frozen(frozen, width, height), axes(camera, width, height);
  const Vector tip = eye_of(frozen), eye = eye_of(camera);
  std::array<Vector, 4> corners;
  for (int i = 0; i < 4; ++i) {
    const double right = (i == 1 || i == 2 ? 1 : -1) * of_frozen.reach_x, up = (i < 2 ? 1 : -1) * of_frozen.reach_y;
    corners[std::size_t(i)] = tip + (of_frozen.forward + of_frozen.right * right + of_frozen.up * up) * far_m;
  }
  std::vector<Line> lines;
  const auto add = [&](Vector from, Vector to) {
    const double near = 1e-4 * far_m;
    double from_ahead = dot(from - eye, axes.forward), to_ahead = dot(to - eye, axes.forward);
    if (from_ahead < near && to_ahead < near) return;
    const auto cut = [&](Vector& behind, double& ahead, Vector other, double other_ahead) {
      if (ahead >= near) return;
      behind = behind + (other - behind) * ((near - ahead) / (other_ahead - ahead));
      ahead = near;
    };
    cut(from, from_ahead, to, to_ahead);
    cut(to, to_ahead, from, from_ahead);
    const auto x = [&](Vector place, double ahead) {
      return (1 + dot(place - eye, axes.right) / (ahead * axes.reach_x)) * width / 2;
    };
    const auto y = [&](Vector place, double ahead) {
      return (1 - dot(place - eye, axes.up) / (ahead * axes.reach_y)) * height / 2;
    };
    lines.push_back({x(from, from_ahead), y(from, from_ahead), x(to, to_ahead), y(to, to_ahead)});
  };
  for (std::size_t i = 0; i < 4; ++i) {
    add(tip, corners[i]);
    add(corners[i], corners[(i + 1) % 4]);
  }
  return lines;
}

}  // namespace arete::view
