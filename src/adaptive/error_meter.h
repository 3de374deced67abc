// How far a triangle T on lattice stops lies from the full-resolution surface F, exactly.
//
// T - F is linear on each part that T's edges and F's cells cut out, so |T - F| is greatest at a sample inside T, or
// where an edge of T crosses a line of F: x = stop, z = stop, or a cell's diagonal (axis-parallel edges and edges along
// the diagonals meet F at samples alone). Heights are whole steps and places whole half texels, so every difference is
// a ratio of integers and is compared with the limit as such.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "arete/core.h"

namespace arete::adaptive {

// A stop of a piece, counted from the piece's corner.
struct Place {
  std::int32_t x = 0;
  std::int32_t z = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

// The samples of a piece, its borders and one sample beyond them, where the field has them.
struct SampleBlock {
  std::int32_t last_x = 0;  // the greatest stop inside the field, 1..piece cells
  std::int32_t last_z = 0;
  std::vector<std::uint16_t> steps;  // row-major from stop (-1, -1); a hole where the field has no stop
  std::ptrdiff_t stride = 0;
  std::vector<std::int32_t> half_x;  // half-texel places from stop -1 on
  std::vector<std::int32_t> half_z;
  // Between these stops the lattice is even: one stop is two half texels.
  std::int32_t even_x0 = 0, even_x1 = 0, even_z0 = 0, even_z1 = 0;

  const std::uint16_t* at(std::int32_t x, std::int32_t z) const {
    return steps.data() + (std::ptrdiff_t(z) + 1) * stride + x + 1;
  }
  std::int32_t place_x(std::int32_t x) const { return half_x[std::size_t(x + 1)]; }
  std::int32_t place_z(std::int32_t z) const { return half_z[std::size_t(z + 1)]; }
};

inline constexpr double kTooFar = std::numeric_limits<double>::infinity();
// No two heights differ by more.
inline constexpr double kAnyError = 65536.0;

// Measures against one block. Cheap to copy; const use is thread-safe.
class ErrorMeter {
 public:
  ErrorMeter() = default;  // measures nothing until assigned
  explicit ErrorMeter(const SampleBlock& block) : block_(&block) {}

  // Errors above `steps` are reported as kTooFar, found as early as they are met. Rounded down to 24 significant bits.
  void set_limit(double steps);
  double limit() const { return limit_; }

  // The error along the open segment a-b: its samples and crossings.
  double along(Place a, Place b) const;
  // The error at samples strictly inside the triangle a b c, in either orientation.
  double inside(Place a, Place b, Place c) const;
  // The whole triangle.
  double triangle(Place a, Place b, Place c) const;

 private:
  std::int32_t height(Place place) const { return *block_->at(place.x, place.z); }
  bool is_even(std::int32_t x0, std::int32_t x1, std::int32_t z0, std::int32_t z1) const {
    return x0 >= block_->even_x0 && x1 <= block_->even_x1 && z0 >= block_->even_z0 && z1 <= block_->even_z1;
  }
  std::int64_t limit_over(std::int64_t denominator) const;
  double along_even(Place a, Place b) const;
  double along_uneven(Place a, Place b) const;
  double inside_uneven(Place a, Place b, Place c) const;

  const SampleBlock* block_ = nullptr;
  double limit_ = kAnyError;
};

}  // namespace arete::adaptive
