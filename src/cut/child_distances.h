// Distances of four boxes in one vector: each operation is one of kernel/morph.h on four lanes, in the same order.
// Vectors of the compiler's own (GCC, Clang), since 128 bits are at hand on every target without a choice at run time.
#pragma once

#include <bit>
#include <cstdint>

#include "arete/core.h"

namespace arete::cut {

using Floats4 = float __attribute__((vector_size(16)));
using Integers4 = std::int32_t __attribute__((vector_size(16)));
using Pairs2 = std::uint64_t __attribute__((vector_size(16)));

inline Floats4 all4(float value) { return Floats4{value, value, value, value}; }

// One axis of the camera and the lattice.
struct ChildAxis {
  std::int32_t last_stop;
  std::int32_t is_area;
  std::int32_t camera_half;
  float half_m;
  float camera_rest;

  // camera_offset() of the lines between two children of a node: its first one, their middle, its last one; the fourth
  // is not read. `first` is in stops, `side` a child's stops.
  Floats4 offsets(std::int64_t first, std::int64_t side) const {
    const auto half = [&](std::int64_t stop) {
      return kernel::stop_half(std::int32_t(stop < last_stop ? stop : last_stop), last_stop, is_area) - camera_half;
    };
    const Integers4 places{half(first), half(first + side), half(first + 2 * side), 0};
    return __builtin_convertvector(places, Floats4) * half_m - camera_rest;
  }
};

// Tells which of a node's children are nearer than their ranges.
class ChildDistances {
 public:
  // Boxes grow by `lag_m`; holes take the height `hole` in steps.
  ChildDistances(const kernel::FrameConstants& frame, float lag_m, float select_sq, std::uint16_t hole)
      : x_{frame.last_stop_x, frame.is_area, frame.camera_half_x, frame.half_x_m, frame.camera_rest_x},
        z_{frame.last_stop_z, frame.is_area, frame.camera_half_z, frame.half_z_m, frame.camera_rest_z},
        lag_m_(all4(lag_m)),
        select_sq_(all4(select_sq)),
        step_m_(all4(frame.step_m)),
        base_m_(all4(frame.base_m)),
        camera_y_(all4(frame.camera_y)),
        hole_{hole, hole, hole, hole} {}

  // Bit c is set where child c's box is nearer than the range: scaled_distance_sq(distance_sq(...)) < select_sq of
  // kernel/morph.h, bit for bit. The node's first stops and a child's stops a side; heights in steps, min | max << 16,
  // 0 where there is a hole; exponents, -126..127, of the factor from squared metres to units of R_0^2.
  int in_range(std::int64_t first_x, std::int64_t first_z, std::int64_t side, Integers4 heights,
               Integers4 exponents) const {
    const Floats4 x = x_.offsets(first_x, side);
    const Floats4 z = z_.offsets(first_z, side);
    // Lanes as the children lie: west east west east, north north south south.
    const Floats4 near_x = nearest(Floats4{x[0], x[1], x[0], x[1]}, Floats4{x[1], x[2], x[1], x[2]});
    const Floats4 near_z = nearest(Floats4{z[0], z[0], z[1], z[1]}, Floats4{z[1], z[1], z[2], z[2]});
    const Floats4 near_y = nearest(offset_y(heights & 0xffff), offset_y((heights >> 16) & 0xffff));
    const Floats4 distance_sq = (near_x * near_x + near_z * near_z) + near_y * near_y;
    const Floats4 scale = std::bit_cast<Floats4>((exponents + 127) << 23);
    const Integers4 is_near = (distance_sq * scale < select_sq_) & Integers4{1, 2, 4, 8};
    const auto pairs = std::bit_cast<Pairs2>(is_near);
    const std::uint64_t bits = pairs[0] | pairs[1];
    return int(bits | bits >> 32) & 15;
  }

 private:
  Floats4 offset_y(Integers4 steps) const {
    const Integers4 solid = steps | (hole_ & (steps == 0));
    return (__builtin_convertvector(solid, Floats4) * step_m_ + base_m_) - camera_y_;
  }
  // nearest_offset()
  Floats4 nearest(Floats4 low, Floats4 high) const {
    low -= lag_m_;
    high += lag_m_;
    const Integers4 above = low > all4(0);
    const Integers4 below = high < all4(0);
    return std::bit_cast<Floats4>(std::bit_cast<Integers4>(low) & above) +
           std::bit_cast<Floats4>(std::bit_cast<Integers4>(high) & below);
  }

  ChildAxis x_, z_;
  Floats4 lag_m_, select_sq_, step_m_, base_m_, camera_y_;
  Integers4 hole_;
};

}  // namespace arete::cut
