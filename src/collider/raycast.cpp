// Rays over a field in memory, one at a time.
#include <string>

#include "arete/collider.h"
#include "view_grid.h"

namespace arete {
namespace {
template <class Cost>
RayHit hit_of(const HeightfieldView& view, const RayBounds& bounds, const Ray& ray, Cost cost) {
  const collider::Field& field = view.numbers();
  collider::ViewGrid grid(field, view, bounds);
  collider::Walk walk;
  collider::Meet meet;
  if (collider::cast_ray(field, grid, ray, collider::meeting_of(ray), walk, meet, cost) != collider::WalkEnd::met) {
    return {};
  }
  const collider::Corners corners = collider::corners_at(grid.samples(), grid.corner(meet.x_cell, meet.z_cell));
  return collider::make_hit(field, ray, walk, meet, corners);
}
}  // namespace

Result<void> check_ray(const Ray& ray) {
  if (const auto fault = collider::ray_fault(ray)) {
    return usage_error(std::string("ray: ") + *fault);
  }
  return {};
}

const char* ray_status_name(RayStatus status) noexcept {
  switch (status) {
    case RayStatus::miss:
      return "miss";
    case RayStatus::surface:
      return "surface";
    case RayStatus::not_loaded:
      return "not_loaded";
  }
  return "miss";
}

Result<RayHit> raycast(const HeightfieldView& field, const RayBounds& bounds, const Ray& ray, RayCost* cost) {
  if (const auto fault = collider::ray_fault(ray)) {
    return usage_error(std::string("ray: ") + *fault);
  }
  return cost == nullptr ? hit_of(field, bounds, ray, collider::NoCost{})
                         : hit_of(field, bounds, ray, collider::CountCost{*cost});
}

Result<bool> raycast_any(const HeightfieldView& view, const RayBounds& bounds, const Ray& ray) {
  if (const auto fault = collider::ray_fault(ray)) {
    return usage_error(std::string("ray: ") + *fault);
  }
  const collider::Field& field = view.numbers();
  collider::ViewGrid grid(field, view, bounds);
  collider::Walk walk;
  collider::Meet meet;
  return collider::cast_ray(field, grid, ray, collider::meeting_of(ray), walk, meet, collider::NoCost{}) ==
         collider::WalkEnd::met;
}

}  // namespace arete
