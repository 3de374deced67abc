// The rows of one plane that a row of pages needs: a ring of rows, each padded to whole pages and their aprons.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "arete/core.h"

namespace arete::tiles {

// Rows are known by their index on the lod's lattice; a row stays until `capacity` later ones have come.
class RowWindow {
 public:
  // `last_column` and `last_row` are the first clamped indices of the lod's lattice.
  RowWindow(std::int32_t pages_x, std::int32_t last_column, std::int32_t last_row, int capacity)
      : width_(std::size_t(pages_x) * kPageCells + 3),
        last_column_(last_column),
        last_row_(last_row),
        capacity_(capacity),
        samples_(width_ * std::size_t(capacity)) {}

  int capacity() const { return capacity_; }
  // Column 0 of a row; columns -1 .. 128 pages_x + 1 may be written.
  std::uint16_t* row(std::int64_t index) { return samples_.data() + std::size_t(index % capacity_) * width_ + 1; }
  const std::uint16_t* row(std::int64_t index) const {
    return samples_.data() + std::size_t(index % capacity_) * width_ + 1;
  }

  // Repeats the first sample to the west of a row and the one at the first clamped index to its east.
  void pad(std::int64_t index) {
    std::uint16_t* at = row(index);
    at[-1] = at[0];
    std::fill(at + last_column_ + 1, at + width_ - 1, at[last_column_]);
  }

  // Copies page (x, z) with its apron; rows -1 and beyond the last clamp.
  void copy_page(std::int64_t x, std::int64_t z, std::span<std::uint16_t> plane) const {
    for (std::int64_t k = 0; k < kPageStride; ++k) {
      const std::int64_t index = std::clamp<std::int64_t>(z * kPageCells + k - 1, 0, last_row_);
      std::memcpy(plane.data() + std::size_t(k) * kPageStride, row(index) + x * kPageCells - 1,
                  kPageStride * sizeof(std::uint16_t));
    }
  }

 private:
  std::size_t width_;
  std::int32_t last_column_;
  std::int32_t last_row_;
  int capacity_;
  std::vector<std::uint16_t> samples_;
};

}  // namespace arete::tiles
