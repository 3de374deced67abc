// Rays over a field in memory, arrays at a time.
#include "ray_batch.h"

#include <string>

#include "arete/collider.h"
#include "view_grid.h"

namespace arete {
namespace {
using collider::LanePlace;
using collider::Meet;
using collider::Walk;
using collider::WalkEnd;

// Record is called as (ray of the batch, walk, end, meet).
template <class Record>
class ViewBatch final : public collider::BatchUser {
 public:
  ViewBatch(const collider::Field& field, const collider::ViewGrid& grid, const Record& record)
      : field_(field), grid_(grid), record_(record) {}
  void finish(std::size_t ray, Walk& walk, LanePlace&) override {
    Meet meet{};
    const WalkEnd end = collider::walk_ray(field_, grid_, walk, meet, collider::NoCost{});
    record_(owners[ray], walk, end, meet);
  }
  bool enter(std::size_t, Walk&, LanePlace&) override { return true; }
  void miss(std::size_t ray, LanePlace&) override { record_(owners[ray], Walk{}, WalkEnd::miss, Meet{}); }
  void met(std::size_t ray, const Walk& walk, const Meet& meet, LanePlace&) override {
    record_(owners[ray], walk, WalkEnd::met, meet);
  }
  void answer(std::size_t ray, const Walk& walk, WalkEnd end, const Meet& meet) override {
    record_(ray, walk, end, meet);
  }

 private:
  const collider::Field& field_;
  collider::ViewGrid grid_;
  const Record& record_;
};

template <class Record>
Result<void> cast_all(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                      const Record& record) {
  if (const auto fault = collider::batch_fault(rays)) {
    return usage_error(*fault);
  }
  const collider::Field& field = view.numbers();
  collider::ViewGrid grid(field, view, bounds);
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
  ViewBatch user(field, grid, record);
  const bool is_strip = view.lattice().stops_x < 2 || view.lattice().stops_z < 2;  // lanes read whole cells
  collider::cast_in_chunks(field, grid, is_strip ? nullptr : &lanes, user, rays);
  return {};
}
}  // namespace

Result<void> raycast(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                     std::span<RayHit> hits) {
  ARETE_ASSERT(rays.size() == hits.size());
  const collider::Field& field = view.numbers();
  const collider::Samples samples = collider::view_samples(view);
  return cast_all(view, bounds, rays, [&](std::size_t i, const Walk& walk, WalkEnd end, const Meet& meet) {
    if (end != WalkEnd::met) {
      hits[i] = {};
      return;
    }
    const std::uint16_t* corner = samples.data + meet.x_cell * samples.step_x + meet.z_cell * samples.step_z;
    hits[i] = collider::make_hit(field, rays[i], walk, meet, collider::corners_at(samples, corner));
  });
}

Result<void> raycast_any(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                         std::span<std::uint8_t> is_hit) {
  ARETE_ASSERT(rays.size() == is_hit.size());
  return cast_all(view, bounds, rays, [&](std::size_t i, const Walk&, WalkEnd end, const Meet&) {
    is_hit[i] = end == WalkEnd::met ? 1 : 0;
  });
}

}  // namespace arete
