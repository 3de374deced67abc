// What the vector programs of the collider have in common; compiled once a target.
#if defined(ARETE_COLLIDER_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_COLLIDER_LANES_INL_H_
#undef ARETE_COLLIDER_LANES_INL_H_
#else
#define ARETE_COLLIDER_LANES_INL_H_
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::ScalableTag<double>;
using U = hn::ScalableTag<std::uint64_t>;
using I = hn::ScalableTag<std::int64_t>;
using V = hn::Vec<D>;
using M = hn::Mask<D>;
constexpr D d;
constexpr U du;
constexpr I di;
constexpr std::size_t kLanes = HWY_MAX_BYTES / sizeof(double);

HWY_INLINE V Splat(double value) { return hn::Set(d, value); }

// Whole numbers of 0..2^52 between double and integer, exactly.
HWY_INLINE hn::Vec<I> ToInteger(V whole) {
  return hn::BitCast(di, hn::Xor(hn::BitCast(du, hn::Add(whole, Splat(0x1p52))), hn::BitCast(du, Splat(0x1p52))));
}
HWY_INLINE V ToDouble(hn::Vec<U> whole) {
  return hn::Sub(hn::BitCast(d, hn::Or(whole, hn::BitCast(du, Splat(0x1p52)))), Splat(0x1p52));
}

// A bit a lane.
HWY_INLINE std::uint32_t Bits(M mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(d, mask, bytes);
  return bytes[0];
}
HWY_INLINE M MaskOf(std::uint32_t bits) {
  const std::uint8_t bytes[8] = {static_cast<std::uint8_t>(bits)};
  return hn::LoadMaskBits(d, bytes);
}

// The corners of each lane's cell.
struct Cell {
  V h00, h10, h01, h11;
};
// Four samples of each row are read at once: from 00 on in the upper row, up to 11 in the lower one, so that none lies
// outside a field of two stops or more an axis. `address` counts bytes from `origin`, at which lanes that want nothing
// read. The corners of each cell stand in one word: 00, 10, 01, 11 from its low end.
HWY_INLINE hn::Vec<U> ReadCorners(const std::uint64_t* origin, M wanted, hn::Vec<I> address, std::int64_t stride) {
  const auto upper = hn::GatherOffset(du, origin, hn::IfThenElseZero(hn::RebindMask(di, wanted), address));
  const hn::Vec<I> below = hn::Add(address, hn::Set(di, 2 * (stride - 2)));
  const auto lower = hn::GatherOffset(du, origin, hn::IfThenElseZero(hn::RebindMask(di, wanted), below));
  const auto low = hn::Set(du, 0xffffffff);
  return hn::Or(hn::And(upper, low), hn::AndNot(low, lower));
}
HWY_INLINE Cell CellOf(hn::Vec<U> corners) {
  const auto low = hn::Set(du, 0xffff);
  return {ToDouble(hn::And(corners, low)), ToDouble(hn::And(hn::ShiftRight<16>(corners), low)),
          ToDouble(hn::And(hn::ShiftRight<32>(corners), low)), ToDouble(hn::ShiftRight<48>(corners))};
}

// kernel::cell_height().
HWY_INLINE V CellHeight(const Cell& cell, V fx, V fz) {
  const V one = Splat(1);
  const M lower = hn::Le(hn::Add(fx, fz), one);
  const V own = hn::IfThenElse(lower, cell.h00, cell.h11);
  const V to_x = hn::IfThenElse(lower, cell.h10, cell.h01);
  const V to_z = hn::IfThenElse(lower, cell.h01, cell.h10);
  const V part_x = hn::IfThenElse(lower, fx, hn::Sub(one, fx));
  const V part_z = hn::IfThenElse(lower, fz, hn::Sub(one, fz));
  return hn::Add(hn::Add(own, hn::Mul(part_x, hn::Sub(to_x, own))), hn::Mul(part_z, hn::Sub(to_z, own)));
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#endif
