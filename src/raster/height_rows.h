// Rows of heights in metres, north to south, holes NaN: what every stage of an import hands to the next
// (file -> mosaic -> warp -> window -> filler).
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "arete/raster.h"

namespace arete {

inline constexpr double kNoHeight = std::numeric_limits<double>::quiet_NaN();

// No ground lies this far from its datum: such numbers are fill values, declared or not.
inline constexpr double kFarthest_m = 1e8;

class HeightRows {
 public:
  virtual ~HeightRows() = default;
  const RasterInfo& info() const { return info_; }
  // Fills `heights_m` with the heights of `row` from `column` on. The range must lie inside.
  virtual Result<void> read(std::int64_t row, std::int64_t column, std::span<double> heights_m) = 0;
  // Heights that may stand for undeclared voids, ascending; statistics decide about them.
  virtual std::span<const double> void_candidates_m() const { return {}; }
  // From now on this candidate reads as a hole.
  virtual void declare_void(double) {}
  // Finite samples, read so far, that are no heights because they lie beyond kFarthest_m.
  virtual std::int64_t outliers() const { return 0; }
  // Samples of a mosaic, read so far, that two rasters held with different heights.
  virtual std::int64_t conflicts() const { return 0; }
  // The most bytes that it holds between reads, besides a row and the blocks of files.
  virtual std::int64_t most_bytes() const { return 0; }
  // Gives back buffers until the next read; for rasters of a mosaic that are not at their turn.
  virtual void rest() {}

 protected:
  RasterInfo info_;
};

}  // namespace arete
