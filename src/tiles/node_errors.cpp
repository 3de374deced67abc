// The exact vertical distance between the surface that a node draws at rest and the lod-0 surface, both triangulated by
// the split contract, wherever both stand.
//
// Away from the rim every coarse triangle is a union of fine ones, so the difference is linear on each fine triangle
// and greatest at a sample: whole numbers of 1/2^lod steps, compared without rounding. Rim cells go to rim_error.cpp.
// Branch and bound: a cell is looked at only while its bound is above the greatest error that was found, the most
// promising one first.
#include "tiles/node_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "tiles/plane_kernels.h"
#include "tiles/rim_error.h"
#include "tiles/surface_mask.h"

namespace arete::tiles {
namespace {

constexpr int kNarrowLod = 14;  // 65,535 x 2^14 fits 32 bits

// One lod-0 page against one plane of its ancestor at `lod`.
class PageError {
 public:
  PageError(const Lattice& lattice, const Page& fine, const SurfaceMask& mask, const Page& coarse, HeightPlane plane)
      : lattice_(lattice),
        fine_(fine),
        mask_(mask),
        coarse_(coarse),
        heights_(coarse.plane(plane)),
        lod_(coarse.key.lod),
        side_(1 << coarse.key.lod) {}

  // The error inside `part`, which lies in one node, in steps rounded up.
  std::uint16_t of(const StopRect& part) const {
    double worst = 0;
    // Cells that are not squares of equal fine cells: the first of an area raster, and the last ones of an axis.
    const RegularCells x = regular_cells(part.x0, part.x1, lattice_.last_stop_x());
    const RegularCells z = regular_cells(part.z0, part.z1, lattice_.last_stop_z());
    for (std::int32_t k = part.z0 >> lod_; k <= (part.z1 - 1) >> lod_; ++k) {
      for (std::int32_t i = part.x0 >> lod_; i <= (part.x1 - 1) >> lod_; ++i) {
        if (x.holds(i) && z.holds(k)) {
          i = x.end - 1;
          continue;
        }
        const CoarseCell cell = cell_at(i, k);
        worst = std::max(worst, rim_error(lattice_, cell, fine_, mask_, clip(part, cell)));
      }
    }
    std::int64_t scaled = 0;
    if (x.begin < x.end && z.begin < z.end) {
      const StopRect regular{std::max(part.x0, x.begin << lod_), std::min(part.x1, x.end << lod_),
                             std::max(part.z0, z.begin << lod_), std::min(part.z1, z.end << lod_)};
      scaled = lod_ <= kNarrowLod ? narrow_error(regular) : wide_error(regular);
    }
    const std::int64_t steps = (scaled + side_ - 1) >> lod_;
    return static_cast<std::uint16_t>(std::min<std::int64_t>(std::max(steps, std::int64_t(std::ceil(worst))), 65535));
  }

 private:
  RegularCells regular_cells(std::int32_t low, std::int32_t high, std::int32_t last) const {
    RegularCells cells(last, lattice_.is_area(), lod_);
    cells.begin = std::max(cells.begin, low >> lod_);
    cells.end = std::min(cells.end, (high + side_ - 1) >> lod_);
    return cells;
  }

  CoarseCell cell_at(std::int32_t i, std::int32_t k) const {
    const std::size_t corner =
        Page::index(i - std::int32_t(coarse_.key.x) * kPageCells, k - std::int32_t(coarse_.key.z) * kPageCells);
    return {i << lod_,
            kernel::stop_of((i + 1) << lod_, lattice_.last_stop_x()),
            k << lod_,
            kernel::stop_of((k + 1) << lod_, lattice_.last_stop_z()),
            heights_[corner],
            heights_[corner + 1],
            heights_[corner + kPageStride],
            heights_[corner + kPageStride + 1]};
  }

  static StopRect clip(const StopRect& part, const CoarseCell& cell) {
    return {std::max(part.x0, cell.west), std::min(part.x1, cell.east), std::max(part.z0, cell.north),
            std::min(part.z1, cell.south)};
  }

  // In 1/2^lod steps over whole regular cells, or a part of one, row by row. A sample between two cells belongs to
  // both, which matters only where one of them may not be drawn.
  std::int32_t narrow_error(const StopRect& part) const {
    std::int32_t worst = 0;
    const std::int32_t last_row = (part.z1 - 1) >> lod_;
    for (std::int32_t z = part.z0; z <= part.z1; ++z) {
      const std::int32_t k = std::min(z >> lod_, last_row);
      worst = std::max(worst, narrow_row(part, z, k));
      if (!mask_.is_whole() && z > part.z0 && z == k << lod_) {
        worst = std::max(worst, narrow_row(part, z, k - 1));
      }
    }
    return worst;
  }

  // Row z of fine samples under row k of coarse cells.
  std::int32_t narrow_row(const StopRect& part, std::int32_t z, std::int32_t k) const {
    const std::int32_t page_x = std::int32_t(fine_.key.x) * kPageCells, page_z = std::int32_t(fine_.key.z) * kPageCells;
    const std::int32_t i = part.x0 >> lod_;
    const std::uint16_t* corners = heights_.data() + Page::index(i - std::int32_t(coarse_.key.x) * kPageCells,
                                                                 k - std::int32_t(coarse_.key.z) * kPageCells);
    ErrorRow row{.heights = fine_.subsample.data() + Page::index(part.x0 - page_x, z - page_z),
                 .mask = mask_.row(z - page_z) + (part.x0 - page_x),
                 .north = corners,
                 .south = corners + kPageStride,
                 .count = part.x1 - part.x0,
                 .first = part.x0 - (i << lod_),
                 .shift = lod_,
                 .down = z - (k << lod_),
                 .phase = 0};
    const std::int32_t worst = row_error(row);
    // The last sample, or every one but the first, as its western cell sees it.
    const int skipped = mask_.is_whole() ? row.count : 1;
    row.heights += skipped;
    row.mask += skipped;
    row.first += skipped;
    row.count += 1 - skipped;
    row.phase = 1;
    return std::max(worst, row_error(row));
  }

  // The same where 32 bits are too few: one cell holds the whole page.
  std::int64_t wide_error(const StopRect& part) const {
    const CoarseCell cell = cell_at(part.x0 >> lod_, part.z0 >> lod_);
    const std::int64_t lower_x = cell.c10 - cell.c00, lower_z = cell.c01 - cell.c00;
    const std::int64_t upper_x = cell.c01 - cell.c11, upper_z = cell.c10 - cell.c11;
    std::int64_t worst = 0;
    for (std::int32_t z = part.z0; z <= part.z1; ++z) {
      const std::uint16_t* bits = mask_.row(z - std::int32_t(fine_.key.z) * kPageCells);
      for (std::int32_t x = part.x0; x <= part.x1; ++x) {
        const std::int64_t a = x - cell.west, b = z - cell.north;
        const std::int32_t i = x - std::int32_t(fine_.key.x) * kPageCells;
        const std::int64_t height = fine_.at(HeightPlane::subsample, i, z - std::int32_t(fine_.key.z) * kPageCells);
        if (bits[i] == 0) {
          continue;
        }
        if (a + b <= side_ && cell.draws_lower()) {
          worst = std::max(worst, std::abs((cell.c00 - height) * side_ + a * lower_x + b * lower_z));
        } else if (a + b >= side_ && cell.draws_upper()) {
          worst =
              std::max(worst, std::abs((cell.c11 - height) * side_ + (side_ - a) * upper_x + (side_ - b) * upper_z));
        }
      }
    }
    return worst;
  }

  const Lattice& lattice_;
  const Page& fine_;
  const SurfaceMask& mask_;
  const Page& coarse_;
  const std::vector<std::uint16_t>& heights_;
  int lod_;
  std::int32_t side_;  // stops of a coarse cell
};

// The greatest errors of one node, as far as its cells have been looked at.
class NodeSearch {
 public:
  NodeSearch(const Bounds& bounds, const HeightCollector& heights, const Page& page, const PageCells& cells, int i,
             int k, const PageStorage& pages)
      : bounds_(bounds),
        heights_(heights),
        lattice_(bounds.lattice()),
        page_(page),
        cells_(cells),
        pages_(pages),
        lod_(page.key.lod),
        part_{i * kBoundsQuads, k * kBoundsQuads, std::min((i + 1) * kBoundsQuads, lattice_.cells_x(lod_) - first_x()),
              std::min((k + 1) * kBoundsQuads, lattice_.cells_z(lod_) - first_z())} {}

  Result<void> run() {
    for (std::size_t plane = 0; plane < 2; ++plane) {
      const auto [i, k] = most_promising(plane);
      if (lod_ == 1) {
        worst_[plane] = bound(plane, i, k);  // exact
      } else if (bound(plane, i, k) > worst_[plane]) {
        if (auto done = search({i, k, i + 1, k + 1}); !done) {
          return done;
        }
      }
    }
    return search(part_);
  }

  std::uint16_t worst(HeightPlane plane) const { return worst_[std::size_t(plane)]; }

 private:
  // Cells of the page: columns i0 to i1, rows k0 to k1, the ends left out.
  struct CellRect {
    int i0, k0, i1, k1;
  };

  std::int32_t first_x() const { return std::int32_t(page_.key.x) * kPageCells; }
  std::int32_t first_z() const { return std::int32_t(page_.key.z) * kPageCells; }

  // Of a cell that is bounded, or the first one where none is.
  std::uint16_t bound(std::size_t plane, int i, int k) const {
    const std::uint16_t value = cells_.planes[plane][std::size_t(k) * kPageCells + std::size_t(i)];
    return value == kUnbounded ? std::uint16_t(0) : value;
  }

  std::pair<int, int> most_promising(std::size_t plane) const {
    std::pair<int, int> best{part_.i0, part_.k0};
    for (int k = part_.k0; k < part_.k1; ++k) {
      for (int i = part_.i0; i < part_.i1; ++i) {
        if (bound(plane, i, k) > bound(plane, best.first, best.second)) {
          best = {i, k};
        }
      }
    }
    return best;
  }

  bool may_be_worse(std::size_t plane, int i, int k) const {
    return cells_.planes[plane][std::size_t(k) * kPageCells + std::size_t(i)] > worst_[plane];
  }

  bool may_be_worse(const CellRect& rect) const {
    for (int k = rect.k0; k < rect.k1; ++k) {
      for (int i = rect.i0; i < rect.i1; ++i) {
        if (may_be_worse(0, i, k) || may_be_worse(1, i, k)) {
          return true;
        }
      }
    }
    return false;
  }

  // Looks at the cells of `rect`, lod-0 page by lod-0 page.
  Result<void> search(const CellRect& rect) {
    const int side = std::max(1, kPageCells >> lod_);  // cells over one page, or one cell over several
    for (int k = rect.k0 / side * side; k < rect.k1; k += side) {
      for (int i = rect.i0 / side * side; i < rect.i1; i += side) {
        const CellRect block{std::max(i, rect.i0), std::max(k, rect.k0), std::min(i + side, rect.i1),
                             std::min(k + side, rect.k1)};
        if (may_be_worse(block)) {
          if (auto done = search_pages(block); !done) {
            return done;
          }
        }
      }
    }
    return {};
  }

  // The lod-0 pages under a block of cells: one, or all those under one cell.
  Result<void> search_pages(const CellRect& block) {
    const auto first_page = [&](std::int64_t cell) { return std::int32_t((cell << lod_) / kPageCells); };
    const auto end_page = [&](std::int64_t cell, std::int32_t pages) {
      return std::int32_t(std::min<std::int64_t>(((cell << lod_) + kPageCells - 1) / kPageCells, pages));
    };
    const std::int32_t end_x = end_page(first_x() + block.i1, lattice_.pages_x(0));
    const std::int32_t end_z = end_page(first_z() + block.k1, lattice_.pages_z(0));
    for (std::int32_t z = first_page(first_z() + block.k0); z < end_z; ++z) {
      for (std::int32_t x = first_page(first_x() + block.i0); x < end_x; ++x) {
        const PageKey key{0, std::uint32_t(x), std::uint32_t(z)};
        if (!page_has_data(bounds_, key) || !may_be_worse(block)) {
          continue;
        }
        auto fine = pages_.get(key);
        if (!fine) {
          return Unexpected{fine.error()};
        }
        search_page(**fine, block);
      }
    }
    return {};
  }

  // The cells that may be worse over one page: those with a bound are whole and plain; of the others whole runs, row by
  // row, are measured with all exceptions.
  void search_page(const Page& fine, const CellRect& block) {
    for (std::size_t plane = 0; plane < 2; ++plane) {
      bool has_exceptions = false;
      for (int k = block.k0; k < block.k1; ++k) {
        for (int i = block.i0; i < block.i1; ++i) {
          if (may_be_worse(plane, i, k)) {
            if (is_plain(plane, i, k)) {
              worst_[plane] = std::max(worst_[plane], plain_error(fine, plane, i, k));
            } else {
              has_exceptions = true;
            }
          }
        }
      }
      if (has_exceptions) {
        search_exceptions(fine, block, plane);
      }
    }
  }

  bool is_plain(std::size_t plane, int i, int k) const {
    return lod_ <= kNarrowLod && cells_.planes[plane][std::size_t(k) * kPageCells + std::size_t(i)] != kUnbounded;
  }

  // Samples that a cell shares with the next one of the node are left to that one.
  std::uint16_t plain_error(const Page& fine, std::size_t plane, int i, int k) const {
    const std::int64_t side = std::int64_t(1) << lod_;
    const auto span = [&](std::int64_t cell, std::uint32_t page, bool is_last) {
      const std::int64_t low = std::max(cell * side, std::int64_t(page) * kPageCells);
      const std::int64_t high = std::min((cell + 1) * side, std::int64_t(page + 1) * kPageCells);
      return std::pair(low, int(high - low) + (is_last || high < (cell + 1) * side ? 1 : 0));
    };
    const std::int64_t x = std::int64_t(first_x()) + i, z = std::int64_t(first_z()) + k;
    const auto [west, columns] = span(x, fine.key.x, i + 1 == part_.i1);
    const auto [north, rows] = span(z, fine.key.z, k + 1 == part_.k1);
    const std::uint16_t* corners = page_.plane(HeightPlane(plane)).data() + Page::index(i, k);
    const std::int32_t scaled =
        cell_error({.heights = fine.subsample.data() + Page::index(int(west - std::int64_t(fine.key.x) * kPageCells),
                                                                   int(north - std::int64_t(fine.key.z) * kPageCells)),
                    .stride = kPageStride,
                    .columns = columns,
                    .rows = rows,
                    .shift = lod_,
                    .a = std::int32_t(west - x * side),
                    .b = std::int32_t(north - z * side),
                    .c00 = corners[0],
                    .c10 = corners[1],
                    .c01 = corners[kPageStride],
                    .c11 = corners[kPageStride + 1]});
    return static_cast<std::uint16_t>((scaled + side - 1) >> lod_);
  }

  void search_exceptions(const Page& fine, const CellRect& block, std::size_t plane) {
    const SurfaceMask mask(lattice_, fine, heights_.has_hole(fine.key));
    const PageError error(lattice_, fine, mask, page_, HeightPlane(plane));
    const StopRect ground{std::int32_t(fine.key.x) * kPageCells,
                          std::min(std::int32_t(fine.key.x + 1) * kPageCells, lattice_.last_stop_x()),
                          std::int32_t(fine.key.z) * kPageCells,
                          std::min(std::int32_t(fine.key.z + 1) * kPageCells, lattice_.last_stop_z())};
    const auto stop = [&](std::int64_t cell, std::int32_t low, std::int32_t high) {
      return std::int32_t(std::clamp<std::int64_t>(cell << lod_, low, high));
    };
    for (int k = block.k0; k < block.k1; ++k) {
      for (int i = block.i0; i < block.i1; ++i) {
        const int begin = i;
        while (i < block.i1 && may_be_worse(plane, i, k) && !is_plain(plane, i, k)) {
          ++i;
        }
        if (i > begin) {
          const StopRect part{stop(first_x() + begin, ground.x0, ground.x1), stop(first_x() + i, ground.x0, ground.x1),
                              stop(first_z() + k, ground.z0, ground.z1), stop(first_z() + k + 1, ground.z0, ground.z1)};
          worst_[plane] = std::max(worst_[plane], error.of(part));
        }
      }
    }
  }

  const Bounds& bounds_;
  const HeightCollector& heights_;
  const Lattice& lattice_;
  const Page& page_;
  const PageCells& cells_;
  const PageStorage& pages_;
  int lod_;
  CellRect part_;  // the node
  std::array<std::uint16_t, 2> worst_{};
};

}  // namespace

Result<void> measure_node(Bounds& bounds, const HeightCollector& heights, const Page& page, const PageCells& cells,
                          int i, int k, const PageStorage& pages) {
  const int lod = page.key.lod;
  const std::int32_t x = std::int32_t(page.key.x) * kBoundsPerPage + i,
                     z = std::int32_t(page.key.z) * kBoundsPerPage + k;
  if (x >= bounds.lattice().nodes_x(lod, kBoundsQuads) || z >= bounds.lattice().nodes_z(lod, kBoundsQuads)) {
    return {};
  }
  NodeSearch search(bounds, heights, page, cells, i, k, pages);
  auto done = search.run();
  NodeBounds& node = bounds.at(lod, x, z);
  node.error = search.worst(HeightPlane::subsample);
  node.error_max = search.worst(HeightPlane::max);
  return done;
}

}  // namespace arete::tiles
