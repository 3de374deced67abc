// Bounds of coarse cells from the triangle inequality: a coarse surface is no further from the lod-0 surface than from
// the next finer one plus that one's own distance.
//
// The surfaces of two neighbouring lods are linear on the finer one's triangles, so they are furthest apart at a
// sample.
#include "tiles/cell_bounds.h"

#include <algorithm>

#include "tiles/plane_kernels.h"
#include "tiles/reduce.h"

namespace arete::tiles {

ReducedPage reduce_page(const Page& page) {
  ReducedPage reduced;
  reduce_max_strided(page.plane(HeightPlane::max).data() + Page::index(0, 0), kPageStride, kPageSamples,
                     reduced.planes[1].data(), ReducedPage::kSide);
  std::uint16_t* to = reduced.planes[0].data();
  for (int k = 0; k < ReducedPage::kSide; ++k) {
    const std::uint16_t* fine = page.subsample.data() + Page::index(0, 2 * k);
    for (int i = 0; i < ReducedPage::kSide; ++i) {
      *to++ = fine[2 * i];
    }
  }
  return reduced;
}

std::unique_ptr<ReducedCells> bound_reduced(const Lattice& lattice, const Page& page, const ReducedPage& reduced,
                                            const PageCells* own) {
  auto bounds = std::make_unique<ReducedCells>();
  const int lod = page.key.lod + 1;
  const std::int32_t west = std::int32_t(page.key.x) * kReducedCells, north = std::int32_t(page.key.z) * kReducedCells;
  const RegularCells regular_x(lattice.last_stop_x(), lattice.is_area(), lod);
  const RegularCells regular_z(lattice.last_stop_z(), lattice.is_area(), lod);
  const std::int32_t end_x = lattice.cells_x(lod) - west, end_z = lattice.cells_z(lod) - north;
  const bool is_regular = regular_x.holds(west) && regular_x.holds(west + kReducedCells - 1) &&
                          regular_z.holds(north) && regular_z.holds(north + kReducedCells - 1);
  for (std::size_t plane = 0; plane < 2; ++plane) {
    const std::uint16_t* fine = page.plane(HeightPlane(plane)).data();
    for (int k = 0; k < kReducedCells; ++k) {
      const std::uint16_t* corners = reduced.planes[plane].data() + std::size_t(k) * ReducedPage::kSide;
      const std::uint16_t* inner =
          own == nullptr ? nullptr : own->planes[plane].data() + std::size_t(2 * k) * kPageCells;
      std::uint16_t* cells = bounds->planes[plane].data() + std::size_t(k) * kReducedCells;
      bound_cells(
          {.fine = {fine + Page::index(0, 2 * k), fine + Page::index(0, 2 * k + 1), fine + Page::index(0, 2 * k + 2)},
           .coarse = {corners, corners + ReducedPage::kSide},
           .bounds = {inner, inner == nullptr ? nullptr : inner + kPageCells}},
          cells);
      for (int i = 0; !is_regular && i < kReducedCells; ++i) {
        if (i >= end_x || k >= end_z) {
          cells[i] = 0;
        } else if (!regular_x.holds(west + i) || !regular_z.holds(north + k)) {
          cells[i] = kUnbounded;
        }
      }
    }
  }
  return bounds;
}

}  // namespace arete::tiles
