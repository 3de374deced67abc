// Frames compared word for word: what is kept for one serves the other.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "arete/core.h"

namespace arete::mesh {

inline bool is_same_frame(const kernel::FrameConstants& a, const kernel::FrameConstants& b) {
  using Words = std::array<std::uint32_t, sizeof(kernel::FrameConstants) / sizeof(std::uint32_t)>;
  return std::bit_cast<Words>(a) == std::bit_cast<Words>(b);
}

}  // namespace arete::mesh
