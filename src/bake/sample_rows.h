// Rows of a raster's own samples out of a source's pages: the rims that area rasters repeat are left out.
#pragma once

#include "arete/tiles.h"

namespace arete {

class SampleRows {
 public:
  explicit SampleRows(const SampleSource& source);
  std::int64_t width() const { return width_; }
  std::int64_t height() const { return height_; }
  // Fills `steps` (width) with row `row`; rows in ascending order read each page once.
  Result<void> read(std::int64_t row, std::span<std::uint16_t> steps);

 private:
  const SampleSource& source_;
  std::int32_t rim_;
  std::int64_t width_, height_;
  std::int32_t page_row_ = -1;
  std::vector<std::shared_ptr<const Page>> pages_;  // of page_row_
};

}  // namespace arete
