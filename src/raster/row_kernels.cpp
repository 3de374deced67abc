// Vector forms of the loops over a row; see row_kernels.h. The end of a row is filled up with holes.
#include "row_kernels.h"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "raster/row_kernels.cpp"
#include <hwy/foreach_target.h>
// Highway's own order: foreach_target before highway.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace arete {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t kBlock = HeightSum::kParts;
using Doubles = hn::CappedTag<double, kBlock>;

// Calls visit(at) where each vector of heights stands, the last one in a block of its own.
template <class Visit>
void EachVector(std::span<const double> heights, const Visit& visit) {
  const std::size_t lanes = hn::Lanes(Doubles());
  std::size_t i = 0;
  for (; i + lanes <= heights.size(); i += lanes) {
    visit(heights.data() + i);
  }
  if (i < heights.size()) {
    std::array<double, kBlock> rest;
    rest.fill(std::numeric_limits<double>::quiet_NaN());
    std::copy(heights.begin() + std::ptrdiff_t(i), heights.end(), rest.begin());
    visit(rest.data());
  }
}

bool MarkNodata(std::span<double> numbers, double nodata, double nodata_f32, double farthest) {
  const Doubles d;
  const auto limit = hn::Set(d, farthest);
  const auto hole = hn::Set(d, std::numeric_limits<double>::quiet_NaN());
  const auto first = hn::Set(d, nodata), second = hn::Set(d, nodata_f32);
  auto far = hn::Zero(d);
  const auto mark_at = [&](double* at) HWY_ATTR {
    const auto number = hn::LoadU(d, at);
    const auto is_hole = hn::Or(hn::Ne(number, number), hn::Or(hn::Eq(number, first), hn::Eq(number, second)));
    far = hn::Max(far, hn::IfThenElseZero(hn::Ge(hn::Abs(number), limit), limit));
    hn::StoreU(hn::IfThenElse(is_hole, hole, number), d, at);
  };
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= numbers.size(); i += lanes) {
    mark_at(numbers.data() + i);
  }
  std::array<double, kBlock> rest{};
  std::copy(numbers.begin() + std::ptrdiff_t(i), numbers.end(), rest.begin());
  mark_at(rest.data());
  std::copy_n(rest.begin(), numbers.size() - i, numbers.begin() + std::ptrdiff_t(i));
  return hn::GetLane(hn::MaxOfLanes(d, far)) == 0;
}

RowSummary SummariseRow(std::span<const double> heights) {
  const Doubles d;
  const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity()), one = hn::Set(d, 1.0);
  auto least = infinity, greatest = hn::Neg(infinity), valid = hn::Zero(d), broken = valid;
  EachVector(heights, [&](const double* at) HWY_ATTR {
    const auto height = hn::LoadU(d, at);
    const auto is_valid = hn::Eq(height, height);
    least = hn::Min(least, hn::IfThenElse(is_valid, height, infinity));
    greatest = hn::Max(greatest, hn::IfThenElse(is_valid, height, hn::Neg(infinity)));
    valid = hn::Add(valid, hn::IfThenElseZero(is_valid, one));
    const auto number = hn::IfThenElseZero(is_valid, height);
    broken = hn::Add(broken, hn::IfThenElseZero(hn::Ne(hn::Round(number), number), one));
  });
  return {hn::GetLane(hn::MinOfLanes(d, least)), hn::GetLane(hn::MaxOfLanes(d, greatest)),
          std::int64_t(hn::GetLane(hn::SumOfLanes(d, valid))), hn::GetLane(hn::SumOfLanes(d, broken)) == 0};
}

// As many parts at a time as there are lanes.
void AddRow(std::span<const double> heights, double* high_parts, double* low_parts) {
  const Doubles d;
  const std::size_t whole = heights.size() / kBlock * kBlock;
  std::array<double, kBlock> rest{};
  std::copy(heights.begin() + std::ptrdiff_t(whole), heights.end(), rest.begin());
  for (std::size_t part = 0; part < kBlock; part += hn::Lanes(d)) {
    auto high = hn::LoadU(d, high_parts + part), low = hn::LoadU(d, low_parts + part);
    const auto add = [&](const double* at) HWY_ATTR {
      const auto height = hn::LoadU(d, at);
      const auto value = hn::IfThenElseZero(hn::Eq(height, height), height);
      const auto total = hn::Add(high, value);
      const auto added = hn::Sub(total, high);
      low = hn::Add(low, hn::Add(hn::Sub(high, hn::Sub(total, added)), hn::Sub(value, added)));
      high = total;
    };
    for (std::size_t i = part; i < whole; i += kBlock) {
      add(heights.data() + i);
    }
    add(rest.data() + part);
    hn::StoreU(high, d, high_parts + part);
    hn::StoreU(low, d, low_parts + part);
  }
}

double QuantiseRow(std::span<const double> heights, const HeightScale& scale, std::uint16_t* steps) {
  const Doubles d;
  const hn::Rebind<std::int32_t, Doubles> d32;
  const hn::Rebind<std::uint16_t, Doubles> d16;
  // Adding and taking away 1.5 * 2^52 rounds to the nearest whole number, ties to even, for everything below 2^51.
  const auto round = hn::Set(d, 6755399441055744.0);
  const auto per_step = hn::Set(d, 1 / scale.step_m), step = hn::Set(d, scale.step_m);
  const auto base = hn::Set(d, scale.base_m * (1 / scale.step_m));
  const auto first = hn::Set(d, 1.0), last = hn::Set(d, 65535.0);
  auto worst = hn::Zero(d);
  const auto quantise_at = [&](const double* at) HWY_ATTR {
    const auto number = hn::LoadU(d, at);
    const auto is_valid = hn::Eq(number, number);
    const auto height = hn::IfThenElseZero(is_valid, number);
    const auto nearest = hn::Sub(hn::Sub(hn::Add(hn::Mul(height, per_step), round), round), base);
    const auto whole = hn::Min(hn::Max(nearest, first), last);
    const auto error = hn::Abs(hn::Sub(hn::Mul(hn::Add(whole, base), step), height));
    worst = hn::Max(worst, hn::IfThenElseZero(is_valid, error));
    return hn::DemoteTo(d16, hn::DemoteTo(d32, hn::IfThenElseZero(is_valid, whole)));
  };
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= heights.size(); i += lanes) {
    hn::StoreU(quantise_at(heights.data() + i), d16, steps + i);
  }
  if (i < heights.size()) {
    std::array<double, kBlock> rest;
    rest.fill(std::numeric_limits<double>::quiet_NaN());
    std::copy(heights.begin() + std::ptrdiff_t(i), heights.end(), rest.begin());
    std::array<std::uint16_t, kBlock> rest_steps{};
    hn::StoreU(quantise_at(rest.data()), d16, rest_steps.data());
    std::copy_n(rest_steps.begin(), heights.size() - i, steps + i);
  }
  return hn::GetLane(hn::MaxOfLanes(d, worst));
}

}  // namespace HWY_NAMESPACE
}  // namespace arete
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete {
HWY_EXPORT(MarkNodata);
HWY_EXPORT(SummariseRow);
HWY_EXPORT(AddRow);
HWY_EXPORT(QuantiseRow);

bool mark_nodata(std::span<double> numbers, double nodata, double nodata_f32, double farthest) {
  return HWY_DYNAMIC_DISPATCH(MarkNodata)(numbers, nodata, nodata_f32, farthest);
}

RowSummary summarise_row(std::span<const double> heights_m) { return HWY_DYNAMIC_DISPATCH(SummariseRow)(heights_m); }

void HeightSum::add(double value, std::size_t part) {
  const double total = high_[part] + value;
  const double added = total - high_[part];
  low_[part] += (high_[part] - (total - added)) + (value - added);
  high_[part] = total;
}

void HeightSum::add_row(std::span<const double> heights_m) {
  HWY_DYNAMIC_DISPATCH(AddRow)(heights_m, high_.data(), low_.data());
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

double quantise_row(std::span<const double> heights_m, const HeightScale& scale, std::span<std::uint16_t> steps) {
  ARETE_ASSERT(heights_m.size() == steps.size());
  return HWY_DYNAMIC_DISPATCH(QuantiseRow)(heights_m, scale, steps.data());
}
}  // namespace arete
#endif
