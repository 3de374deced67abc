// The walks of one chunk of a batch, number by number: what a Walk holds, and how each ray ended.
#pragma once

#include <cstddef>
#include <cstdint>

#include "ray_walk.h"

namespace arete::collider {

struct Walks {
  // Whole vectors, and no power of two: the numbers of one ray would share one set of the cache.
  static constexpr std::size_t kRoom = 127 * 16;

  // As in Walk; `above` is 1 where the side is known to be that, else 0.
  alignas(64) double ox[kRoom], oz[kRoom], oy[kRoom], dx[kRoom], dz[kRoom], dy[kRoom], ix[kRoom], iz[kRoom];
  alignas(64) double t[kRoom], t_end[kRoom], t_first[kRoom], t_last[kRoom];
  alignas(64) double x[kRoom], z[kRoom], above[kRoom];
  alignas(64) std::int32_t level[kRoom];
  Meeting meeting[kRoom];

  // Whether each met ground: then t, x and z say where, and the cell's corners there are 00, 10, 01, 11, each in 16
  // bits.
  bool is_met[kRoom], is_upper[kRoom], from_below[kRoom];
  alignas(64) std::uint64_t corners[kRoom];

  Walk get(std::size_t i) const {
    Walk walk;
    walk.ox = ox[i], walk.oz = oz[i], walk.oy = oy[i];
    walk.dx = dx[i], walk.dz = dz[i], walk.dy = dy[i];
    walk.ix = ix[i], walk.iz = iz[i];
    walk.t = t[i], walk.t_end = t_end[i], walk.t_first = t_first[i], walk.t_last = t_last[i];
    walk.x = std::int32_t(x[i]), walk.z = std::int32_t(z[i]);
    walk.level = level[i];
    walk.side = above[i] != 0 ? Side::above : Side::unknown;
    walk.meeting = meeting[i];
    return walk;
  }
  void put_met(std::size_t i, const Meet& meet, const Corners& at) {
    is_met[i] = true;
    t[i] = meet.t;
    x[i] = meet.x_cell;
    z[i] = meet.z_cell;
    is_upper[i] = meet.is_upper;
    from_below[i] = meet.from_below;
    corners[i] = at.h00 | at.h10 << 16 | std::uint64_t(at.h01 | at.h11 << 16) << 32;
  }
};

}  // namespace arete::collider
