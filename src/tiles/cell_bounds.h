// How far a lod's surface can be from the lod-0 surface, cell by cell: bounds that are cheap to carry upwards.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

#include "arete/core.h"

namespace arete::tiles {

// No bound is known: the cell must be measured.
inline constexpr std::uint16_t kUnbounded = 65535;

// What a page becomes one lod higher: its planes at every other sample, 65 x 65.
inline constexpr int kReducedCells = kPageCells / 2;
struct ReducedPage {
  static constexpr int kSide = kReducedCells + 1;
  using Plane = std::array<std::uint16_t, std::size_t(kSide) * kSide>;
  std::array<Plane, 2> planes;  // by HeightPlane
};
ReducedPage reduce_page(const Page& page);

// Upper bounds of the vertical distance, in steps rounded up, of n x n cells of one lod to the lod-0 surface.
template <int kCells>
struct CellBounds {
  std::array<std::array<std::uint16_t, std::size_t(kCells) * kCells>, 2> planes{};  // by HeightPlane, row-major
};
using PageCells = CellBounds<kPageCells>;        // the cells of a page
using ReducedCells = CellBounds<kReducedCells>;  // the cells of the next lod over a page

// Bounds of the next lod's cells over `page`: the distance between both lods' surfaces, greatest at a sample of the
// finer one, plus what bounds the page's own cells (null at lod 0). So bounds of lod 1 are exact. Cells that touch a
// hole and cells of the rim that are no squares are unbounded; cells outside the field are 0.
std::unique_ptr<ReducedCells> bound_reduced(const Lattice& lattice, const Page& page, const ReducedPage& reduced,
                                            const PageCells* own);

// Cells of `lod` along an axis whose sides are whole, alike fine cells: those in [begin, end).
struct RegularCells {
  std::int32_t begin, end;
  RegularCells(std::int32_t last_stop, int is_area, int lod) : begin(is_area), end((last_stop - is_area) >> lod) {}
  bool holds(std::int32_t cell) const { return begin <= cell && cell < end; }
};

}  // namespace arete::tiles
