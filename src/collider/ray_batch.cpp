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
  const Walks& cast(std::span<const Ray> rays) {
    const std::uint32_t word = grid_.top_word();
    std::size_t other_count = 0;
    std::size_t count =
        collider::start_walks(field_, word >> 16, word & 0xffffu, std::min(kFirstLevel, skip_.top_level), rays, walks_,
                              walking_, others_, other_count);
    for (std::size_t k = 0; k < other_count; ++k) {
      cast_singly(rays, others_[k]);
    }
    std::size_t next = 0;
    for (std::size_t ready = 0; has_lanes_ && (next < count || ready + rows_.count() > 0);) {
      while (next < count && ready + rows_.count() < collider::SkipRow::kRays) {
        ready_[ready++] = walking_[next++];
      }
      stopped_.count = 0;
      collider::skip_space(skip_, walks_, rows_, ready_, ready, stopped_);
      ready = collider::meet_cells(meet_, *this, walks_, stopped_, ready_);
    }
    for (; next < count; ++next) {
      finish(walking_[next]);
    }
    return walks_;
  }

  void finish(std::uint32_t ray) override {
    collider::Walk walk = walks_.get(ray);
    collider::Meet meet;
    put(ray, collider::walk_ray(field_, grid_, walk, meet, collider::NoCost{}), meet);
  }

 private:
  // Rays that lanes do not start.
  void cast_singly(std::span<const Ray> rays, std::uint32_t ray) {
    collider::Walk walk{};
    collider::Meet meet;
    const collider::Meeting meeting = collider::meeting_of(rays[ray]);
    const collider::WalkEnd end = collider::cast_ray(field_, grid_, rays[ray], meeting, walk, meet, collider::NoCost{});
    walks_.ox[ray] = walk.ox, walks_.oz[ray] = walk.oz;
    walks_.dx[ray] = walk.dx, walks_.dz[ray] = walk.dz;
    put(ray, end, meet);
  }
  void put(std::uint32_t ray, collider::WalkEnd end, const collider::Meet& meet) {
    walks_.is_met[ray] = false;
    if (end == collider::WalkEnd::met) {
      walks_.put_met(ray, meet, collider::corners_at(grid_.samples(), grid_.corner(meet.x_cell, meet.z_cell)));
    }
  }

  const collider::Field& field_;
  collider::ViewGrid grid_;
  collider::SkipField skip_;
  collider::MeetField meet_{};
  bool has_lanes_ = false;
  std::uint32_t walking_[Walks::kRoom], others_[Walks::kRoom], ready_[collider::SkipRow::kRays];
  collider::SkipRows rows_;
  collider::StoppedRays stopped_{};
  Walks walks_;
};

template <class Record>
Result<void> cast_all(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                      const Record& record) {
  if (const auto fault = collider::batch_fault(rays)) {
    return usage_error(*fault);
  }
  const auto batch = std::make_unique<ViewBatch>(view, bounds);
  for (std::size_t begin = 0; begin < rays.size(); begin += Walks::kRoom) {
    const std::span<const Ray> chunk = rays.subspan(begin, std::min(Walks::kRoom, rays.size() - begin));
    record(begin, chunk, batch->cast(chunk));
  }
  return {};
}
}  // namespace

Result<void> raycast(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                     std::span<RayHit> hits) {
  ARETE_ASSERT(rays.size() == hits.size());
  return cast_all(view, bounds, rays, [&](std::size_t begin, std::span<const Ray> chunk, const Walks& walks) {
    collider::make_answers(view.numbers(), chunk, walks, hits.subspan(begin, chunk.size()));
  });
}

Result<void> raycast_any(const HeightfieldView& view, const RayBounds& bounds, std::span<const Ray> rays,
                         std::span<std::uint8_t> is_hit) {
  ARETE_ASSERT(rays.size() == is_hit.size());
  return cast_all(view, bounds, rays, [&](std::size_t begin, std::span<const Ray> chunk, const Walks& walks) {
    for (std::size_t i = 0; i < chunk.size(); ++i) {
      is_hit[begin + i] = walks.is_met[i] ? 1 : 0;
    }
  });
}

}  // namespace arete
