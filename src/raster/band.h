// A band: one rectangle of numbers as a file stores them, before their meaning in metres. Rows are handed out north
// first and west first; what a file declares about them stands in BandFacts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arete/raster.h"

namespace arete {

// The greatest side: stops, counted in half texels and rounded up to whole pages, must fit 32 bits.
inline constexpr std::int64_t kMaxSide = (std::int64_t(1) << 30) - 4096;

struct BandFacts {
  std::string name;  // of the file, for messages
  std::string driver;
  std::string data_type;
  std::int64_t width = 0, height = 0;
  int bands = 1;                                      // of the file
  std::optional<Registration> registration;           // as the file declares it
  std::optional<std::array<double, 6>> geotransform;  // north-up, unless is_rotated
  bool is_rotated = false;
  std::string crs_wkt;
  std::optional<double> nodata;        // as declared, in the file's numbers
  bool is_f32 = false;                 // nodata compares after rounding to f32
  std::optional<double> type_minimum;  // of signed sample types
  double scale = 1, offset = 0;
  std::string unit;
  std::vector<std::string> files;  // besides the file itself
  std::vector<std::string> warnings;
};

class Band {
 public:
  virtual ~Band() = default;
  const BandFacts& facts() const { return facts_; }
  // Fills `values` with the samples of `row` from `column` on; masked samples are NaN. The range must lie inside.
  virtual Result<void> read(std::int64_t row, std::int64_t column, std::span<double> values) = 0;
  // Gives back buffers until the next read.
  virtual void rest() {}

 protected:
  BandFacts facts_;
};

}  // namespace arete
