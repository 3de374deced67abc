// Lambertian shading from central differences; see hillshade.h.
#include "hillshade.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace arete {
namespace {

// The slope through up to three samples a spacing apart; 0 where the middle one stands alone.
double slope(double before, double here, double after, double spacing_m) {
  const bool has_before = !std::isnan(before), has_after = !std::isnan(after);
  if (has_before && has_after) {
    return (after - before) / (2 * spacing_m);
  }
  return has_after ? (after - here) / spacing_m : has_before ? (here - before) / spacing_m : 0;
}

}  // namespace

Hillshade::Hillshade(std::int64_t width, std::int64_t height, double spacing_x_m, double spacing_z_m,
                     double azimuth_deg, double altitude_deg, RowReader reader)
    : width_(width), height_(height), spacing_x_m_(spacing_x_m), spacing_z_m_(spacing_z_m), reader_(std::move(reader)) {
  const double azimuth = azimuth_deg * std::numbers::pi / 180, altitude = altitude_deg * std::numbers::pi / 180;
  light_ = {std::sin(azimuth) * std::cos(altitude), std::sin(altitude), -std::cos(azimuth) * std::cos(altitude)};
  for (auto& row : rows_) {
    row.assign(std::size_t(width), std::numeric_limits<double>::quiet_NaN());
  }
}

Result<void> Hillshade::read(std::int64_t row, std::span<double> shade) {
  ARETE_ASSERT(row == next_ && row < height_ && std::int64_t(shade.size()) == width_);
  auto& [before, here, after] = rows_;
  if (row == 0) {
    if (auto done = reader_(0, after); !done) {
      return done;
    }
  }
  std::swap(before, here);
  std::swap(here, after);
  if (row + 1 < height_) {
    if (auto done = reader_(row + 1, after); !done) {
      return done;
    }
  } else {
    std::fill(after.begin(), after.end(), std::numeric_limits<double>::quiet_NaN());
  }
  ++next_;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t i = 0; i < shade.size(); ++i) {
    if (std::isnan(here[i])) {
      shade[i] = 0;
      continue;
    }
    const double west = i > 0 ? here[i - 1] : kNone, east = i + 1 < here.size() ? here[i + 1] : kNone;
    const double gx = slope(west, here[i], east, spacing_x_m_), gz = slope(before[i], here[i], after[i], spacing_z_m_);
    const double facing = (-gx * light_[0] + light_[1] - gz * light_[2]) / std::sqrt(gx * gx + 1 + gz * gz);
    shade[i] = 1 + std::nearbyint(254 * std::clamp(facing, 0.0, 1.0));
  }
  return {};
}

}  // namespace arete
