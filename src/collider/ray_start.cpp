// The lanes of start_walk().
#include "collider/ray_start.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/ray_start.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/lanes-inl.h"

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

std::size_t StartWalks(const Field& field, std::uint32_t least, std::uint32_t greatest, int start_level,
                       std::span<const Ray> rays, Walks& walks, std::uint32_t* started, std::uint32_t* others,
                       std::size_t& other_count) {
  static_assert(sizeof(Ray) == 8 * sizeof(double));
  constexpr double kNothing = 1e-200;  // as in start_walk()
  constexpr double kFar = 1e15;
  const hn::Rebind<std::int32_t, D> d32;
  const std::size_t lanes = hn::Lanes(d);
  const auto* numbers = reinterpret_cast<const double*>(rays.data());
  const V zero = hn::Zero(d);
  const V half = Splat(0.5);
  const V low_x = Splat(field.x.is_area * 0.5), high_x = Splat((field.x.last_half + field.x.is_area) * 0.5);
  const V low_z = Splat(field.z.is_area * 0.5), high_z = Splat((field.z.last_half + field.z.is_area) * 0.5);
  const V low_y = Splat(double(least) - 1), high_y = Splat(double(greatest) + 1);
  std::fill_n(walks.is_met, rays.size(), false);
  std::fill_n(walks.from_below, rays.size(), false);
  std::size_t count = 0;
  other_count = 0;
  for (std::size_t i = 0; i < rays.size(); i += lanes) {
    const hn::Vec<I> ray = hn::Min(hn::Iota(di, std::int64_t(i)), hn::Set(di, std::int64_t(rays.size()) - 1));
    const hn::Vec<I> at = hn::ShiftLeft<3>(ray);
    const auto read = [&](std::size_t offset) { return hn::GatherIndex(d, numbers + offset / sizeof(double), at); };
    const V origin_x = read(offsetof(Ray, origin_m)), origin_y = read(offsetof(Ray, origin_m) + 8),
            origin_z = read(offsetof(Ray, origin_m) + 16);
    const V along_x = read(offsetof(Ray, direction)), along_y = read(offsetof(Ray, direction) + 8),
            along_z = read(offsetof(Ray, direction) + 16);
    const V steepest = hn::Max(hn::Max(hn::Abs(along_x), hn::Abs(along_y)), hn::Abs(along_z));
    const hn::Vec<I> exponent = hn::BitCast(di, hn::ShiftRight<52>(hn::BitCast(du, steepest)));
    const V scale = hn::BitCast(d, hn::ShiftLeft<52>(hn::Sub(hn::Set(di, 2046), exponent)));
    const V farthest = hn::Max(hn::Max(hn::Abs(origin_x), hn::Abs(origin_y)), hn::Abs(origin_z));
    const M plain = hn::And(hn::Lt(farthest, Splat(kFar)),
                            hn::And(hn::Lt(steepest, Splat(0x1p900)), hn::Gt(steepest, Splat(0x1p-900))));
    const auto scaled = [&](V component) {
      const V value = hn::Mul(component, scale);
      return hn::IfThenZeroElse(hn::Lt(hn::Abs(value), Splat(kNothing)), value);
    };
    const V ox = hn::Mul(hn::Add(hn::Div(origin_x, Splat(field.x.half_m)), Splat(field.x.is_area)), half);
    const V oz = hn::Mul(hn::Add(hn::Div(origin_z, Splat(field.z.half_m)), Splat(field.z.is_area)), half);
    const V oy = hn::Mul(hn::Sub(origin_y, Splat(field.base_m)), Splat(field.steps_per_m));
    const V dx = hn::Mul(scaled(along_x), Splat(field.x.cells_per_m));
    const V dz = hn::Mul(scaled(along_z), Splat(field.z.cells_per_m));
    const V dy = hn::Mul(scaled(along_y), Splat(field.steps_per_m));
    const V ix = InverseOf(dx), iz = InverseOf(dz);
    const V unscale = hn::BitCast(d, hn::ShiftLeft<52>(exponent));
    Clip clip{zero, hn::Mul(read(offsetof(Ray, max_t)), unscale), plain};
    ClipTo(ox, dx, ix, low_x, high_x, clip);
    ClipTo(oz, dz, iz, low_z, high_z, clip);
    hn::Store(clip.t, d, walks.t_first + i);
    hn::Store(clip.t_end, d, walks.t_last + i);
    ClipTo(oy, dy, InverseOf(dy), low_y, high_y, clip);
    const M is_level = hn::Or(hn::Ne(dx, zero), hn::Ne(dz, zero));
    const M goes_on = hn::And(clip.goes_on, hn::Lt(clip.t_end, Splat(1e200)));
    hn::Store(ox, d, walks.ox + i);
    hn::Store(oz, d, walks.oz + i);
    hn::Store(oy, d, walks.oy + i);
    hn::Store(dx, d, walks.dx + i);
    hn::Store(dz, d, walks.dz + i);
    hn::Store(dy, d, walks.dy + i);
    hn::Store(ix, d, walks.ix + i);
    hn::Store(iz, d, walks.iz + i);
    hn::Store(clip.t, d, walks.t + i);
    hn::Store(clip.t_end, d, walks.t_end + i);
    const auto cell_of = [&](V o, V direction, std::int32_t last) {
      const V place = hn::Add(o, hn::Mul(direction, clip.t));
      return hn::Floor(hn::Min(hn::Max(place, zero), Splat(last)));
    };
    hn::Store(cell_of(ox, dx, field.x.last_cell), d, walks.x + i);
    hn::Store(cell_of(oz, dz, field.z.last_cell), d, walks.z + i);
    hn::Store(hn::Set(d32, start_level), d32, walks.level + i);
    const std::size_t here = std::min(lanes, rays.size() - i);
    const std::uint32_t all = (1u << here) - 1;
    const std::uint32_t walking = Bits(hn::And(goes_on, is_level)) & all;
    const std::uint32_t other = (Bits(hn::AndNot(is_level, goes_on)) | ~Bits(plain)) & all;
    hn::Store(zero, d, walks.above + i);
    for (std::size_t k = 0; k < here; ++k) {
      walks.meeting[i + k] = meeting_of(rays[i + k]);
      started[count] = std::uint32_t(i + k);
      count += walking >> k & 1;
    }
    if (other != 0) [[unlikely]] {
      for (std::uint32_t rest = other; rest != 0; rest &= rest - 1) {
        others[other_count++] = std::uint32_t(i) + std::uint32_t(std::countr_zero(rest));
      }
    }
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(StartWalks);

std::size_t start_walks(const Field& field, std::uint32_t least, std::uint32_t greatest, int start_level,
                        std::span<const Ray> rays, Walks& walks, std::uint32_t* started, std::uint32_t* others,
                        std::size_t& other_count) {
  return HWY_DYNAMIC_DISPATCH(StartWalks)(field, least, greatest, start_level, rays, walks, started, others,
                                          other_count);
}

}  // namespace arete::collider
#endif
