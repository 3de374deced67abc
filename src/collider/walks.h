// The walks of one chunk of a batch: a record a ray, two lines of the cache, which vectors read and write whole.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ray_walk.h"

namespace arete::collider {

// As in Walk, and how the ray ended. Where it met ground, t, x and z say where.
struct alignas(64) WalkRecord {
  static constexpr std::size_t kNumbers = 16;
  static constexpr std::uint64_t kAbove = 1;  // known to be that
  static constexpr std::uint64_t kIsMet = 2, kIsUpper = 4, kFromBelow = 8;

  double ox, oz, oy, dx, dz, dy, ix, iz;
  double t, t_end, t_first, t_last, x, z;
  std::uint64_t state;
  std::uint64_t corners;  // of the cell: 00, 10, 01, 11 from the low end, each in 16 bits

  bool is_met() const { return (state & kIsMet) != 0; }

  // A walk in a cell.
  Walk walk(Meeting meeting) const {
    Walk walk;
    walk.ox = ox, walk.oz = oz, walk.oy = oy;
    walk.dx = dx, walk.dz = dz, walk.dy = dy;
    walk.ix = ix, walk.iz = iz;
    walk.t = t, walk.t_end = t_end, walk.t_first = t_first, walk.t_last = t_last;
    walk.x = std::int32_t(x), walk.z = std::int32_t(z);
    walk.level = 0;
    walk.side = (state & kAbove) != 0 ? Side::above : Side::unknown;
    walk.meeting = meeting;
    return walk;
  }
  void put_end(const Walk& walk) {
    ox = walk.ox, oz = walk.oz;
    dx = walk.dx, dz = walk.dz;
    state = 0;
  }
  void put_met(const Meet& meet, const Corners& at) {
    state = kIsMet | (meet.is_upper ? kIsUpper : 0) | (meet.from_below ? kFromBelow : 0);
    t = meet.t;
    x = meet.x_cell;
    z = meet.z_cell;
    corners = at.h00 | at.h10 << 16 | std::uint64_t(at.h01 | at.h11 << 16) << 32;
  }
};
static_assert(sizeof(WalkRecord) == WalkRecord::kNumbers * sizeof(double));

struct Walks {
  static constexpr std::size_t kRoom = 127 * 16;
  static constexpr std::size_t kNobody = kRoom;  // the records from here on are for lanes without a ray
  WalkRecord of[kRoom + 8];
};

}  // namespace arete::collider
