// Heights as u16 steps, y = base + step h: which step and base hold a range, and what a raster becomes on the lattice.
//
// The step is a power of two and the base a multiple of it with |y| < 2^24 steps, so y is exact in f32 and adding in
// any order gives the same bits.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "arete/raster.h"

namespace arete {
namespace {

constexpr int kLeastExponent = -20, kGreatestExponent = 100;
constexpr double kWantedSteps = 61438;  // leaves 2,048 steps of room for edits on either side
constexpr double kMostSteps = 65534;    // between h = 1 and h = 65,535
constexpr double kExactSteps = 16777216;

// The base that centres min..max in 1..65,535, moved as little as keeps the whole range of h below 2^24 steps.
// Nothing when the data do not fit.
std::optional<HeightScale> fit(double min_m, double max_m, double step_m) {
  const double low = std::nearbyint(min_m / step_m), high = std::nearbyint(max_m / step_m);
  if (high - low > kMostSteps || low <= -kExactSteps || high >= kExactSteps) {
    return {};
  }
  const double centred = low - 1 - std::floor((kMostSteps - (high - low)) / 2);
  const double base = std::clamp(centred, -kExactSteps + 1, kExactSteps - 1 - 65535);
  return HeightScale{base * step_m, step_m};
}

double least_step_that_fits(double min_m, double max_m) {
  int exponent = kLeastExponent;
  while (exponent < kGreatestExponent && !fit(min_m, max_m, std::ldexp(1.0, exponent))) {
    ++exponent;
  }
  return std::ldexp(1.0, exponent);
}

}  // namespace

Result<HeightScale> choose_height_scale(double min_m, double max_m, bool whole_metres,
                                        std::optional<double> height_step_m) {
  if (std::isnan(min_m) || std::isnan(max_m)) {
    return HeightScale{0, height_step_m.value_or(1)};
  }
  if (!(min_m <= max_m) || std::abs(min_m) > 1e30 || std::abs(max_m) > 1e30) {
    return data_error(fmt::format("heights from {} to {} m are no range that steps can hold", min_m, max_m));
  }
  if (height_step_m) {
    int exponent = 0;
    const double step = *height_step_m;
    if (!(step > 0) || !std::isfinite(step) || std::frexp(step, &exponent) != 0.5 || exponent - 1 < kLeastExponent ||
        exponent - 1 > kGreatestExponent) {
      return usage_error(
          fmt::format("a height step of {} m; expected a power of two from 2^-20 m up, such as 0.125", step));
    }
    if (const auto scale = fit(min_m, max_m, step)) {
      return *scale;
    }
    return usage_error(fmt::format("65,535 steps of {} m do not hold heights from {} to {} m; use --height-step {}",
                                   step, min_m, max_m, least_step_that_fits(min_m, max_m)));
  }
  for (int exponent = kLeastExponent; exponent <= kGreatestExponent; ++exponent) {
    const double step = std::ldexp(1.0, exponent);
    const bool is_roomy = max_m - min_m <= kWantedSteps * step;
    const bool is_lossless = whole_metres && step == 1;
    if (is_roomy || is_lossless) {
      if (const auto scale = fit(min_m, max_m, step)) {
        return *scale;
      }
    }
  }
  return data_error(fmt::format("heights from {} to {} m are no range that steps can hold", min_m, max_m));
}

std::uint16_t quantise(double height_m, const HeightScale& scale) {
  std::uint16_t steps = 0;
  quantise_row({&height_m, 1}, scale, {&steps, 1});
  return steps;
}

Lattice raster_lattice(const RasterInfo& info, const HeightScale& scale) {
  const std::int64_t rim = info.registration == Registration::area ? 2 : 0;
  ARETE_ASSERT(info.width >= 1 && info.height >= 1 && info.width + rim <= std::numeric_limits<std::int32_t>::max() &&
               info.height + rim <= std::numeric_limits<std::int32_t>::max());
  Lattice lattice;
  lattice.stops_x = static_cast<std::int32_t>(info.width + rim);
  lattice.stops_z = static_cast<std::int32_t>(info.height + rim);
  lattice.registration = info.registration;
  lattice.spacing_x_m = info.spacing_x_m;
  lattice.spacing_z_m = info.spacing_z_m;
  lattice.base_m = scale.base_m;
  lattice.step_m = scale.step_m;
  return lattice;
}

}  // namespace arete
