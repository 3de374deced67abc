// What one pass over a row of heights tells of it; plain loops over lanes that compilers turn into vector code.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>

namespace arete {

// The sum of rows in eight parts, sample i to part i mod 8, each with the rounding errors of its additions (Knuth's
// TwoSum; Ogita, Rump, Oishi, "Accurate Sum and Dot Product", 2005): good to the last bits of a double for any raster,
// and the same on every machine.
class HeightSum {
 public:
  static constexpr std::size_t kParts = 8;
  // Adds one number to one part.
  void add(double value, std::size_t part = 0) { add_to(high_[part], low_[part], value); }
  // Adds the heights of a row; holes (NaN) count as 0.
  void add_row(std::span<const double> heights_m);
  double total() const;

 private:
  static void add_to(double& high, double& low, double value) {
    const double total = high + value;
    const double part = total - high;
    low += (high - (total - part)) + (value - part);
    high = total;
  }
  std::array<double, kParts> high_{}, low_{};
};

struct RowSummary {
  double least = std::numeric_limits<double>::infinity(), greatest = -least;  // of the valid samples
  std::int64_t valid = 0;
  bool is_whole = true;  // all valid heights are whole metres
};
// Heights must lie within 2^31 m of zero.
RowSummary summarise_row(std::span<const double> heights_m);

}  // namespace arete
