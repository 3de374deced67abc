// The lanes: vectors of double that hold one walk each, several vectors interleaved so that one's cache misses hide
// behind the others' arithmetic.
#include "collider/ray_lanes.h"

#include <bit>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/ray_lanes.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "collider/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

constexpr std::size_t kGroups = 4;

// 1 / 2^k.
HWY_INLINE V Reciprocal(V power) {
  return hn::BitCast(d, hn::Sub(hn::Set(du, std::uint64_t(2046) << 52), hn::BitCast(du, power)));
}

struct Group {
  HWY_ALIGN double ox[kLanes], oz[kLanes], oy[kLanes], dx[kLanes], dz[kLanes], dy[kLanes], ix[kLanes], iz[kLanes];
  // Along each axis: 1 when the ray rises, else 0; and infinity when it stands, else 0.
  HWY_ALIGN double up_x[kLanes], up_z[kLanes], never_x[kLanes], never_z[kLanes];
  HWY_ALIGN double t[kLanes], t_end[kLanes], t_first[kLanes], t_last[kLanes];
  HWY_ALIGN double x[kLanes], z[kLanes], scale[kLanes];  // the cell, and 2^level
  HWY_ALIGN double first_x[kLanes], first_z[kLanes];
  HWY_ALIGN std::int64_t samples[kLanes], blocks[kLanes];  // bytes from the origin of addresses
  HWY_ALIGN std::int64_t next[kLanes];  // likewise: the block's word, or the cell's sample 00, that is read next
  std::size_t ray[kLanes];
  LanePlace place[kLanes];
  std::uint32_t active = 0;  // a bit a lane
  std::uint32_t above = 0;   // known to be above ground
};

class Lanes {
 public:
  Lanes(const LaneField& field, LaneUser& user, Walk* walks, std::size_t count)
      : field_(field), user_(user), walks_(walks), count_(count), lanes_(hn::Lanes(d)) {}

  void Run() {
    for (Group& group : groups_) {
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        group.scale[lane] = 1;
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
  const std::uint64_t* Words() const { return reinterpret_cast<const std::uint64_t*>(&field_); }

  void SetPlace(Group& group, std::size_t lane) {
    const LanePlace& place = group.place[lane];
    group.samples[lane] = reinterpret_cast<const char*>(place.samples) - Origin();
    group.blocks[lane] = reinterpret_cast<const char*>(place.blocks) - Origin();
    group.first_x[lane] = place.first_x;
    group.first_z[lane] = place.first_z;
  }

  // Takes the next ray that needs a lane.
  void Refill(Group& group, std::size_t lane) {
    group.active &= ~(1u << lane);
    while (next_ < count_) {
      const std::size_t ray = next_++;
      Walk& walk = walks_[ray];
      group.ray[lane] = ray;
      group.place[lane] = field_.place;
      if (field_.in_pages && !Enter(group, lane, walk)) {
        continue;
      }
      group.ox[lane] = walk.ox, group.oz[lane] = walk.oz, group.oy[lane] = walk.oy;
      group.dx[lane] = walk.dx, group.dz[lane] = walk.dz, group.dy[lane] = walk.dy;
      group.ix[lane] = walk.ix, group.iz[lane] = walk.iz;
      group.up_x[lane] = walk.dx > 0 ? 1 : 0, group.up_z[lane] = walk.dz > 0 ? 1 : 0;
      constexpr double kNever = std::numeric_limits<double>::infinity();
      group.never_x[lane] = walk.dx == 0 ? kNever : 0, group.never_z[lane] = walk.dz == 0 ? kNever : 0;
      group.t_end[lane] = walk.t_end, group.t_first[lane] = walk.t_first, group.t_last[lane] = walk.t_last;
      group.active |= 1u << lane;
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
    group.scale[lane] = double(std::int64_t(1) << walk.level);
    const std::int64_t x = walk.x - group.place[lane].first_x;
    const std::int64_t z = walk.z - group.place[lane].first_z;
    const std::int64_t row = (std::int64_t(field_.table_last_x) >> walk.level) + 1;
    const std::int64_t block = (z >> walk.level) * row + (x >> walk.level);
    group.next[lane] = walk.level == 0
                           ? group.samples[lane] + 2 * (z * field_.stride + x)
                           : group.blocks[lane] + 4 * (block + std::int64_t(field_.offset[std::size_t(walk.level)]));
    group.above = (group.above & ~(1u << lane)) | std::uint32_t(walk.side == Side::above) << lane;
  }
  Walk& Get(const Group& group, std::size_t lane) {
    Walk& walk = walks_[group.ray[lane]];
    walk.t = group.t[lane];
    walk.x = static_cast<std::int32_t>(group.x[lane]);
    walk.z = static_cast<std::int32_t>(group.z[lane]);
    walk.level = std::ilogb(group.scale[lane]);
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

  // Along one axis: the block that holds the cell, the next one, and when the ray leaves.
  struct Span {
    V first, next, t_exit;
  };
  HWY_INLINE static Span BlockSpan(V o, V inverse, V up, V never, V cell, V scale, V per_scale) {
    Span span;
    span.first = hn::Mul(hn::Floor(hn::Mul(cell, per_scale)), scale);
    const V border = hn::Add(span.first, hn::Mul(up, scale));
    span.next = hn::Add(border, hn::Sub(up, Splat(1)));
    span.t_exit = hn::Add(hn::Mul(hn::Sub(border, o), inverse), never);
    return span;
  }
  // When it came into a cell.
  HWY_INLINE static V CellEntry(V o, V inverse, V up, V never, V cell) {
    const V border = hn::Add(cell, hn::Sub(Splat(1), up));
    return hn::Sub(hn::Mul(hn::Sub(border, o), inverse), never);
  }

  HWY_INLINE static M SameBlock(V cell, V other, V per_scale) {
    return hn::Eq(hn::Floor(hn::Mul(cell, per_scale)), hn::Floor(hn::Mul(other, per_scale)));
  }

  struct Point {
    V t, fx, fz, c, y;
  };
  HWY_INLINE static Point CellPoint(const Group& group, V x, V z, V t) {
    Point point;
    point.t = t;
    point.fx = hn::Sub(hn::Add(hn::Load(d, group.ox), hn::Mul(hn::Load(d, group.dx), t)), x);
    point.fz = hn::Sub(hn::Add(hn::Load(d, group.oz), hn::Mul(hn::Load(d, group.dz), t)), z);
    point.c = hn::Sub(hn::Add(point.fx, point.fz), Splat(1));
    point.y = hn::Add(hn::Load(d, group.oy), hn::Mul(hn::Load(d, group.dy), t));
    return point;
  }

  // Where a piece that starts above the ground and ends on or under it meets it.
  HWY_INLINE static V MeetTime(V t_a, V over_a, V t_b, V over_b) {
    const V part = hn::Div(over_a, hn::Sub(over_a, over_b));
    const V t = hn::Add(t_a, hn::Mul(hn::Sub(t_b, t_a), part));
    return hn::IfThenElse(hn::Gt(over_a, hn::Zero(d)), t, t_a);
  }

  // meet_whole_cell() for the lanes of `tested`: which meet the ground, where, and in which triangle.
  struct Met {
    std::uint32_t lanes, upper, hand_over, above;
    HWY_ALIGN double t[kLanes];
  };
  HWY_INLINE void MeetCells(const Group& group, M tested, const Cell& cell, const Span& x, const Span& z, V nearest,
                            Met& met) const {
    const V zero = hn::Zero(d);
    const V enter_x = CellEntry(hn::Load(d, group.ox), hn::Load(d, group.ix), hn::Load(d, group.up_x),
                                hn::Load(d, group.never_x), x.first);
    const V enter_z = CellEntry(hn::Load(d, group.oz), hn::Load(d, group.iz), hn::Load(d, group.up_z),
                                hn::Load(d, group.never_z), z.first);
    const V t_last = hn::Load(d, group.t_last);
    const V t_b = hn::Min(nearest, t_last);
    const V t_a = hn::Min(hn::Max(hn::Max(enter_x, enter_z), hn::Load(d, group.t_first)), t_b);
    const M has_length = hn::Or(hn::Lt(t_a, t_b), hn::Ge(t_b, t_last));
    const Point a = CellPoint(group, x.first, z.first, t_a);
    const Point b = CellPoint(group, x.first, z.first, t_b);
    const V over_a = hn::Sub(a.y, CellHeight(cell, a.fx, a.fz));
    const V over_b = hn::Sub(b.y, CellHeight(cell, b.fx, b.fz));
    // A corner without ground, an unknown start that is not above, or a half cell: not for lanes.
    const V least = hn::Min(hn::Min(cell.h00, cell.h11), hn::Min(cell.h10, cell.h01));
    M strange = hn::And(hn::Eq(least, zero), tested);
    strange =
        hn::Or(strange, hn::AndNot(MaskOf(group.above), hn::And(tested, hn::And(has_length, hn::Le(over_a, zero)))));
    if (field_.is_area != 0) {
      const V last_x = Splat(field_.last_x), last_z = Splat(field_.last_z);
      const M rim = hn::Or(hn::Or(hn::Eq(x.first, zero), hn::Eq(z.first, zero)),
                           hn::Or(hn::Eq(x.first, last_x), hn::Eq(z.first, last_z)));
      strange = hn::Or(strange, hn::And(rim, tested));
    }
    const M alive = hn::AndNot(strange, hn::And(tested, has_length));
    const M crosses =
        hn::Or(hn::And(hn::Lt(a.c, zero), hn::Gt(b.c, zero)), hn::And(hn::Gt(a.c, zero), hn::Lt(b.c, zero)));
    const V on_diagonal = hn::Add(t_a, hn::Mul(hn::Sub(t_b, t_a), hn::Div(a.c, hn::Sub(a.c, b.c))));
    const Point middle = CellPoint(group, x.first, z.first, on_diagonal);
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

  // Table lookups by shuffles: there are few levels.
  HWY_INLINE V LevelOffset(hn::Vec<U> level) const {
    if (hn::MaxLanes(d) < 4) {
      return hn::GatherIndex(d, field_.offset.data(), hn::BitCast(di, level));
    }
    const std::size_t lanes = hn::MaxLanes(d);
    const auto place = hn::IndicesFromVec(d, hn::And(level, hn::Set(du, lanes - 1)));
    V offset = hn::TableLookupLanes(hn::Load(d, field_.offset.data()), place);
    for (std::size_t from = lanes; from <= std::size_t(field_.top_level); from += lanes) {
      const V here = hn::TableLookupLanes(hn::Load(d, field_.offset.data() + from), place);
      const auto is_here = hn::Ge(ToDouble(level), Splat(double(from)));
      offset = hn::IfThenElse(is_here, here, offset);
    }
    return offset;
  }

  // Asks memory for what the group reads in its next step, while the other groups take theirs.
  HWY_INLINE void FetchNext(Group& group, V x, V z, V scale) const {
    const V one = Splat(1);
    const V per_scale = Reciprocal(scale);
    const M in_cell = hn::Eq(scale, one);
    const V block_x = hn::Floor(hn::Mul(hn::Sub(x, hn::Load(d, group.first_x)), per_scale));
    const V block_z = hn::Floor(hn::Mul(hn::Sub(z, hn::Load(d, group.first_z)), per_scale));
    const V blocks_in_row = hn::Add(hn::Floor(hn::Mul(Splat(field_.table_last_x), per_scale)), one);
    const V row = hn::IfThenElse(in_cell, Splat(double(field_.stride)), blocks_in_row);
    const V offset = LevelOffset(hn::Sub(hn::ShiftRight<52>(hn::BitCast(du, scale)), hn::Set(du, 1023)));
    const V index = hn::Max(hn::Add(hn::Add(hn::Mul(block_z, row), block_x), offset), hn::Zero(d));
    const V bytes = hn::Mul(index, hn::IfThenElse(in_cell, Splat(sizeof(std::uint16_t)), Splat(sizeof(std::uint32_t))));
    const auto base =
        hn::IfThenElse(hn::RebindMask(di, in_cell), hn::Load(di, group.samples), hn::Load(di, group.blocks));
    const hn::Vec<I> next = hn::Add(ToInteger(bytes), base);
    hn::Store(next, di, group.next);
    // A cell needs its lower row too.
    HWY_ALIGN std::int64_t below[kLanes];
    hn::Store(hn::Add(next, hn::IfThenElseZero(hn::RebindMask(di, in_cell), hn::Set(di, 2 * field_.stride))), di,
              below);
    for (std::size_t lane = 0; lane < hn::MaxLanes(d); ++lane) {
      hwy::Prefetch(Origin() + group.next[lane]);
      hwy::Prefetch(Origin() + below[lane]);
    }
  }

  void Step(Group& group) {
    const V zero = hn::Zero(d);
    const V one = Splat(1);
    const M active = MaskOf(group.active);
    const M above = MaskOf(group.above);
    const V t = hn::Load(d, group.t), t_end = hn::Load(d, group.t_end);
    const V dx = hn::Load(d, group.dx), dz = hn::Load(d, group.dz);
    const V ox = hn::Load(d, group.ox), oz = hn::Load(d, group.oz);
    const V cell_x = hn::Load(d, group.x), cell_z = hn::Load(d, group.z);
    const V scale = hn::Load(d, group.scale);
    const V per_scale = Reciprocal(scale);
    const Span x = BlockSpan(ox, hn::Load(d, group.ix), hn::Load(d, group.up_x), hn::Load(d, group.never_x), cell_x,
                             scale, per_scale);
    const Span z = BlockSpan(oz, hn::Load(d, group.iz), hn::Load(d, group.up_z), hn::Load(d, group.never_z), cell_z,
                             scale, per_scale);
    const V nearest = hn::Min(x.t_exit, z.t_exit);
    const V t_exit = hn::Max(hn::Min(nearest, t_end), t);
    const V oy = hn::Load(d, group.oy), dy = hn::Load(d, group.dy);
    const V y_a = hn::Add(oy, hn::Mul(dy, t));
    const V y_b = hn::Add(oy, hn::Mul(dy, t_exit));
    const V lowest = hn::Min(y_a, y_b);
    const M in_cell = hn::And(active, hn::Eq(scale, one));
    const M in_block = hn::AndNot(in_cell, active);
    const hn::Vec<I> address = hn::IfThenElseZero(hn::RebindMask(di, active), hn::Load(di, group.next));
    const auto words = hn::GatherOffset(du, Words(), address);

    M passes = hn::Lt(one, zero);
    M descends = passes;
    std::uint32_t hand_over = 0;
    if (!hn::AllFalse(d, in_block)) {
      const V greatest = ToDouble(hn::And(words, hn::Set(du, 0xffff)));
      const V least = ToDouble(hn::And(hn::ShiftRight<16>(words), hn::Set(du, 0xffff)));
      passes = hn::And(in_block, hn::Gt(lowest, greatest));
      // Under all of it, and perhaps below ground: not for lanes.
      const M under = hn::AndNot(above, hn::AndNot(passes, hn::And(in_block, hn::Lt(hn::Max(y_a, y_b), least))));
      hand_over = Bits(under);
      descends = hn::AndNot(passes, in_block);
    }
    Met met{};
    M known = passes;
    if (!hn::AllFalse(d, in_cell)) {
      const Cell cell = CellOf(Words(), in_cell, words, address, field_.stride);
      const V highest = hn::Max(hn::Max(cell.h00, cell.h11), hn::Max(cell.h10, cell.h01));
      const M over = hn::And(in_cell, hn::Gt(lowest, highest));
      known = hn::Or(known, over);
      const M tested = hn::AndNot(over, in_cell);
      if (!hn::AllFalse(d, tested)) {
        MeetCells(group, tested, cell, x, z, nearest, met);
        hand_over |= met.hand_over;
        known = hn::Or(known, MaskOf(met.above));
      }
    }
    const std::uint32_t stopping = hand_over | met.lanes;
    const M moves = hn::AndNot(hn::Or(descends, MaskOf(stopping)), active);
    const std::uint32_t ends = Bits(hn::And(moves, hn::Ge(t_exit, t_end)));

    // Across the border.
    const M along_x = hn::Le(x.t_exit, z.t_exit);
    const V reach = hn::Sub(scale, one);
    const V last_x = Splat(field_.last_x), last_z = Splat(field_.last_z);
    const V beside_z = hn::Floor(
        hn::Min(hn::Max(hn::Add(oz, hn::Mul(dz, t_exit)), z.first), hn::Min(hn::Add(z.first, reach), last_z)));
    const V beside_x = hn::Floor(
        hn::Min(hn::Max(hn::Add(ox, hn::Mul(dx, t_exit)), x.first), hn::Min(hn::Add(x.first, reach), last_x)));
    const V new_x = hn::IfThenElse(along_x, x.next, beside_x);
    const V new_z = hn::IfThenElse(along_x, beside_z, z.next);
    const M outside =
        hn::Or(hn::Or(hn::Lt(new_x, zero), hn::Gt(new_x, last_x)), hn::Or(hn::Lt(new_z, zero), hn::Gt(new_z, last_z)));
    const std::uint32_t missing = (ends | Bits(hn::And(moves, outside))) & ~stopping;
    const V coarser = hn::IfThenElse(hn::Eq(scale, one), Splat(4), hn::Add(scale, scale));
    const V per_coarser = Reciprocal(coarser);
    const M stays = hn::And(SameBlock(cell_x, new_x, per_coarser), SameBlock(cell_z, new_z, per_coarser));
    const M climbs = hn::AndNot(stays, hn::Le(coarser, Splat(double(std::int64_t(1) << field_.top_level))));
    const V finer = hn::IfThenElse(hn::Eq(scale, Splat(4)), one, hn::Mul(scale, Splat(0.5)));
    const V new_scale = hn::IfThenElse(descends, finer, hn::IfThenElse(hn::And(moves, climbs), coarser, scale));
    // Lanes that are handed over, or meet ground, keep where they stand.
    const V moved_x = hn::IfThenElse(moves, new_x, cell_x), moved_z = hn::IfThenElse(moves, new_z, cell_z);
    const V moved_scale = hn::IfThenElse(MaskOf(stopping), scale, new_scale);
    hn::Store(hn::IfThenElse(moves, t_exit, t), d, group.t);
    hn::Store(moved_x, d, group.x);
    hn::Store(moved_z, d, group.z);
    hn::Store(moved_scale, d, group.scale);
    group.above |= Bits(known) & ~hand_over;
    FetchNext(group, moved_x, moved_z, moved_scale);

    std::uint32_t turning = 0;
    if (field_.in_pages) {
      const V per_page = Splat(1.0 / kPageCells);
      turning =
          Bits(hn::AndNot(hn::And(SameBlock(cell_x, new_x, per_page), SameBlock(cell_z, new_z, per_page)), moves)) &
          ~missing;
    }
    for (std::uint32_t rest = hand_over | met.lanes | missing | turning; rest != 0; rest &= rest - 1) {
      const std::size_t lane = std::size_t(std::countr_zero(rest));
      const std::uint32_t bit = 1u << lane;
      const std::size_t ray = group.ray[lane];
      if ((hand_over & bit) != 0) {
        user_.finish(ray, Get(group, lane), group.place[lane]);
        Refill(group, lane);
      } else if ((met.lanes & bit) != 0) {
        const Walk& walk = Get(group, lane);
        user_.met(ray, walk, {met.t[lane], walk.x, walk.z, (met.upper & bit) != 0, false}, group.place[lane]);
        Refill(group, lane);
      } else if ((missing & bit) != 0) {
        user_.miss(ray, group.place[lane]);
        Refill(group, lane);
      } else {
        ChangePage(group, lane);
      }
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
