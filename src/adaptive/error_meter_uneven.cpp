// Errors where a triangle touches the half-width rim cells of an area raster: the same points as on the even lattice,
// looked up line by line and cell by cell in half texels.
#include <algorithm>
#include <cstdlib>

#include "adaptive/error_meter.h"

namespace arete::adaptive {
namespace {

// The greatest of ratios that are found one by one; false once one lies beyond the limit.
class WorstRatio {
 public:
  explicit WorstRatio(double limit) : limit_(limit) {}
  // |on_triangle - on_surface| / denominator, denominator > 0; both products are below 2^53.
  bool add(std::int64_t on_triangle, std::int64_t on_surface, std::int64_t denominator) {
    const std::int64_t difference = std::abs(on_triangle - on_surface);
    if (double(difference) > limit_ * double(denominator)) {
      return false;
    }
    worst_ = std::max(worst_, double(difference) / double(denominator));
    return true;
  }
  double value() const { return worst_; }

 private:
  double limit_;
  double worst_ = 0;
};

}  // namespace

double ErrorMeter::along_uneven(Place a, Place b) const {
  const SampleBlock& block = *block_;
  if (a.x > b.x) {
    std::swap(a, b);
  }
  const std::int64_t ax = block.place_x(a.x), az = block.place_z(a.z);
  const std::int64_t dx = block.place_x(b.x) - ax, dz = block.place_z(b.z) - az;
  const std::int64_t from = height(a), rise = height(b) - from;
  WorstRatio worst(limit_);
  if (dx == 0) {
    for (std::int32_t z = std::min(a.z, b.z) + 1; z < std::max(a.z, b.z); ++z) {
      const std::int64_t count = std::abs(dz), k = std::abs(block.place_z(z) - az);
      if (!worst.add(from * count + rise * k, std::int64_t(height({a.x, z})) * count, count)) {
        return kTooFar;
      }
    }
    return worst.value();
  }
  for (std::int32_t x = a.x + 1; x < b.x; ++x) {
    // Crossing of the line of stop x, at z = az + dz k / dx.
    const std::int64_t k = block.place_x(x) - ax;
    const std::int64_t scaled = az * dx + dz * k;
    std::int32_t z = std::min(a.z, b.z);
    while (z + 1 < std::max(a.z, b.z) && std::int64_t(block.place_z(z + 1)) * dx <= scaled) {
      ++z;
    }
    const std::int64_t width = dz == 0 ? 1 : block.place_z(z + 1) - block.place_z(z);
    const std::int64_t rest = dz == 0 ? 0 : scaled - std::int64_t(block.place_z(z)) * dx;
    const std::int64_t low = height({x, z}), high = dz == 0 ? low : height({x, z + 1});
    if (!worst.add((from * dx + rise * k) * width, low * dx * width + rest * (high - low), dx * width)) {
      return kTooFar;
    }
  }
  if (dz == 0) {
    return worst.value();
  }
  const std::int64_t span = std::abs(dz);
  for (std::int32_t z = std::min(a.z, b.z) + 1; z < std::max(a.z, b.z); ++z) {
    // Crossing of the line of stop z, at x = ax + dx k / |dz|.
    const std::int64_t k = std::abs(block.place_z(z) - az);
    const std::int64_t scaled = ax * span + dx * k;
    std::int32_t x = a.x;
    while (x + 1 < b.x && std::int64_t(block.place_x(x + 1)) * span <= scaled) {
      ++x;
    }
    const std::int64_t width = block.place_x(x + 1) - block.place_x(x);
    const std::int64_t rest = scaled - std::int64_t(block.place_x(x)) * span;
    const std::int64_t low = height({x, z}), high = height({x + 1, z});
    if (!worst.add((from * span + rise * k) * width, low * span * width + rest * (high - low), span * width)) {
      return kTooFar;
    }
  }
  for (std::int32_t x = a.x; x < b.x; ++x) {
    for (std::int32_t z = std::min(a.z, b.z); z < std::max(a.z, b.z); ++z) {
      // The diagonal of cell (x, z), from its corner along +Z (p) to its corner along +X.
      const std::int64_t px = block.place_x(x) - ax, pz = block.place_z(z + 1) - az;
      const std::int64_t ex = block.place_x(x + 1) - block.place_x(x), ez = block.place_z(z) - block.place_z(z + 1);
      std::int64_t cross = dx * ez - dz * ex;
      std::int64_t on_edge = px * ez - pz * ex;      // / cross: the part of a-b up to the crossing
      std::int64_t on_diagonal = px * dz - pz * dx;  // / cross: the part of the diagonal
      if (cross < 0) {
        cross = -cross;
        on_edge = -on_edge;
        on_diagonal = -on_diagonal;
      }
      if (cross == 0 || on_edge < 0 || on_edge > cross || on_diagonal < 0 || on_diagonal > cross) {
        continue;
      }
      const std::int64_t low = height({x, z + 1}), high = height({x + 1, z});
      if (!worst.add(from * cross + rise * on_edge, low * cross + (high - low) * on_diagonal, cross)) {
        return kTooFar;
      }
    }
  }
  return worst.value();
}

double ErrorMeter::inside_uneven(Place a, Place b, Place c) const {
  const SampleBlock& block = *block_;
  const std::int64_t ax = block.place_x(a.x), az = block.place_z(a.z);
  const std::int64_t bx = block.place_x(b.x) - ax, bz = block.place_z(b.z) - az;
  const std::int64_t cx = block.place_x(c.x) - ax, cz = block.place_z(c.z) - az;
  const std::int64_t sign = bx * cz - cx * bz < 0 ? -1 : 1;
  const std::int64_t area = (bx * cz - cx * bz) * sign;
  const std::int64_t from = height(a), rise_b = height(b) - from, rise_c = height(c) - from;
  const auto [west, east] = std::minmax({a.x, b.x, c.x});
  const auto [north, south] = std::minmax({a.z, b.z, c.z});
  WorstRatio worst(limit_);
  for (std::int32_t z = north + 1; z < south; ++z) {
    for (std::int32_t x = west + 1; x < east; ++x) {
      const std::int64_t x_half = block.place_x(x) - ax, z_half = block.place_z(z) - az;
      // Twice the areas beside b and c: their weights.
      const std::int64_t weight_b = (x_half * cz - cx * z_half) * sign;
      const std::int64_t weight_c = (bx * z_half - x_half * bz) * sign;
      if (weight_b <= 0 || weight_c <= 0 || weight_b + weight_c >= area) {
        continue;
      }
      const std::int64_t on_triangle = from * area + rise_b * weight_b + rise_c * weight_c;
      if (!worst.add(on_triangle, std::int64_t(height({x, z})) * area, area)) {
        return kTooFar;
      }
    }
  }
  return worst.value();
}

}  // namespace arete::adaptive
