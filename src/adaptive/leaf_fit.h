// The best triangles of one leaf: a convex ring of 4 to 8 stops, no three neighbours of which are all on one side twice
// over.
#pragma once

#include <array>

#include "adaptive/error_meter.h"

namespace arete::adaptive {

struct Ring {
  std::array<Place, 8> places;
  int size = 0;
  void add(Place place) { places[std::size_t(size++)] = place; }
};

using PlaceTriangle = std::array<Place, 3>;

struct LeafFit {
  double error = 0;  // steps
  int size = 0;
  std::array<PlaceTriangle, 8> triangles;
};

// Finds triangles of the ring within the meter's limit; false when there are none. Of the size - 2 triangles without an
// inner vertex those with the least greatest error (interval dynamic programme, after Klincsek, "Minimal triangulations
// of polygonal domains", 1980); else, around an inner stop, a fan of `size`.
bool fit_leaf(const ErrorMeter& meter, const Ring& ring, LeafFit& fit);

}  // namespace arete::adaptive
