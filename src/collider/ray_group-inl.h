// A vector of walks, and what its lanes have in common with walk_ray(): blocks, cells and the way across their borders.
// Compiled once a target.
#if defined(ARETE_COLLIDER_RAY_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_COLLIDER_RAY_GROUP_INL_H_
#undef ARETE_COLLIDER_RAY_GROUP_INL_H_
#else
#define ARETE_COLLIDER_RAY_GROUP_INL_H_
#endif

#include "collider/lanes-inl.h"
#include "collider/ray_lanes.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

// Cells and levels: 32 bits beside each lane's double.
using D32 = hn::Rebind<std::int32_t, D>;
using V32 = hn::Vec<D32>;
using M32 = hn::Mask<D32>;
constexpr D32 d32;

HWY_INLINE M32 Mask32Of(std::uint32_t bits) {
  const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits)};
  return hn::LoadMaskBits(d32, bytes);
}
HWY_INLINE std::uint32_t Bits32(M32 mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d32, mask, bytes);
  return bytes[0];
}
HWY_INLINE V32 Splat32(std::int32_t value) { return hn::Set(d32, value); }

struct Group {
  HWY_ALIGN double ox[kLanes], oz[kLanes], oy[kLanes], dx[kLanes], dz[kLanes], dy[kLanes];
  // Along each axis, (border - slab) * inverse is when the ray comes to a border: infinity where it never does.
  HWY_ALIGN double slab_x[kLanes], slab_z[kLanes], ix[kLanes], iz[kLanes];
  HWY_ALIGN double t[kLanes], t_end[kLanes], t_first[kLanes], t_last[kLanes];
  HWY_ALIGN std::int32_t up_x[kLanes], up_z[kLanes];  // -1 when the ray rises along the axis, else 0
  HWY_ALIGN std::int32_t x[kLanes], z[kLanes], level[kLanes];
  HWY_ALIGN std::int32_t first_x[kLanes], first_z[kLanes];
  HWY_ALIGN std::int64_t samples[kLanes], blocks[kLanes];  // bytes from the origin of addresses
  HWY_ALIGN std::int64_t next[kLanes];  // likewise: the block's word, or the cell's sample 00, that is read next
  std::size_t ray[kLanes];
  LanePlace place[kLanes];
  std::uint32_t active = 0;  // a bit a lane
  std::uint32_t cells = 0;   // of these, the ones that stand in a cell
  std::uint32_t tests = 0;   // of these, the ones whose cell is to be tested
  std::uint32_t above = 0;   // known to be above ground
};

// Along one axis: the first cell of the block, the next one on the ray, and when it comes there.
struct Span {
  V32 first, next;
  V t_exit;
};
HWY_INLINE Span BlockSpan(V32 cell, V32 size, V32 up, V slab, V inverse) {
  Span span;
  span.first = hn::And(cell, hn::Neg(size));
  const V32 border = hn::Add(span.first, hn::And(size, up));
  span.next = hn::Add(border, hn::Not(up));
  span.t_exit = hn::Mul(hn::Sub(hn::PromoteTo(d, border), slab), inverse);
  return span;
}
// When the ray came into a cell.
HWY_INLINE V CellEntry(V32 cell, V32 up, V direction, V slab, V inverse) {
  const V border = hn::PromoteTo(d, hn::Add(hn::Add(cell, Splat32(1)), up));
  const V t = hn::Mul(hn::Sub(border, slab), inverse);
  return hn::IfThenElse(hn::Eq(direction, hn::Zero(d)), hn::Neg(t), t);
}

// Where lanes go across their borders: the next cell, the bits in which it differs from the old one, and the lanes that
// leave the field.
struct Crossing {
  V32 x, z, changed;
  std::uint32_t outside;
};
HWY_INLINE Crossing CrossBorders(const Group& group, const LaneField& field, const Span& x, const Span& z, V32 size,
                                 V t_exit) {
  const V32 last_x = Splat32(field.last_x), last_z = Splat32(field.last_z);
  const M32 along_x = Mask32Of(Bits(hn::Le(x.t_exit, z.t_exit)));
  const M z_moves = hn::Gt(x.t_exit, z.t_exit);
  const auto pick = [z_moves](const double* of_x, const double* of_z) {
    return hn::IfThenElse(z_moves, hn::Load(d, of_x), hn::Load(d, of_z));
  };
  // cell_at() along the other axis.
  const V direction = pick(group.dx, group.dz);
  const V32 first = hn::IfThenElse(along_x, z.first, x.first);
  const V32 up = hn::IfThenElse(along_x, hn::Load(d32, group.up_z), hn::Load(d32, group.up_x));
  const V32 last = hn::Min(hn::Add(first, hn::Sub(size, Splat32(1))), hn::IfThenElse(along_x, last_z, last_x));
  const V place = hn::Add(pick(group.ox, group.oz), hn::Mul(direction, t_exit));
  const V32 cell = hn::Min(hn::Max(hn::DemoteTo(d32, place), first), last);
  const V entry = CellEntry(cell, up, direction, pick(group.slab_x, group.slab_z), pick(group.ix, group.iz));
  const V32 before = hn::Min(hn::Max(hn::Add(cell, hn::Add(hn::Add(up, up), Splat32(1))), first), last);
  const V32 beside = hn::IfThenElse(Mask32Of(Bits(hn::Gt(entry, t_exit))), before, cell);
  Crossing crossing;
  crossing.x = hn::IfThenElse(along_x, x.next, beside);
  crossing.z = hn::IfThenElse(along_x, beside, z.next);
  crossing.changed = hn::Or(hn::Xor(crossing.x, hn::Load(d32, group.x)), hn::Xor(crossing.z, hn::Load(d32, group.z)));
  const V32 room =
      hn::Or(hn::Or(crossing.x, hn::Sub(last_x, crossing.x)), hn::Or(crossing.z, hn::Sub(last_z, crossing.z)));
  crossing.outside = Bits32(hn::Lt(room, hn::Zero(d32)));
  return crossing;
}

// A point of the ray within its cell, as in ray_cell.h.
struct Point {
  V t, fx, fz, c, y;
};
HWY_INLINE Point CellPoint(const Group& group, V x, V z, V t) {
  Point point;
  point.t = t;
  point.fx = hn::Sub(hn::Add(hn::Load(d, group.ox), hn::Mul(hn::Load(d, group.dx), t)), x);
  point.fz = hn::Sub(hn::Add(hn::Load(d, group.oz), hn::Mul(hn::Load(d, group.dz), t)), z);
  point.c = hn::Sub(hn::Add(point.fx, point.fz), Splat(1));
  point.y = hn::Add(hn::Load(d, group.oy), hn::Mul(hn::Load(d, group.dy), t));
  return point;
}

// Where a piece that starts above the ground and ends on or under it meets it.
HWY_INLINE V MeetTime(V t_a, V over_a, V t_b, V over_b) {
  const V part = hn::Div(over_a, hn::Sub(over_a, over_b));
  const V t = hn::Add(t_a, hn::Mul(hn::Sub(t_b, t_a), part));
  return hn::IfThenElse(hn::Gt(over_a, hn::Zero(d)), t, t_a);
}

// meet_whole_cell() for the lanes of `tested`: which meet the ground, where, and in which triangle.
struct Met {
  std::uint32_t lanes = 0, upper = 0, hand_over = 0, above = 0;
  HWY_ALIGN double t[kLanes];
};
HWY_INLINE void MeetCells(const Group& group, const LaneField& field, M tested, const Cell& cell, V nearest, Met& met) {
  const V zero = hn::Zero(d);
  const V32 cell_x = hn::Load(d32, group.x), cell_z = hn::Load(d32, group.z);
  const V x = hn::PromoteTo(d, cell_x), z = hn::PromoteTo(d, cell_z);
  const V enter_x = CellEntry(cell_x, hn::Load(d32, group.up_x), hn::Load(d, group.dx), hn::Load(d, group.slab_x),
                              hn::Load(d, group.ix));
  const V enter_z = CellEntry(cell_z, hn::Load(d32, group.up_z), hn::Load(d, group.dz), hn::Load(d, group.slab_z),
                              hn::Load(d, group.iz));
  const V t_last = hn::Load(d, group.t_last);
  const V t_b = hn::Min(nearest, t_last);
  const V t_a = hn::Min(hn::Max(hn::Max(enter_x, enter_z), hn::Load(d, group.t_first)), t_b);
  const M has_length = hn::Or(hn::Lt(t_a, t_b), hn::Ge(t_b, t_last));
  const Point a = CellPoint(group, x, z, t_a);
  const Point b = CellPoint(group, x, z, t_b);
  const V over_a = hn::Sub(a.y, CellHeight(cell, a.fx, a.fz));
  const V over_b = hn::Sub(b.y, CellHeight(cell, b.fx, b.fz));
  // A corner without ground, an unknown start that is not above, or a half cell: not for lanes.
  const V least = hn::Min(hn::Min(cell.h00, cell.h11), hn::Min(cell.h10, cell.h01));
  M strange = hn::And(hn::Eq(least, zero), tested);
  strange =
      hn::Or(strange, hn::AndNot(MaskOf(group.above), hn::And(tested, hn::And(has_length, hn::Le(over_a, zero)))));
  if (field.is_area != 0) {
    const V last_x = Splat(field.last_x), last_z = Splat(field.last_z);
    const M rim = hn::Or(hn::Or(hn::Eq(x, zero), hn::Eq(z, zero)), hn::Or(hn::Eq(x, last_x), hn::Eq(z, last_z)));
    strange = hn::Or(strange, hn::And(rim, tested));
  }
  const M alive = hn::AndNot(strange, hn::And(tested, has_length));
  const M crosses =
      hn::Or(hn::And(hn::Lt(a.c, zero), hn::Gt(b.c, zero)), hn::And(hn::Gt(a.c, zero), hn::Lt(b.c, zero)));
  const V on_diagonal = hn::Add(t_a, hn::Mul(hn::Sub(t_b, t_a), hn::Div(a.c, hn::Sub(a.c, b.c))));
  const Point middle = CellPoint(group, x, z, on_diagonal);
  const V over_d = hn::Sub(middle.y, hn::Add(cell.h01, hn::Mul(middle.fx, hn::Sub(cell.h10, cell.h01))));
  const M first = hn::And(crosses, hn::Le(over_d, zero));
  const M meets = hn::And(alive, hn::Or(first, hn::Le(over_b, zero)));
  // The piece in which they meet: a..d, d..b, or a..b.
  const M second = hn::AndNot(first, crosses);
  const V start_t = hn::IfThenElse(second, middle.t, t_a), start_over = hn::IfThenElse(second, over_d, over_a);
  const V stop_t = hn::IfThenElse(first, middle.t, t_b), stop_over = hn::IfThenElse(first, over_d, over_b);
  const V side = hn::IfThenElse(first, a.c, hn::IfThenElse(second, b.c, hn::Add(a.c, b.c)));
  hn::Store(MeetTime(start_t, start_over, stop_t, stop_over), d, met.t);
  met.lanes = Bits(meets);
  met.upper = Bits(hn::Gt(side, zero));
  met.hand_over = Bits(strange);
  met.above = Bits(alive);
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#endif
