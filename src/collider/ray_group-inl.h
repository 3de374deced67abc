// A vector of walks, and what its lanes have in common with walk_ray(): blocks, cells and the way across their borders.
// Compiled once a target.
#if defined(ARETE_COLLIDER_RAY_GROUP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_COLLIDER_RAY_GROUP_INL_H_
#undef ARETE_COLLIDER_RAY_GROUP_INL_H_
#else
#define ARETE_COLLIDER_RAY_GROUP_INL_H_
#endif

#include "collider/meet_cell-inl.h"
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

// MeetCells() of meet_cell-inl.h for the lanes of `tested`, a bit each.
struct GroupMet {
  std::uint32_t lanes = 0, upper = 0, hand_over = 0, above = 0;
  HWY_ALIGN double t[kLanes];
};
HWY_INLINE void MeetGroup(const Group& group, const LaneField& field, M tested, const Cell& cell, V nearest,
                          GroupMet& met) {
  const V32 cell_x = hn::Load(d32, group.x), cell_z = hn::Load(d32, group.z);
  CellRays rays;
  rays.ox = hn::Load(d, group.ox), rays.oz = hn::Load(d, group.oz), rays.oy = hn::Load(d, group.oy);
  rays.dx = hn::Load(d, group.dx), rays.dz = hn::Load(d, group.dz), rays.dy = hn::Load(d, group.dy);
  rays.t_first = hn::Load(d, group.t_first), rays.t_last = hn::Load(d, group.t_last);
  rays.x = hn::PromoteTo(d, cell_x), rays.z = hn::PromoteTo(d, cell_z);
  rays.above = MaskOf(group.above);
  const V enter_x =
      CellEntry(cell_x, hn::Load(d32, group.up_x), rays.dx, hn::Load(d, group.slab_x), hn::Load(d, group.ix));
  const V enter_z =
      CellEntry(cell_z, hn::Load(d32, group.up_z), rays.dz, hn::Load(d, group.slab_z), hn::Load(d, group.iz));
  const Met found = MeetCells(rays, field, cell, hn::Max(enter_x, enter_z), nearest);
  hn::Store(found.t, d, met.t);
  met.lanes = Bits(hn::And(found.meets, tested));
  met.upper = Bits(found.is_upper);
  met.hand_over = Bits(hn::And(found.hand_over, tested));
  met.above = Bits(hn::And(found.above, tested));
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#endif
