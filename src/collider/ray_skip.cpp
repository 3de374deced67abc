// The lanes that skip. The rays stand in two rows, of those over blocks and those over cells. A few steps are taken by
// a vector of them at a time; those that go on move up in their row or change to the other, so that lanes are always
// full and nothing branches on what a single ray does: the processor works on the next vectors while memory answers
// the last ones.
#include "collider/ray_skip.h"

#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/ray_skip.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/skip_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

constexpr int kBlockSteps = 3, kCellSteps = 2;  // at a time

class Skipper {
 public:
  Skipper(const SkipField& field, SkipRows& rows, StoppedRays& stopped)
      : field_(field), rows_(rows), stopped_(stopped) {}

  void Run() {
    Sweep<kBlockSteps>(rows_.over_blocks, rows_.over_cells, [this](Lanes& lanes) HWY_ATTR { CrossBlock(lanes); });
    Sweep<kCellSteps>(rows_.over_cells, rows_.over_blocks, [this](Lanes& lanes) HWY_ATTR { CrossCell(lanes); });
  }

 private:
  // Table lookups by shuffles: there are few levels.
  HWY_INLINE VI LevelOffset(VI level) const {
    const std::size_t lanes = hn::Lanes(dn);
    if (lanes < 4) {
      return hn::GatherIndex(dn, field_.offset, level);
    }
    const auto place = hn::IndicesFromVec(dn, hn::And(level, hn::Set(dn, std::int32_t(lanes) - 1)));
    VI offset = hn::TableLookupLanes(hn::Load(dn, field_.offset), place);
    for (std::size_t from = lanes; from <= std::size_t(field_.top_level); from += lanes) {
      const VI here = hn::TableLookupLanes(hn::Load(dn, field_.offset + from), place);
      offset = hn::IfThenElse(hn::Gt(level, hn::Set(dn, std::int32_t(from) - 1)), here, offset);
    }
    return offset;
  }

  HWY_INLINE VF GreatestOfBlock(VI x, VI z, VI level) const {
    const VI blocks_in_row = hn::Add(hn::Shr(hn::Set(dn, field_.last_x), level), hn::Set(dn, 1));
    const VI in_row = hn::Add(hn::Shr(x, level), LevelOffset(level));
    const VI index = hn::Add(hn::Mul(hn::Shr(z, level), blocks_in_row), in_row);
    const auto* blocks = reinterpret_cast<const std::int32_t*>(field_.blocks);
    return hn::ConvertTo(df, hn::And(hn::GatherIndex(dn, blocks, index), hn::Set(dn, 0xffff)));
  }
  HWY_INLINE VF GreatestOfCell(VI x, VI z) const {
    const VI at = hn::ShiftLeft<1>(hn::Add(hn::Mul(z, hn::Set(dn, field_.stride)), x));
    const VI north = hn::GatherOffset(dn, reinterpret_cast<const std::int32_t*>(field_.samples), at);
    const VI south = hn::GatherOffset(dn, reinterpret_cast<const std::int32_t*>(field_.samples + field_.stride), at);
    const VI low = hn::Set(dn, 0xffff);
    const VI west = hn::Max(hn::And(north, low), hn::And(south, low));
    const auto east =
        hn::Max(hn::ShiftRight<16>(hn::BitCast(du32, north)), hn::ShiftRight<16>(hn::BitCast(du32, south)));
    return hn::ConvertTo(df, hn::Max(west, hn::BitCast(dn, east)));
  }

  // A vector of rays under way, and which of its lanes go on in their row, change to the other, or stop.
  struct Lanes {
    SkipVectors at;
    MF walking, changing, stopped;
  };
  HWY_INLINE Lanes Take(const SkipRow& row, std::size_t k, std::size_t end) const {
    Lanes lanes;
    lanes.at = LoadRow(field_, row, k, k < end ? end - k : 0);
    lanes.walking = lanes.at.present, lanes.changing = NoLanes(), lanes.stopped = NoLanes();
    return lanes;
  }

  // Whether places lie beyond the field.
  HWY_INLINE MF Outside(const SkipVectors& at, VI x, VI z) const {
    return hn::RebindMask(df, hn::Or(hn::Gt(hn::Xor(x, at.flip_x), hn::Set(dn, field_.last_x)),
                                     hn::Gt(hn::Xor(z, at.flip_z), hn::Set(dn, field_.last_z))));
  }

  HWY_INLINE void CrossBlock(Lanes& lanes) const {
    SkipVectors& at = lanes.at;
    const VI zero = hn::Zero(dn), one = hn::Set(dn, 1);
    const VI reach = hn::Sub(hn::Shl(one, at.level), one);
    const VI end_x = hn::Or(at.x, reach), end_z = hn::Or(at.z, reach);
    const VI border_x = hn::Add(end_x, one), border_z = hn::Add(end_z, one);
    const VF crossing_x = CrossingOf(border_x, at.px, at.ix), crossing_z = CrossingOf(border_z, at.pz, at.iz);
    const VF crossing = hn::Min(crossing_x, crossing_z);
    const MF reaches = hn::Ge(crossing, at.s_near);
    const VF s_next = hn::IfThenElse(reaches, at.s_end, hn::Max(crossing, at.s));
    const VF y_next = hn::Add(at.py, hn::Mul(at.dy, s_next));
    const VF greatest = GreatestOfBlock(hn::Xor(at.x, at.flip_x), hn::Xor(at.z, at.flip_z), at.level);
    const MF over = hn::Gt(hn::Min(at.y, y_next), greatest);
    const MF passes = hn::And(lanes.walking, over), fails = hn::AndNot(over, lanes.walking);
    const auto along_x = hn::RebindMask(dn, hn::Le(crossing_x, crossing_z));
    const VI x_next = hn::IfThenElse(along_x, border_x, CellAt(at.x, end_x, at.px, at.dx, s_next));
    const VI z_next = hn::IfThenElse(along_x, CellAt(at.z, end_z, at.pz, at.dz, s_next), border_z);
    const MF goes_on = hn::AndNot(reaches, passes);
    const MF leaves = hn::And(goes_on, Outside(at, x_next, z_next));
    const MF moving = hn::AndNot(leaves, goes_on);
    const MF enters = hn::And(fails, hn::RebindMask(df, hn::Eq(at.level, hn::Set(dn, kFinestBlock))));
    const MF sinking = hn::AndNot(enters, fails);
    // The border of a block twice as large.
    const VI border = hn::IfThenElse(along_x, border_x, border_z);
    const auto climbs = hn::And(hn::Eq(hn::And(border, hn::Add(hn::Add(reach, reach), one)), zero),
                                hn::Lt(at.level, hn::Set(dn, field_.top_level)));
    const auto moves = hn::RebindMask(dn, moving);
    at.s = hn::IfThenElse(passes, s_next, at.s);
    at.y = hn::IfThenElse(passes, y_next, at.y);
    at.x = hn::IfThenElse(moves, x_next, at.x);
    at.z = hn::IfThenElse(moves, z_next, at.z);
    at.level = hn::Add(at.level, hn::IfThenElseZero(hn::And(moves, climbs), one));
    at.level = hn::Sub(at.level, hn::IfThenElseZero(hn::RebindMask(dn, sinking), one));
    lanes.stopped = hn::Or(lanes.stopped, leaves);
    lanes.changing = hn::Or(lanes.changing, enters);
    lanes.walking = hn::Or(moving, sinking);
  }

  HWY_INLINE void CrossCell(Lanes& lanes) const {
    SkipVectors& at = lanes.at;
    const VI one = hn::Set(dn, 1);
    const VI border_x = hn::Add(at.x, one), border_z = hn::Add(at.z, one);
    const VF crossing_x = CrossingOf(border_x, at.px, at.ix), crossing_z = CrossingOf(border_z, at.pz, at.iz);
    const VF crossing = hn::Min(crossing_x, crossing_z);
    const MF reaches = hn::Ge(crossing, at.s_near);
    const VF s_next = hn::IfThenElse(reaches, at.s_end, hn::Max(crossing, at.s));
    const VF y_next = hn::Add(at.py, hn::Mul(at.dy, s_next));
    const MF over = hn::Gt(hn::Min(at.y, y_next), GreatestOfCell(hn::Xor(at.x, at.flip_x), hn::Xor(at.z, at.flip_z)));
    const MF passes = hn::And(lanes.walking, over), fails = hn::AndNot(over, lanes.walking);
    const auto along_x = hn::RebindMask(dn, hn::Le(crossing_x, crossing_z));
    const VI x_next = hn::IfThenElse(along_x, border_x, at.x), z_next = hn::IfThenElse(along_x, at.z, border_z);
    const MF goes_on = hn::AndNot(reaches, passes);
    const MF leaves = hn::And(goes_on, Outside(at, x_next, z_next));
    const MF moving = hn::AndNot(leaves, goes_on);
    const VI border = hn::IfThenElse(along_x, border_x, border_z);
    const auto in_block = hn::Eq(hn::And(border, hn::Set(dn, (1 << kFinestBlock) - 1)), hn::Zero(dn));
    const MF to_block = hn::And(moving, hn::RebindMask(df, in_block));
    const auto moves = hn::RebindMask(dn, moving);
    at.s = hn::IfThenElse(passes, s_next, at.s);
    at.y = hn::IfThenElse(passes, y_next, at.y);
    at.x = hn::IfThenElse(moves, x_next, at.x);
    at.z = hn::IfThenElse(moves, z_next, at.z);
    at.level = hn::Set(dn, kFinestBlock);  // should it change to blocks
    lanes.stopped = hn::Or(lanes.stopped, hn::Or(fails, leaves));
    lanes.changing = hn::Or(lanes.changing, to_block);
    lanes.walking = hn::AndNot(to_block, moving);
  }

  // Takes the rays of a row on, two vectors at a time, step by step: the processor looks no further ahead. Those that
  // change go to `other`.
  template <int kSteps, class Cross>
  HWY_INLINE void Sweep(SkipRow& row, SkipRow& other, const Cross& cross) {
    const std::size_t end = row.count;
    row.count = 0;
    for (std::size_t k = 0; k < end; k += 2 * hn::Lanes(df)) {
      Lanes a = Take(row, k, end), b = Take(row, k + hn::Lanes(df), end);
      for (int step = 0; step < kSteps; ++step) {
        cross(a);
        cross(b);
      }
      for (const Lanes* lanes : {&a, &b}) {
        Append(row, lanes->at, lanes->walking);
        Append(other, lanes->at, lanes->changing);
        Stop(lanes->at, lanes->stopped);
      }
    }
  }

  HWY_INLINE void Stop(const SkipVectors& lanes, MF stopped) {
    const VI ray = hn::And(lanes.ray, hn::Set(dn, kRayBits));
    const Packing packing(stopped);
    packing.Store(lanes.s, stopped_.s + stopped_.count);
    packing.Store(ray, stopped_.ray + stopped_.count);
    stopped_.count += packing.count();
  }

  const SkipField& field_;
  SkipRows& rows_;
  StoppedRays& stopped_;
};

void SkipSpace(const SkipField& field, SkipRows& rows, StoppedRays& stopped) { Skipper(field, rows, stopped).Run(); }

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(SkipSpace);

void skip_space(const SkipField& field, SkipRows& rows, StoppedRays& stopped) {
  HWY_DYNAMIC_DISPATCH(SkipSpace)(field, rows, stopped);
}

SkipField make_skip_field(const Field& field, const HeightfieldView& view, const RayBounds& bounds) {
  SkipField skip{};
  skip.blocks = bounds.level(2);
  skip.samples = view.data();
  skip.stride = view.lattice().stops_x;
  skip.last_x = field.x.last_cell;
  skip.last_z = field.z.last_cell;
  skip.turned = std::int32_t(std::bit_ceil(std::uint32_t(std::max(field.x.last_cell, field.z.last_cell)) + 1) - 1);
  const auto before = [](std::int32_t end) { return std::nextafter(float(end), 0.0f); };
  skip.far_x[0] = before(skip.last_x + 1), skip.far_z[0] = before(skip.last_z + 1);
  skip.far_x[1] = skip.far_z[1] = before(skip.turned + 1);
  skip.top_level = bounds.top_level();
  for (int level = 2; level <= bounds.top_level(); ++level) {
    skip.offset[level] = static_cast<std::int32_t>(bounds.level(level) - bounds.level(2));
  }
  // Places are off by a few roundings of the field's width, the end by kNearEnd, heights by a few roundings of 2^16
  // steps. An area raster's rim is half as wide, so twice as steep.
  const float cells = float(skip.turned) + 1;
  const float beside = 16 * 0x1p-24f * cells + kNearEnd;
  skip.room = 0.0625f + 2 * beside * float(bounds.steepest()) * float(1 + field.x.is_area);
  return skip;
}

}  // namespace arete::collider
#endif
