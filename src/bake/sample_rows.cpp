// Reads rows across pages of lod 0; see sample_rows.h.
#include "sample_rows.h"

#include <algorithm>

namespace arete {

SampleRows::SampleRows(const SampleSource& source)
    : source_(source),
      rim_(source.lattice().is_area()),
      width_(std::max(1, source.lattice().stops_x - 2 * rim_)),
      height_(std::max(1, source.lattice().stops_z - 2 * rim_)) {}

Result<void> SampleRows::read(std::int64_t row, std::span<std::uint16_t> steps) {
  ARETE_ASSERT(row >= 0 && row < height_ && std::int64_t(steps.size()) == width_);
  const Lattice& lattice = source_.lattice();
  const auto z = static_cast<std::int32_t>(row) + rim_;
  const std::int32_t page_row = std::min(z / kPageCells, lattice.pages_z(0) - 1);
  if (page_row != page_row_) {
    page_row_ = -1;
    pages_.clear();
    for (std::int32_t x = 0; x < lattice.pages_x(0); ++x) {
      auto page = source_.require_page({0, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(page_row)});
      if (!page) {
        return Unexpected{page.error()};
      }
      pages_.push_back(*std::move(page));
    }
    page_row_ = page_row;
  }
  const int k = z - page_row * kPageCells;
  for (std::int64_t column = 0; column < width_; ++column) {
    const std::int32_t x = static_cast<std::int32_t>(column) + rim_;
    const std::int32_t page_column = std::min(x / kPageCells, lattice.pages_x(0) - 1);
    steps[std::size_t(column)] =
        pages_[std::size_t(page_column)]->at(HeightPlane::subsample, x - page_column * kPageCells, k);
  }
  return {};
}

}  // namespace arete
