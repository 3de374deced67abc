// Where the lod-0 surface of a page stands.
#pragma once

#include <array>
#include <cstdint>

#include "arete/core.h"

namespace arete::tiles {

// All bits of (i, k) are set when sample (i, k), 0 <= i, k <= 128, is a corner of a triangle of the field that is
// drawn: one with three valid corners and an area. A valid sample whose triangles all miss a corner is no surface.
struct SurfaceMask {
  bool is_whole = true;  // no hole among the page's samples: every bit is set
  std::array<std::uint16_t, std::size_t(kPageSamples) * kPageSamples + 64>
      bits;  // the last 64 are 0: row_error reads on

  SurfaceMask(const Lattice& lattice, const Page& page);
  const std::uint16_t* row(int k) const { return bits.data() + std::size_t(k) * kPageSamples; }
};

}  // namespace arete::tiles
