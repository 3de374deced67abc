// The lanes of start_walk().
#include "collider/ray_start.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/ray_start.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/walk_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

// The part of each ray between low and high along one axis, as clip().
struct Clip {
  V t, t_end;
  M goes_on;
};
HWY_INLINE void ClipTo(V o, V direction, V inverse, V low, V high, Clip& clip) {
  const M stands = hn::Eq(direction, hn::Zero(d));
  const V to_low = hn::Mul(hn::Sub(low, o), inverse);
  const V to_high = hn::Mul(hn::Sub(high, o), inverse);
  clip.t = hn::IfThenElse(stands, clip.t, hn::Max(hn::Min(to_low, to_high), clip.t));
  clip.t_end = hn::IfThenElse(stands, clip.t_end, hn::Min(hn::Max(to_low, to_high), clip.t_end));
  const M inside = hn::And(hn::Ge(o, low), hn::Le(o, high));
  clip.goes_on = hn::And(clip.goes_on, hn::Or(hn::And(stands, inside), hn::AndNot(stands, hn::Le(clip.t, clip.t_end))));
}

HWY_INLINE V InverseOf(V direction) {
  const M stands = hn::Eq(direction, hn::Zero(d));
  return hn::IfThenZeroElse(stands, hn::Div(Splat(1), hn::IfThenElse(stands, Splat(1), direction)));
}

std::size_t StartWalks(const Field& field, const SkipField& skip, std::uint32_t least, std::uint32_t greatest,
                       int level, std::span<const Ray> rays, std::size_t begin, Walks& walks, SkipRows& rows,
                       std::vector<std::uint32_t>& others) {
  static_assert(sizeof(Ray) == 8 * sizeof(double));
  constexpr double kNothing = 1e-200;  // as in start_walk()
  constexpr double kFar = 1e15;
  const V zero = hn::Zero(d), half = Splat(0.5);
  const V low_x = Splat(field.x.is_area * 0.5), high_x = Splat((field.x.last_half + field.x.is_area) * 0.5);
  const V low_z = Splat(field.z.is_area * 0.5), high_z = Splat((field.z.last_half + field.z.is_area) * 0.5);
  const V low_y = Splat(double(least) - 1), high_y = Splat(double(greatest) + 1);
  std::size_t i = begin;
  for (; i < rays.size() && rows.count() + kLanes <= SkipRow::kRays; i += kLanes) {
    const double* at[kLanes];
    HWY_ALIGN std::int32_t record[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      at[lane] = reinterpret_cast<const double*>(&rays[std::min(i + lane, rays.size() - 1)]);
      record[lane] = std::int32_t(i + lane);
    }
    V numbers[8];
    LoadRecords<8>(at, numbers);
    const auto [origin_x, origin_y, origin_z, along_x, along_y, along_z, max_t, unused] = numbers;
    const V steepest = hn::Max(hn::Max(hn::Abs(along_x), hn::Abs(along_y)), hn::Abs(along_z));
    const hn::Vec<I> exponent = hn::BitCast(di, hn::ShiftRight<52>(hn::BitCast(du, steepest)));
    const V scale = hn::BitCast(d, hn::ShiftLeft<52>(hn::Sub(hn::Set(di, 2046), exponent)));
    const V farthest = hn::Max(hn::Max(hn::Abs(origin_x), hn::Abs(origin_y)), hn::Abs(origin_z));
    const M plain = hn::And(hn::Lt(farthest, Splat(kFar)),
                            hn::And(hn::Lt(steepest, Splat(0x1p900)), hn::Gt(steepest, Splat(0x1p-900))));
    const auto scaled = [&](V component) HWY_ATTR {
      const V value = hn::Mul(component, scale);
      return hn::IfThenZeroElse(hn::Lt(hn::Abs(value), Splat(kNothing)), value);
    };
    WalkLanes w;
    w.ox = hn::Mul(hn::Add(hn::Div(origin_x, Splat(field.x.half_m)), Splat(field.x.is_area)), half);
    w.oz = hn::Mul(hn::Add(hn::Div(origin_z, Splat(field.z.half_m)), Splat(field.z.is_area)), half);
    w.oy = hn::Mul(hn::Sub(origin_y, Splat(field.base_m)), Splat(field.steps_per_m));
    w.dx = hn::Mul(scaled(along_x), Splat(field.x.cells_per_m));
    w.dz = hn::Mul(scaled(along_z), Splat(field.z.cells_per_m));
    w.dy = hn::Mul(scaled(along_y), Splat(field.steps_per_m));
    w.ix = InverseOf(w.dx), w.iz = InverseOf(w.dz);
    const V unscale = hn::BitCast(d, hn::ShiftLeft<52>(exponent));
    Clip clip{zero, hn::Mul(max_t, unscale), plain};
    ClipTo(w.ox, w.dx, w.ix, low_x, high_x, clip);
    ClipTo(w.oz, w.dz, w.iz, low_z, high_z, clip);
    w.t_first = clip.t, w.t_last = clip.t_end;
    ClipTo(w.oy, w.dy, InverseOf(w.dy), low_y, high_y, clip);
    w.t = clip.t, w.t_end = clip.t_end;
    const auto cell_of = [&](V o, V direction, std::int32_t last) HWY_ATTR {
      const V place = hn::Add(o, hn::Mul(direction, w.t));
      return hn::Floor(hn::Min(hn::Max(place, zero), Splat(last)));
    };
    w.x = cell_of(w.ox, w.dx, field.x.last_cell);
    w.z = cell_of(w.oz, w.dz, field.z.last_cell);
    w.state = w.corners = hn::Zero(du);
    StoreWalks(w, PlacesOf(walks, record));
    const M is_level = hn::Or(hn::Ne(w.dx, zero), hn::Ne(w.dz, zero));
    const M is_near = hn::Lt(hn::Sub(w.t_end, w.t), Splat(kFarthest));
    const M is_easy = hn::And(is_level, is_near);
    const std::uint32_t here = (1u << std::min(kLanes, rays.size() - i)) - 1;
    const std::uint32_t other = (Bits(hn::AndNot(is_easy, clip.goes_on)) | ~Bits(plain)) & here;
    for (std::uint32_t rest = other; rest != 0; rest &= rest - 1) [[unlikely]] {
        others.push_back(std::uint32_t(i) + std::uint32_t(std::countr_zero(rest)));
      }
    const std::uint32_t walking = Bits(hn::And(clip.goes_on, is_easy)) & here;
    Enter(rows.over_blocks, EntriesOf(skip, w, hn::LoadU(dhn, record)), level, walking);
  }
  return std::min(i, rays.size());
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(StartWalks);

std::size_t start_walks(const Field& field, const SkipField& skip, std::uint32_t least, std::uint32_t greatest,
                        int level, std::span<const Ray> rays, std::size_t begin, Walks& walks, SkipRows& rows,
                        std::vector<std::uint32_t>& others) {
  return HWY_DYNAMIC_DISPATCH(StartWalks)(field, skip, least, greatest, level, rays, begin, walks, rows, others);
}

}  // namespace arete::collider
#endif
