// Each lane keeps its own running values, so the order of operations does not depend on the machine; see row_summary.h.
#include "row_summary.h"

#include <algorithm>

namespace arete {
namespace {

constexpr std::size_t kLanes = HeightSum::kParts;

// Calls visit(lanes) with eight heights at a time; those beyond the end are holes.
template <class Visit>
void each_block(std::span<const double> heights, const Visit& visit) {
  const std::size_t whole = heights.size() / kLanes * kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    visit(heights.data() + i);
  }
  std::array<double, kLanes> rest;
  rest.fill(std::numeric_limits<double>::quiet_NaN());
  std::copy(heights.begin() + std::ptrdiff_t(whole), heights.end(), rest.begin());
  visit(rest.data());
}

}  // namespace

void HeightSum::add_row(std::span<const double> heights_m) {
  std::array<double, kParts> high = high_, low = low_;
  each_block(heights_m, [&](const double* lanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      const double value = lanes[j] == lanes[j] ? lanes[j] : 0.0;
      add_to(high[j], low[j], value);
    }
  });
  high_ = high;
  low_ = low;
}

double HeightSum::total() const {
  HeightSum joined;
  for (std::size_t part = 0; part < kParts; ++part) {
    joined.add(high_[part]);
  }
  for (std::size_t part = 0; part < kParts; ++part) {
    joined.add(low_[part]);
  }
  return joined.high_[0] + joined.low_[0];
}

RowSummary summarise_row(std::span<const double> heights_m) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::array<double, kLanes> least, greatest, valid{}, broken{};
  least.fill(kInfinity);
  greatest.fill(-kInfinity);
  each_block(heights_m, [&](const double* lanes) {
    for (std::size_t j = 0; j < kLanes; ++j) {
      const double height = lanes[j];
      least[j] = height < least[j] ? height : least[j];
      greatest[j] = height > greatest[j] ? height : greatest[j];
      const double is_valid = height == height ? 1.0 : 0.0;
      valid[j] += is_valid;
      const double whole = double(static_cast<std::int32_t>(height == height ? height : 0.0));
      broken[j] += (whole == height ? 0.0 : 1.0) * is_valid;
    }
  });
  RowSummary row;
  for (std::size_t j = 0; j < kLanes; ++j) {
    row.least = std::min(row.least, least[j]);
    row.greatest = std::max(row.greatest, greatest[j]);
    row.valid += std::int64_t(valid[j]);
    row.is_whole = row.is_whole && broken[j] == 0;
  }
  return row;
}

}  // namespace arete
