// Distances of four boxes in one vector: each operation is one of kernel/morph.h on four lanes, in the same order.
// Vectors of the compiler's own (GCC, Clang), since 128 bits are at hand on every target without a choice at run time.
#include "child_distances.h"

#include <bit>
#include <cstring>

namespace arete::cut {
namespace {

using Floats = float __attribute__((vector_size(16)));
using Integers = std::int32_t __attribute__((vector_size(16)));

template <class Vector, class Element>
Vector load(const Element* from) {
  Vector vector;
  std::memcpy(&vector, from, sizeof(vector));
  return vector;
}

Floats all(float value) { return Floats{value, value, value, value}; }

// camera_offset() of four places along one axis.
Floats offsets(const std::int32_t* half, std::int32_t camera_half, float half_m, float rest) {
  const Integers places = load<Integers>(half) - camera_half;
  return __builtin_convertvector(places, Floats) * half_m - rest;
}

// nearest_offset()
Floats nearest(Floats low, Floats high) {
  const Integers above = low > all(0);
  const Integers below = high < all(0);
  return std::bit_cast<Floats>(std::bit_cast<Integers>(low) & above) +
         std::bit_cast<Floats>(std::bit_cast<Integers>(high) & below);
}

}  // namespace

int children_in_range(const kernel::FrameConstants& frame, float lag_m, float select_sq, const ChildBoxes& boxes) {
  const Floats x = offsets(boxes.half_x, frame.camera_half_x, frame.half_x_m, frame.camera_rest_x);
  const Floats z = offsets(boxes.half_z, frame.camera_half_z, frame.half_z_m, frame.camera_rest_z);
  // Lanes as the children lie: west east west east, north north south south.
  const Floats near_x = nearest(Floats{x[0], x[1], x[0], x[1]} - lag_m, Floats{x[1], x[2], x[1], x[2]} + lag_m);
  const Floats near_z = nearest(Floats{z[0], z[0], z[1], z[1]} - lag_m, Floats{z[1], z[1], z[2], z[2]} + lag_m);
  const Integers heights = load<Integers>(boxes.heights);
  const Floats low_steps = __builtin_convertvector(heights & 0xffff, Floats);
  const Floats high_steps = __builtin_convertvector((heights >> 16) & 0xffff, Floats);
  const Floats low = (low_steps * frame.step_m + frame.base_m) - frame.camera_y;
  const Floats high = (high_steps * frame.step_m + frame.base_m) - frame.camera_y;
  const Floats near_y = nearest(low - lag_m, high + lag_m);
  const Floats distance_sq = (near_x * near_x + near_z * near_z) + near_y * near_y;
  const Floats scale = std::bit_cast<Floats>((load<Integers>(boxes.exponents) + 127) << 23);
  const Integers is_near = distance_sq * scale < all(select_sq);
  return (is_near[0] & 1) | (is_near[1] & 2) | (is_near[2] & 4) | (is_near[3] & 8);
}

}  // namespace arete::cut
