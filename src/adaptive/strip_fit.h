// The triangles between a border segment that must stay whole and the finer leaves beside it.
#pragma once

#include <vector>

#include "adaptive/error_meter.h"
#include "adaptive/leaf_fit.h"

namespace arete::adaptive {

// A convex polygon: the segment left-right on the border, and a chain of stops on a line parallel to it (or, at a
// piece's corner, on a shorter part of it). The ends may carry a midpoint on the polygon's side, where the leaf beside
// it is finer.
struct Strip {
  Place left, right;
  std::vector<Place> chain;  // from the left end to the right end, at least one
  bool has_left_middle = false, has_right_middle = false;
  Place left_middle, right_middle;
};

struct StripFit {
  double error = 0;  // steps
  std::vector<PlaceTriangle> triangles;
};

// Finds triangles within the meter's limit: one on the whole segment, its apex in the chain, and fans from both ends;
// of all apexes the one with the least greatest error. False when every one is too far.
bool fit_strip(const ErrorMeter& meter, Strip strip, StripFit& fit);

}  // namespace arete::adaptive
