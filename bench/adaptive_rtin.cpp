// A triangle is (a, b, c) with its right angle at c; its hypotenuse a-b is split where the stop in its middle is
// active.
#include "adaptive_rtin.h"

#include <algorithm>
#include <bit>

namespace arete::bench {
namespace {
using adaptive::ErrorMeter;
using adaptive::Place;
using adaptive::SampleBlock;

class Rtin {
 public:
  Rtin(const SampleBlock& block, double limit)
      : block_(block),
        side_(block.last_x),
        active_(std::size_t(side_ + 1) * std::size_t(side_ + 1)),
        settled_(active_.size()),
        meter_(block) {
    meter_.set_limit(limit);
  }

  RtinCount run() {
    do {
      has_changed_ = false;
      for_both_roots([this](Place a, Place b, Place c) { refine(a, b, c); });
    } while (has_changed_);
    ErrorMeter exact(block_);
    RtinCount count;
    for_both_roots([&](Place a, Place b, Place c) { tally(exact, a, b, c, count); });
    return count;
  }

 private:
  std::size_t index(Place p) const { return std::size_t(p.z) * std::size_t(side_ + 1) + std::size_t(p.x); }
  static bool has_middle(Place a, Place b) { return (a.x + b.x) % 2 == 0 && (a.z + b.z) % 2 == 0; }
  static Place middle(Place a, Place b) { return {(a.x + b.x) / 2, (a.z + b.z) / 2}; }
  template <class Visit>
  void for_both_roots(const Visit& visit) {
    visit(Place{0, side_}, Place{side_, 0}, Place{0, 0});
    visit(Place{side_, 0}, Place{0, side_}, Place{side_, side_});
  }

  void refine(Place a, Place b, Place c) {
    if (!has_middle(a, b)) {
      return;
    }
    const Place m = middle(a, b);
    if (active_[index(m)] == 0) {
      // Which of the two triangles on this hypotenuse.
      const std::uint8_t bit = c.z > m.z || (c.z == m.z && c.x > m.x) ? 2 : 1;
      if ((settled_[index(m)] & bit) != 0) {
        return;
      }
      if (meter_.triangle(a, b, c) != adaptive::kTooFar) {
        settled_[index(m)] |= bit;
        return;
      }
      activate(m);
    }
    refine(c, a, m);
    refine(b, c, m);
  }

  // Activates a stop and what it needs: the right-angle corners of the two triangles on its hypotenuse.
  void activate(Place m) {
    if (m.x < 0 || m.z < 0 || m.x > side_ || m.z > side_ || active_[index(m)] != 0) {
      return;
    }
    active_[index(m)] = 1;
    has_changed_ = true;
    if ((m.x == 0 || m.x == side_) && (m.z == 0 || m.z == side_)) {
      return;
    }
    const std::int32_t half = std::int32_t(1) << std::countr_zero(unsigned(m.x | m.z));
    const bool is_odd_x = (m.x & half) != 0, is_odd_z = (m.z & half) != 0;
    if (!is_odd_x || !is_odd_z) {
      // The hypotenuse lies along the axis in which the stop is odd.
      activate({m.x - (is_odd_x ? 0 : half), m.z - (is_odd_z ? 0 : half)});
      activate({m.x + (is_odd_x ? 0 : half), m.z + (is_odd_z ? 0 : half)});
      return;
    }
    // The middle of a quad, whose diagonal runs through its parent's middle; the root's runs from -X +Z to +X -Z.
    const bool is_even_quad = ((m.x / (2 * half) + m.z / (2 * half)) & 1) == 0;
    const std::int32_t across = is_even_quad && 2 * half != side_ ? -half : half;
    activate({m.x - half, m.z - across});
    activate({m.x + half, m.z + across});
  }

  void tally(const ErrorMeter& exact, Place a, Place b, Place c, RtinCount& count) {
    if (has_middle(a, b) && active_[index(middle(a, b))] != 0) {
      const Place m = middle(a, b);
      tally(exact, c, a, m, count);
      tally(exact, b, c, m, count);
      return;
    }
    ++count.triangles;
    const double error = exact.triangle(a, b, c);
    count.error_steps = std::max(count.error_steps, error);
    count.too_far += error > meter_.limit() ? 1 : 0;
  }

  const SampleBlock& block_;
  std::int32_t side_;
  std::vector<std::uint8_t> active_, settled_;
  ErrorMeter meter_;
  bool has_changed_ = false;
};

}  // namespace

RtinCount count_rtin(const adaptive::SampleBlock& block, double limit_steps) { return Rtin(block, limit_steps).run(); }

}  // namespace arete::bench
