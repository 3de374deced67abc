// Four children's distances at once.
#pragma once

#include <cstdint>

#include "kernel/layout.h"

namespace arete::cut {

// The children of one node: the stops between them along each axis in half texels, their heights, and powers of two.
struct ChildBoxes {
  std::int32_t half_x[4];  // three places; the fourth is not read
  std::int32_t half_z[4];
  std::uint32_t heights[4];   // steps: min | max << 16, no holes
  std::int32_t exponents[4];  // of the factor from squared metres to units of R_0^2, -126..127
};

// Bit c is set where child c's box, grown by `lag_m`, is nearer than the range: scaled_distance_sq(distance_sq(...)) <
// select_sq of kernel/morph.h, bit for bit.
int children_in_range(const kernel::FrameConstants& frame, float lag_m, float select_sq, const ChildBoxes& boxes);

}  // namespace arete::cut
