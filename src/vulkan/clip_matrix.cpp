// The projection of a picture's camera for those who draw with their own pipeline.
#include "vulkan/camera_axes.h"

namespace arete::vulkan {

std::array<float, 16> clip_from_anchor(const Camera& camera, int width, int height, const Lattice& lattice,
                                       Anchor anchor, double near_m) {
  const CameraAxes axes(camera, width, height);
  const Vector anchor_from_eye{anchor.half_x * double(lattice.half_x_m()) - camera.eye_x_m, -camera.eye_y_m,
                               anchor.half_z * double(lattice.half_z_m()) - camera.eye_z_m};
  // Vulkan's y points down; z / w is near_m / distance.
  const Vector rows[] = {axes.right * (1 / axes.reach_x), axes.up * (-1 / axes.reach_y), {0, 0, 0}, axes.forward};
  std::array<float, 16> matrix{};
  for (std::size_t row = 0; row < 4; ++row) {
    matrix[row] = float(rows[row].x);
    matrix[row + 4] = float(rows[row].y);
    matrix[row + 8] = float(rows[row].z);
    matrix[row + 12] = float(dot(rows[row], anchor_from_eye));
  }
  matrix[14] = float(near_m);
  return matrix;
}

}  // namespace arete::vulkan
