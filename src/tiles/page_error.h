// The distance between a coarse surface and the lod-0 surface over one lod-0 page, holes and rims included.
#pragma once

#include <cstdint>

#include "arete/core.h"
#include "tiles/rim_error.h"
#include "tiles/surface_mask.h"

namespace arete::tiles {

inline constexpr int kNarrowLod = 14;  // up to here 65,535 x 2^lod fits 32 bits

// The greatest vertical distance between a plane of `coarse`, of lod >= 1, and the lod-0 page `fine` inside `part`,
// which lies in one row of cells of one node, in steps rounded up; only where both surfaces stand.
std::uint16_t page_error(const Lattice& lattice, const Page& fine, const SurfaceMask& mask, const Page& coarse,
                         HeightPlane plane, const StopRect& part);

}  // namespace arete::tiles
