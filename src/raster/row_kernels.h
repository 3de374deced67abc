// What is done to every height of a raster, row by row, compiled for every instruction set and chosen when the program
// runs.
//
// Results are equal on every machine: sums keep their parts apart, all else takes the same value in any order (tests:
// unit/raster/row_kernels_test).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

#include "arete/raster.h"

namespace arete {

// Makes holes, all of one NaN, of NaN and of numbers that equal `nodata` or `nodata_f32` (NaN: no such number). False
// where a number lies `farthest` or more from zero; it is to be looked at one by one, as it was before.
bool mark_nodata(std::span<double> numbers, double nodata, double nodata_f32, double farthest);

struct RowSummary {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;  // of the valid samples
  std::int64_t valid = 0;
  bool is_whole = true;  // all valid heights are whole metres
};
RowSummary summarise_row(std::span<const double> heights_m);

// The sum of rows in eight parts, sample i to part i mod 8, each with the rounding errors of its additions (Knuth's
// TwoSum; Ogita, Rump, Oishi, "Accurate Sum and Dot Product", 2005): good to the last bits of a double for any raster,
// and the same on every machine.
class HeightSum {
 public:
  static constexpr std::size_t kParts = 8;
  // Adds one number to one part.
  void add(double value, std::size_t part = 0);
  // Adds the heights of a row; holes (NaN) count as 0.
  void add_row(std::span<const double> heights_m);
  double total() const;

 private:
  std::array<double, kParts> high_{}, low_{};
};

}  // namespace arete
