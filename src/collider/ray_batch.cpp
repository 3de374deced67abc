// Rays over a field in memory, arrays at a time: set up in chunks, walked in lanes.
#include "ray_batch.h"

#include <string>

#include "arete/collider.h"
#include "view_grid.h"

namespace arete {
namespace {
class ViewLanes final : public collider::LaneUser {
 public:
  ViewLanes(const collider::Field& field, const collider::ViewGrid& grid) : field_(field), grid_(grid) {}
  collider::WalkEnd finish(collider::Walk& walk, collider::Meet& meet) override {
    return collider::walk_ray(field_, grid_, walk, meet, collider::NoCost{});
  }
  bool enter(collider::Walk&, collider::LanePlace&, collider::WalkEnd&) override { return true; }
  void leave(collider::LanePlace&) override {}

 private:
  const collider::Field& field_;
  collider::ViewGrid grid_;
};

collider::LaneField lane_field(const HeightfieldView& view, const RayBounds& bounds, const collider::Field& field) {
  collider::LaneField lanes{};
  lanes.last_x = field.x.last_cell;
  lanes.last_z = field.z.last_cell;
  lanes.is_area = field.x.is_area;
  lanes.stride = view.lattice().stops_x;
  lanes.table_last_x = field.x.last_cell;
  lanes.top_level = bounds.top_level();
  for (int level = 2; level <= bounds.top_level(); ++level) {
    lanes.offset[std::size_t(level)] = double(bounds.level(level) - bounds.level(2));
  }
  lanes.place = {view.data(), bounds.level(2), 0, 0, nullptr};
  return lanes;
}

// Calls give(i, walk, meet, end) for every ray.
template <class Give>
Result<void> cast_all(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                      const Give& give) {
  if (const auto fault = collider::batch_fault(rays)) {
    return usage_error(*fault);
  }
  const collider::Field field = collider::make_field(view.lattice());
  collider::ViewGrid grid(field, view, bounds);
  const collider::LaneField lanes = lane_field(view, bounds, field);
  ViewLanes user(field, grid);
  const bool is_strip = view.lattice().stops_x < 2 || view.lattice().stops_z < 2;  // lanes read whole cells
  collider::cast_in_chunks(field, grid, is_strip ? nullptr : &lanes, user, rays, give);
  return {};
}
}  // namespace

Result<void> raycast(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                     std::span<RayHit> hits) {
  ARETE_ASSERT(rays.size() == hits.size());
  const collider::Field field = collider::make_field(view.lattice());
  const collider::Samples samples = collider::view_samples(view);
  return cast_all(view, bounds, rays,
                  [&](std::size_t i, const collider::Walk& walk, const collider::Meet& meet, collider::WalkEnd end) {
                    if (end != collider::WalkEnd::met) {
                      hits[i] = {};
                      return;
                    }
                    const std::uint16_t* corner =
                        samples.data + meet.x_cell * samples.step_x + meet.z_cell * samples.step_z;
                    hits[i] = collider::make_hit(field, rays[i], walk, meet, collider::corners_at(samples, corner));
                  });
}

Result<void> raycast_any(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                         std::span<std::uint8_t> is_hit) {
  ARETE_ASSERT(rays.size() == is_hit.size());
  return cast_all(view, bounds, rays,
                  [&](std::size_t i, const collider::Walk&, const collider::Meet&, collider::WalkEnd end) {
                    is_hit[i] = end == collider::WalkEnd::met ? 1 : 0;
                  });
}

}  // namespace arete
