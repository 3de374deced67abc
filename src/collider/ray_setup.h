// A ray made ready to walk: checked, scaled, and clipped to the field's box.
//
// Directions are scaled by a power of two, which is exact, so tiny and huge ones walk alike. Along x and z the walk
// counts in cells, shifted so that stops stand on whole numbers: an area raster's rim then lies at a half, inside its
// first and last cells. Heights are steps.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "arete/collider.h"
#include "field.h"

namespace arete::collider {

// Which side of the surface the walk is on; unknown at the start and behind a hole.
enum class Side : std::uint8_t { unknown, above, below };

// What counts as a hit: Sides, and `solid` for lines of sight, which the ground blocks from within as well.
enum class Meeting : std::uint8_t { front, both, solid };

struct Walk {
  double ox, oz, oy;  // place(t) = o + d t, in cells and steps
  double dx, dz, dy;
  double ix, iz;           // 1 / d, 0 where d is 0
  double t, t_end;         // what is left to walk, in scaled t: within the slab of the field's heights
  double t_first, t_last;  // the ray over the field's plan, whatever its height
  std::int32_t x, z;       // the cell that the walk is in
  int level;               // 0: a cell; from 2: a block of 2^level cells
  Side side;
  Meeting meeting;
};

// A meeting of ray and triangle, in scaled t.
struct Meet {
  double t;
  std::int32_t x_cell, z_cell;
  bool is_upper;
  bool from_below;
};

// The message when a ray is not one.
inline std::optional<const char*> ray_fault(const Ray& ray) {
  for (int axis = 0; axis < 3; ++axis) {
    if (!std::isfinite(ray.origin_m[std::size_t(axis)])) return "the origin is not finite; give three finite metres";
    if (!std::isfinite(ray.direction[std::size_t(axis)]))
      return "the direction is not finite; give three finite numbers";
  }
  if (ray.direction[0] == 0 && ray.direction[1] == 0 && ray.direction[2] == 0) {
    return "the direction is zero; give one that is not";
  }
  if (!(ray.max_t >= 0)) return "the length is negative or not a number; give 0 or more, or infinity";
  return std::nullopt;
}

// value 2^exponent, rounded at most where the result leaves the normal range.
inline double times_power_of_two(double value, int exponent) {
  if (exponent < -1000 || exponent > 1000) {
    return std::scalbn(value, exponent);
  }
  return value * std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

// The exponent k by which a direction is scaled: its greatest component becomes 1..2.
inline int direction_exponent(const Ray& ray) {
  const double x = std::abs(ray.direction[0]), y = std::abs(ray.direction[1]), z = std::abs(ray.direction[2]);
  const double greatest = std::max(std::max(x, y), z);
  const int exponent = static_cast<int>(std::bit_cast<std::uint64_t>(greatest) >> 52) - 1023;
  return exponent > -1023 ? exponent : std::ilogb(greatest);
}

inline double shifted_place(const Axis& axis, double place_m) { return (place_m / axis.half_m + axis.is_area) * 0.5; }

// Cuts t..t_end to where o + d t lies in low..high; false when nothing is left.
inline bool clip(double o, double d, double inverse, double low, double high, double& t, double& t_end) {
  if (d == 0) {
    return o >= low && o <= high;
  }
  const double to_low = (low - o) * inverse;
  const double to_high = (high - o) * inverse;
  t = std::max(t, std::min(to_low, to_high));
  t_end = std::min(t_end, std::max(to_low, to_high));
  return t <= t_end;
}

inline std::int32_t cell_of(double place, std::int32_t first, std::int32_t last) {
  const double above = place > double(first) ? place : double(first);
  return static_cast<std::int32_t>(above < double(last) ? above : double(last));
}

// False when the ray misses the field's box. `least` and `greatest` bound the field's steps. The ray must be free of
// faults. Everything but the direction's scale stands in `walk`.
inline bool start_walk(const Field& field, std::uint32_t least, std::uint32_t greatest, const Ray& ray, Meeting meeting,
                       int start_level, Walk& walk) {
  // A component this small moves the ray by less than an atom over any field.
  constexpr double kNothing = 1e-200;
  constexpr double kTooFar = 1e200;
  const int exponent = direction_exponent(ray);
  const auto scaled = [&](std::size_t axis) {
    const double component = times_power_of_two(ray.direction[axis], -exponent);
    return std::abs(component) < kNothing ? 0.0 : component;
  };
  walk.ox = shifted_place(field.x, ray.origin_m[0]);
  walk.oz = shifted_place(field.z, ray.origin_m[2]);
  walk.oy = (ray.origin_m[1] - field.base_m) * field.steps_per_m;
  walk.dx = scaled(0) * field.x.cells_per_m;
  walk.dz = scaled(2) * field.z.cells_per_m;
  walk.dy = scaled(1) * field.steps_per_m;
  walk.ix = walk.dx != 0 ? 1 / walk.dx : 0;
  walk.iz = walk.dz != 0 ? 1 / walk.dz : 0;
  walk.t = 0;
  walk.t_end = times_power_of_two(ray.max_t, exponent);
  const double low_x = field.x.is_area * 0.5;
  const double low_z = field.z.is_area * 0.5;
  // A step of room: rounding cannot put ground outside the slab.
  const double low_y = meeting == Meeting::solid ? -std::numeric_limits<double>::infinity() : double(least) - 1;
  const double high_y = double(greatest) + 1;
  if (!clip(walk.ox, walk.dx, walk.ix, low_x, (field.x.last_half + field.x.is_area) * 0.5, walk.t, walk.t_end) ||
      !clip(walk.oz, walk.dz, walk.iz, low_z, (field.z.last_half + field.z.is_area) * 0.5, walk.t, walk.t_end)) {
    return false;
  }
  walk.t_first = walk.t;
  walk.t_last = walk.t_end;
  if (!clip(walk.oy, walk.dy, walk.dy != 0 ? 1 / walk.dy : 0, low_y, high_y, walk.t, walk.t_end) ||
      !(walk.t_end < kTooFar)) {
    return false;
  }
  walk.x = cell_of(walk.ox + walk.dx * walk.t, 0, field.x.last_cell);
  walk.z = cell_of(walk.oz + walk.dz * walk.t, 0, field.z.last_cell);
  walk.level = start_level;
  walk.side = Side::unknown;
  walk.meeting = meeting;
  return true;
}

// The answer for a meeting in the given cell.
inline RayHit make_hit(const Field& field, const Ray& ray, const Walk& walk, const Meet& meet, const Corners& corners) {
  const int exponent = direction_exponent(ray);
  RayHit hit;
  hit.status = RayStatus::surface;
  hit.is_upper = meet.is_upper;
  hit.from_below = meet.from_below;
  hit.x_cell = meet.x_cell;
  hit.z_cell = meet.z_cell;
  hit.t = times_power_of_two(meet.t, -exponent);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    hit.position_m[axis] = ray.origin_m[axis] + times_power_of_two(ray.direction[axis], -exponent) * meet.t;
  }
  // In shifted cells a border cell of an area raster is half a cell wide and ends (or, the last one, starts) on a whole
  // number.
  const auto fraction = [](const Axis& axis, double place, std::int32_t cell) {
    const double scale = 2 * cell_scale(axis, cell);
    const double low = axis.is_area != 0 && cell == 0 ? 0.5 : double(cell);
    const double f = (place - low) * scale;
    return std::min(std::max(f, 0.0), 1.0);
  };
  const double fx = fraction(field.x, walk.ox + walk.dx * meet.t, meet.x_cell);
  const double fz = fraction(field.z, walk.oz + walk.dz * meet.t, meet.z_cell);
  hit.barycentrics = barycentrics(meet.is_upper, fx, fz);
  for (double& weight : hit.barycentrics) {
    weight = std::max(weight, 0.0);
  }
  hit.normal = spot_normal(field, corners, meet.is_upper, meet.x_cell, meet.z_cell);
  return hit;
}

// The answer where a page was missing: t where the ray comes to it.
inline RayHit make_stop(const Ray& ray, const Walk& walk) {
  const int exponent = direction_exponent(ray);
  RayHit stop;
  stop.status = RayStatus::not_loaded;
  stop.x_cell = walk.x;
  stop.z_cell = walk.z;
  stop.t = times_power_of_two(walk.t, -exponent);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    stop.position_m[axis] = ray.origin_m[axis] + times_power_of_two(ray.direction[axis], -exponent) * walk.t;
  }
  return stop;
}

}  // namespace arete::collider
