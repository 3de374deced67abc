// The lanes: vectors of double that hold one walk each, several vectors interleaved so that one's cache misses hide
// behind the others' arithmetic.
#include "collider/ray_lanes.h"

#include <bit>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/ray_lanes.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/ray_group-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

constexpr std::size_t kGroups = 6;
constexpr int kPageShift = std::countr_zero(unsigned(kPageCells));
// Cells are tested when this many lanes of a group stand in one, or all that are left: a test costs as much for one
// lane as for all.
constexpr int kCellsAtOnce = 0;
constexpr int kTestsAtOnce = 3;

class Lanes {
 public:
  Lanes(const LaneField& field, LaneUser& user, Walk* walks, std::size_t count)
      : field_(field), user_(user), walks_(walks), count_(count), lanes_(hn::Lanes(d)) {}

  void Run() {
    for (Group& group : groups_) {
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        Refill(group, lane);
      }
    }
    for (bool any = true; any;) {
      any = false;
      for (Group& group : groups_) {
        if (group.active != 0) {
          Step(group);
          any = true;
        }
      }
    }
  }

 private:
  const char* Origin() const { return reinterpret_cast<const char*>(&field_); }
  const std::uint64_t* Origin64() const { return reinterpret_cast<const std::uint64_t*>(&field_); }

  void SetPlace(Group& group, std::size_t lane) {
    const LanePlace& place = group.place[lane];
    group.samples[lane] = reinterpret_cast<const char*>(place.samples) - Origin();
    group.blocks[lane] = reinterpret_cast<const char*>(place.blocks) - Origin();
    group.first_x[lane] = place.first_x;
    group.first_z[lane] = place.first_z;
  }

  // Takes the next ray that needs a lane.
  void Refill(Group& group, std::size_t lane) {
    const std::uint32_t bit = 1u << lane;
    group.active &= ~bit;
    group.cells &= ~bit;
    group.tests &= ~bit;
    while (next_ < count_) {
      const std::size_t ray = next_++;
      Walk& walk = walks_[ray];
      group.ray[lane] = ray;
      group.place[lane] = {};
      if (!Enter(group, lane, walk)) {
        continue;
      }
      constexpr double kNever = -std::numeric_limits<double>::infinity();
      group.ox[lane] = walk.ox, group.oz[lane] = walk.oz, group.oy[lane] = walk.oy;
      group.dx[lane] = walk.dx, group.dz[lane] = walk.dz, group.dy[lane] = walk.dy;
      group.slab_x[lane] = walk.dx == 0 ? kNever : walk.ox, group.slab_z[lane] = walk.dz == 0 ? kNever : walk.oz;
      group.ix[lane] = walk.dx == 0 ? 1 : walk.ix, group.iz[lane] = walk.dz == 0 ? 1 : walk.iz;
      group.up_x[lane] = walk.dx > 0 ? -1 : 0, group.up_z[lane] = walk.dz > 0 ? -1 : 0;
      group.t_end[lane] = walk.t_end, group.t_first[lane] = walk.t_first, group.t_last[lane] = walk.t_last;
      group.active |= bit;
      SetPlace(group, lane);
      Put(group, lane, walk);
      return;
    }
  }

  // Takes a lane's walk into the next page whose blocks it needs; false when the ray has ended instead.
  bool Enter(Group& group, std::size_t lane, Walk& walk) {
    if (!user_.enter(group.ray[lane], walk, group.place[lane])) {
      return false;
    }
    if (walk.side == Side::below) {
      user_.finish(group.ray[lane], walk, group.place[lane]);
      return false;
    }
    return true;
  }

  // The part of a walk that moves.
  void Put(Group& group, std::size_t lane, const Walk& walk) {
    group.t[lane] = walk.t;
    group.x[lane] = walk.x;
    group.z[lane] = walk.z;
    group.level[lane] = walk.level;
    const std::int64_t x = walk.x - group.first_x[lane];
    const std::int64_t z = walk.z - group.first_z[lane];
    const std::int64_t row = (std::int64_t(field_.table_last_x) >> walk.level) + 1;
    const std::int64_t block = (z >> walk.level) * row + (x >> walk.level);
    group.next[lane] = walk.level == 0 ? group.samples[lane] + 2 * (z * field_.stride + x)
                                       : group.blocks[lane] + 4 * (block + field_.offset[std::size_t(walk.level)]);
    const std::uint32_t bit = 1u << lane;
    group.above = walk.side == Side::above ? group.above | bit : group.above & ~bit;
    group.cells = walk.level == 0 ? group.cells | bit : group.cells & ~bit;
  }
  Walk& Get(const Group& group, std::size_t lane) {
    Walk& walk = walks_[group.ray[lane]];
    walk.t = group.t[lane];
    walk.x = group.x[lane];
    walk.z = group.z[lane];
    walk.level = group.level[lane];
    walk.side = (group.above >> lane & 1) != 0 ? Side::above : Side::unknown;
    return walk;
  }

  void ChangePage(Group& group, std::size_t lane) {
    Walk& walk = Get(group, lane);
    if (!Enter(group, lane, walk)) {
      Refill(group, lane);
      return;
    }
    SetPlace(group, lane);
    Put(group, lane, walk);
  }

  // Table lookups by shuffles: there are few levels.
  HWY_INLINE V32 LevelOffset(V32 level) const {
    const std::size_t lanes = hn::MaxLanes(d32);
    if (lanes < 4) {
      return hn::GatherIndex(d32, field_.offset.data(), level);
    }
    const auto place = hn::IndicesFromVec(d32, hn::And(level, Splat32(std::int32_t(lanes) - 1)));
    V32 offset = hn::TableLookupLanes(hn::Load(d32, field_.offset.data()), place);
    for (std::size_t from = lanes; from <= std::size_t(field_.top_level); from += lanes) {
      const V32 here = hn::TableLookupLanes(hn::Load(d32, field_.offset.data() + from), place);
      offset = hn::IfThenElse(hn::Gt(level, Splat32(std::int32_t(from) - 1)), here, offset);
    }
    return offset;
  }

  // Puts the lanes of `stepped` where they have come to, and asks memory for what they read next, while the other
  // groups take their steps.
  HWY_INLINE void MoveTo(Group& group, std::uint32_t stepped, V32 x, V32 z, V32 level) const {
    const M32 is_stepped = Mask32Of(stepped);
    hn::Store(hn::IfThenElse(is_stepped, x, hn::Load(d32, group.x)), d32, group.x);
    hn::Store(hn::IfThenElse(is_stepped, z, hn::Load(d32, group.z)), d32, group.z);
    hn::Store(hn::IfThenElse(is_stepped, level, hn::Load(d32, group.level)), d32, group.level);
    const M32 in_cell = hn::Eq(level, hn::Zero(d32));
    const std::uint32_t cells = Bits32(in_cell);
    const V32 block_x = hn::Shr(hn::Sub(x, hn::Load(d32, group.first_x)), level);
    const V32 block_z = hn::Shr(hn::Sub(z, hn::Load(d32, group.first_z)), level);
    const V32 blocks_in_row = hn::Add(hn::Shr(Splat32(field_.table_last_x), level), Splat32(1));
    const V32 row = hn::IfThenElse(in_cell, Splat32(field_.stride), blocks_in_row);
    const V32 in_row = hn::Add(block_x, hn::IfThenZeroElse(in_cell, LevelOffset(level)));
    const V rows = hn::Mul(hn::PromoteTo(d, block_z), hn::PromoteTo(d, row));
    const hn::Vec<I> index = ToInteger(hn::Add(rows, hn::PromoteTo(d, in_row)));
    const hn::Vec<I> samples = hn::Add(hn::Load(di, group.samples), hn::ShiftLeft<1>(index));
    const hn::Vec<I> blocks = hn::Add(hn::Load(di, group.blocks), hn::ShiftLeft<2>(index));
    const auto cell_lanes = hn::RebindMask(di, MaskOf(cells));
    const auto stepped_lanes = hn::RebindMask(di, MaskOf(stepped));
    const hn::Vec<I> next =
        hn::IfThenElse(stepped_lanes, hn::IfThenElse(cell_lanes, samples, blocks), hn::Load(di, group.next));
    hn::Store(next, di, group.next);
    group.cells = (group.cells & ~stepped) | (cells & stepped);
    // A cell needs its lower row too.
    HWY_ALIGN std::int64_t below[kLanes];
    hn::Store(hn::Add(next, hn::IfThenElseZero(cell_lanes, hn::Set(di, 2 * std::int64_t(field_.stride)))), di, below);
    for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane) {
      hwy::Prefetch(Origin() + group.next[lane]);
      hwy::Prefetch(Origin() + below[lane]);
    }
  }

  // Lanes whose cell must be tested wait until there are enough of them, or none that walk.
  void Step(Group& group) {
    if (std::popcount(group.tests) >= kTestsAtOnce || group.tests == group.active) {
      StepTests(group);
    } else {
      StepWalk(group);
    }
  }

  // For the lanes that do not wait: across the block or cell where the ray passes over it, else one level down, or to
  // the cell's test.
  void StepWalk(Group& group) {
    const std::uint32_t walking = group.active & ~group.tests;
    const V t = hn::Load(d, group.t), t_end = hn::Load(d, group.t_end);
    const V32 level = hn::Load(d32, group.level);
    const V32 one = Splat32(1);
    const V32 size = hn::Shl(one, level);
    const Span x = BlockSpan(hn::Load(d32, group.x), size, hn::Load(d32, group.up_x), hn::Load(d, group.slab_x),
                             hn::Load(d, group.ix));
    const Span z = BlockSpan(hn::Load(d32, group.z), size, hn::Load(d32, group.up_z), hn::Load(d, group.slab_z),
                             hn::Load(d, group.iz));
    const V t_exit = hn::Max(hn::Min(hn::Min(x.t_exit, z.t_exit), t_end), t);
    const V oy = hn::Load(d, group.oy), dy = hn::Load(d, group.dy);
    const V y_a = hn::Add(oy, hn::Mul(dy, t));
    const V y_b = hn::Add(oy, hn::Mul(dy, t_exit));
    const Words words = ReadWords(group, walking);
    const std::uint32_t passes = walking & Bits(hn::Gt(hn::Min(y_a, y_b), words.greatest));
    const std::uint32_t stays = walking & ~passes;
    // Under all of it, and perhaps below ground: not for lanes.
    const std::uint32_t hand_over = stays & ~group.cells & ~group.above & Bits(hn::Lt(hn::Max(y_a, y_b), words.least));
    const std::uint32_t ends = passes & Bits(hn::Ge(t_exit, t_end));
    group.above |= passes;
    group.tests |= stays & group.cells;

    const Crossing crossing = CrossBorders(group, field_, x, z, size, t_exit);
    const std::uint32_t missing = ends | (passes & crossing.outside);
    const M32 in_cell = hn::Eq(level, hn::Zero(d32));
    const V32 coarser = hn::IfThenElse(in_cell, Splat32(2), hn::Add(level, one));
    const V32 finer = hn::IfThenElseZero(hn::Gt(level, Splat32(2)), hn::Sub(level, one));  // cells under blocks of 4
    const M32 climbs =
        hn::And(hn::Gt(hn::Shr(crossing.changed, coarser), hn::Zero(d32)), hn::Lt(level, Splat32(field_.top_level)));
    const M32 moves = Mask32Of(passes);
    hn::Store(hn::IfThenElse(MaskOf(passes), t_exit, t), d, group.t);
    MoveTo(group, passes | (stays & ~group.cells & ~hand_over),
           hn::IfThenElse(moves, crossing.x, hn::Load(d32, group.x)),
           hn::IfThenElse(moves, crossing.z, hn::Load(d32, group.z)),
           hn::IfThenElse(moves, hn::IfThenElse(climbs, coarser, level), finer));
    Turn(group, hand_over, missing, passes & ~missing & Turning(crossing));
  }

  // The greatest and least steps of each lane's block, or the greatest of its cell's corners.
  struct Words {
    V greatest, least;
  };
  HWY_INLINE Words ReadWords(const Group& group, std::uint32_t wanted) const {
    const hn::Vec<I> next = hn::Load(di, group.next);
    const auto upper = hn::GatherOffset(du, Origin64(), hn::IfThenElseZero(hn::RebindMask(di, MaskOf(wanted)), next));
    const auto cells = MaskOf(wanted & group.cells);
    const hn::Vec<I> below = hn::Add(next, hn::Set(di, 2 * (std::int64_t(field_.stride) - 2)));
    const auto lower = hn::GatherOffset(du, Origin64(), hn::IfThenElseZero(hn::RebindMask(di, cells), below));
    const auto low = hn::Set(du, 0xffff);
    const auto first = hn::And(upper, low);
    const auto second = hn::And(hn::ShiftRight<16>(upper), low);
    const auto south = hn::Max(hn::And(hn::ShiftRight<32>(lower), low), hn::ShiftRight<48>(lower));
    const auto others = hn::IfThenElseZero(hn::RebindMask(du, cells), hn::Max(south, second));
    return {ToDouble(hn::Max(first, others)), ToDouble(second)};
  }

  // The test of a cell, and one cell further, for the lanes that are marked.
  void StepTests(Group& group) {
    const std::uint32_t testing = group.tests;
    const V t = hn::Load(d, group.t), t_end = hn::Load(d, group.t_end);
    const CellSpans spans = SpansOf(group);
    const V nearest = hn::Min(spans.x.t_exit, spans.z.t_exit);
    const V t_exit = hn::Max(hn::Min(nearest, t_end), t);
    const Cell cell = CellOf(ReadCorners(Origin64(), MaskOf(testing), hn::Load(di, group.next), field_.stride));
    GroupMet met;
    MeetGroup(group, field_, MaskOf(testing), cell, nearest, met);
    group.tests = 0;
    group.above |= met.above & ~met.hand_over;
    for (std::uint32_t rest = met.lanes; rest != 0; rest &= rest - 1) {
      const std::size_t lane = std::size_t(std::countr_zero(rest));
      const Walk& walk = Get(group, lane);
      user_.met(group.ray[lane], walk, {met.t[lane], walk.x, walk.z, (met.upper >> lane & 1) != 0, false},
                group.place[lane]);
    }
    Cross(group, testing & ~(met.hand_over | met.lanes), spans, t_exit, met.hand_over);
    for (std::uint32_t rest = met.lanes; rest != 0; rest &= rest - 1) {
      Refill(group, std::size_t(std::countr_zero(rest)));
    }
  }

  struct CellSpans {
    Span x, z;
  };
  HWY_INLINE static CellSpans SpansOf(const Group& group) {
    return {BlockSpan(hn::Load(d32, group.x), Splat32(1), hn::Load(d32, group.up_x), hn::Load(d, group.slab_x),
                      hn::Load(d, group.ix)),
            BlockSpan(hn::Load(d32, group.z), Splat32(1), hn::Load(d32, group.up_z), hn::Load(d, group.slab_z),
                      hn::Load(d, group.iz))};
  }
  // One cell further for the lanes of `moving`.
  HWY_INLINE void Cross(Group& group, std::uint32_t moving, const CellSpans& spans, V t_exit, std::uint32_t hand_over) {
    const Crossing crossing = CrossBorders(group, field_, spans.x, spans.z, Splat32(1), t_exit);
    const V t = hn::Load(d, group.t);
    const std::uint32_t missing = moving & (Bits(hn::Ge(t_exit, hn::Load(d, group.t_end))) | crossing.outside);
    const M32 climbs = hn::Gt(hn::ShiftRight<2>(crossing.changed), hn::Zero(d32));
    hn::Store(hn::IfThenElse(MaskOf(moving), t_exit, t), d, group.t);
    MoveTo(group, moving, crossing.x, crossing.z, hn::IfThenElseZero(climbs, Splat32(2)));
    Turn(group, hand_over, missing, moving & ~missing & Turning(crossing));
  }

  // Lanes whose next cell lies on another page.
  HWY_INLINE std::uint32_t Turning(const Crossing& crossing) const {
    return Bits32(hn::Gt(hn::ShiftRight<kPageShift>(crossing.changed), hn::Zero(d32)));
  }

  // What ends or changes: rays that are handed over, rays that miss, rays that come to another page.
  void Turn(Group& group, std::uint32_t hand_over, std::uint32_t missing, std::uint32_t turning) {
    for (std::uint32_t rest = hand_over; rest != 0; rest &= rest - 1) {
      const std::size_t lane = std::size_t(std::countr_zero(rest));
      user_.finish(group.ray[lane], Get(group, lane), group.place[lane]);
      Refill(group, lane);
    }
    for (std::uint32_t rest = missing; rest != 0; rest &= rest - 1) {
      const std::size_t lane = std::size_t(std::countr_zero(rest));
      user_.miss(group.ray[lane], group.place[lane]);
      Refill(group, lane);
    }
    for (std::uint32_t rest = turning; rest != 0; rest &= rest - 1) {
      ChangePage(group, std::size_t(std::countr_zero(rest)));
    }
  }

  const LaneField& field_;
  LaneUser& user_;
  Walk* walks_;
  std::size_t count_;
  std::size_t lanes_;
  std::size_t next_ = 0;
  Group groups_[kGroups] = {};
};

void WalkLanes(const LaneField& field, LaneUser& user, Walk* walks, std::size_t count) {
  Lanes(field, user, walks, count).Run();
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(WalkLanes);

void walk_lanes(const LaneField& field, LaneUser& user, Walk* walks, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(WalkLanes)(field, user, walks, count);
}

}  // namespace arete::collider
#endif
