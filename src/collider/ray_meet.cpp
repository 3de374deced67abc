// The lanes of the exact test: walk_ray()'s step in a cell, operation for operation.
#include "collider/ray_meet.h"

#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/ray_meet.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/meet_cell-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

// A vector of walks.
struct Vectors : CellRays {
  V ix, iz;
  V t, t_end;
};

// Along one axis of a cell: the next cell on the ray, and when the ray enters and leaves; always and never where it
// runs along.
struct Span {
  V next;
  V t_enter, t_exit;
};
HWY_INLINE Span SpanOf(V cell, V o, V direction, V inverse) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const V zero = hn::Zero(d), one = Splat(1);
  const M rises = hn::Gt(direction, zero), stands = hn::Eq(direction, zero);
  const V past = hn::Add(cell, one);
  const V to_first = hn::Mul(hn::Sub(cell, o), inverse), to_past = hn::Mul(hn::Sub(past, o), inverse);
  Span span;
  span.next = hn::IfThenElse(rises, past, hn::Sub(cell, one));
  span.t_enter = hn::IfThenElse(stands, Splat(-kNever), hn::IfThenElse(rises, to_first, to_past));
  span.t_exit = hn::IfThenElse(stands, Splat(kNever), hn::IfThenElse(rises, to_past, to_first));
  return span;
}

// How a test came out, a bit each; kLeavesBlock: of 4 x 4 cells.
enum Outcome : std::uint64_t { kMeets = 1, kGoesOn = 2, kHandedOver = 4, kLeavesBlock = 8, kIsUpper = 16 };

class Tests {
 public:
  Tests(const MeetField& field, Walks& walks) : field_(field), walks_(walks) {}

  std::size_t Run(MeetUser& user, const StoppedRays& stopped, std::uint32_t* rays) {
    for (std::size_t k = 0; k < stopped.count; k += hn::Lanes(d)) {
      Test(stopped, k);
    }
    std::size_t left = 0;
    for (std::size_t k = 0; k < stopped.count; ++k) {
      const auto ray = static_cast<std::uint32_t>(stopped.ray[k]);
      const std::uint64_t outcome = outcome_[k];
      walks_.t[ray] = t_[k];
      walks_.x[ray] = x_[k];
      walks_.z[ray] = z_[k];
      walks_.above[ray] = above_[k];
      walks_.level[ray] = (outcome & kLeavesBlock) != 0 ? 2 : 0;
      walks_.is_met[ray] = (outcome & kMeets) != 0;
      walks_.is_upper[ray] = (outcome & kIsUpper) != 0;
      walks_.corners[ray] = corners_[k];
      rays[left] = ray;
      left += (outcome & kGoesOn) != 0 ? 1 : 0;
      if ((outcome & kHandedOver) != 0) [[unlikely]] {
        user.finish(ray);
      }
    }
    return left;
  }

 private:
  // Where each walk has come to in t..t + s: to the cell in which it is then, and never back.
  HWY_INLINE static V CellAt(V o, V direction, V t, V before, V last) {
    const V zero = hn::Zero(d);
    const V cell = hn::Floor(hn::Min(hn::Max(hn::Add(o, hn::Mul(direction, t)), zero), last));
    return hn::IfThenElse(hn::Lt(direction, zero), hn::Min(cell, before), hn::Max(cell, before));
  }

  HWY_INLINE void Test(const StoppedRays& stopped, std::size_t k) {
    const std::uint64_t* origin = reinterpret_cast<const std::uint64_t*>(&field_);
    const V zero = hn::Zero(d), one = Splat(1);
    const hn::Rebind<std::int32_t, D> d32;
    const auto ray = hn::LoadU(d32, stopped.ray + k);
    const hn::Vec<I> at = hn::PromoteTo(di, ray);
    const auto read = [&](const double* numbers) { return hn::GatherIndex(d, numbers, at); };
    const V last_x = Splat(field_.last_x), last_z = Splat(field_.last_z);
    Vectors lanes;
    lanes.ox = read(walks_.ox), lanes.oz = read(walks_.oz), lanes.oy = read(walks_.oy);
    lanes.dx = read(walks_.dx), lanes.dz = read(walks_.dz), lanes.dy = read(walks_.dy);
    lanes.ix = read(walks_.ix), lanes.iz = read(walks_.iz);
    lanes.t_end = read(walks_.t_end), lanes.t_first = read(walks_.t_first), lanes.t_last = read(walks_.t_last);
    const hn::Rebind<float, D> df;
    const V s = hn::PromoteTo(d, hn::LoadU(df, stopped.s + k));
    const M has_moved = hn::Gt(s, zero);
    lanes.t = hn::Min(hn::Add(read(walks_.t), s), lanes.t_end);
    const V x_before = read(walks_.x), z_before = read(walks_.z);
    lanes.x = hn::IfThenElse(has_moved, CellAt(lanes.ox, lanes.dx, lanes.t, x_before, last_x), x_before);
    lanes.z = hn::IfThenElse(has_moved, CellAt(lanes.oz, lanes.dz, lanes.t, z_before, last_z), z_before);
    lanes.above = hn::Or(has_moved, hn::Gt(read(walks_.above), zero));
    const Span x = SpanOf(lanes.x, lanes.ox, lanes.dx, lanes.ix), z = SpanOf(lanes.z, lanes.oz, lanes.dz, lanes.iz);
    const V nearest = hn::Min(x.t_exit, z.t_exit);
    const V t_exit = hn::Max(hn::Min(nearest, lanes.t_end), lanes.t);
    const M present = hn::FirstN(d, stopped.count - k);
    const hn::Vec<I> samples =
        hn::Set(di, reinterpret_cast<const char*>(field_.samples) - reinterpret_cast<const char*>(origin));
    const V index = hn::Add(hn::Mul(lanes.z, Splat(field_.stride)), lanes.x);
    const auto corners =
        ReadCorners(origin, present, hn::Add(samples, hn::ShiftLeft<1>(ToInteger(index))), field_.stride);
    const Met met = MeetCells(lanes, field_, CellOf(corners), hn::Max(x.t_enter, z.t_enter), nearest);

    const M along_x = hn::Le(x.t_exit, z.t_exit);
    const V x_next = hn::IfThenElse(along_x, x.next, lanes.x), z_next = hn::IfThenElse(along_x, lanes.z, z.next);
    const M outside = hn::Or(hn::Or(hn::Lt(x_next, zero), hn::Gt(x_next, last_x)),
                             hn::Or(hn::Lt(z_next, zero), hn::Gt(z_next, last_z)));
    const M ends = hn::Or(hn::Ge(t_exit, lanes.t_end), outside);
    const auto block = [](V cell) { return hn::Floor(hn::Mul(cell, Splat(0.25))); };
    const M in_block = hn::And(hn::Eq(block(x_next), block(lanes.x)), hn::Eq(block(z_next), block(lanes.z)));
    const auto bit = [](M mask, Outcome outcome) {
      return hn::IfThenElseZero(hn::RebindMask(du, mask), hn::Set(du, outcome));
    };
    const M stays = hn::Or(met.meets, met.hand_over);
    const auto outcome =
        hn::Or(hn::Or(bit(met.meets, kMeets), bit(met.hand_over, kHandedOver)),
               hn::Or(bit(hn::Not(hn::Or(stays, ends)), kGoesOn),
                      hn::Or(bit(hn::Not(hn::Or(stays, in_block)), kLeavesBlock), bit(met.is_upper, kIsUpper))));
    hn::StoreU(outcome, du, outcome_ + k);
    hn::StoreU(corners, du, corners_ + k);
    hn::StoreU(hn::IfThenElse(met.hand_over, lanes.t, hn::IfThenElse(met.meets, met.t, t_exit)), d, t_ + k);
    hn::StoreU(hn::IfThenElse(stays, lanes.x, x_next), d, x_ + k);
    hn::StoreU(hn::IfThenElse(stays, lanes.z, z_next), d, z_ + k);
    hn::StoreU(hn::IfThenElseZero(hn::Or(met.above, lanes.above), one), d, above_ + k);
  }

  static constexpr std::size_t kPlaces = SkipRow::kPlaces;
  const MeetField& field_;
  Walks& walks_;
  std::uint64_t outcome_[kPlaces], corners_[kPlaces];
  double t_[kPlaces], x_[kPlaces], z_[kPlaces], above_[kPlaces];
};

std::size_t MeetCellsOf(const MeetField& field, MeetUser& user, Walks& walks, const StoppedRays& stopped,
                        std::uint32_t* rays) {
  return Tests(field, walks).Run(user, stopped, rays);
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(MeetCellsOf);

std::size_t meet_cells(const MeetField& field, MeetUser& user, Walks& walks, const StoppedRays& stopped,
                       std::uint32_t* rays) {
  return HWY_DYNAMIC_DISPATCH(MeetCellsOf)(field, user, walks, stopped, rays);
}

}  // namespace arete::collider
#endif
