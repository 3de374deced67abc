// Words of the layouts that every vector loop writes. Included once for each target that Highway knows.
#if defined(ARETE_MESH_WORDS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_MESH_WORDS_INL_H
#undef ARETE_MESH_WORDS_INL_H
#else
#define ARETE_MESH_WORDS_INL_H
#endif

#include <hwy/highway.h>

#include "kernel/attributes.h"

HWY_BEFORE_NAMESPACE();
namespace arete::mesh {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using WordsOf = hn::Vec<hn::RebindToUnsigned<D>>;

// packed_normal_word() where there is no hole.
template <class D>
HWY_INLINE WordsOf<D> PackedNormal(D d, hn::Vec<D> gx, hn::Vec<D> gz) {
  const hn::RebindToUnsigned<D> du;
  const auto normal_sq = hn::Add(hn::Add(hn::Mul(gx, gx), hn::Set(d, 1.0f)), hn::Mul(gz, gz));
  // packed_rsqrt()
  const auto half_value = hn::Mul(hn::Set(d, 4.65689709e-10f), normal_sq);
  auto scale = hn::BitCast(d, hn::Sub(hn::Set(du, 0x66b7586eu), hn::ShiftRight<1>(hn::BitCast(du, normal_sq))));
  for (int step = 0; step < 2; ++step) {
    scale = hn::Mul(scale, hn::Sub(hn::Set(d, 1.5f), hn::Mul(half_value, hn::Mul(scale, scale))));
  }
  const auto whole = hn::Set(d, kernel::kWhole);
  const auto x = hn::BitCast(du, hn::Sub(whole, hn::Mul(gx, scale)));
  const auto z = hn::BitCast(du, hn::Sub(whole, hn::Mul(gz, scale)));
  return hn::OrAnd(hn::ShiftLeft<16>(z), x, hn::Set(du, 0xffffu));
}

#if HWY_TARGET != HWY_SCALAR
// Four words a vertex, one lane of each of the vectors: block b (128 bits) of part p is vertex 4 b + p.
template <class D>
struct Interleaved {
  HWY_INLINE Interleaved(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> e) {
    const hn::Repartition<std::uint64_t, D> pairs;
    const auto low_ab = hn::BitCast(pairs, hn::InterleaveLower(d, a, b));
    const auto low_ce = hn::BitCast(pairs, hn::InterleaveLower(d, c, e));
    const auto high_ab = hn::BitCast(pairs, hn::InterleaveUpper(d, a, b));
    const auto high_ce = hn::BitCast(pairs, hn::InterleaveUpper(d, c, e));
    part0 = hn::BitCast(d, hn::InterleaveLower(pairs, low_ab, low_ce));
    part1 = hn::BitCast(d, hn::InterleaveUpper(pairs, low_ab, low_ce));
    part2 = hn::BitCast(d, hn::InterleaveLower(pairs, high_ab, high_ce));
    part3 = hn::BitCast(d, hn::InterleaveUpper(pairs, high_ab, high_ce));
  }
  hn::Vec<D> part0, part1, part2, part3;
};

// Vertex after vertex, `stride` words apart: a stride below 4 makes each give way to the next.
template <class D>
HWY_INLINE void StoreParts(D d, hn::Vec<D> part0, hn::Vec<D> part1, hn::Vec<D> part2, hn::Vec<D> part3,
                           std::uint32_t* out, std::ptrdiff_t stride) {
  if constexpr (hn::MaxLanes(D()) > 4) {
    const hn::Half<D> half;
    StoreParts(half, hn::LowerHalf(half, part0), hn::LowerHalf(half, part1), hn::LowerHalf(half, part2),
               hn::LowerHalf(half, part3), out, stride);
    StoreParts(half, hn::UpperHalf(half, part0), hn::UpperHalf(half, part1), hn::UpperHalf(half, part2),
               hn::UpperHalf(half, part3), out + std::ptrdiff_t(hn::MaxLanes(half)) * stride, stride);
  } else {
    hn::StoreU(part0, d, out);
    hn::StoreU(part1, d, out + stride);
    hn::StoreU(part2, d, out + 2 * stride);
    hn::StoreU(part3, d, out + 3 * stride);
  }
}
#endif

// Writes four words of each vertex, one lane of each of the four vectors; vertices stand `stride` words apart.
template <class D>
HWY_INLINE void StoreWords4(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> e, std::uint32_t* out,
                            std::ptrdiff_t stride) {
#if HWY_TARGET == HWY_SCALAR
  static_cast<void>(stride);  // one vertex
  hn::StoreInterleaved4(a, b, c, e, d, out);
#else
  const Interleaved<D> words(d, a, b, c, e);
  StoreParts(d, words.part0, words.part1, words.part2, words.part3, out, stride);
#endif
}

// The same without gaps, whole vectors at a time.
template <class D>
HWY_INLINE void StoreWords4(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c, hn::Vec<D> e, std::uint32_t* out) {
#if HWY_TARGET == HWY_SCALAR
  hn::StoreInterleaved4(a, b, c, e, d, out);
#else
  // Lanes are brought into an order in which the parts are whole vectors of vertices.
  constexpr int kLanes = int(hn::MaxLanes(D()));
  constexpr int kBlocks = kLanes / 4;
  if constexpr (kBlocks > 1) {
    HWY_ALIGN std::int32_t order[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) {
      order[lane] = kBlocks * (lane % 4) + lane / 4;
    }
    const auto indices = hn::SetTableIndices(d, order);
    a = hn::TableLookupLanes(a, indices);
    b = hn::TableLookupLanes(b, indices);
    c = hn::TableLookupLanes(c, indices);
    e = hn::TableLookupLanes(e, indices);
  }
  const Interleaved<D> words(d, a, b, c, e);
  hn::StoreU(words.part0, d, out);
  hn::StoreU(words.part1, d, out + kLanes);
  hn::StoreU(words.part2, d, out + 2 * kLanes);
  hn::StoreU(words.part3, d, out + 3 * kLanes);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::mesh
HWY_AFTER_NAMESPACE();

#endif
