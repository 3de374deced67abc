// The axes of a pinhole camera's picture.
#pragma once

#include <cmath>

#include "arete/vulkan.h"

namespace arete::vulkan {

struct Vector {
  double x, y, z;
};
inline Vector operator*(Vector v, double s) { return {v.x * s, v.y * s, v.z * s}; }
inline double dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vector cross(Vector a, Vector b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline Vector normalised(Vector v) { return v * (1 / std::sqrt(dot(v, v))); }

// Unit vectors, and how far the picture reaches along right and up at a distance of 1.
struct CameraAxes {
  Vector right, up, forward;
  double reach_x, reach_y;

  CameraAxes(const Camera& camera, int width, int height) {
    forward = normalised(
        {camera.target_x_m - camera.eye_x_m, camera.target_y_m - camera.eye_y_m, camera.target_z_m - camera.eye_z_m});
    // Straight up or down, north is the picture's upper side.
    const Vector above = std::abs(forward.y) > 0.99999 ? Vector{0, 0, -1} : Vector{0, 1, 0};
    right = normalised(cross(forward, above));
    up = cross(right, forward);
    reach_y = std::tan(camera.vertical_fov_rad / 2);
    reach_x = reach_y * width / height;
  }
};

}  // namespace arete::vulkan
