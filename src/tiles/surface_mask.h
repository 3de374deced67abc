// Where the lod-0 surface of a page stands.
#pragma once

#include <cstdint>
#include <vector>

#include "arete/core.h"

namespace arete::tiles {

// All bits of (i, k) are set when sample (i, k), 0 <= i, k <= 128, is a corner of a triangle of the field that is
// drawn: one with three valid corners and an area. A valid sample whose triangles all miss a corner is no surface.
class SurfaceMask {
 public:
  // `has_hole`: whether a sample of the page is one; where none is, every bit is set.
  SurfaceMask(const Lattice& lattice, const Page& page, bool has_hole);
  bool is_whole() const { return own_.empty(); }
  // 64 values after the last row may be read.
  const std::uint16_t* row(int k) const { return bits_ + std::size_t(k) * kPageSamples; }

 private:
  const std::uint16_t* bits_;
  std::vector<std::uint16_t> own_;
};

}  // namespace arete::tiles
