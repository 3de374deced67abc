// At an area raster's rim and where the last coarse cell is cut short, a coarse diagonal crosses fine triangles.
//
// The difference of two piecewise linear surfaces is greatest at a corner of their overlay: the fine samples (coarse
// axis edges run along fine ones) and the places where the coarse diagonal crosses fine lines x, z and fine diagonals.
// Places are half texels; the values are doubles, in a fixed order of operations, so every machine gets the same steps.
#include "tiles/rim_error.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tiles/plane_kernels.h"

namespace arete::tiles {
namespace {

class RimCell {
 public:
  RimCell(const Lattice& lattice, const CoarseCell& cell, const Page& page)
      : lattice_(lattice),
        cell_(cell),
        page_(page),
        west_(lattice.half_x(cell.west)),
        north_(lattice.half_z(cell.north)),
        width_(lattice.half_x(cell.east) - west_),
        depth_(lattice.half_z(cell.south) - north_) {}

  double at_samples(const SurfaceMask& mask, const StopRect& part) const {
    std::array<double, std::size_t(kPageSamples) + 64> places{};
    for (std::int32_t x = part.x0; x <= part.x1; ++x) {
      places[std::size_t(x - part.x0)] = double(lattice_.half_x(x) - west_);
    }
    const std::int32_t first = part.x0 - page_x();
    double worst = 0;
    for (std::int32_t z = part.z0; z <= part.z1; ++z) {
      worst = std::max(worst, rim_row_error({.heights = page_.subsample.data() + Page::index(first, z - page_z()),
                                             .mask = mask.row(z - page_z()) + first,
                                             .places = places.data(),
                                             .count = part.x1 - part.x0 + 1,
                                             .width = double(width_),
                                             .depth = double(depth_),
                                             .down = double(lattice_.half_z(z) - north_),
                                             .draws_lower = cell_.draws_lower(),
                                             .draws_upper = cell_.draws_upper(),
                                             .c00 = double(cell_.c00),
                                             .c10 = double(cell_.c10),
                                             .c01 = double(cell_.c01),
                                             .c11 = double(cell_.c11)}));
    }
    return worst;
  }

  // Walks the diagonal from fine line to fine line, along px = 0 .. width.
  double at_crossings(const StopRect& part) const {
    if (!cell_.draws_lower() && !cell_.draws_upper()) {
      return 0;
    }
    const double low = lattice_.half_x(part.x0) - west_, high = lattice_.half_x(part.x1) - west_;
    std::vector<double> lines;
    for (std::int32_t x = part.x0; x <= part.x1; ++x) {
      lines.push_back(lattice_.half_x(x) - west_);
    }
    for (std::int32_t z = part.z0; z <= part.z1; ++z) {
      const double px = double(width_ * (depth_ - (lattice_.half_z(z) - north_))) / double(depth_);
      if (px > low && px < high) {
        lines.push_back(px);
      }
    }
    std::sort(lines.begin(), lines.end());
    double worst = 0;
    std::int32_t x = part.x0;
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
      const double middle_z = down_at((lines[i] + lines[i + 1]) / 2);
      while (lattice_.half_x(x + 1) - west_ < (lines[i] + lines[i + 1]) / 2) {
        ++x;
      }
      const std::int32_t z = row_of(middle_z, part);
      if (lines[i] < lines[i + 1] && z >= part.z0) {
        worst = std::max(worst, along_cell(x, z, lines[i], lines[i + 1]));
      }
    }
    return worst;
  }

 private:
  std::int32_t page_x() const { return std::int32_t(page_.key.x) * kPageCells; }
  std::int32_t page_z() const { return std::int32_t(page_.key.z) * kPageCells; }
  int fine(std::int32_t x, std::int32_t z) const { return page_.subsample[Page::index(x - page_x(), z - page_z())]; }
  double down_at(double px) const { return double(depth_) * (double(width_) - px) / double(width_); }

  // The row of fine cells of the part that holds pz strictly inside; below part.z0 when there is none.
  std::int32_t row_of(double pz, const StopRect& part) const {
    std::int32_t z = part.z0;
    for (std::int32_t end = part.z1; end - z > 1;) {
      const std::int32_t middle = z + (end - z) / 2;
      (lattice_.half_z(middle) - north_ < pz ? z : end) = middle;
    }
    const bool is_inside = lattice_.half_z(z) - north_ < pz && pz < lattice_.half_z(z + 1) - north_;
    return is_inside ? z : part.z0 - 1;
  }

  // The difference at both ends of the diagonal's piece from `begin` to `end` inside one fine cell, and where the piece
  // crosses the cell's own diagonal.
  double along_cell(std::int32_t x, std::int32_t z, double begin, double end) const {
    const auto past_diagonal = [&](double px) {
      const double fx = (px - (lattice_.half_x(x) - west_)) / (lattice_.half_x(x + 1) - lattice_.half_x(x));
      const double fz = (down_at(px) - (lattice_.half_z(z) - north_)) / (lattice_.half_z(z + 1) - lattice_.half_z(z));
      return fx + fz - 1;
    };
    const double at_begin = past_diagonal(begin), at_end = past_diagonal(end);
    if ((at_begin < 0) != (at_end < 0) && at_begin != at_end) {
      const double crossing = begin + (end - begin) * (at_begin / (at_begin - at_end));
      return std::max(piece(x, z, begin, crossing, at_begin < 0), piece(x, z, crossing, end, at_end < 0));
    }
    return piece(x, z, begin, end, at_begin + at_end < 0);
  }

  double piece(std::int32_t x, std::int32_t z, double begin, double end, bool is_lower) const {
    const int h10 = fine(x + 1, z), h01 = fine(x, z + 1), apex = is_lower ? fine(x, z) : fine(x + 1, z + 1);
    if (h10 == 0 || h01 == 0 || apex == 0) {
      return 0;
    }
    const double west = lattice_.half_x(x) - west_, wide = lattice_.half_x(x + 1) - lattice_.half_x(x);
    const double north = lattice_.half_z(z) - north_, deep = lattice_.half_z(z + 1) - lattice_.half_z(z);
    const auto difference = [&](double px) {
      const double fx = (px - west) / wide, fz = (down_at(px) - north) / deep;
      const double below = is_lower ? apex + fx * (h10 - apex) + fz * (h01 - apex)
                                    : apex + (1 - fx) * (h01 - apex) + (1 - fz) * (h10 - apex);
      const double above = cell_.c01 + double(cell_.c10 - cell_.c01) * px / double(width_);
      return std::fabs(above - below);
    };
    return std::max(difference(begin), difference(end));
  }

  const Lattice& lattice_;
  const CoarseCell& cell_;
  const Page& page_;
  std::int64_t west_, north_, width_, depth_;  // half texels
};

}  // namespace

double rim_error(const Lattice& lattice, const CoarseCell& cell, const Page& page, const SurfaceMask& mask,
                 const StopRect& part) {
  const RimCell rim(lattice, cell, page);
  return std::max(rim.at_samples(mask, part), rim.at_crossings(part));
}

}  // namespace arete::tiles
