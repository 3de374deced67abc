// The interval dynamic programme over a ring, with segments measured once and the inside of a triangle only where its
// segments leave it a chance; then fans around inner stops.
#include "adaptive/leaf_fit.h"

#include <algorithm>

namespace arete::adaptive {
namespace {

bool is_flat(Place a, Place b, Place c) {
  return std::int64_t(b.x - a.x) * (c.z - a.z) == std::int64_t(c.x - a.x) * (b.z - a.z);
}

class RingProgramme {
 public:
  RingProgramme(const ErrorMeter& meter, const Ring& ring) : meter_(meter), ring_(ring) {
    for (auto& row : segment_) {
      row.fill(kUnknown);
    }
  }

  // The greatest error along the ring's own sides: every triangulation has them.
  double sides() {
    double worst = 0;
    for (int i = 0; i < ring_.size && worst != kTooFar; ++i) {
      const int next = (i + 1) % ring_.size;
      worst = std::max(worst, segment(std::min(i, next), std::max(i, next)));
    }
    return worst;
  }

  double solve() {
    const int size = ring_.size;
    for (int gap = 1; gap < size; ++gap) {
      for (int i = 0; i + gap < size; ++i) {
        const int j = i + gap;
        best_[i][j] = gap == 1 ? segment(i, j) : kTooFar;
        for (int apex = i + 1; apex < j; ++apex) {
          try_apex(i, apex, j);
        }
      }
    }
    return best_[0][size - 1];
  }

  void emit(int i, int j, LeafFit& fit) const {
    if (j - i < 2) {
      return;
    }
    const int apex = apex_[i][j];
    fit.triangles[std::size_t(fit.size++)] = {place(i), place(apex), place(j)};
    emit(i, apex, fit);
    emit(apex, j, fit);
  }

 private:
  static constexpr double kUnknown = -1;
  Place place(int i) const { return ring_.places[std::size_t(i)]; }
  double segment(int i, int j) {
    double& error = segment_[std::size_t(i)][std::size_t(j)];
    if (error == kUnknown) {
      error = meter_.along(place(i), place(j));
    }
    return error;
  }
  void try_apex(int i, int apex, int j) {
    double& best = best_[i][j];
    double error = std::max(best_[i][apex], best_[apex][j]);
    if (error >= best || is_flat(place(i), place(apex), place(j))) {
      return;
    }
    error = std::max(error, segment(i, j));
    if (error < best) {
      error = std::max(error, meter_.inside(place(i), place(apex), place(j)));
    }
    if (error < best) {
      best = error;
      apex_[i][j] = apex;
    }
  }

  const ErrorMeter& meter_;
  const Ring& ring_;
  std::array<std::array<double, 8>, 8> segment_;
  double best_[8][8] = {};
  int apex_[8][8] = {};
};

// Where inner stops are tried: on eighths of a side, the middle first, each stop once. Unused places hold `from`.
std::array<std::int32_t, 7> inner_lines(std::int32_t from, std::int32_t to) {
  constexpr std::array<std::int32_t, 7> kEighths{4, 2, 6, 3, 5, 1, 7};
  std::array<std::int32_t, 7> lines;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    lines[i] = from + (to - from) * kEighths[i] / 8;
    if (std::find(lines.begin(), lines.begin() + std::ptrdiff_t(i), lines[i]) != lines.begin() + std::ptrdiff_t(i)) {
      lines[i] = from;
    }
  }
  return lines;
}

bool fit_fan(const ErrorMeter& meter, const Ring& ring, double sides, Place apex, LeafFit& fit) {
  double worst = sides;
  for (int i = 0; i < ring.size; ++i) {
    worst = std::max(worst, meter.along(apex, ring.places[std::size_t(i)]));
    if (worst == kTooFar) {
      return false;
    }
  }
  for (int i = 0; i < ring.size; ++i) {
    const Place from = ring.places[std::size_t(i)], to = ring.places[std::size_t((i + 1) % ring.size)];
    worst = std::max(worst, meter.inside(from, to, apex));
    if (worst == kTooFar) {
      return false;
    }
    fit.triangles[std::size_t(i)] = {from, to, apex};
  }
  fit.size = ring.size;
  fit.error = worst;
  return true;
}

}  // namespace

bool fit_leaf(const ErrorMeter& meter, const Ring& ring, LeafFit& fit) {
  RingProgramme programme(meter, ring);
  const double sides = programme.sides();
  if (sides == kTooFar) {
    return false;
  }
  fit.size = 0;
  fit.error = programme.solve();
  if (fit.error != kTooFar) {
    programme.emit(0, ring.size - 1, fit);
    return true;
  }
  Place low = ring.places[0], high = low;
  for (int i = 1; i < ring.size; ++i) {
    const Place place = ring.places[std::size_t(i)];
    low = {std::min(low.x, place.x), std::min(low.z, place.z)};
    high = {std::max(high.x, place.x), std::max(high.z, place.z)};
  }
  for (const std::int32_t z : inner_lines(low.z, high.z)) {
    for (const std::int32_t x : inner_lines(low.x, high.x)) {
      if (z > low.z && x > low.x && fit_fan(meter, ring, sides, {x, z}, fit)) {
        return true;
      }
    }
  }
  return false;
}

}  // namespace arete::adaptive
