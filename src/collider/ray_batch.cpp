// Rays over a field in memory, arrays at a time: chunk by chunk set up, taken over empty space, tested in the cells
// where they come near the ground, and again, until few are left; those are walked singly.
#include <memory>
#include <string>

#include "arete/collider.h"
#include "ray_answers.h"
#include "ray_batch.h"
#include "ray_meet.h"
#include "ray_skip.h"
#include "ray_start.h"
#include "view_grid.h"

namespace arete {
namespace {
using collider::Walks;

constexpr int kFirstLevel = 5;  // of the blocks that rays start over

class ViewBatch final : public collider::MeetUser {
 public:
  ViewBatch(const HeightfieldView& view, const RayBounds& bounds)
      : field_(view.numbers()), grid_(field_, view, bounds), skip_(collider::make_skip_field(field_, view, bounds)) {
    const Lattice& lattice = view.lattice();
    meet_ = {view.data(), lattice.stops_x, field_.x.last_cell, field_.z.last_cell, field_.x.is_area};
    const bool is_strip = lattice.stops_x < 2 || lattice.stops_z < 2;  // lanes read whole cells
    const bool is_vast = std::max(lattice.stops_x, lattice.stops_z) > collider::kSkipCells ||
                         std::int64_t(lattice.stops_x) * lattice.stops_z > collider::kSkipSamples;
    has_lanes_ = !is_strip && !is_vast;
  }

  // Casts at most Walks::kRoom rays.
  void cast(std::span<const Ray> rays) {
    rays_ = rays;
    const std::uint32_t word = grid_.top_word();
    others_.clear();
    for (std::size_t next = 0; has_lanes_ && (next < rays.size() || rows_.count() > 0);) {
      next = collider::start_walks(field_, skip_, word >> 16, word & 0xffffu, std::min(kFirstLevel, skip_.top_level),
                                   rays, next, walks_, rows_, others_);
      stopped_.count = 0;
      collider::skip_space(skip_, rows_, stopped_);
      collider::meet_cells(meet_, skip_, *this, walks_, stopped_, rows_);
    }
    for (std::uint32_t ray = 0; !has_lanes_ && ray < rays.size(); ++ray) {
      others_.push_back(ray);
    }
    for (const std::uint32_t ray : others_) {
      cast_singly(ray);
    }
  }
  bool is_met(std::size_t ray) const { return walks_.of[ray].is_met(); }
  void answer(std::span<RayHit> hits) const { collider::make_answers(field_, rays_, walks_, others_, hits); }

  void finish(std::uint32_t ray) override {
    collider::Walk walk = walks_.of[ray].walk(collider::meeting_of(rays_[ray]));
    collider::Meet meet;
    put(ray, collider::walk_ray(field_, grid_, walk, meet, collider::NoCost{}), meet);
  }

 private:
  void cast_singly(std::uint32_t ray) {
    collider::Walk walk{};
    collider::Meet meet;
    const collider::Meeting meeting = collider::meeting_of(rays_[ray]);
    const collider::WalkEnd end =
        collider::cast_ray(field_, grid_, rays_[ray], meeting, walk, meet, collider::NoCost{});
    walks_.of[ray].put_end(walk);
    put(ray, end, meet);
  }
  void put(std::uint32_t ray, collider::WalkEnd end, const collider::Meet& meet) {
    if (end == collider::WalkEnd::met) {
      walks_.of[ray].put_met(meet, collider::corners_at(grid_.samples(), grid_.corner(meet.x_cell, meet.z_cell)));
    }
  }

  const collider::Field& field_;
  collider::ViewGrid grid_;
  collider::SkipField skip_;
  collider::MeetField meet_{};
  bool has_lanes_ = false;
  std::span<const Ray> rays_;
  std::vector<std::uint32_t> others_;
  collider::SkipRows rows_;
  collider::StoppedRays stopped_{};
  Walks walks_;
};

// record(the chunk's first ray, the chunk, its batch) for the rays, chunk by chunk.
template <class Record>
Result<void> cast_all(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                      const Record& record) {
  if (const auto fault = collider::batch_fault(rays)) {
    return usage_error(*fault);
  }
  const auto batch = std::make_unique<ViewBatch>(view, bounds);
  for (std::size_t begin = 0; begin < rays.size(); begin += Walks::kRoom) {
    const std::span<const Ray> chunk = rays.subspan(begin, std::min(Walks::kRoom, rays.size() - begin));
    batch->cast(chunk);
    record(begin, chunk, *batch);
  }
  return {};
}
}  // namespace

Result<void> raycast(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                     std::span<RayHit> hits) {
  ARETE_ASSERT(rays.size() == hits.size());
  return cast_all(view, bounds, rays, [&](std::size_t begin, std::span<const Ray> chunk, const ViewBatch& batch) {
    batch.answer(hits.subspan(begin, chunk.size()));
  });
}

Result<void> raycast_any(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                         std::span<std::uint8_t> is_hit) {
  ARETE_ASSERT(rays.size() == is_hit.size());
  return cast_all(view, bounds, rays, [&](std::size_t begin, std::span<const Ray> chunk, const ViewBatch& batch) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      is_hit[begin + i] = batch.is_met(i) ? 1 : 0;
    }
  });
}

}  // namespace arete
