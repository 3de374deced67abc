// Heights and rays over pages, arrays at a time: the lanes of fields in memory, with a page under each lane. Pages that
// lanes stand in are pinned, so that a small budget cannot take them away.
#include <array>
#include <string>

#include "height_lanes.h"
#include "page_grid.h"
#include "page_state.h"
#include "ray_batch.h"

namespace arete {
namespace {
using collider::KeptPage;
using collider::kPageLevel;
using collider::LanePlace;
using collider::Meet;
using collider::Outcome;
using collider::PageCache;
using collider::PageGrid;
using collider::Walk;
using collider::WalkEnd;

class PageHeights final : public collider::HeightLaneUser {
 public:
  explicit PageHeights(PageCollider& collider, PageCache& cache) : collider_(collider), cache_(cache) {}
  ~PageHeights() override { unpin(); }
  void corners(const std::int32_t* x_cell, const std::int32_t* z_cell, std::size_t count,
               const std::uint16_t** corner) override {
    unpin();
    for (std::size_t i = 0; i < count; ++i) {
      KeptPage* page = cache_.page(x_cell[i] >> kPageLevel, z_cell[i] >> kPageLevel);
      if (page == nullptr) {
        corner[i] = nullptr;
        continue;
      }
      ++page->pins;
      pinned_[pinned_count_++] = page;
      corner[i] =
          page->origin + std::ptrdiff_t(z_cell[i] & (kPageCells - 1)) * kPageStride + (x_cell[i] & (kPageCells - 1));
    }
  }
  bool single(double x_m, double z_m, double& y_m, Ground& ground) override {
    auto answer = collider_.height_at(x_m, z_m);
    if (!answer) {
      error = answer.error();
      return false;
    }
    y_m = answer->y_m;
    ground = answer->ground;
    return true;
  }
  std::optional<Error> error;

 private:
  void unpin() {
    while (pinned_count_ > 0) {
      --pinned_[--pinned_count_]->pins;
    }
  }
  PageCollider& collider_;
  PageCache& cache_;
  std::array<KeptPage*, 64> pinned_{};
  std::size_t pinned_count_ = 0;
};

class PageBatch final : public collider::LaneUser {
 public:
  explicit PageBatch(PageCache& cache) : cache_(cache) {}

  void finish(std::size_t ray, Walk& walk, LanePlace& place) override {
    PageGrid grid(cache_);
    grid.stand_in(static_cast<KeptPage*>(place.owner));
    Outcome& outcome = outcomes[ray];
    outcome.end = collider::walk_ray(cache_.field(), grid, walk, outcome.meet, collider::NoCost{});
    if (outcome.end == WalkEnd::met) {
      outcome.corners = collider::corners_at(grid.samples(), grid.corner(outcome.meet.x_cell, outcome.meet.z_cell));
    }
    leave(place);
  }
  bool enter(std::size_t ray, Walk& walk, LanePlace& place) override {
    leave(place);
    KeptPage* page = cache_.page_at_hand(walk.x >> kPageLevel, walk.z >> kPageLevel);
    if (page == nullptr) {
      page = load(ray, walk);
    }
    if (page == nullptr) {
      return false;
    }
    ++page->pins;
    place = {page->origin, page->blocks.data(), page->x << kPageLevel, page->z << kPageLevel, page};
    return true;
  }
  void miss(std::size_t ray, LanePlace& place) override {
    outcomes[ray].end = WalkEnd::miss;
    leave(place);
  }
  void met(std::size_t ray, const Walk&, const Meet& meet, LanePlace& place) override {
    const std::uint16_t* corner =
        place.samples + std::ptrdiff_t(meet.z_cell - place.first_z) * kPageStride + (meet.x_cell - place.first_x);
    outcomes[ray] = {WalkEnd::met, meet, collider::corners_at({nullptr, 1, kPageStride}, corner)};
    leave(place);
  }
  bool goes_on() const { return !cache_.error(); }
  std::vector<Outcome> outcomes;

 private:
  // The page that the walk needs after those that the field's bounds take it over; or none, where it ends.
  KeptPage* load(std::size_t ray, Walk& walk) {
    PageGrid gate(cache_, false);
    Outcome& outcome = outcomes[ray];
    outcome.end = collider::walk_ray(cache_.field(), gate, walk, outcome.meet, collider::NoCost{});
    return outcome.end == WalkEnd::stopped ? cache_.page(walk.x >> kPageLevel, walk.z >> kPageLevel) : nullptr;
  }
  static void leave(LanePlace& place) {
    if (place.owner != nullptr) {
      --static_cast<KeptPage*>(place.owner)->pins;
      place.owner = nullptr;
    }
  }
  PageCache& cache_;
};

template <class Record>
Result<void> cast_all(PageCache& cache, std::span<const Ray> rays, const Record& record) {
  if (const auto fault = collider::batch_fault(rays)) {
    return usage_error(*fault);
  }
  const collider::Field& field = cache.field();
  collider::LaneField lanes{};
  lanes.last_x = field.x.last_cell;
  lanes.last_z = field.z.last_cell;
  lanes.is_area = field.x.is_area;
  lanes.stride = kPageStride;
  lanes.table_last_x = kPageCells - 1;
  lanes.top_level = kPageLevel;
  for (std::size_t level = 2; level <= kPageLevel; ++level) {
    lanes.offset[level] = collider::kPageBlockOffset[level];
  }
  PageGrid grid(cache);
  PageBatch user(cache);
  collider::cast_in_chunks(field, grid, lanes, user, rays, record);
  if (cache.error()) return Unexpected{cache.take_error()};
  return {};
}
}  // namespace

Result<void> PageCollider::heights_at(std::span<const double> x_m, std::span<const double> z_m, std::span<double> y_m,
                                      std::span<Ground> ground) {
  ARETE_ASSERT(x_m.size() == z_m.size() && x_m.size() == y_m.size() && x_m.size() == ground.size());
  collider::PageCache& cache = state_->cache;
  PageHeights user(*this, cache);
  collider::height_lanes(cache.field(), nullptr, kPageStride, user, x_m.size(), x_m.data(), z_m.data(), y_m.data(),
                         ground.data());
  if (user.error) return Unexpected{*std::move(user.error)};
  return {};
}

Result<void> PageCollider::raycast(std::span<const Ray> rays, std::span<RayHit> hits) {
  ARETE_ASSERT(rays.size() == hits.size());
  collider::PageCache& cache = state_->cache;
  return cast_all(cache, rays, [&](std::size_t i, const Walk& walk, const Outcome& outcome) {
    hits[i] = outcome.end == WalkEnd::met
                  ? collider::make_hit(cache.field(), rays[i], walk, outcome.meet, outcome.corners)
              : outcome.end == WalkEnd::stopped ? collider::make_stop(rays[i], walk)
                                                : RayHit{};
  });
}

Result<void> PageCollider::raycast_any(std::span<const Ray> rays, std::span<RayStatus> statuses) {
  ARETE_ASSERT(rays.size() == statuses.size());
  return cast_all(state_->cache, rays, [&](std::size_t i, const Walk&, const Outcome& outcome) {
    statuses[i] = outcome.end == WalkEnd::met       ? RayStatus::surface
                  : outcome.end == WalkEnd::stopped ? RayStatus::not_loaded
                                                    : RayStatus::miss;
  });
}

}  // namespace arete
