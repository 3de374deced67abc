// Rays over a field in memory, arrays at a time.
#include "ray_batch.h"

#include <string>

#include "arete/collider.h"
#include "view_grid.h"

namespace arete {
namespace {
using collider::LanePlace;
using collider::Meet;
using collider::Outcome;
using collider::Walk;
using collider::WalkEnd;

class ViewBatch final : public collider::LaneUser {
 public:
  ViewBatch(const collider::Field& field, const collider::ViewGrid& grid) : field_(field), grid_(grid) {}
  void finish(std::size_t ray, Walk& walk, LanePlace&) override {
    Meet meet{};
    const WalkEnd end = collider::walk_ray(field_, grid_, walk, meet, collider::NoCost{});
    put(ray, end, meet);
  }
  bool enter(std::size_t, Walk&, LanePlace&) override { return true; }
  void miss(std::size_t ray, LanePlace&) override { outcomes[ray].end = WalkEnd::miss; }
  void met(std::size_t ray, const Walk&, const Meet& meet, LanePlace&) override { put(ray, WalkEnd::met, meet); }
  bool goes_on() const { return true; }
  std::vector<Outcome> outcomes;

 private:
  void put(std::size_t ray, WalkEnd end, const Meet& meet) {
    outcomes[ray] = {end, meet, {}};
    if (end == WalkEnd::met) {
      outcomes[ray].corners = collider::corners_at(grid_.samples(), grid_.corner(meet.x_cell, meet.z_cell));
    }
  }
  const collider::Field& field_;
  collider::ViewGrid grid_;
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
    lanes.offset[std::size_t(level)] = static_cast<std::int32_t>(bounds.level(level) - bounds.level(2));
  }
  lanes.place = {view.data(), bounds.level(2), 0, 0, nullptr};
  ViewBatch user(field, grid);
  const bool is_strip = view.lattice().stops_x < 2 || view.lattice().stops_z < 2;  // lanes read whole cells
  const bool is_vast = bounds.bytes() / sizeof(std::uint32_t) > 0x7fffffff;        // and count blocks in 32 bits
  collider::cast_in_chunks(field, grid, is_strip || is_vast ? nullptr : &lanes, user, rays, record);
  return {};
}
}  // namespace

Result<void> raycast(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                     std::span<RayHit> hits) {
  ARETE_ASSERT(rays.size() == hits.size());
  const collider::Field& field = view.numbers();
  return cast_all(view, bounds, rays, [&](std::size_t i, const Walk& walk, const Outcome& outcome) {
    hits[i] = outcome.end == WalkEnd::met ? collider::make_hit(field, rays[i], walk, outcome.meet, outcome.corners)
                                          : RayHit{};
  });
}

Result<void> raycast_any(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                         std::span<std::uint8_t> is_hit) {
  ARETE_ASSERT(rays.size() == is_hit.size());
  return cast_all(view, bounds, rays, [&](std::size_t i, const Walk&, const Outcome& outcome) {
    is_hit[i] = outcome.end == WalkEnd::met ? 1 : 0;
  });
}

}  // namespace arete
