// The exact vertical distance between the surface that a node draws at rest and the lod-0 surface, both triangulated by
// the split contract, wherever both stand.
//
// Away from the rim every coarse triangle is a union of fine ones, so the difference is linear on each fine triangle
// and greatest at a sample: whole numbers of 1/2^lod steps, compared without rounding. Rim cells go to rim_error.cpp.
#include "tiles/node_errors.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

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
      scaled = lod_ <= kNarrowLod ? regular_error<std::int32_t>(regular) : regular_error<std::int64_t>(regular);
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

  // In 1/2^lod steps over whole regular cells, or a part of one.
  template <class Int>
  Int regular_error(const StopRect& part) const {
    Int worst = 0;
    for (std::int32_t k = part.z0 >> lod_; k <= (part.z1 - 1) >> lod_; ++k) {
      for (std::int32_t i = part.x0 >> lod_; i <= (part.x1 - 1) >> lod_; ++i) {
        const CoarseCell cell = cell_at(i, k);
        worst = std::max(worst, cell_error<Int>(cell, clip(part, cell)));
      }
    }
    return worst;
  }

  template <class Int>
  Int cell_error(const CoarseCell& cell, const StopRect& part) const {
    Int worst = 0;
    for (std::int32_t z = part.z0; z <= part.z1; ++z) {
      const Int b = z - cell.north;
      const std::uint16_t* heights =
          fine_.subsample.data() +
          Page::index(cell.west - std::int32_t(fine_.key.x) * kPageCells, z - std::int32_t(fine_.key.z) * kPageCells);
      const std::uint16_t* bits =
          mask_.row(z - std::int32_t(fine_.key.z) * kPageCells) + (cell.west - std::int32_t(fine_.key.x) * kPageCells);
      const Int first = part.x0 - cell.west, last = part.x1 - cell.west, diagonal = side_ - b;
      if (cell.draws_lower()) {
        const Int west = Int(cell.c00) * diagonal + Int(cell.c01) * b;
        worst =
            std::max(worst, span_error<Int>(heights, bits, first, std::min(last, diagonal), west, cell.c10 - cell.c00));
      }
      if (cell.draws_upper()) {
        const Int slope = cell.c11 - cell.c01;
        const Int east = Int(cell.c10) * diagonal + Int(cell.c11) * b;
        worst = std::max(worst,
                         span_error<Int>(heights, bits, std::max(first, diagonal), last, east - side_ * slope, slope));
      }
    }
    return worst;
  }

  // max |start + slope a - 2^lod height(a)| over a in first..last where the surface stands.
  template <class Int>
  Int span_error(const std::uint16_t* heights, const std::uint16_t* bits, Int first, Int last, Int start,
                 Int slope) const {
    Int worst = 0;
    for (Int a = first; a <= last; ++a) {
      const Int difference = start + slope * a - (Int(heights[a]) << lod_);
      const Int distance = difference < 0 ? -difference : difference;
      worst = std::max(worst, bits[a] != 0 ? distance : Int(0));
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
