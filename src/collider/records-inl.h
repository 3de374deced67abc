// Records of doubles, one a lane, between memory and vectors of each number; compiled once a target.
#if defined(ARETE_COLLIDER_RECORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef ARETE_COLLIDER_RECORDS_INL_H_
#undef ARETE_COLLIDER_RECORDS_INL_H_
#else
#define ARETE_COLLIDER_RECORDS_INL_H_
#endif

#include "collider/lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {

// kLanes vectors turned about: lane i of vector k becomes lane k of vector i.
HWY_INLINE void Transpose([[maybe_unused]] V* v) {
#if HWY_TARGET != HWY_SCALAR
  for (std::size_t i = 0; i < kLanes; i += 2) {
    const V low = hn::InterleaveLower(d, v[i], v[i + 1]), high = hn::InterleaveUpper(d, v[i], v[i + 1]);
    v[i] = low, v[i + 1] = high;
  }
#if HWY_MAX_BYTES == 32
  for (std::size_t i = 0; i < 2; ++i) {
    const V low = hn::ConcatLowerLower(d, v[i + 2], v[i]), high = hn::ConcatUpperUpper(d, v[i + 2], v[i]);
    v[i] = low, v[i + 2] = high;
  }
#elif HWY_MAX_BYTES == 64
  for (const std::size_t half : {std::size_t(0), std::size_t(4)}) {
    for (std::size_t i = half; i < half + 2; ++i) {
      const V even = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(v[i + 2]), v[i]);
      const V odd = hn::OddEvenBlocks(v[i + 2], hn::SwapAdjacentBlocks(v[i]));
      v[i] = even, v[i + 2] = odd;
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    const V low = hn::ConcatLowerLower(d, v[i + 4], v[i]), high = hn::ConcatUpperUpper(d, v[i + 4], v[i]);
    v[i] = low, v[i + 4] = high;
  }
#endif
#endif
}

// Number k of each lane's record in vector k, and back; records[lane] is where the lane's begins.
template <std::size_t kNumbers>
HWY_INLINE void LoadRecords(const double* const* records, V* numbers) {
  static_assert(kNumbers % kLanes == 0);
  for (std::size_t k = 0; k < kNumbers; k += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      numbers[k + lane] = hn::LoadU(d, records[lane] + k);
    }
    Transpose(numbers + k);
  }
}
template <std::size_t kNumbers>
HWY_INLINE void StoreRecords(const V* numbers, double* const* records) {
  for (std::size_t k = 0; k < kNumbers; k += kLanes) {
    V part[kLanes];
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      part[lane] = k + lane < kNumbers ? numbers[k + lane] : hn::Zero(d);
    }
    Transpose(part);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (k + kLanes <= kNumbers) {
        hn::StoreU(part[lane], d, records[lane] + k);
      } else {
        hn::BlendedStore(part[lane], hn::FirstN(d, kNumbers - k), d, records[lane] + k);
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#endif
