// Queries over any source of pages: the same cells, formulas and walk as for a field in memory.
#include <string>

#include "arete/collider.h"
#include "line_walk.h"
#include "page_grid.h"
#include "page_state.h"
#include "triangles.h"

namespace arete {
namespace {
using collider::KeptPage;
using collider::Spot;

// A place's spot, or the source's error.
Result<Spot> spot_of(collider::PageCache& cache, double x_m, double z_m) {
  collider::PageGrid grid(cache);
  const Spot spot = grid.spot(x_m, z_m);
  if (spot.ground == Ground::not_loaded && cache.error()) {
    return Unexpected{cache.take_error()};
  }
  return spot;
}

// Where a place is outside, on a rim or its own triangle is missing: rare, and looked up again from its start.
[[gnu::noinline]] Result<HeightAnswer> height_at_rare_place(collider::PageCache& cache, double x_m, double z_m) {
  const auto spot = spot_of(cache, x_m, z_m);
  if (!spot) return Unexpected{spot.error()};
  return collider::height_answer(cache.field(), *spot);
}

template <class Cost>
Result<RayHit> hit_of(collider::PageCache& cache, const Ray& ray, Cost cost) {
  collider::PageGrid grid(cache);
  collider::Walk walk;
  collider::Meet meet;
  switch (collider::cast_ray(cache.field(), grid, ray, collider::meeting_of(ray), walk, meet, cost)) {
    case collider::WalkEnd::miss:
      return RayHit{};
    case collider::WalkEnd::met:
      break;
    case collider::WalkEnd::stopped:
      if (cache.error()) {
        return Unexpected{cache.take_error()};
      }
      return collider::make_stop(ray, walk);
  }
  const collider::Corners corners = collider::corners_at(grid.samples(), grid.corner(meet.x_cell, meet.z_cell));
  return collider::make_hit(cache.field(), ray, walk, meet, corners);
}
}  // namespace

PageCollider::PageCollider(const SampleSource& source, const PageColliderOptions& options)
    : state_(new State{collider::PageCache(source, options)}) {}
PageCollider::~PageCollider() = default;
PageCollider::PageCollider(PageCollider&&) noexcept = default;
PageCollider& PageCollider::operator=(PageCollider&&) noexcept = default;

const Lattice& PageCollider::lattice() const noexcept { return state_->cache.lattice(); }

Result<HeightAnswer> PageCollider::height_at(double x_m, double z_m) {
  collider::PageCache& cache = state_->cache;
  const collider::Field& field = cache.field();
  collider::AxisPlace x;
  collider::AxisPlace z;
  if (!collider::locate_within(field.x, x_m, x) || !collider::locate_within(field.z, z_m, z)) {
    return height_at_rare_place(cache, x_m, z_m);
  }
  const KeptPage* page = cache.page(x.cell / kPageCells, z.cell / kPageCells);
  if (page == nullptr) {
    if (cache.error()) return Unexpected{cache.take_error()};
    return HeightAnswer{Ground::not_loaded};
  }
  const std::uint16_t* corner = page->origin + std::ptrdiff_t(z.cell % kPageCells) * kPageStride + x.cell % kPageCells;
  HeightAnswer answer;
  if (collider::quick_answer(field, {nullptr, 1, kPageStride}, corner, x, z, answer)) {
    return answer;
  }
  return height_at_rare_place(cache, x_m, z_m);
}

Result<SurfaceSample> PageCollider::sample_at(double x_m, double z_m) {
  const auto spot = spot_of(state_->cache, x_m, z_m);
  if (!spot) return Unexpected{spot.error()};
  return collider::sample_answer(state_->cache.field(), *spot);
}

Result<NormalAnswer> PageCollider::normal_at(double x_m, double z_m) {
  const auto spot = spot_of(state_->cache, x_m, z_m);
  if (!spot) return Unexpected{spot.error()};
  return collider::normal_answer(state_->cache.field(), *spot);
}

Result<void> PageCollider::samples_at(std::span<const double> x_m, std::span<const double> z_m,
                                      std::span<SurfaceSample> samples) {
  ARETE_ASSERT(x_m.size() == samples.size() && z_m.size() == samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto sample = sample_at(x_m[i], z_m[i]);
    if (!sample) return Unexpected{sample.error()};
    samples[i] = *sample;
  }
  return {};
}

Result<void> PageCollider::normals_at(std::span<const double> x_m, std::span<const double> z_m,
                                      std::span<NormalAnswer> normals) {
  ARETE_ASSERT(x_m.size() == normals.size() && z_m.size() == normals.size());
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const auto normal = normal_at(x_m[i], z_m[i]);
    if (!normal) return Unexpected{normal.error()};
    normals[i] = *normal;
  }
  return {};
}

Result<RayHit> PageCollider::raycast(const Ray& ray, RayCost* cost) {
  if (const auto fault = collider::ray_fault(ray)) {
    return usage_error(std::string("ray: ") + *fault);
  }
  return cost == nullptr ? hit_of(state_->cache, ray, collider::NoCost{})
                         : hit_of(state_->cache, ray, collider::CountCost{*cost});
}

Result<RayStatus> PageCollider::raycast_any(const Ray& ray) {
  const auto hit = raycast(ray);
  if (!hit) return Unexpected{hit.error()};
  return hit->status;
}

Result<std::int64_t> PageCollider::triangles(const Box& box, const TriangleVisitor& visit) {
  collider::PageCache& cache = state_->cache;
  const collider::Field& field = cache.field();
  const collider::CellRange range = collider::cells_in(field, cache.lattice(), box);
  const collider::Samples samples{nullptr, 1, kPageStride};
  std::int64_t absent = 0;
  for (std::int32_t z = range.z_first; z <= range.z_last; ++z) {
    for (std::int32_t x = range.x_first; x <= range.x_last;) {
      const std::int32_t page_x = x >> collider::kPageLevel;
      const std::int32_t page_z = z >> collider::kPageLevel;
      const std::int32_t x_next = std::min((page_x + 1) << collider::kPageLevel, range.x_last + 1);
      const KeptPage* page = cache.page(page_x, page_z);
      if (page == nullptr) {
        if (cache.error()) return Unexpected{cache.take_error()};
        absent += z == range.z_first || (z & (kPageCells - 1)) == 0 ? 1 : 0;
        x = x_next;
        continue;
      }
      const std::uint16_t* row = page->origin + std::ptrdiff_t(z & (kPageCells - 1)) * kPageStride;
      for (; x < x_next; ++x) {
        const std::uint16_t* corner = row + (x & (kPageCells - 1));
        if (!collider::visit_cell(field, cache.lattice(), box, collider::corners_at(samples, corner), x, z, visit)) {
          return absent;
        }
      }
    }
  }
  return absent;
}

Result<void> PageCollider::profile(std::array<double, 2> from_m, std::array<double, 2> to_m,
                                   const ProfileVisitor& visit) {
  if (const auto fault = collider::line_fault(from_m, to_m)) {
    return usage_error(*fault);
  }
  collider::PageCache& cache = state_->cache;
  collider::PageGrid grid(cache);
  const auto spot = [&](double x_m, double z_m, Spot& found) {
    found = grid.spot(x_m, z_m);
    return !cache.error();
  };
  collider::walk_line(cache.field(), cache.lattice(), from_m, to_m, spot, visit);
  if (cache.error()) return Unexpected{cache.take_error()};
  return {};
}

Result<Sight> PageCollider::sight(std::array<double, 3> from_m, std::array<double, 3> to_m) {
  if (const auto fault = collider::line_fault(from_m, to_m)) {
    return usage_error(*fault);
  }
  collider::PageGrid grid(state_->cache);
  const Sight sight = collider::look(state_->cache.field(), grid, from_m, to_m);
  if (state_->cache.error()) return Unexpected{state_->cache.take_error()};
  return sight;
}

void PageCollider::forget(PageKey key) { state_->cache.forget(key); }
void PageCollider::forget_replaced() { state_->cache.forget_replaced(); }
void PageCollider::forget_all() { state_->cache.forget_all(); }
std::size_t PageCollider::resident_pages() const noexcept { return state_->cache.size(); }
std::size_t PageCollider::resident_bytes() const noexcept {
  return state_->cache.size() * collider::PageCache::page_bytes();
}

namespace {
// One call, one page, nothing kept.
Result<Spot> spot_of(const SampleSource& source, double x_m, double z_m) {
  const collider::Field field = collider::make_field(source.lattice());
  collider::AxisPlace x;
  collider::AxisPlace z;
  if (!collider::locate(field.x, x_m, x) || !collider::locate(field.z, z_m, z)) {
    return collider::no_spot(Ground::outside);
  }
  const auto page = source.page({0, std::uint32_t(x.cell / kPageCells), std::uint32_t(z.cell / kPageCells)});
  if (!page) return Unexpected{page.error()};
  if (*page == nullptr) return collider::no_spot(Ground::not_loaded);
  const std::size_t corner = Page::index(x.cell % kPageCells, z.cell % kPageCells);
  return collider::spot_at({nullptr, 1, kPageStride}, (*page)->subsample.data() + corner, x.cell, z.cell, x.f, z.f);
}
}  // namespace

Result<HeightAnswer> height_at(const SampleSource& source, double x_m, double z_m) {
  const auto spot = spot_of(source, x_m, z_m);
  if (!spot) return Unexpected{spot.error()};
  return collider::height_answer(collider::make_field(source.lattice()), *spot);
}

Result<SurfaceSample> sample_at(const SampleSource& source, double x_m, double z_m) {
  const auto spot = spot_of(source, x_m, z_m);
  if (!spot) return Unexpected{spot.error()};
  return collider::sample_answer(collider::make_field(source.lattice()), *spot);
}

Result<NormalAnswer> normal_at(const SampleSource& source, double x_m, double z_m) {
  const auto spot = spot_of(source, x_m, z_m);
  if (!spot) return Unexpected{spot.error()};
  return collider::normal_answer(collider::make_field(source.lattice()), *spot);
}

Result<RayHit> raycast(const SampleSource& source, const Ray& ray) { return PageCollider(source).raycast(ray); }

}  // namespace arete
