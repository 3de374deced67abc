// The lanes of make_hit(): its arithmetic, operation for operation.
#include "ray_answers.h"

#include <cstddef>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/ray_answers.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/walk_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

// A place in its cell along one axis, 0..1, and the slope of a rise of one step across the cell.
struct CellPlace {
  V fraction, slope;
};
HWY_INLINE CellPlace PlaceIn(const Axis& axis, double slope, V cell, V place) {
  const V zero = hn::Zero(d), one = Splat(1);
  V low = cell, scale = one;
  if (axis.is_area != 0) {
    const M is_first = hn::Eq(cell, zero);
    scale = hn::IfThenElse(hn::Or(is_first, hn::Eq(cell, Splat(axis.last_cell))), Splat(2), one);
    low = hn::IfThenElse(is_first, Splat(0.5), cell);
  }
  const V f = hn::Mul(hn::Sub(place, low), scale);
  const V from_zero = hn::IfThenElse(hn::Lt(f, zero), zero, f);
  return {hn::IfThenElse(hn::Lt(one, from_zero), one, from_zero), hn::Mul(Splat(slope), hn::Mul(scale, Splat(0.5)))};
}

constexpr std::size_t kHitNumbers = sizeof(RayHit) / sizeof(double);
static_assert(sizeof(RayHit) == 12 * sizeof(double) && offsetof(RayHit, status) == 0 &&
              offsetof(RayHit, is_upper) == 1 && offsetof(RayHit, from_below) == 2 && offsetof(RayHit, x_cell) == 4 &&
              offsetof(RayHit, z_cell) == 8 && offsetof(RayHit, t) == 16 && offsetof(RayHit, position_m) == 24 &&
              offsetof(RayHit, barycentrics) == 48 && offsetof(RayHit, normal) == 72);

// The numbers of a RayHit for a vector of rays, given as a Ray's numbers.
HWY_INLINE void HitsOf(const Field& field, const V* ray, const WalkLanes& w, V* hit) {
  const V zero = hn::Zero(d), one = Splat(1);
  const auto has = [&](std::uint64_t flag) HWY_ATTR {
    return hn::RebindMask(d, hn::Ne(hn::And(w.state, hn::Set(du, flag)), hn::Zero(du)));
  };
  const M is_met = has(WalkRecord::kIsMet), is_upper = has(WalkRecord::kIsUpper);
  const V steepest = hn::Max(hn::Max(hn::Abs(ray[3]), hn::Abs(ray[4])), hn::Abs(ray[5]));
  const auto exponent = hn::ShiftRight<52>(hn::BitCast(du, steepest));
  const V scale = hn::BitCast(d, hn::ShiftLeft<52>(hn::Sub(hn::Set(du, 2046), exponent)));

  const auto flag = [](M mask, std::uint64_t value)
                        HWY_ATTR { return hn::IfThenElseZero(hn::RebindMask(du, mask), hn::Set(du, value)); };
  const auto x_cell = hn::ShiftLeft<32>(hn::BitCast(du, ToInteger(w.x)));
  const auto flags = hn::Or(hn::Or(flag(is_met, std::uint64_t(RayStatus::surface)), flag(is_upper, 1 << 8)),
                            flag(has(WalkRecord::kFromBelow), 1 << 16));
  hit[0] = hn::BitCast(d, hn::Or(flags, x_cell));
  hit[1] = hn::BitCast(d, ToInteger(w.z));
  hit[2] = hn::Mul(w.t, scale);
  for (int axis = 0; axis < 3; ++axis) {
    hit[3 + axis] = hn::Add(ray[axis], hn::Mul(hn::Mul(ray[3 + axis], scale), w.t));
  }

  const CellPlace x = PlaceIn(field.x, field.slope_x, w.x, hn::Add(w.ox, hn::Mul(w.dx, w.t)));
  const CellPlace z = PlaceIn(field.z, field.slope_z, w.z, hn::Add(w.oz, hn::Mul(w.dz, w.t)));
  const V upper = hn::IfThenElseZero(is_upper, one), sign = hn::IfThenElse(is_upper, Splat(-1), one);
  hit[6] = hn::Mul(sign, hn::Sub(one, hn::Add(x.fraction, z.fraction)));
  hit[7] = hn::Add(upper, hn::Mul(sign, z.fraction));
  hit[8] = hn::Add(upper, hn::Mul(sign, x.fraction));
  for (int weight = 6; weight < 9; ++weight) {
    hit[weight] = hn::IfThenElse(hn::Lt(hit[weight], zero), zero, hit[weight]);
  }

  const Cell cell = CellOf(w.corners);
  const V own = hn::IfThenElse(is_upper, cell.h11, cell.h00);
  const V to_x = hn::IfThenElse(is_upper, cell.h01, cell.h10), to_z = hn::IfThenElse(is_upper, cell.h10, cell.h01);
  const V rise_x = hn::Mul(hn::Mul(sign, hn::Sub(to_x, own)), x.slope);
  const V rise_z = hn::Mul(hn::Mul(sign, hn::Sub(to_z, own)), z.slope);
  const V length = hn::Sqrt(hn::Add(hn::Add(hn::Mul(rise_x, rise_x), one), hn::Mul(rise_z, rise_z)));
  const V y = hn::Div(one, length);
  hit[9] = hn::Mul(hn::Sub(zero, rise_x), y);
  hit[10] = y;
  hit[11] = hn::Mul(hn::Sub(zero, rise_z), y);
  for (std::size_t k = 0; k < kHitNumbers; ++k) {
    hit[k] = hn::IfThenElse(is_met, hit[k], k == 2 ? Splat(std::numeric_limits<double>::infinity()) : zero);
  }
}

void MakeAnswers(const Field& field, std::span<const Ray> rays, const Walks& walks, std::span<RayHit> hits) {
  RayHit unused[kLanes];
  for (std::size_t i = 0; i < rays.size(); i += kLanes) {
    const double *ray[kLanes], *walk[kLanes];
    double* hit[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t k = i + lane;
      ray[lane] = reinterpret_cast<const double*>(&rays[std::min(k, rays.size() - 1)]);
      walk[lane] = reinterpret_cast<const double*>(&walks.of[k]);
      hit[lane] = reinterpret_cast<double*>(k < rays.size() ? &hits[k] : &unused[lane]);
    }
    V ray_numbers[8], hit_numbers[kHitNumbers];
    LoadRecords<8>(ray, ray_numbers);
    HitsOf(field, ray_numbers, LoadWalks(walk), hit_numbers);
    StoreRecords<kHitNumbers>(hit_numbers, hit);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(MakeAnswers);

void make_answers(const Field& field, std::span<const Ray> rays, const Walks& walks,
                  std::span<const std::uint32_t> others, std::span<RayHit> hits) {
  HWY_DYNAMIC_DISPATCH(MakeAnswers)(field, rays, walks, hits);
  for (const std::uint32_t i : others) {
    const WalkRecord& walk = walks.of[i];
    const auto corner = [&](int shift) { return std::uint32_t(walk.corners >> shift & 0xffff); };
    const Meet meet{walk.t, std::int32_t(walk.x), std::int32_t(walk.z), (walk.state & WalkRecord::kIsUpper) != 0,
                    (walk.state & WalkRecord::kFromBelow) != 0};
    hits[i] = walk.is_met() ? make_hit(field, rays[i], walk.walk(meeting_of(rays[i])), meet,
                                       {corner(0), corner(16), corner(32), corner(48)})
                            : RayHit{};
  }
}

}  // namespace arete::collider
#endif
