// Distances to boxes and times until they are entered; see look.h.
#include "stream/look.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace arete::stream {
namespace {

// Ranges are widened by this part before boxes are tested, and boxes grown by this part of half a sample's spacing, in
// which the cut counts the camera's place: so rounding never wants less than the f32 test of the cut.
constexpr double kWiden = 1 + 1e-5;
constexpr double kGrow = 0x1p-20;

double power_of_two(int exponent) { return std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52); }

// Eighths of octaves of range^2 / distance^2: how far the error on screen exceeds what is allowed.
Urgency now_urgency(double range_sq, double distance_sq) {
  const float ratio = float(range_sq / std::max(distance_sq, range_sq * 0x1p-100));
  const std::uint32_t eighths = std::bit_cast<std::uint32_t>(ratio) >> 20;
  constexpr std::uint32_t kOne = 127 << 3;
  return Urgency(std::clamp(kNow + 1 + eighths - kOne, std::uint32_t(kNow), std::uint32_t(kUrgencyEnd - 2)));
}

// Narrows [enter, leave], the times at which the path is inside, to one axis's slab.
void clip(double low, double high, double speed, double& enter, double& leave) {
  if (speed == 0) {
    if (low > 0 || high < 0) {
      leave = -1;
    }
    return;
  }
  const double a = low / speed;
  const double b = high / speed;
  enter = std::max(enter, std::min(a, b));
  leave = std::min(leave, std::max(a, b));
}

}  // namespace

Look::Look(const Viewpoint& camera, const Motion& motion, double lookahead_s, const Lattice& lattice)
    : x_m_(camera.x_m),
      base_y_m_(lattice.base_m - double(float(camera.y_m))),
      z_m_(camera.z_m),
      step_m_(lattice.step_m),
      motion_(motion),
      lookahead_s_(motion.is_moving() ? std::max(lookahead_s, 0.0) : 0),
      way_m_(std::hypot(motion.x_m_s, motion.y_m_s, motion.z_m_s) * lookahead_s_),
      lag_m_(camera.ranges.lag_m + kGrow * double(std::max(lattice.half_x_m(), lattice.half_z_m()))),
      range_0_sq_(double(camera.ranges.select_sq) * kWiden),
      range_0_m_(std::sqrt(range_0_sq_) * kWiden),
      is_max_(camera.ranges.plane == HeightPlane::max),
      has_whole_nodes_(camera.ranges.node_quads == kPageCells) {}

inline Look::Extent Look::extent(double low, double high) const noexcept {
  const double gap = std::max({0.0, low - lag_m_, -(high + lag_m_)});
  return {low, high, gap * gap};
}

Urgency Look::urgency_ahead(double range_sq, const Extent& x, const Extent& y, const Extent& z) const noexcept {
  const double reach = std::sqrt(range_sq) + lag_m_;
  double enter = 0, leave = lookahead_s_;
  clip(x.low - reach, x.high + reach, motion_.x_m_s, enter, leave);
  clip(y.low - reach, y.high + reach, motion_.y_m_s, enter, leave);
  clip(z.low - reach, z.high + reach, motion_.z_m_s, enter, leave);
  return enter > leave ? Urgency(0) : Urgency(1 + (1 - enter / lookahead_s_) * (kNow - 2));
}

// How much a split of the nodes of `lod` in a box is wanted.
inline Urgency Look::urgency(int lod, const QuarterRange& node, const Extent& x, const Extent& z) const noexcept {
  const double plan_sq = x.gap_sq + z.gap_sq;
  // Beyond the greatest range that a node of this lod can have, and the way that the camera makes.
  const double farthest_m = range_0_m_ * power_of_two(lod - 1) + way_m_;
  if (plan_sq >= farthest_m * farthest_m) {
    return 0;
  }
  // Squared: (2^(lod - 1 - split/2) R_0)^2.
  const double range_sq = range_0_sq_ * power_of_two(2 * lod - 2 - node.split);
  const Extent y = extent(base_y_m_ + step_m_ * node.min, base_y_m_ + step_m_ * (is_max_ ? node.top : node.max));
  const double distance_sq = plan_sq + y.gap_sq;
  if (distance_sq < range_sq) {
    return now_urgency(range_sq, distance_sq);
  }
  return lookahead_s_ > 0 ? urgency_ahead(range_sq, x, y, z) : Urgency(0);
}

std::array<Urgency, 4> Look::urgencies(int lod, const PageQuarters& quarters, const Lines& x,
                                       const Lines& z) const noexcept {
  if (has_whole_nodes_) {
    QuarterRange whole;
    for (const QuarterRange& quarter : quarters) {
      whole.join(quarter);
    }
    const Urgency of_all = urgency(lod, whole, extent(x[0] - x_m_, x[2] - x_m_), extent(z[0] - z_m_, z[2] - z_m_));
    return {of_all, of_all, of_all, of_all};
  }
  const Extent columns[2] = {extent(x[0] - x_m_, x[1] - x_m_), extent(x[1] - x_m_, x[2] - x_m_)};
  const Extent rows[2] = {extent(z[0] - z_m_, z[1] - z_m_), extent(z[1] - z_m_, z[2] - z_m_)};
  std::array<Urgency, 4> of_each;
  for (std::size_t place = 0; place < 4; ++place) {
    of_each[place] = urgency(lod, quarters[place], columns[place % 2], rows[place / 2]);
  }
  return of_each;
}

}  // namespace arete::stream
