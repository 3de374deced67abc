// One cell: which of its closed triangles holds a place, and what the surface is there.
//
// A triangle exists when its three samples are valid, and its edges belong to it: where the triangle that
// kernel::in_lower_triangle() names is missing, a place on an edge or corner may still stand on a neighbour's.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "arete/collider.h"
#include "kernel/height.h"

namespace arete::collider {

// Samples of a field or page: row-major steps whose element (x, z) stands at data[x * step_x + z * step_z]. A step is 0
// along an axis of a single stop, so that cells never read past it.
struct Samples {
  const std::uint16_t* data;
  std::ptrdiff_t step_x;
  std::ptrdiff_t step_z;
};

struct Corners {
  std::uint32_t h00, h10, h01, h11;
  bool has_lower() const { return h00 != 0 && h10 != 0 && h01 != 0; }
  bool has_upper() const { return h11 != 0 && h10 != 0 && h01 != 0; }
  double height(double fx, double fz) const { return kernel::cell_height(h00, h10, h01, h11, fx, fz); }
};

inline Corners corners_at(const Samples& samples, const std::uint16_t* corner) {
  return {corner[0], corner[samples.step_x], corner[samples.step_z], corner[samples.step_x + samples.step_z]};
}

// A place in one closed triangle of a cell.
struct Spot {
  Ground ground;
  bool is_upper;
  std::int32_t x_cell, z_cell;
  double fx, fz;
  Corners corners;
};

// The neighbours' part of spot_at(): the place stands on an edge or corner of its cell, whose own triangle is missing.
inline Spot spot_on_edge(const Samples& samples, const std::uint16_t* corner, std::int32_t x_cell, std::int32_t z_cell,
                         double fx, double fz) {
  for (int back_z = 0; back_z <= (fz == 0 && z_cell > 0 ? 1 : 0); ++back_z) {
    for (int back_x = 0; back_x <= (fx == 0 && x_cell > 0 ? 1 : 0); ++back_x) {
      const Corners corners = corners_at(samples, corner - back_x * samples.step_x - back_z * samples.step_z);
      const double x = back_x == 1 ? 1.0 : fx;
      const double z = back_z == 1 ? 1.0 : fz;
      const std::int32_t cell_x = x_cell - back_x;
      const std::int32_t cell_z = z_cell - back_z;
      if (x + z <= 1 && corners.has_lower()) {
        return {Ground::surface, false, cell_x, cell_z, x, z, corners};
      }
      if (x + z >= 1 && corners.has_upper()) {
        return {Ground::surface, true, cell_x, cell_z, x, z, corners};
      }
    }
  }
  return {Ground::hole, false, x_cell, z_cell, fx, fz, corners_at(samples, corner)};
}

// `corner` is the sample 00 of cell (x_cell, z_cell); one sample before it along each axis can be read where the cell
// is not the field's first.
inline Spot spot_at(const Samples& samples, const std::uint16_t* corner, std::int32_t x_cell, std::int32_t z_cell,
                    double fx, double fz) {
  const Corners corners = corners_at(samples, corner);
  const bool is_upper = kernel::in_lower_triangle(fx, fz) == 0;
  if (corners.h10 != 0 && corners.h01 != 0 && (is_upper ? corners.h11 : corners.h00) != 0) {
    return {Ground::surface, is_upper, x_cell, z_cell, fx, fz, corners};
  }
  return spot_on_edge(samples, corner, x_cell, z_cell, fx, fz);
}

// The spot's height in steps. A place on the diagonal that rounding puts on the other triangle's side stands on the
// diagonal, where both planes meet: the other triangle may be missing.
inline double spot_steps(const Spot& spot) {
  if (spot.is_upper == (kernel::in_lower_triangle(spot.fx, spot.fz) == 1)) {
    const double rise = double(spot.corners.h10) - double(spot.corners.h01);
    return double(spot.corners.h01) + spot.fx * rise;
  }
  return spot.corners.height(spot.fx, spot.fz);
}

// The height in steps where the place's own triangle is there, without a branch on which of the two that is: random
// places would mispredict it, and reads of the places behind would wait. False where a sample is missing.
inline bool quick_height(const Samples& samples, const std::uint16_t* corner, double fx, double fz, double& steps) {
  static constexpr double kFrom[2] = {0, 1};
  // The sign of 1 - fl(fx + fz), which says what in_lower_triangle() does; compilers turn a comparison into a branch.
  const std::int64_t all_if_upper = std::bit_cast<std::int64_t>(1 - (fx + fz)) >> 63;
  const std::int32_t h10 = corner[samples.step_x];
  const std::int32_t h01 = corner[samples.step_z];
  const std::int32_t own = corner[(samples.step_x + samples.step_z) & all_if_upper];
  const std::int32_t swap = (h10 ^ h01) & static_cast<std::int32_t>(all_if_upper);
  const double from = kFrom[-all_if_upper];
  steps = kernel::triangle_height(own, h10 ^ swap, h01 ^ swap, std::abs(from - fx), std::abs(from - fz));
  return ((own - 1) | (h10 - 1) | (h01 - 1)) >= 0;  // none is 0
}

// Which triangle a place is in looks random to a processor: what follows selects by arithmetic, not by branches.
inline std::array<double, 3> barycentrics(bool is_upper, double fx, double fz) {
  const double upper = is_upper ? 1 : 0;
  const double sign = 1 - 2 * upper;
  return {sign * (1 - (fx + fz)), upper + sign * fz, upper + sign * fx};
}

// The triangle's unit normal; slope_x and slope_z are the slopes of a rise of one step across the cell.
inline std::array<double, 3> triangle_normal(const Corners& corners, bool is_upper, double slope_x, double slope_z) {
  const std::array<double, 4> height{double(corners.h00), double(corners.h10), double(corners.h01),
                                     double(corners.h11)};
  const std::size_t upper = is_upper ? 1 : 0;
  const double sign = 1 - 2 * double(upper);
  const double own = height[3 * upper];
  const double x = sign * (height[1 + upper] - own) * slope_x;
  const double z = sign * (height[2 - upper] - own) * slope_z;
  const double y = 1 / std::sqrt(x * x + 1 + z * z);
  // 0 - s: flat ground gives +0, not -0.
  return {(0 - x) * y, y, (0 - z) * y};
}

}  // namespace arete::collider
