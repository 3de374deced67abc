// How far drawn triangles stand from the samples, as seen on the screen.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "arete/core.h"

namespace arete::test {

// A corner of a drawn triangle: half texels of the field along x and z, metres in height.
struct DrawnCorner {
  double x, y, z;
};

struct DrawnError {
  double greatest_px = 0;
  std::int64_t samples = 0;  // over all views
  std::int64_t above = 0;    // samples more than the limit off
  std::int64_t undrawn = 0;  // samples under no triangle with ground: coarse ground has wider holes
};

// Judges one view after another: every sample of the field against the triangle over it, the farthest one where
// several lie over it. The error is vertical, over the sample's distance from the eye, in pixels.
class DrawnErrorJudge {
 public:
  DrawnErrorJudge(const Lattice& lattice, std::span<const std::uint16_t> stops)
      : lattice_(lattice), stops_(stops), farthest_px_(stops.size()) {}

  void begin(const View& view) {
    view_ = view;
    std::fill(farthest_px_.begin(), farthest_px_.end(), -1.0f);
  }

  // A triangle whose three corners have ground, whichever way round it lies.
  void add(const DrawnCorner& a, const DrawnCorner& b, const DrawnCorner& c) {
    const double area = (b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z);
    if (std::abs(area) < 1e-6) {
      return;
    }
    const auto [west, east] = std::minmax({a.x, b.x, c.x});
    const auto [north, south] = std::minmax({a.z, b.z, c.z});
    const std::int32_t last_x = std::min(lattice_.last_stop_x(), std::int32_t(east / 2) + 1);
    const std::int32_t last_z = std::min(lattice_.last_stop_z(), std::int32_t(south / 2) + 1);
    constexpr double kRoom = 1e-5;  // places come as f32
    for (std::int32_t k = std::max(0, std::int32_t(north / 2)); k <= last_z; ++k) {
      const double z = lattice_.half_z(k);
      if (z < north - kRoom || z > south + kRoom) {
        continue;
      }
      for (std::int32_t i = std::max(0, std::int32_t(west / 2)); i <= last_x; ++i) {
        const double x = lattice_.half_x(i);
        const double to_b = ((x - a.x) * (c.z - a.z) - (c.x - a.x) * (z - a.z)) / area;
        const double to_c = ((b.x - a.x) * (z - a.z) - (x - a.x) * (b.z - a.z)) / area;
        if (to_b >= -kRoom && to_c >= -kRoom && to_b + to_c <= 1 + kRoom) {
          compare(i, k, a.y + to_b * (b.y - a.y) + to_c * (c.y - a.y));
        }
      }
    }
  }

  void end(double limit_px, DrawnError& total) const {
    for (std::size_t i = 0; i < stops_.size(); ++i) {
      if (stops_[i] == kHole) {
        continue;
      }
      ++total.samples;
      total.greatest_px = std::max(total.greatest_px, double(farthest_px_[i]));
      total.above += farthest_px_[i] > limit_px ? 1 : 0;
      total.undrawn += farthest_px_[i] < 0 ? 1 : 0;
    }
  }

 private:
  void compare(std::int32_t i, std::int32_t k, double drawn_m) {
    const std::size_t at = std::size_t(k) * std::size_t(lattice_.stops_x) + std::size_t(i);
    if (stops_[at] == kHole) {
      return;
    }
    const double height = lattice_.height_m(stops_[at]);
    const double error_m = std::abs(drawn_m - height);
    const double dx = lattice_.x_m(i) - view_.eye_x_m, dy = height - view_.eye_y_m,
                 dz = lattice_.z_m(k) - view_.eye_z_m;
    const double error_px =
        error_m == 0 ? 0 : error_m * view_.pixels_per_radian / std::sqrt(dx * dx + dy * dy + dz * dz);
    farthest_px_[at] = std::max(farthest_px_[at], float(error_px));
  }

  const Lattice lattice_;
  std::span<const std::uint16_t> stops_;
  View view_;
  std::vector<float> farthest_px_;  // of the view, -1 where nothing is drawn
};

}  // namespace arete::test
