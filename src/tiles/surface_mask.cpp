// Marks the corners of every valid triangle around a page's samples; the apron supplies the neighbours' cells.
#include "tiles/surface_mask.h"

#include <algorithm>

namespace arete::tiles {

namespace {

constexpr std::size_t kBits = std::size_t(kPageSamples) * kPageSamples + 64;  // row_error reads on

}  // namespace

SurfaceMask::SurfaceMask(const Lattice& lattice, const Page& page, bool has_hole) {
  static const std::vector<std::uint16_t> whole(kBits, 0xffff);
  bits_ = whole.data();
  if (!has_hole) {
    return;
  }
  own_.assign(kBits, 0);
  bits_ = own_.data();
  const std::int32_t west = std::int32_t(page.key.x) * kPageCells;
  const std::int32_t north = std::int32_t(page.key.z) * kPageCells;
  const auto mark = [&](int i, int k) {
    if (i >= 0 && k >= 0 && i < kPageSamples && k < kPageSamples) {
      own_[std::size_t(k) * kPageSamples + std::size_t(i)] = 0xffff;
    }
  };
  // Cells of the field that touch the page: those beyond the rim have no area.
  const int first_x = west == 0 ? 0 : -1, first_z = north == 0 ? 0 : -1;
  const int end_x = std::min(kPageSamples, lattice.last_stop_x() - west);
  const int end_z = std::min(kPageSamples, lattice.last_stop_z() - north);
  for (int k = first_z; k < end_z; ++k) {
    const std::uint16_t* row = page.subsample.data() + Page::index(0, k);
    const std::uint16_t* below = row + kPageStride;
    for (int i = first_x; i < end_x; ++i) {
      if (row[i + 1] == kHole || below[i] == kHole) {
        continue;  // both triangles of the cell use its diagonal
      }
      if (row[i] != kHole) {
        mark(i, k);
      }
      if (below[i + 1] != kHole) {
        mark(i + 1, k + 1);
      }
      if (row[i] != kHole || below[i + 1] != kHole) {
        mark(i + 1, k);
        mark(i, k + 1);
      }
    }
  }
}

}  // namespace arete::tiles
