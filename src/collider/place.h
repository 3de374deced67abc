// Places to cells: metres become half texels, half texels a cell and the place within it.
//
// u = place_m / half_m is rounded once; everything after it is exact, so a stop gives its own cell and a fraction of
// exactly 0 (or 1 on the far edge). Area registration's border cells are half as wide, which only changes a cell's
// first stop and scale.
#pragma once

#include <bit>
#include <cstdint>

#include "arete/collider.h"

namespace arete::collider {

using Axis = detail::QueryAxis;

inline Axis make_axis(double half_m, double last_half, std::int32_t last_stop, std::int32_t is_area) {
  const double border = is_area;
  return {half_m,
          0.5 / half_m,
          last_half,
          border,
          std::bit_cast<std::uint64_t>(last_half - 2 * border),
          last_stop > 0 ? last_stop - 1 : 0,
          is_area};
}
inline Axis x_axis(const Lattice& lattice) {
  const std::int32_t last = lattice.last_stop_x();
  return make_axis(lattice.half_x_m(), lattice.half_x(last), last, lattice.is_area());
}
inline Axis z_axis(const Lattice& lattice) {
  const std::int32_t last = lattice.last_stop_z();
  return make_axis(lattice.half_z_m(), lattice.half_z(last), last, lattice.is_area());
}

struct AxisPlace {
  std::int32_t cell;
  double f;  // 0..1 within the cell
};

// Half texels at a cell's first stop.
inline std::int32_t cell_half(const Axis& axis, std::int32_t cell) {
  return axis.is_area == 0 || cell == 0 ? 2 * cell : 2 * cell - 1;
}
// 1 / (half texels across the cell): a half, or 1 in an area raster's border cells.
inline double cell_scale(const Axis& axis, std::int32_t cell) {
  return axis.is_area != 0 && (cell == 0 || cell == axis.last_cell) ? 1.0 : 0.5;
}

// False when the place is outside the field (NaN is).
inline bool locate(const Axis& axis, double place_m, AxisPlace& place) {
  const double u = place_m / axis.half_m;
  if (!(u >= 0 && u <= axis.last_half)) {
    return false;
  }
  const std::int32_t cell = (static_cast<std::int32_t>(u) + axis.is_area) >> 1;
  place.cell = cell < axis.last_cell ? cell : axis.last_cell;
  place.f = (u - cell_half(axis, place.cell)) * cell_scale(axis, place.cell);
  return true;
}

// locate() in fewer instructions, for a place that is in a cell of whole width and not on the far edge; false
// elsewhere, where locate() must be asked.
inline bool locate_within(const Axis& axis, double place_m, AxisPlace& place) {
  const double beyond = place_m / axis.half_m - axis.whole_from;
  // As integers, the bits of what is negative and of NaN are greater than those of any length.
  if (std::bit_cast<std::uint64_t>(beyond) >= axis.whole_bits) {
    return false;
  }
  const double cells = beyond * 0.5;
  const auto cell = static_cast<std::int32_t>(cells);
  place = {cell + axis.is_area, cells - cell};
  return true;
}

}  // namespace arete::collider
