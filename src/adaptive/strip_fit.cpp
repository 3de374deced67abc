// A side's midpoint is first joined to the chain's next stop (an ear), after which it stands in for the chain's end.
#include "adaptive/strip_fit.h"

#include <algorithm>

namespace arete::adaptive {

bool fit_strip(const ErrorMeter& meter, Strip strip, StripFit& fit) {
  auto& chain = strip.chain;
  fit.triangles.clear();
  fit.error = 0;
  const auto add = [&](Place a, Place b, Place c) {
    fit.error = std::max(fit.error, meter.triangle(a, b, c));
    fit.triangles.push_back({a, b, c});
    return fit.error != kTooFar;
  };
  if (strip.has_left_middle) {
    if (!add(strip.left_middle, chain[0], chain[1])) {
      return false;
    }
    chain.front() = strip.left_middle;
  }
  if (strip.has_right_middle) {
    if (!add(strip.right_middle, chain[chain.size() - 2], chain.back())) {
      return false;
    }
    chain.back() = strip.right_middle;
  }
  const std::size_t last = chain.size() - 1;
  // Errors of the fan from the right end over chain[i..last], and of the one from the left end over chain[0..i].
  std::vector<double> right_fan(last + 1, 0);
  for (std::size_t i = last; i-- > 0;) {
    right_fan[i] = right_fan[i + 1] == kTooFar
                       ? kTooFar
                       : std::max(right_fan[i + 1], meter.triangle(strip.right, chain[i], chain[i + 1]));
  }
  double left_fan = 0, best = kTooFar;
  std::size_t apex = 0;
  for (std::size_t i = 0; i <= last && left_fan < best; ++i) {
    if (i > 0) {
      left_fan = std::max(left_fan, meter.triangle(strip.left, chain[i - 1], chain[i]));
    }
    double error = std::max(left_fan, right_fan[i]);
    if (error < best) {
      error = std::max(error, meter.triangle(strip.left, strip.right, chain[i]));
    }
    if (error < best) {
      best = error;
      apex = i;
    }
  }
  if (best == kTooFar) {
    return false;
  }
  fit.error = std::max(fit.error, best);
  for (std::size_t i = 0; i < last; ++i) {
    fit.triangles.push_back({i < apex ? strip.left : strip.right, chain[i], chain[i + 1]});
  }
  fit.triangles.push_back({strip.left, strip.right, chain[apex]});
  return true;
}

}  // namespace arete::adaptive
