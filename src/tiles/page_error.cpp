// Away from the rim every coarse triangle is a union of fine ones, so the difference is linear on each fine triangle
// and greatest at a sample: whole numbers of 1/2^lod steps, compared without rounding. Rim cells go to rim_error.cpp.
#include "tiles/page_error.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tiles/cell_bounds.h"
#include "tiles/plane_kernels.h"

namespace arete::tiles {
namespace {

// One lod-0 page against one plane of its ancestor.
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

  // In 1/2^lod steps over one row of whole regular cells, or a part of one, row by row of samples.
  std::int32_t narrow_error(const StopRect& part) const {
    std::int32_t worst = 0;
    for (std::int32_t z = part.z0; z <= part.z1; ++z) {
      worst = std::max(worst, narrow_row(part, z, part.z0 >> lod_));
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

}  // namespace

std::uint16_t page_error(const Lattice& lattice, const Page& fine, const SurfaceMask& mask, const Page& coarse,
                         HeightPlane plane, const StopRect& part) {
  return PageError(lattice, fine, mask, coarse, plane).of(part);
}

}  // namespace arete::tiles
