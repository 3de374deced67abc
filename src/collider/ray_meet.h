// The exact test of a cell for many walks at a time, in double: what walk_ray() does where a walk stands in a cell,
// operation for operation, so that the answers are its own, bit for bit. Holes, starts under ground and an area
// raster's half cells are handed over to it.
#pragma once

#include "ray_skip.h"

namespace arete::collider {

struct MeetField {
  const std::uint16_t* samples;
  std::int32_t stride;          // samples a row
  std::int32_t last_x, last_z;  // cells of the field, two stops or more an axis
  std::int32_t is_area;
};

class MeetUser {
 public:
  virtual ~MeetUser() = default;
  // Walks on singly from the cell where the ray's record says that it stands to its end, and puts that there.
  virtual void finish(std::uint32_t ray) = 0;
};

// Puts the walks of `stopped` where they have come to and tests the cells there. Those that neither meet ground nor end
// go on in the rows, from the next cell.
void meet_cells(const MeetField& field, const SkipField& skip, MeetUser& user, Walks& walks, StoppedRays& stopped,
                SkipRows& rows);

}  // namespace arete::collider
