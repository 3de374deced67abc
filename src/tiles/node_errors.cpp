// The exact vertical distance between the surface that a node draws at rest and the lod-0 surface, both triangulated by
// the split contract, wherever both stand.
//
// Away from the rim every coarse triangle is a union of fine ones, so the difference is linear on each fine triangle
// and greatest at a sample: whole numbers of 1/2^lod steps, compared without rounding. Rim cells go to rim_error.cpp.
#include "tiles/node_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tiles/plane_kernels.h"
#include "tiles/rim_error.h"
#include "tiles/surface_mask.h"

namespace arete::tiles {
namespace {

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
    const Run x = regular_run(part.x0, part.x1, lattice_.last_stop_x());
    const Run z = regular_run(part.z0, part.z1, lattice_.last_stop_z());
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
  static constexpr int kNarrowLod = 14;  // 65,535 x 2^14 fits 32 bits

  struct Run {
    std::int32_t begin, end;
    bool holds(std::int32_t i) const { return begin <= i && i < end; }
  };

  Run regular_run(std::int32_t low, std::int32_t high, std::int32_t last) const {
    const std::int32_t skipped = lattice_.is_area();
    return {std::max(low >> lod_, skipped), std::min((high + side_ - 1) >> lod_, (last - skipped) >> lod_)};
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
      if (!mask_.is_whole && z > part.z0 && z == k << lod_) {
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
    const int skipped = mask_.is_whole ? row.count : 1;
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

void add_errors(Bounds& bounds, std::span<const Page* const> path) {
  const Lattice& lattice = bounds.lattice();
  const Page& fine = *path[0];
  const SurfaceMask mask(lattice, fine);
  const std::int32_t west = std::int32_t(fine.key.x) * kPageCells, north = std::int32_t(fine.key.z) * kPageCells;
  const std::int32_t east = std::min(west + kPageCells, lattice.last_stop_x());
  const std::int32_t south = std::min(north + kPageCells, lattice.last_stop_z());
  for (int lod = 1; lod < int(path.size()); ++lod) {
    const Page& coarse = *path[std::size_t(lod)];
    const std::int32_t side = std::min(kPageCells, kBoundsQuads << std::min(lod, 2));
    for (std::int32_t z = north; z < south; z += side) {
      for (std::int32_t x = west; x < east; x += side) {
        const StopRect part{x, std::min(x + side, east), z, std::min(z + side, south)};
        NodeBounds& node = bounds.at(lod, (x >> lod) / kBoundsQuads, (z >> lod) / kBoundsQuads);
        const auto error_in = [&](HeightPlane plane) { return PageError(lattice, fine, mask, coarse, plane).of(part); };
        node.error = std::max(node.error, error_in(HeightPlane::subsample));
        node.error_max = std::max(node.error_max, error_in(HeightPlane::max));
      }
    }
  }
}

}  // namespace arete::tiles
