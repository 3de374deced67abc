// Cells under a box and the triangles of one cell, for fields in memory and pages alike.
#pragma once

#include <algorithm>
#include <cmath>

#include "field.h"

namespace arete::collider {

// Ends included; empty when last < first.
struct CellRange {
  std::int32_t x_first, z_first, x_last, z_last;
};

// Cells of one axis whose closed span may meet low_m..high_m; a cell more on each side than rounding could ask for.
inline void cells_along(const Axis& axis, std::int32_t last_stop, double low_m, double high_m, std::int32_t& first,
                        std::int32_t& last) {
  const double low = low_m / axis.half_m;
  const double high = high_m / axis.half_m;
  if (last_stop < 1 || !(low <= axis.last_half + 1) || !(high >= -1) || !(low <= high)) {
    first = 0;
    last = -1;
    return;
  }
  const auto cell_of = [&](double half) {
    const double clamped = std::clamp(half, 0.0, axis.last_half);
    return std::min((static_cast<std::int32_t>(clamped) + axis.is_area) >> 1, axis.last_cell);
  };
  first = std::max(cell_of(low) - 1, 0);
  last = std::min(cell_of(high) + 1, axis.last_cell);
}

inline CellRange cells_in(const Field& field, const Lattice& lattice, const Box& box) {
  CellRange range{};
  cells_along(field.x, lattice.last_stop_x(), box.min_m[0], box.max_m[0], range.x_first, range.x_last);
  cells_along(field.z, lattice.last_stop_z(), box.min_m[2], box.max_m[2], range.z_first, range.z_last);
  return range;
}

// Visits the cell's triangles that meet the box; false when the visitor said stop.
inline bool visit_cell(const Field& field, const Lattice& lattice, const Box& box, const Corners& corners,
                       std::int32_t x_cell, std::int32_t z_cell, const TriangleVisitor& visit) {
  if (corners.h10 == 0 || corners.h01 == 0) {
    return true;
  }
  const double x0 = lattice.x_m(x_cell), x1 = lattice.x_m(x_cell + 1);
  const double z0 = lattice.z_m(z_cell), z1 = lattice.z_m(z_cell + 1);
  if (x0 > box.max_m[0] || x1 < box.min_m[0] || z0 > box.max_m[2] || z1 < box.min_m[2]) {
    return true;
  }
  const auto y = [&](std::uint32_t steps) { return field.base_m + field.step_m * double(steps); };
  const std::array<double, 3> east{x1, y(corners.h10), z0};
  const std::array<double, 3> south{x0, y(corners.h01), z1};
  for (int upper = 0; upper < 2; ++upper) {
    const std::uint32_t own = upper == 1 ? corners.h11 : corners.h00;
    if (own == 0) {
      continue;
    }
    const std::uint32_t least = std::min({own, corners.h10, corners.h01});
    const std::uint32_t greatest = std::max({own, corners.h10, corners.h01});
    if (y(least) > box.max_m[1] || y(greatest) < box.min_m[1]) {
      continue;
    }
    Triangle triangle;
    triangle.id =
        2 * (std::uint64_t(z_cell) * std::uint64_t(lattice.cells_x(0)) + std::uint64_t(x_cell)) + std::uint64_t(upper);
    triangle.x_cell = x_cell;
    triangle.z_cell = z_cell;
    triangle.is_upper = upper == 1;
    if (upper == 1) {
      triangle.vertices_m = {std::array<double, 3>{x1, y(own), z1}, east, south};
    } else {
      triangle.vertices_m = {std::array<double, 3>{x0, y(own), z0}, south, east};
    }
    if (!visit(triangle)) {
      return false;
    }
  }
  return true;
}

}  // namespace arete::collider
