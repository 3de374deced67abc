// Where the mesh has vertices on a border between two pieces.
//
// Both pieces work this out for themselves, from the border's samples and the row beside it on each side. A dyadic
// segment stays whole when its samples lie near its chord and each row beside it lies near a line parallel to the
// chord: with d0 the distance of the first and d1 half the spread of the second, any triangles between the chord and
// the full row beside it are within max(d0, 2 d1), so each piece can reach its bound next to a segment that it may not
// split (proof in docs/adaptive.md).
#pragma once

#include <vector>

#include "adaptive/error_goal.h"
#include "adaptive/error_meter.h"

namespace arete::adaptive {

// A side of a piece: stops by their place along it and their depth into the piece.
struct Side {
  enum Which { minus_z, plus_x, plus_z, minus_x };
  Which which = minus_z;
  std::int32_t cells = 0;  // of a piece

  Place place(std::int32_t along, std::int32_t depth) const {
    switch (which) {
      case minus_z:
        return {along, depth};
      case plus_x:
        return {cells - depth, along};
      case plus_z:
        return {along, cells - depth};
      case minus_x:
        break;
    }
    return {depth, along};
  }
  bool runs_along_x() const { return which == minus_z || which == plus_z; }
};

// The vertices of one border of a piece. Empty: the side is the field's rim, where the piece chooses for itself.
struct Border {
  std::vector<std::int32_t> start;  // of the segment that holds cell i; one more entry for the end
  std::vector<std::int32_t> end;
  bool is_fixed() const { return !start.empty(); }
  bool is_vertex(std::int32_t along) const { return start[std::size_t(along)] == along; }
};

// (x0, z0) is the piece's corner in the field.
Border subdivide_border(const SampleBlock& block, const Side& side, const ErrorGoal& goal, std::int32_t x0,
                        std::int32_t z0);

}  // namespace arete::adaptive
