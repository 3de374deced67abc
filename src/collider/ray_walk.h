// The walk of a ray over a field: down into blocks that it may touch, across those that it cannot, in the order of t.
//
// A block is passed over only while the whole of the ray within it is above its greatest sample (or, on the lower side,
// below its least), which leaves the carried side as it was. Block borders are computed from whole numbers alone, so a
// border has one t whichever level crosses it, and cells are taken in the order of these t: what was passed over before
// does not change which cells are tested (after Tevs, Ihrke and Seidel, 2008; Amanatides and Woo, "A Fast Voxel
// Traversal Algorithm", 1987).
#pragma once

#include <algorithm>
#include <limits>

#include "ray_cell.h"

namespace arete::collider {

struct NoCost {
  void count_bounds() {}
  void count_cell() {}
};
struct CountCost {
  RayCost& cost;
  void count_bounds() { ++cost.bounds; }
  void count_cell() { ++cost.cells; }
};

// The level at which rays start where everything is at hand; a walk climbs one level at each border of the next one's
// blocks.
inline constexpr int kStartLevel = 4;

// A ray along one axis, in numbers that serve all directions: where it rises and where it falls is not for the
// processor to guess.
struct WalkAxis {
  double o, d;
  double slab, inverse;  // (border - slab) * inverse is when the ray comes to a border: never, where it runs along
  std::int32_t up;       // -1 where it rises, else 0
  std::int32_t last;     // cell of the field

  WalkAxis(double origin, double direction, double inverse_direction, std::int32_t last_cell)
      : o(origin),
        d(direction),
        slab(direction == 0 ? -std::numeric_limits<double>::infinity() : origin),
        inverse(direction == 0 ? 1 : inverse_direction),
        up(direction > 0 ? -1 : 0),
        last(last_cell) {}

  // Where the ray leaves the block of `size` cells from `first` on, the cell behind, and when it comes there.
  std::int32_t border(std::int32_t first, std::int32_t size) const { return first + (size & up); }
  std::int32_t next(std::int32_t border) const { return border + ~up; }
  double crossing(std::int32_t border) const { return (double(border) - slab) * inverse; }
  // When the ray comes into a cell.
  double entry(std::int32_t cell) const {
    const double t = crossing(cell + 1 + up);
    return d == 0 ? -t : t;
  }
  // The cell of a block in which the ray is at t, never one that it enters later: so every way to a cell leads through
  // the same cells before it.
  std::int32_t cell_at(double t, std::int32_t first, std::int32_t size) const {
    const std::int32_t end = std::min(first + size - 1, last);
    const std::int32_t cell = cell_of(o + d * t, first, end);
    if (entry(cell) > t) [[unlikely]] {
      return std::clamp(cell + 1 + 2 * up, first, end);
    }
    return cell;
  }
};

enum class WalkEnd { miss, met, stopped };

// Walks until the ray meets ground, ends, or `grid` stops it (walk.t, walk.x and walk.z say where). Grid offers
//
// - kGateLevel: a walk that comes into another block of this level asks for that block first; or 0;
// - bool block(level, x, z, word&): the word of RayBounds for the block of 2^level cells that holds cell (x, z); false
//   stops the walk;
// - const uint16_t* corner(x, z): the cell's sample 00, whose block was asked for before;
// - const Samples& samples(): for steps to the other corners;
// - int top_level(): the greatest level;
// - uint32_t top_word(): a word that bounds the whole field;
// - Spot spot(x_m, z_m): what stands at a place.
template <class Grid, class Cost>
WalkEnd walk_ray(const Field& field, Grid& grid, Walk& walk, Meet& meet, Cost cost) {
  const WalkAxis x_axis(walk.ox, walk.dx, walk.ix, field.x.last_cell);
  const WalkAxis z_axis(walk.oz, walk.dz, walk.iz, field.z.last_cell);
  std::int32_t x = walk.x, z = walk.z;
  int level = walk.level;
  double t = walk.t;
  Side side = walk.side;
  const auto put = [&] { walk.x = x, walk.z = z, walk.level = level, walk.t = t, walk.side = side; };
  for (;;) {
    const std::int32_t size = std::int32_t(1) << level;
    const std::int32_t first_x = x & -size, first_z = z & -size;
    const std::int32_t border_x = x_axis.border(first_x, size), border_z = z_axis.border(first_z, size);
    const double t_x = x_axis.crossing(border_x), t_z = z_axis.crossing(border_z);
    const double nearest = std::min(t_x, t_z);
    const double t_exit = std::max(t, std::min(nearest, walk.t_end));
    const double y_a = walk.oy + walk.dy * t;
    const double y_b = walk.oy + walk.dy * t_exit;
    const double lowest = std::min(y_a, y_b);
    if (level > 0) {
      cost.count_bounds();
      std::uint32_t word = 0;
      if (!grid.block(level, x, z, word)) {
        x = x_axis.cell_at(t, first_x, size), z = z_axis.cell_at(t, first_z, size);
        put();
        return WalkEnd::stopped;
      }
      if (side != Side::below && lowest > double(std::int32_t(word & 0xffffu))) {
        side = Side::above;
      } else if (side != Side::above && walk.meeting != Meeting::solid &&
                 std::max(y_a, y_b) < double(std::int32_t(word >> 16))) {
        side = Side::below;
      } else {
        x = x_axis.cell_at(t, first_x, size), z = z_axis.cell_at(t, first_z, size);
        // Two levels down, one up: what fails in a block mostly fails in its quarter too.
        const int least = level > Grid::kGateLevel ? std::max(Grid::kGateLevel, 2) : 2;
        level = level == 2 ? 0 : std::max(level - 2, least);
        continue;
      }
    } else {
      const std::uint16_t* corner = grid.corner(x, z);
      const Corners corners = corners_at(grid.samples(), corner);
      const std::uint32_t greatest = std::max(std::max(corners.h00, corners.h11), std::max(corners.h10, corners.h01));
      if (side != Side::below && lowest > double(std::int32_t(greatest))) {
        side = Side::above;
      } else {
        cost.count_cell();
        // The whole of the ray in this cell: the answer must not depend on the way that the walk took to it.
        const double t_b = std::min(nearest, walk.t_last);
        const double t_a = std::min(std::max(std::max(x_axis.entry(x), z_axis.entry(z)), walk.t_first), t_b);
        const bool is_whole = corners.has_lower() && corners.h11 != 0;
        put();
        // A corner that is only touched says nothing of sides.
        if ((t_a < t_b || t_b >= walk.t_last) &&
            (is_whole ? meet_whole_cell(field, walk, corners, t_a, t_b, meet)
                      : meet_broken_cell(field, grid.samples(), corner, walk, corners, t_a, t_b, meet))) {
          return WalkEnd::met;
        }
        side = walk.side;
      }
    }
    if (t_exit >= walk.t_end) {
      return WalkEnd::miss;
    }
    t = t_exit;
    const bool is_along_x = t_x <= t_z;
    const std::int32_t next_x = is_along_x ? x_axis.next(border_x) : first_x;
    const std::int32_t next_z = is_along_x ? first_z : z_axis.next(border_z);
    const std::int32_t crossed = (next_x ^ first_x) | (next_z ^ first_z);
    x = next_x, z = next_z;
    if (((next_x | (x_axis.last - next_x)) | (next_z | (z_axis.last - next_z))) < 0) {
      return WalkEnd::miss;
    }
    const int up = std::max(level + 1, 2);
    if (Grid::kGateLevel > up && crossed >> Grid::kGateLevel != 0) {
      level = Grid::kGateLevel;
    } else if (up <= grid.top_level() && crossed >> up != 0) {
      level = up;
    }
  }
}

// The whole cast of a ray without faults.
template <class Grid, class Cost>
WalkEnd cast_ray(const Field& field, Grid& grid, const Ray& ray, Meeting meeting, Walk& walk, Meet& meet, Cost cost) {
  const std::uint32_t word = grid.top_word();
  if (!start_walk(field, word >> 16, word & 0xffffu, ray, meeting, grid.start_level(), walk)) {
    return WalkEnd::miss;
  }
  if (walk.dx != 0 || walk.dz != 0) {
    return walk_ray(field, grid, walk, meet, cost);
  }
  cost.count_cell();
  const Spot spot = grid.spot(ray.origin_m[0], ray.origin_m[2]);
  if (spot.ground == Ground::not_loaded) {
    return WalkEnd::stopped;
  }
  return meet_vertical(spot, walk, meet) ? WalkEnd::met : WalkEnd::miss;
}

inline Meeting meeting_of(const Ray& ray) { return ray.sides == Sides::both ? Meeting::both : Meeting::front; }

}  // namespace arete::collider
