// Ranges from a screen-space error, and the frame constants that the vertex function reads.
//
// R_L = 2^L R_0. M and E are squared and rounded inwards by 2^-18, and K is raised by ulps until (E^2 - M^2) K >= 1 in
// f32, so that w >= 1 holds for every vertex whose node the cut does not split.
#include <algorithm>
#include <cmath>
#include <limits>

#include "arete/core.h"
#include "kernel/normal.h"

namespace arete {
namespace {
constexpr double kInward = 0x1p-18;
constexpr std::int64_t kCameraReach = std::int64_t(1) << 24;  // half texels beyond the field
constexpr double kAnchorGrid = 8192;                          // half texels
constexpr double kShortest_m = 1e-15, kLongest_m = 1e18;      // of R_0: its square is a normal number of f32

float round_up(double value) {
  const float rounded = static_cast<float>(value);
  return double(rounded) < value ? std::nextafter(rounded, std::numeric_limits<float>::infinity()) : rounded;
}

std::int32_t camera_half(double eye_m, double half_m, std::int32_t last_half) {
  const double half = std::floor(eye_m / half_m);
  return static_cast<std::int32_t>(std::clamp(half, -double(kCameraReach), double(last_half + kCameraReach)));
}
}  // namespace

Ranges make_ranges(double range_0_m, const RangeOptions& options) {
  ARETE_ASSERT(options.morph_fraction >= 0x1p-14 && options.morph_fraction < 1);
  ARETE_ASSERT(range_0_m >= kShortest_m && range_0_m <= kLongest_m);
  ARETE_ASSERT(is_node_size(options.node_quads));
  const double end_sq = range_0_m * range_0_m;
  const double start_sq = end_sq * (1 - options.morph_fraction) * (1 - options.morph_fraction);
  Ranges ranges;
  ranges.select_sq = round_up(end_sq);
  ranges.morph_end_sq = static_cast<float>(end_sq * (1 - kInward));
  ranges.morph_start_sq = static_cast<float>(start_sq * (1 + kInward));
  const float band = ranges.morph_end_sq - ranges.morph_start_sq;
  float scale = 1.0f / band;
  while (band * scale < 1.0f) {
    scale = std::nextafter(scale, std::numeric_limits<float>::infinity());
  }
  ranges.morph_scale = scale;
  ranges.lag_m = round_up(options.camera_lag_m);
  ranges.node_quads = options.node_quads;
  ranges.plane = options.plane;
  return ranges;
}

Ranges make_ranges(const Bounds& bounds, double pixels_per_radian, const RangeOptions& options) {
  ARETE_ASSERT(pixels_per_radian > 0 && options.max_error_px > 0 && options.scale > 0);
  const Lattice& lattice = bounds.lattice();
  const double error_range = pixels_per_radian / options.max_error_px;
  double range_0 = 2 * options.node_quads * std::max(lattice.spacing_x_m, lattice.spacing_z_m);
  range_0 = std::max(range_0, 2 * options.camera_lag_m);
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    const double error_m = bounds.lod_error(lod, options.plane) * lattice.step_m;
    range_0 = std::max(range_0, std::ldexp(error_range * error_m, 1 - lod));
  }
  return make_ranges(std::clamp(range_0 * options.scale, kShortest_m, kLongest_m), options);
}

Anchor anchor_near(const Lattice& lattice, double eye_x_m, double eye_z_m) {
  const auto snap = [](double eye_m, double half_m, std::int32_t last_half) {
    const double half = std::clamp(eye_m / half_m, 0.0, double(last_half));
    return static_cast<std::int32_t>(std::floor(half / kAnchorGrid + 0.5) * kAnchorGrid);
  };
  return {snap(eye_x_m, lattice.half_x_m(), lattice.half_x(lattice.last_stop_x())),
          snap(eye_z_m, lattice.half_z_m(), lattice.half_z(lattice.last_stop_z()))};
}

kernel::FrameConstants make_frame(const Bounds& bounds, const View& view, const Ranges& ranges, Anchor anchor) {
  ARETE_ASSERT(std::isfinite(view.eye_x_m) && std::isfinite(view.eye_y_m) && std::isfinite(view.eye_z_m));
  const Lattice& lattice = bounds.lattice();
  kernel::FrameConstants frame{};
  frame.half_x_m = lattice.half_x_m();
  frame.half_z_m = lattice.half_z_m();
  frame.camera_half_x = camera_half(view.eye_x_m, frame.half_x_m, lattice.half_x(lattice.last_stop_x()));
  frame.camera_half_z = camera_half(view.eye_z_m, frame.half_z_m, lattice.half_z(lattice.last_stop_z()));
  frame.camera_rest_x = static_cast<float>(view.eye_x_m - frame.camera_half_x * double(frame.half_x_m));
  frame.camera_rest_z = static_cast<float>(view.eye_z_m - frame.camera_half_z * double(frame.half_z_m));
  frame.camera_y = static_cast<float>(view.eye_y_m);
  frame.base_m = static_cast<float>(lattice.base_m);
  frame.step_m = static_cast<float>(lattice.step_m);
  frame.morph_start_sq = ranges.morph_start_sq;
  frame.morph_scale = ranges.morph_scale;
  frame.coarsest_lod = lattice.lods() - 1;
  frame.anchor_half_x = anchor.half_x;
  frame.anchor_half_z = anchor.half_z;
  frame.hole_steps = bounds.field_min;
  frame.is_area = lattice.is_area();
  frame.last_stop_x = lattice.last_stop_x();
  frame.last_stop_z = lattice.last_stop_z();
  const auto inverse = [](double length) { return length > 0 ? 1 / length : 0.0; };
  frame.uv0_scale_x = static_cast<float>(inverse(lattice.width_m()));
  frame.uv0_scale_z = static_cast<float>(inverse(lattice.depth_m()));
  frame.uv0_offset_x = static_cast<float>(double(anchor.half_x) * frame.half_x_m * inverse(lattice.width_m()));
  frame.uv0_offset_z = static_cast<float>(double(anchor.half_z) * frame.half_z_m * inverse(lattice.depth_m()));
  frame.uv1_scale_x = static_cast<float>(1 / lattice.spacing_x_m);
  frame.uv1_scale_z = static_cast<float>(1 / lattice.spacing_z_m);
  frame.inverse_half_x = kernel::exact_reciprocal(frame.half_x_m);
  frame.inverse_half_z = kernel::exact_reciprocal(frame.half_z_m);
  return frame;
}

}  // namespace arete
