// Top-down splitting of a border's dyadic segments, then grading: neighbours differ by at most a factor of two, so that
// the leaves beside a long segment need not be tiny.
#include "adaptive/border.h"

#include <algorithm>
#include <bit>

namespace arete::adaptive {
namespace {

class Subdivision {
 public:
  Subdivision(const SampleBlock& block, const Side& side, const ErrorGoal& goal, std::int32_t x0, std::int32_t z0)
      : block_(block),
        side_(side),
        goal_(goal),
        x0_(x0),
        z0_(z0),
        last_(side.runs_along_x() ? block.last_x : block.last_z),
        levels_(std::countr_zero(unsigned(side.cells)) + 1) {
    split_.resize(std::size_t(levels_));
    for (int level = 1; level < levels_; ++level) {
      split_[std::size_t(level)].resize(std::size_t(side.cells >> level));
    }
  }

  Border run() {
    split_where_needed(levels_ - 1, 0);
    while (grade()) {
    }
    Border border;
    border.start.resize(std::size_t(last_) + 1);
    border.end.resize(std::size_t(last_) + 1);
    collect(levels_ - 1, 0, border);
    border.start[std::size_t(last_)] = border.end[std::size_t(last_)] = last_;
    return border;
  }

 private:
  bool is_split(int level, std::int32_t i) const {
    return level > 0 && split_[std::size_t(level)][std::size_t(i)] != 0;
  }

  void split_where_needed(int level, std::int32_t i) {
    const std::int32_t from = i << level, to = std::min((i + 1) << level, last_);
    if (from >= last_ || to - from <= 1 || is_split(level, i) || may_stay_whole(from, to)) {
      return;
    }
    split_[std::size_t(level)][std::size_t(i)] = 1;
    split_where_needed(level - 1, 2 * i);
    split_where_needed(level - 1, 2 * i + 1);
  }

  std::int64_t along(std::int32_t t) const { return side_.runs_along_x() ? block_.place_x(t) : block_.place_z(t); }
  std::int64_t height(std::int32_t t, std::int32_t depth) const {
    const Place place = side_.place(t, depth);
    return *block_.at(place.x, place.z);
  }

  bool may_stay_whole(std::int32_t from, std::int32_t to) const {
    const Place a = side_.place(from, -1), b = side_.place(to, 1);
    const double limit = std::min(kAnyError, goal_.limit(x0_ + std::min(a.x, b.x), x0_ + std::max(a.x, b.x),
                                                         z0_ + std::min(a.z, b.z), z0_ + std::max(a.z, b.z)));
    const std::int64_t count = along(to) - along(from);
    const std::int64_t low = height(from, 0), high = height(to, 0);
    for (const std::int32_t depth : {0, -1, 1}) {
      std::int64_t least = 0, greatest = 0;
      for (std::int32_t t = from; t <= to; ++t) {
        const std::int64_t here = height(t, depth);
        if (here == kHole) {
          return false;
        }
        const std::int64_t k = along(t) - along(from);
        const std::int64_t off = here * count - (low * (count - k) + high * k);
        least = t == from ? off : std::min(least, off);
        greatest = t == from ? off : std::max(greatest, off);
        const std::int64_t used = depth == 0 ? std::max(greatest, -least) : greatest - least;
        const double allowed = depth == 0 ? limit * kChordShare : limit;
        if (double(used) > allowed * double(count)) {
          return false;
        }
      }
    }
    return true;
  }

  // Splits what neighbours and children ask for, from the shortest segments up; false when nothing was left to do. The
  // halves of a segment that was split for its neighbour's sake have chords of their own to be judged by.
  bool grade() {
    bool has_changed = false;
    for (int level = 1; level + 1 < levels_; ++level) {
      const auto& here = split_[std::size_t(level)];
      for (std::int32_t i = 0; i < std::int32_t(here.size()); ++i) {
        if (here[std::size_t(i)] == 0) {
          continue;
        }
        for (const std::int32_t beside : {i - 1, i, i + 1}) {
          if (beside < 0 || beside >= std::int32_t(here.size()) || (beside << level) >= last_) {
            continue;
          }
          std::uint8_t& above = split_[std::size_t(level) + 1][std::size_t(beside >> 1)];
          if (above == 0) {
            above = 1;
            has_changed = true;
            split_where_needed(level, beside & ~1);
            split_where_needed(level, beside | 1);
          }
        }
      }
    }
    return has_changed;
  }

  void collect(int level, std::int32_t i, Border& border) const {
    const std::int32_t from = i << level, to = std::min((i + 1) << level, last_);
    if (from >= last_) {
      return;
    }
    if (is_split(level, i)) {
      collect(level - 1, 2 * i, border);
      collect(level - 1, 2 * i + 1, border);
      return;
    }
    std::fill(border.start.begin() + from, border.start.begin() + to, from);
    std::fill(border.end.begin() + from, border.end.begin() + to, to);
  }

  // How much of the bound the chord itself may use up; the rest is left to the triangles beside it.
  static constexpr double kChordShare = 0.75;

  const SampleBlock& block_;
  const Side& side_;
  const ErrorGoal& goal_;
  std::int32_t x0_, z0_, last_;
  int levels_;
  std::vector<std::vector<std::uint8_t>> split_;  // [level][i], level 0 unused
};

}  // namespace

Border subdivide_border(const SampleBlock& block, const Side& side, const ErrorGoal& goal, std::int32_t x0,
                        std::int32_t z0) {
  return Subdivision(block, side, goal, x0, z0).run();
}

}  // namespace arete::adaptive
