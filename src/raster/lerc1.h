// The first LERC format ("CntZImage"), decoded with every read checked: its library trusts what the blob says.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arete/result.h"

namespace arete {

struct Lerc1Image {
  std::int64_t width = 0, height = 0;
  std::vector<float> values;  // row-major; NaN where masked
};

// The error says what is wrong with the blob, without the file's name. At most `most_samples` are allocated.
Result<Lerc1Image> decode_lerc1(std::span<const unsigned char> blob, std::uint64_t most_samples);

}  // namespace arete
