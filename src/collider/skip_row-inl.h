// Rays in a row, number by number, as the vectors of ray_skip.cpp take them; compiled once a target.
#if defined(ARETE_COLLIDER_SKIP_ROW_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_COLLIDER_SKIP_ROW_INL_H_
#undef ARETE_COLLIDER_SKIP_ROW_INL_H_
#else
#define ARETE_COLLIDER_SKIP_ROW_INL_H_
#endif

#include <hwy/highway.h>

#include "collider/packed_places.h"
#include "collider/ray_skip.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using DF = hn::ScalableTag<float>;
using DI = hn::Rebind<std::int32_t, DF>;
using VF = hn::Vec<DF>;
using VI = hn::Vec<DI>;
using MF = hn::Mask<DF>;
constexpr DF df;
constexpr DI dn;
constexpr hn::Rebind<std::uint32_t, DF> du32;

constexpr int kFinestBlock = 2;
// Bits of SkipRow::ray.
constexpr int kFlipX = 30, kFlipZ = 29;
constexpr std::int32_t kRayBits = (1 << kFlipZ) - 1;

// A vector of rays, as a row has them; flip_x and flip_z turn cells over where the ray falls along the axis.
struct SkipVectors {
  VF px, pz, py, dx, dz, dy, ix, iz;
  VF s, s_end;
  VI x, z, level, ray;
  // Not in rows: what follows from them.
  VI flip_x, flip_z;
  VF s_near;  // a little before the end
  VF y;       // at s
  MF present;
};

// The rays from k on, of which `left` stand there; the other lanes stand in the first block.
HWY_INLINE SkipVectors LoadRow(const SkipField& field, const SkipRow& row, std::size_t k, std::size_t left) {
  SkipVectors lanes;
  lanes.px = hn::Load(df, row.px + k), lanes.pz = hn::Load(df, row.pz + k), lanes.py = hn::Load(df, row.py + k);
  lanes.dx = hn::Load(df, row.dx + k), lanes.dz = hn::Load(df, row.dz + k), lanes.dy = hn::Load(df, row.dy + k);
  lanes.ix = hn::Load(df, row.ix + k), lanes.iz = hn::Load(df, row.iz + k);
  lanes.s = hn::Load(df, row.s + k), lanes.s_end = hn::Load(df, row.s_end + k);
  lanes.present = hn::FirstN(df, left);
  const auto here = hn::RebindMask(dn, lanes.present);
  lanes.x = hn::IfThenElseZero(here, hn::Load(dn, row.x + k));
  lanes.z = hn::IfThenElseZero(here, hn::Load(dn, row.z + k));
  lanes.level = hn::IfThenElse(here, hn::Load(dn, row.level + k), hn::Set(dn, kFinestBlock));
  lanes.ray = hn::IfThenElseZero(here, hn::Load(dn, row.ray + k));
  const VI turned = hn::Set(dn, field.turned);
  lanes.flip_x = hn::And(hn::BroadcastSignBit(hn::ShiftLeft<31 - kFlipX>(lanes.ray)), turned);
  lanes.flip_z = hn::And(hn::BroadcastSignBit(hn::ShiftLeft<31 - kFlipZ>(lanes.ray)), turned);
  lanes.s_near = hn::Sub(lanes.s_end, hn::Mul(hn::Set(df, kNearEnd), hn::Min(lanes.ix, lanes.iz)));
  lanes.y = hn::Add(lanes.py, hn::Mul(lanes.dy, lanes.s));
  return lanes;
}

// The lanes of a mask packed to the front of a vector, any number of vectors by one plan. Where there is no instruction
// for it, by places from a table: Highway's Compress() would have g++ copy its own table each time.
class Packing {
 public:
#if HWY_TARGET <= HWY_AVX3
  HWY_INLINE explicit Packing(MF kept) : count_(hn::CountTrue(df, kept)), kept_(kept) {}
#else
  HWY_INLINE explicit Packing(MF kept) : count_(hn::CountTrue(df, kept)), places_(PlacesOf(kept)) {}
#endif
  HWY_INLINE std::size_t count() const { return count_; }
  HWY_INLINE void Store(VF value, float* to) const { hn::StoreU(Pack(value), df, to); }
  HWY_INLINE void Store(VI value, std::int32_t* to) const {
    hn::StoreU(hn::BitCast(dn, Pack(hn::BitCast(df, value))), dn, to);
  }

 private:
#if HWY_TARGET <= HWY_AVX3
  HWY_INLINE VF Pack(VF value) const { return hn::Compress(value, kept_); }
  std::size_t count_;
  MF kept_;
#else
  using Places = decltype(hn::IndicesFromVec(df, hn::Zero(dn)));
  HWY_INLINE static Places PlacesOf(MF kept) {
    const hn::Rebind<std::uint8_t, DF> bytes;
    HWY_ALIGN std::uint8_t set[8] = {};
    hn::StoreMaskBits(df, kept, set);
    const auto* places = reinterpret_cast<const std::uint8_t*>(&kPackedPlaces[set[0]]);
    return hn::IndicesFromVec(df, hn::PromoteTo(dn, hn::LoadU(bytes, places)));
  }
  HWY_INLINE VF Pack(VF value) const { return hn::TableLookupLanes(value, places_); }
  std::size_t count_;
  Places places_;
#endif
};

// Puts the lanes of `kept` behind the others of the row.
HWY_INLINE void Append(SkipRow& row, const SkipVectors& lanes, MF kept) {
  const std::size_t at = row.count;
  const Packing packing(kept);
  packing.Store(lanes.px, row.px + at), packing.Store(lanes.pz, row.pz + at), packing.Store(lanes.py, row.py + at);
  packing.Store(lanes.dx, row.dx + at), packing.Store(lanes.dz, row.dz + at), packing.Store(lanes.dy, row.dy + at);
  packing.Store(lanes.ix, row.ix + at), packing.Store(lanes.iz, row.iz + at);
  packing.Store(lanes.s, row.s + at), packing.Store(lanes.s_end, row.s_end + at);
  packing.Store(lanes.x, row.x + at), packing.Store(lanes.z, row.z + at);
  packing.Store(lanes.level, row.level + at), packing.Store(lanes.ray, row.ray + at);
  row.count = at + packing.count();
}

HWY_INLINE MF NoLanes() { return hn::FirstN(df, 0); }

// When the ray crosses a border along an axis.
HWY_INLINE VF CrossingOf(VI border, VF place, VF inverse) {
  return hn::Mul(hn::Sub(hn::ConvertTo(df, border), place), inverse);
}

// The cell at s: not before the one that it was in, and not beyond the block's last.
HWY_INLINE VI CellAt(VI cell, VI last, VF place, VF along, VF s) {
  return hn::Min(hn::Max(hn::ConvertTo(dn, hn::Add(place, hn::Mul(along, s))), cell), last);
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#endif
