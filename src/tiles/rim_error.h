// The error of a coarse cell whose fine cells are not all alike.
#pragma once

#include <cstdint>

#include "arete/core.h"
#include "tiles/surface_mask.h"

namespace arete::tiles {

// One coarse cell, in stops of the field: its corners' places and steps of the measured plane.
struct CoarseCell {
  std::int32_t west, east, north, south;
  std::int32_t c00, c10, c01, c11;  // c10 is one sample along +X
  bool draws_lower() const { return c00 != 0 && c10 != 0 && c01 != 0; }
  bool draws_upper() const { return c11 != 0 && c10 != 0 && c01 != 0; }
};

// Part of a lod-0 page, in stops of the field, closed.
struct StopRect {
  std::int32_t x0, x1, z0, z1;
};

// The greatest vertical distance, in steps, between the coarse cell and the lod-0 surface of `page` inside `part`.
double rim_error(const Lattice& lattice, const CoarseCell& cell, const Page& page, const SurfaceMask& mask,
                 const StopRect& part);

}  // namespace arete::tiles
