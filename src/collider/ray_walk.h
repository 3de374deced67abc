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

// The block that holds a cell, along one axis: its first cell, the cell on its other side, and the t at which the ray
// enters and leaves it.
struct BlockSpan {
  std::int32_t first;
  std::int32_t next;
  double t_enter, t_exit;
};
inline BlockSpan block_span(double o, double d, double inverse, std::int32_t cell, int level) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const std::int32_t first = (cell >> level) << level;
  const std::int32_t past = first + (std::int32_t(1) << level);
  if (d > 0) {
    return {first, past, (double(first) - o) * inverse, (double(past) - o) * inverse};
  }
  if (d < 0) {
    return {first, first - 1, (double(past) - o) * inverse, (double(first) - o) * inverse};
  }
  return {first, cell, -kNever, kNever};
}

// The cell of first..last in which the ray is at t, never one that it enters later: so every way to a cell leads
// through the same cells before it.
inline std::int32_t cell_at(double o, double d, double inverse, double t, std::int32_t first, std::int32_t last) {
  const std::int32_t cell = cell_of(o + d * t, first, last);
  if (d > 0) {
    return cell > first && (double(cell) - o) * inverse > t ? cell - 1 : cell;
  }
  return d < 0 && cell < last && (double(cell) + 1 - o) * inverse > t ? cell + 1 : cell;
}

enum class WalkEnd { miss, met, stopped };

// Walks until the ray meets ground, ends, or `grid` stops it (see walk.t and walk.x, z then). Grid offers
//   kGateLevel                      a walk that comes into another block of this level asks for that block first; or 0
//   bool block(level, x, z, word&)  the word of RayBounds for the block of 2^level cells that holds cell (x, z); false
//   stops const uint16_t* corner(x, z)    the cell's sample 00; its block was asked for before const Samples& samples()
//   for steps to the other corners int top_level()                 the greatest level std::uint32_t top_word()        a
//   word that bounds the whole field Spot spot(x_m, z_m)             what stands at a place
template <class Grid, class Cost>
WalkEnd walk_ray(const Field& field, Grid& grid, Walk& walk, Meet& meet, Cost cost) {
  const std::int32_t last_x = field.x.last_cell;
  const std::int32_t last_z = field.z.last_cell;
  for (;;) {
    const BlockSpan x = block_span(walk.ox, walk.dx, walk.ix, walk.x, walk.level);
    const BlockSpan z = block_span(walk.oz, walk.dz, walk.iz, walk.z, walk.level);
    const double nearest = x.t_exit <= z.t_exit ? x.t_exit : z.t_exit;
    double t_exit = nearest < walk.t_end ? nearest : walk.t_end;
    t_exit = t_exit > walk.t ? t_exit : walk.t;
    const double y_a = walk.oy + walk.dy * walk.t;
    const double y_b = walk.oy + walk.dy * t_exit;
    const double lowest = y_a < y_b ? y_a : y_b;
    const double highest = y_a < y_b ? y_b : y_a;
    if (walk.level > 0) {
      cost.count_bounds();
      std::uint32_t word = 0;
      if (!grid.block(walk.level, walk.x, walk.z, word)) {
        return WalkEnd::stopped;
      }
      const bool is_over = walk.side != Side::below && lowest > double(word & 0xffffu);
      const bool is_under = walk.side != Side::above && walk.meeting != Meeting::solid && highest < double(word >> 16);
      if (!is_over && !is_under) {
        walk.level = walk.level == 2 ? 0 : walk.level - 1;
        continue;
      }
      walk.side = is_over ? Side::above : Side::below;
    } else {
      const std::uint16_t* corner = grid.corner(walk.x, walk.z);
      const Corners corners = corners_at(grid.samples(), corner);
      const std::uint32_t greatest = std::max(std::max(corners.h00, corners.h11), std::max(corners.h10, corners.h01));
      if (walk.side != Side::below && lowest > double(greatest)) {
        walk.side = Side::above;
      } else {
        cost.count_cell();
        // The whole of the ray in this cell: the answer must not depend on the way that the walk took to it.
        const double t_b = nearest < walk.t_last ? nearest : walk.t_last;
        const double t_latest = x.t_enter > z.t_enter ? x.t_enter : z.t_enter;
        double t_a = t_latest > walk.t_first ? t_latest : walk.t_first;
        t_a = t_a < t_b ? t_a : t_b;
        const bool is_whole = corners.has_lower() && corners.h11 != 0;
        // A corner that is only touched says nothing of sides.
        if ((t_a < t_b || t_b >= walk.t_last) &&
            (is_whole ? meet_whole_cell(field, walk, corners, t_a, t_b, meet)
                      : meet_broken_cell(field, grid.samples(), corner, walk, corners, t_a, t_b, meet))) {
          return WalkEnd::met;
        }
      }
    }
    if (t_exit >= walk.t_end) {
      return WalkEnd::miss;
    }
    const std::int32_t old_x = walk.x;
    const std::int32_t old_z = walk.z;
    walk.t = t_exit;
    const std::int32_t side = (std::int32_t(1) << walk.level) - 1;
    if (x.t_exit <= z.t_exit) {
      walk.x = x.next;
      walk.z = cell_at(walk.oz, walk.dz, walk.iz, t_exit, z.first, std::min(z.first + side, last_z));
    } else {
      walk.z = z.next;
      walk.x = cell_at(walk.ox, walk.dx, walk.ix, t_exit, x.first, std::min(x.first + side, last_x));
    }
    if (walk.x < 0 || walk.x > last_x || walk.z < 0 || walk.z > last_z) {
      return WalkEnd::miss;
    }
    const int up = std::max(walk.level + 1, 2);
    const std::int32_t crossed = (walk.x ^ old_x) | (walk.z ^ old_z);
    if (Grid::kGateLevel > up && crossed >> Grid::kGateLevel != 0) {
      walk.level = Grid::kGateLevel;
    } else if (up <= grid.top_level() && crossed >> up != 0) {
      walk.level = up;
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
