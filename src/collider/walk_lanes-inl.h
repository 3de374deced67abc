// Walks in vectors of double: as their records hold them, and as they enter the rows of f32; compiled once a target.
#if defined(ARETE_COLLIDER_WALK_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_COLLIDER_WALK_LANES_INL_H_
#undef ARETE_COLLIDER_WALK_LANES_INL_H_
#else
#define ARETE_COLLIDER_WALK_LANES_INL_H_
#endif

#include "collider/records-inl.h"
#include "collider/skip_row-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

// A WalkRecord a lane.
struct WalkLanes {
  V ox, oz, oy, dx, dz, dy, ix, iz;
  V t, t_end, t_first, t_last, x, z;
  hn::Vec<U> state, corners;
};

struct WalkPlaces {
  double* record[kLanes];
};
HWY_INLINE WalkPlaces PlacesOf(Walks& walks, const std::int32_t* rays) {
  WalkPlaces places;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    places.record[lane] = reinterpret_cast<double*>(&walks.of[rays[lane]]);
  }
  return places;
}
HWY_INLINE WalkLanes LoadWalks(const double* const* records) {
  V n[WalkRecord::kNumbers];
  LoadRecords<WalkRecord::kNumbers>(records, n);
  return {n[0],
          n[1],
          n[2],
          n[3],
          n[4],
          n[5],
          n[6],
          n[7],
          n[8],
          n[9],
          n[10],
          n[11],
          n[12],
          n[13],
          hn::BitCast(du, n[14]),
          hn::BitCast(du, n[15])};
}
// The numbers that change, and all of them.
HWY_INLINE void StoreMoved(const WalkLanes& w, const WalkPlaces& places) {
  constexpr std::size_t kKept = WalkRecord::kNumbers / 2;
  WalkPlaces second;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    second.record[lane] = places.record[lane] + kKept;
  }
  const V n[] = {w.t, w.t_end, w.t_first, w.t_last, w.x, w.z, hn::BitCast(d, w.state), hn::BitCast(d, w.corners)};
  StoreRecords<kKept>(n, second.record);
}
HWY_INLINE void StoreWalks(const WalkLanes& w, const WalkPlaces& places) {
  const V n[] = {w.ox, w.oz, w.oy, w.dx, w.dz, w.dy, w.ix, w.iz};
  StoreRecords<WalkRecord::kNumbers / 2>(n, places.record);
  StoreMoved(w, places);
}

// f32 counts no farther than this in t; a ray that is slower than the inverse of kSlowest crosses no border until then.
constexpr double kFarthest = 1e20;
constexpr float kSlowest = 1e25f;

constexpr hn::Rebind<float, D> dh;
constexpr hn::Rebind<std::int32_t, D> dhn;
using VH = hn::Vec<decltype(dh)>;
using VHN = hn::Vec<decltype(dhn)>;

// Walks as a row has them.
struct RowEntries {
  VH px, pz, py, dx, dz, dy, ix, iz, s, s_end;
  VHN x, z, ray;
};
HWY_INLINE RowEntries EntriesOf(const SkipField& field, const WalkLanes& w, VHN ray) {
  RowEntries row;
  const V zero = hn::Zero(d), turned = Splat(field.turned), past = Splat(double(field.turned) + 1);
  const VH one = hn::Set(dh, 1), slowest = hn::Set(dh, kSlowest);
  const auto axis = [&](V o, V along, V cell, const float* far, VH& place, VH& direction, VH& inverse, VHN& whole)
                        HWY_ATTR {
                          const M falls = hn::Lt(along, zero);
                          const V at = hn::Add(o, hn::Mul(along, w.t));
                          const V before = hn::IfThenElse(falls, Splat(far[1]), Splat(far[0]));
                          place = hn::DemoteTo(dh, hn::Min(hn::IfThenElse(falls, hn::Sub(past, at), at), before));
                          direction = hn::DemoteTo(dh, hn::Abs(along));
                          inverse = hn::Min(hn::Div(one, direction), slowest);
                          whole = hn::DemoteTo(dhn, hn::IfThenElse(falls, hn::Sub(turned, cell), cell));
                          return falls;
                        };
  const auto falls_x = axis(w.ox, w.dx, w.x, field.far_x, row.px, row.dx, row.ix, row.x);
  const auto falls_z = axis(w.oz, w.dz, w.z, field.far_z, row.pz, row.dz, row.iz, row.z);
  row.py = hn::Sub(hn::DemoteTo(dh, hn::Add(w.oy, hn::Mul(w.dy, w.t))), hn::Set(dh, field.room));
  row.dy = hn::DemoteTo(dh, w.dy);
  row.s = hn::Zero(dh);
  row.s_end = hn::Mul(hn::DemoteTo(dh, hn::Sub(w.t_end, w.t)), hn::Set(dh, 1 + 0x1p-22f));
  const V flips =
      hn::Add(hn::IfThenElseZero(falls_x, Splat(1 << kFlipX)), hn::IfThenElseZero(falls_z, Splat(1 << kFlipZ)));
  row.ray = hn::Or(ray, hn::DemoteTo(dhn, flips));
  return row;
}

// Puts the lanes of `kept`, a bit each, behind the rays of a row.
HWY_INLINE void Enter(SkipRow& row, const RowEntries& lanes, std::int32_t level, std::uint32_t kept) {
  const std::size_t at = row.count;
#if HWY_TARGET <= HWY_AVX3
  const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(kept)};
  const auto mask = hn::LoadMaskBits(dh, bytes);
  const auto put = [&](VH value, float* to) HWY_ATTR { hn::StoreU(hn::Compress(value, mask), dh, to + at); };
  const auto put_whole = [&](VHN value, std::int32_t* to) HWY_ATTR {
    hn::StoreU(hn::BitCast(dhn, hn::Compress(hn::BitCast(dh, value), mask)), dhn, to + at);
  };
#else
  const auto put = [&](VH value, float* to) HWY_ATTR {
    HWY_ALIGN float each[kLanes];
    hn::Store(value, dh, each);
    std::size_t k = at;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      to[k] = each[lane];
      k += kept >> lane & 1;
    }
  };
  const auto put_whole = [&](VHN value, std::int32_t* to) HWY_ATTR {
    HWY_ALIGN std::int32_t each[kLanes];
    hn::Store(value, dhn, each);
    std::size_t k = at;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      to[k] = each[lane];
      k += kept >> lane & 1;
    }
  };
#endif
  put(lanes.px, row.px), put(lanes.pz, row.pz), put(lanes.py, row.py);
  put(lanes.dx, row.dx), put(lanes.dz, row.dz), put(lanes.dy, row.dy);
  put(lanes.ix, row.ix), put(lanes.iz, row.iz);
  put(lanes.s, row.s), put(lanes.s_end, row.s_end);
  put_whole(lanes.x, row.x), put_whole(lanes.z, row.z);
  put_whole(hn::Set(dhn, level), row.level), put_whole(lanes.ray, row.ray);
  row.count = at + static_cast<std::size_t>(std::popcount(kept));
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#endif
