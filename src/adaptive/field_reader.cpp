#include "adaptive/field_reader.h"

#include <algorithm>

namespace arete::adaptive {
namespace {

struct Axis {
  std::int32_t last = 0;        // of the field
  std::int32_t origin = 0;      // of the piece
  std::int32_t piece_last = 0;  // of the piece, counted from its origin
  std::int32_t even_from = 0, even_to = 0;

  Axis(std::int32_t stops, std::int32_t origin_stop, std::int32_t cells, bool is_area)
      : last(stops - 1), origin(origin_stop), piece_last(std::min(cells, stops - 1 - origin_stop)) {
    even_from = is_area && origin == 0 ? 1 : 0;
    even_to = is_area && origin + piece_last == last ? piece_last - 1 : piece_last;
  }
  std::int32_t from() const { return std::max(origin - 1, 0); }
  std::int32_t to() const { return std::min(origin + piece_last + 1, last); }
};

void fill_places(const Axis& axis, std::int32_t cells, int is_area, std::vector<std::int32_t>& places) {
  const std::int32_t corner = kernel::stop_half(axis.origin, axis.last, is_area);
  places.resize(std::size_t(cells) + 3);
  for (std::int32_t i = -1; i <= cells + 1; ++i) {
    const std::int32_t stop = std::clamp(axis.origin + i, 0, axis.last);
    places[std::size_t(i + 1)] = kernel::stop_half(stop, axis.last, is_area) - corner;
  }
}

}  // namespace

Result<void> FieldReader::read(std::int32_t x0, std::int32_t z0, std::int32_t cells, SampleBlock& block) const {
  const bool is_area = lattice_.is_area() == 1;
  const Axis x(lattice_.stops_x, x0, cells, is_area), z(lattice_.stops_z, z0, cells, is_area);
  block.last_x = x.piece_last;
  block.last_z = z.piece_last;
  block.even_x0 = x.even_from;
  block.even_x1 = x.even_to;
  block.even_z0 = z.even_from;
  block.even_z1 = z.even_to;
  fill_places(x, cells, lattice_.is_area(), block.half_x);
  fill_places(z, cells, lattice_.is_area(), block.half_z);
  block.stride = cells + 3;
  block.steps.assign(std::size_t(block.stride) * std::size_t(block.stride), kHole);
  std::uint16_t* to = block.steps.data() + (x.from() - x0 + 1) + std::ptrdiff_t(z.from() - z0 + 1) * block.stride;
  if (source_ != nullptr) {
    return read_pages(x.from(), x.to(), z.from(), z.to(), to, block.stride);
  }
  for (std::int32_t row = z.from(); row <= z.to(); ++row, to += block.stride) {
    const auto line = stops_.subspan(std::size_t(row) * std::size_t(lattice_.stops_x) + std::size_t(x.from()),
                                     std::size_t(x.to() - x.from() + 1));
    std::copy(line.begin(), line.end(), to);
  }
  return {};
}

Result<void> FieldReader::read_pages(std::int32_t x0, std::int32_t x1, std::int32_t z0, std::int32_t z1,
                                     std::uint16_t* to, std::ptrdiff_t stride) const {
  // A page owns the stops of its cells; the field's last stop belongs to the last page.
  const auto page_of = [](std::int32_t stop, std::int32_t pages) { return std::min(stop / kPageCells, pages - 1); };
  const std::int32_t pages_x = lattice_.pages_x(0), pages_z = lattice_.pages_z(0);
  for (std::int32_t pz = page_of(z0, pages_z); pz <= page_of(z1, pages_z); ++pz) {
    for (std::int32_t px = page_of(x0, pages_x); px <= page_of(x1, pages_x); ++px) {
      auto page = source_->require_page({0, std::uint32_t(px), std::uint32_t(pz)});
      if (!page) {
        return Unexpected{page.error()};
      }
      const std::int32_t from_x = std::max(x0, px * kPageCells), from_z = std::max(z0, pz * kPageCells);
      const std::int32_t to_x = px + 1 < pages_x ? std::min(x1, px * kPageCells + kPageCells - 1) : x1;
      const std::int32_t to_z = pz + 1 < pages_z ? std::min(z1, pz * kPageCells + kPageCells - 1) : z1;
      for (std::int32_t z = from_z; z <= to_z; ++z) {
        const std::uint16_t* row =
            (*page)->subsample.data() + Page::index(from_x - px * kPageCells, z - pz * kPageCells);
        std::copy(row, row + (to_x - from_x + 1), to + std::ptrdiff_t(z - z0) * stride + (from_x - x0));
      }
    }
  }
  return {};
}

}  // namespace arete::adaptive
