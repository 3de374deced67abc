// The lanes of the exact test: walk_ray()'s step in a cell, operation for operation.
#include "collider/ray_meet.h"

#include <bit>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/ray_meet.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/meet_cell-inl.h"
#include "collider/walk_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

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

class Tests {
 public:
  Tests(const MeetField& field, const SkipField& skip, MeetUser& user, Walks& walks, SkipRows& rows)
      : field_(field), skip_(skip), user_(user), walks_(walks), rows_(rows) {}

  // The rays from k on, of which `left` stand there.
  void Test(const StoppedRays& stopped, std::size_t k, std::size_t left) {
    const std::uint64_t* origin = reinterpret_cast<const std::uint64_t*>(&field_);
    const V zero = hn::Zero(d);
    const V last_x = Splat(field_.last_x), last_z = Splat(field_.last_z);
    const WalkPlaces places = PlacesOf(walks_, stopped.ray + k);
    WalkLanes w = LoadWalks(places.record);
    const auto above = hn::Set(du, WalkRecord::kAbove);
    const V s = hn::PromoteTo(d, hn::LoadU(dh, stopped.s + k));
    const M has_moved = hn::Gt(s, zero);
    w.t = hn::Min(hn::Add(w.t, s), w.t_end);
    w.x = hn::IfThenElse(has_moved, CellAt(w.ox, w.dx, w.t, w.x, last_x), w.x);
    w.z = hn::IfThenElse(has_moved, CellAt(w.oz, w.dz, w.t, w.z, last_z), w.z);
    w.state = hn::Or(w.state, hn::IfThenElseZero(hn::RebindMask(du, has_moved), above));
    const Span x = SpanOf(w.x, w.ox, w.dx, w.ix), z = SpanOf(w.z, w.oz, w.dz, w.iz);
    const V nearest = hn::Min(x.t_exit, z.t_exit);
    const V t_exit = hn::Max(hn::Min(nearest, w.t_end), w.t);
    const hn::Vec<I> samples =
        hn::Set(di, reinterpret_cast<const char*>(field_.samples) - reinterpret_cast<const char*>(origin));
    const V index = hn::Add(hn::Mul(w.z, Splat(field_.stride)), w.x);
    w.corners =
        ReadCorners(origin, hn::FirstN(d, left), hn::Add(samples, hn::ShiftLeft<1>(ToInteger(index))), field_.stride);
    const CellRays rays{w.ox,
                        w.oz,
                        w.oy,
                        w.dx,
                        w.dz,
                        w.dy,
                        w.t_first,
                        w.t_last,
                        w.x,
                        w.z,
                        hn::RebindMask(d, hn::Eq(hn::And(w.state, above), above))};
    const Met met = MeetCells(rays, field_, CellOf(w.corners), hn::Max(x.t_enter, z.t_enter), nearest);

    const M along_x = hn::Le(x.t_exit, z.t_exit);
    const V x_next = hn::IfThenElse(along_x, x.next, w.x), z_next = hn::IfThenElse(along_x, w.z, z.next);
    const M outside = hn::Or(hn::Or(hn::Lt(x_next, zero), hn::Gt(x_next, last_x)),
                             hn::Or(hn::Lt(z_next, zero), hn::Gt(z_next, last_z)));
    const M ends = hn::Or(hn::Ge(t_exit, w.t_end), outside);
    const auto block = [](V cell) HWY_ATTR { return hn::Floor(hn::Mul(cell, Splat(0.25))); };
    const M in_block = hn::And(hn::Eq(block(x_next), block(w.x)), hn::Eq(block(z_next), block(w.z)));
    const M stays = hn::Or(met.meets, met.hand_over);
    const auto bit = [](M mask, std::uint64_t flag)
                         HWY_ATTR { return hn::IfThenElseZero(hn::RebindMask(du, mask), hn::Set(du, flag)); };
    w.state =
        hn::Or(hn::Or(w.state, bit(met.above, WalkRecord::kAbove)),
               hn::Or(bit(met.meets, WalkRecord::kIsMet), bit(hn::And(met.meets, met.is_upper), WalkRecord::kIsUpper)));
    w.t = hn::IfThenElse(met.hand_over, w.t, hn::IfThenElse(met.meets, met.t, t_exit));
    w.x = hn::IfThenElse(stays, w.x, x_next);
    w.z = hn::IfThenElse(stays, w.z, z_next);
    StoreMoved(w, places);
    const std::uint32_t here = (1u << std::min(left, kLanes)) - 1;
    const std::uint32_t going = Bits(hn::Not(hn::Or(stays, ends))) & here, inner = Bits(in_block);
    if (going != 0) {
      const RowEntries entries = EntriesOf(skip_, w, hn::LoadU(dhn, stopped.ray + k));
      Enter(rows_.over_cells, entries, 0, going & inner);
      Enter(rows_.over_blocks, entries, kFinestBlock, going & ~inner);
    }
    for (std::uint32_t rest = Bits(met.hand_over) & here; rest != 0; rest &= rest - 1) [[unlikely]] {
        user_.finish(static_cast<std::uint32_t>(stopped.ray[k + std::size_t(std::countr_zero(rest))]));
      }
  }

 private:
  // Where each walk has come to in t..t + s: to the cell in which it is then, and never back.
  HWY_INLINE static V CellAt(V o, V direction, V t, V before, V last) {
    const V zero = hn::Zero(d);
    const V cell = hn::Floor(hn::Min(hn::Max(hn::Add(o, hn::Mul(direction, t)), zero), last));
    return hn::IfThenElse(hn::Lt(direction, zero), hn::Min(cell, before), hn::Max(cell, before));
  }

  const MeetField& field_;
  const SkipField& skip_;
  MeetUser& user_;
  Walks& walks_;
  SkipRows& rows_;
};

void MeetCellsOf(const MeetField& field, const SkipField& skip, MeetUser& user, Walks& walks, StoppedRays& stopped,
                 SkipRows& rows) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    stopped.ray[stopped.count + lane] = std::int32_t(Walks::kNobody);
  }
  Tests tests(field, skip, user, walks, rows);
  for (std::size_t k = 0; k < stopped.count; k += kLanes) {
    tests.Test(stopped, k, stopped.count - k);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(MeetCellsOf);

void meet_cells(const MeetField& field, const SkipField& skip, MeetUser& user, Walks& walks, StoppedRays& stopped,
                SkipRows& rows) {
  HWY_DYNAMIC_DISPATCH(MeetCellsOf)(field, skip, user, walks, stopped, rows);
}

}  // namespace arete::collider
#endif
