// Profiles and lines of sight over a field in memory.
#include <cmath>

#include "arete/collider.h"
#include "line_walk.h"
#include "view_grid.h"

namespace arete {

Result<void> profile(const HeightfieldView& view, std::array<double, 2> from_m, std::array<double, 2> to_m,
                     const ProfileVisitor& visit) {
  if (const auto fault = collider::line_fault(from_m, to_m)) {
    return usage_error(*fault);
  }
  const collider::Field& field = view.numbers();
  const collider::Samples samples = collider::view_samples(view);
  const auto spot = [&](double x_m, double z_m, collider::Spot& found) {
    found = collider::view_spot(field, samples, x_m, z_m);
    return true;
  };
  collider::walk_line(field, view.lattice(), from_m, to_m, spot, visit);
  return {};
}

const char* sight_status_name(SightStatus status) noexcept {
  switch (status) {
    case SightStatus::clear:
      return "clear";
    case SightStatus::blocked:
      return "blocked";
    case SightStatus::not_loaded:
      return "not_loaded";
  }
  return "blocked";
}

Result<Sight> sight(const HeightfieldView& view, const RayBounds& bounds, std::array<double, 3> from_m,
                    std::array<double, 3> to_m) {
  if (const auto fault = collider::line_fault(from_m, to_m)) {
    return usage_error(*fault);
  }
  const collider::Field& field = view.numbers();
  collider::ViewGrid grid(field, view, bounds);
  return collider::look(field, grid, from_m, to_m);
}

}  // namespace arete
