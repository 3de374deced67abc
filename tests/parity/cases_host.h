// The parity table in C++: cases to words, and the digests that every backend must reach.
#pragma once

#include <cstdint>
#include <vector>

#include "cases.h"

namespace arete::parity {

struct FieldSource {
  kernel::TestField field;
  kernel::Sample fetch_sample(const kernel::FrameConstants& frame, int lod, int gx, int gz) const {
    return kernel::field_sample(field, frame, lod, gx, gz);
  }
};

inline constexpr std::uint32_t kWordsPerCase = 12;
inline constexpr std::uint32_t kCasesPerBlock = 6144;  // a digest each

// The words of cases first..first + count - 1, 12 each.
inline std::vector<std::uint32_t> case_words(std::uint32_t first, std::uint32_t count) {
  std::vector<std::uint32_t> words;
  words.reserve(std::size_t(count) * kWordsPerCase);
  for (std::uint32_t index = first; index < first + count; ++index) {
    const FieldSource source{kernel::case_field(index)};
    const kernel::CaseWords result = kernel::run_case(source, source.field, index);
    words.insert(words.end(), result.words, result.words + kWordsPerCase);
  }
  return words;
}

// FNV-1a over words.
inline std::uint64_t digest(const std::vector<std::uint32_t>& words) {
  std::uint64_t hash = 1469598103934665603ull;
  for (const std::uint32_t word : words) {
    hash = (hash ^ word) * 1099511628211ull;
  }
  return hash;
}

}  // namespace arete::parity
