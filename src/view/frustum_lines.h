// The edges of a camera's view, seen by another camera: where a frozen cut was made from.
#pragma once

#include <vector>

#include "arete/vulkan.h"

namespace arete::view {

// In pixels of the picture, from its upper left corner.
struct Line {
  double from_x, from_y, to_x, to_y;
};

// The four edges of `frozen`'s view up to `far_m` and the frame there, as `camera` sees them in a picture of
// `width` x `height` pixels in which `frozen` had the same shape. What lies behind the camera is cut off.
std::vector<Line> frustum_lines(const vulkan::Camera& frozen, double far_m, const vulkan::Camera& camera, int width,
                                int height);

}  // namespace arete::view
