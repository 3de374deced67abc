// Asks both surfaces.
#include "view/ground.h"

#include <algorithm>
#include <cmath>

namespace arete::view {

double least_clearance_m(const Bounds& bounds) {
  const Lattice& lattice = bounds.lattice();
  const double relief_m = lattice.height_m(bounds.field_max) - lattice.height_m(bounds.field_min);
  const double size_m = std::hypot(lattice.width_m(), lattice.depth_m(), relief_m);
  return std::max(4e-5 * size_m, 0.05 * std::max(lattice.spacing_x_m, lattice.spacing_z_m));
}

GroundBelow::GroundBelow(const SampleSource& resident, const Bounds& bounds)
    : collider_(resident, {.budget_bytes = std::size_t(4) << 20, .bounds = &bounds}), drawn_(resident, bounds) {}

void GroundBelow::begin(const Cut& cut, const kernel::FrameConstants& frame, const Ranges& ranges) {
  collider_.forget_replaced();
  drawn_.begin(cut, frame, ranges);
}

Result<std::optional<double>> GroundBelow::height_at(double x_m, double z_m) {
  std::optional<double> highest_m;
  const Result<HeightAnswer> collided = collider_.height_at(x_m, z_m);
  if (!collided) return Unexpected{collided.error()};
  if (collided->ground == Ground::surface) highest_m = collided->y_m;
  const Result<DrawnHeight> drawn = drawn_.height_at(x_m, z_m);
  if (!drawn) return Unexpected{drawn.error()};
  if (drawn->ground == DrawnGround::surface) highest_m = std::max(highest_m.value_or(drawn->y_m), drawn->y_m);
  return highest_m;
}

}  // namespace arete::view
