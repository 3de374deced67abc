// Many walks over pages at a time, one a vector lane. A lane whose ray ends takes the next one.
//
// The lanes compute what walk_ray() computes, operation for operation, for rays above ground without holes; whatever
// else comes up (a hole, ground overhead, an area raster's rim) is handed to the scalar walk where the lane stands. So
// results are the scalar walk's, bit for bit.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "ray_walk.h"

namespace arete::collider {

// Where a lane's samples and blocks lie: the page that its ray is in.
struct LanePlace {
  const std::uint16_t* samples;  // of cell (first_x, first_z)
  const std::uint32_t* blocks;   // may be read one word past the last
  std::int32_t first_x, first_z;
  void* owner;  // the lane user's own
};

// Who the lanes walk for. Rays are known by their index in the call; each ends exactly once: in miss() or met(), or
// within finish() or a refused enter().
class LaneUser {
 public:
  virtual ~LaneUser() = default;
  // Walks on singly from where `walk` stands, in `place`, to its end.
  virtual void finish(std::size_t ray, Walk& walk, LanePlace& place) = 0;
  // `walk` stands in a page that it has just come to. Takes it on to where it needs a page's own
  // blocks and puts that page in `place`, or ends it and returns false. The page that `place` held before, if any, is
  // left.
  virtual bool enter(std::size_t ray, Walk& walk, LanePlace& place) = 0;
  virtual void miss(std::size_t ray, LanePlace& place) = 0;
  virtual void met(std::size_t ray, const Walk& walk, const Meet& meet, LanePlace& place) = 0;
};

struct LaneField {
  alignas(64) std::array<std::int32_t, 32> offset;  // of level l, in words from LanePlace::blocks
  std::int32_t last_x, last_z;                      // cells of the field
  std::int32_t is_area;
  std::int32_t stride;        // samples a row
  std::int32_t table_last_x;  // blocks of level l a row: table_last_x >> l, plus 1
  int top_level;
};

// Walks `count` rays from where start_walk() put them to their ends.
void walk_lanes(const LaneField& field, LaneUser& user, Walk* walks, std::size_t count);

}  // namespace arete::collider
