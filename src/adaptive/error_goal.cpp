#include "adaptive/error_goal.h"

#include <algorithm>

namespace arete::adaptive {

ErrorGoal::ErrorGoal(const Lattice& lattice, double max_error_m, double quantisation_error_m,
                     std::span<const Focus> focus)
    : lattice_(lattice), steps_((max_error_m - quantisation_error_m) / lattice.step_m) {
  ARETE_ASSERT(steps_ >= 0);
  for (const Focus& disc : focus) {
    discs_.push_back({disc.x_m, disc.z_m, disc.radius_m, (disc.error_m - quantisation_error_m) / lattice.step_m});
    ARETE_ASSERT(discs_.back().steps >= 0);
  }
}

double ErrorGoal::limit(std::int32_t x0, std::int32_t x1, std::int32_t z0, std::int32_t z1) const {
  double steps = steps_;
  if (discs_.empty()) {
    return steps;
  }
  const auto x_m = [&](std::int32_t stop) { return lattice_.x_m(std::clamp(stop, 0, lattice_.last_stop_x())); };
  const auto z_m = [&](std::int32_t stop) { return lattice_.z_m(std::clamp(stop, 0, lattice_.last_stop_z())); };
  const double west = x_m(x0), east = x_m(x1), north = z_m(z0), south = z_m(z1);
  for (const Disc& disc : discs_) {
    const double dx = std::clamp(disc.x_m, west, east) - disc.x_m;
    const double dz = std::clamp(disc.z_m, north, south) - disc.z_m;
    if (dx * dx + dz * dz <= disc.radius_m * disc.radius_m) {
      steps = std::min(steps, disc.steps);
    }
  }
  return steps;
}

}  // namespace arete::adaptive
