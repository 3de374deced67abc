// The error that a part of the field is allowed, in steps: the least of the field's own bound and of every focus disc
// that the part touches.
#pragma once

#include <span>

#include "arete/adaptive.h"

namespace arete::adaptive {

class ErrorGoal {
 public:
  // Every bound has `quantisation_error_m` taken off and must not become negative.
  ErrorGoal(const Lattice& lattice, double max_error_m, double quantisation_error_m, std::span<const Focus> focus);
  // Over the closed rectangle of stops, clamped to the field.
  double limit(std::int32_t x0, std::int32_t x1, std::int32_t z0, std::int32_t z1) const;

 private:
  struct Disc {
    double x_m, z_m, radius_m, steps;
  };
  Lattice lattice_;
  double steps_;
  std::vector<Disc> discs_;
};

}  // namespace arete::adaptive
