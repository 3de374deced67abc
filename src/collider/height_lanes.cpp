// The lanes of height queries: locate(), spot_at() and height_answer() operation for operation, so that the results are
// theirs, bit for bit.
#include "collider/height_lanes.h"

#include <bit>
#include <cstring>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/height_lanes.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

// Along one axis: the cell and the place within it.
struct LanePlaces {
  V cell, f;
};
HWY_INLINE LanePlaces Locate(const Axis& axis, V half) {
  const V zero = hn::Zero(d);
  const V one = Splat(1);
  const V whole = hn::Floor(half);
  const V last_cell = Splat(axis.last_cell);
  LanePlaces place;
  place.cell = hn::Min(hn::Floor(hn::Mul(hn::Add(whole, Splat(axis.is_area)), Splat(0.5))), last_cell);
  const V first_half = hn::Max(hn::Sub(hn::Add(place.cell, place.cell), Splat(axis.is_area)), zero);
  V scale = Splat(0.5);
  if (axis.is_area != 0) {
    scale = hn::IfThenElse(hn::Or(hn::Eq(place.cell, zero), hn::Eq(place.cell, last_cell)), one, scale);
  }
  place.f = hn::Mul(hn::Sub(half, first_half), scale);
  return place;
}

std::size_t HeightLanes(const Field& field, const std::uint16_t* whole, std::int64_t stride, HeightLaneUser& user,
                        std::size_t count, const double* x_m, const double* z_m, double* y_m, Ground* ground) {
  const hn::Rebind<std::int32_t, D> d32;
  const std::size_t lanes = hn::Lanes(d);
  const auto* origin = reinterpret_cast<const std::uint64_t*>(&field);
  const std::int64_t whole_bytes = reinterpret_cast<const char*>(whole) - reinterpret_cast<const char*>(origin);
  HWY_ALIGN std::int32_t cells_x[kLanes], cells_z[kLanes];
  HWY_ALIGN std::int64_t addresses[kLanes];
  const std::uint16_t* corners[kLanes];
  const auto answer = [&](std::size_t i) { return user.single(x_m[i], z_m[i], y_m[i], ground[i]); };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const V half_x = hn::Div(hn::LoadU(d, x_m + i), Splat(field.x.half_m));
    const V half_z = hn::Div(hn::LoadU(d, z_m + i), Splat(field.z.half_m));
    const V zero = hn::Zero(d);
    const M inside = hn::And(hn::And(hn::Ge(half_x, zero), hn::Le(half_x, Splat(field.x.last_half))),
                             hn::And(hn::Ge(half_z, zero), hn::Le(half_z, Splat(field.z.last_half))));
    const LanePlaces x = Locate(field.x, hn::IfThenElseZero(inside, half_x));
    const LanePlaces z = Locate(field.z, hn::IfThenElseZero(inside, half_z));
    M known = inside;
    hn::Vec<I> address;
    if (whole != nullptr) {
      const V index = hn::Add(hn::Mul(z.cell, Splat(double(stride))), x.cell);
      address = hn::Add(hn::ShiftLeft<1>(ToInteger(index)), hn::Set(di, whole_bytes));
    } else {
      hn::Store(hn::DemoteTo(d32, x.cell), d32, cells_x);
      hn::Store(hn::DemoteTo(d32, z.cell), d32, cells_z);
      user.corners(cells_x, cells_z, lanes, corners);
      std::uint32_t had = 0;
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        had |= std::uint32_t(corners[lane] != nullptr) << lane;
        addresses[lane] = reinterpret_cast<const char*>(corners[lane]) - reinterpret_cast<const char*>(origin);
      }
      known = hn::And(inside, MaskOf(had));
      address = hn::Load(di, addresses);
    }
    const Cell cell = CellOf(ReadCorners(origin, known, address, stride));
    const M lower = hn::Le(hn::Add(x.f, z.f), Splat(1));
    const V own = hn::IfThenElse(lower, cell.h00, cell.h11);
    const M ground_here = hn::And(known, hn::Gt(hn::Min(own, hn::Min(cell.h10, cell.h01)), zero));
    const V steps = CellHeight(cell, x.f, z.f);
    const V height = hn::Add(Splat(field.base_m), hn::Mul(Splat(field.step_m), steps));
    hn::StoreU(hn::IfThenElse(ground_here, height, Splat(std::numeric_limits<double>::quiet_NaN())), d, y_m + i);
    std::memset(static_cast<void*>(ground + i), int(Ground::surface), lanes);
    if (hn::AllTrue(d, ground_here)) {
      continue;
    }
    const std::uint32_t within = Bits(inside);
    const std::uint32_t all = (std::uint32_t(1) << lanes) - 1;
    for (std::uint32_t rest = all & ~within; rest != 0; rest &= rest - 1) {
      ground[i + std::size_t(std::countr_zero(rest))] = Ground::outside;
    }
    for (std::uint32_t rest = within & ~Bits(ground_here); rest != 0; rest &= rest - 1) {
      const std::size_t at = i + std::size_t(std::countr_zero(rest));
      if (!answer(at)) {
        return at;
      }
    }
  }
  for (; i < count; ++i) {
    if (!answer(i)) {
      return i;
    }
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(HeightLanes);

std::size_t height_lanes(const Field& field, const std::uint16_t* whole, std::int64_t stride, HeightLaneUser& user,
                         std::size_t count, const double* x_m, const double* z_m, double* y_m, Ground* ground) {
  return HWY_DYNAMIC_DISPATCH(HeightLanes)(field, whole, stride, user, count, x_m, z_m, y_m, ground);
}

}  // namespace arete::collider
#endif
