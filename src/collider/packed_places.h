// For each set of eight lanes, a byte a lane: the places of those in the set in order, then of those that are not.
#pragma once

#include <array>
#include <cstdint>

namespace arete::collider {

inline constexpr std::array<std::uint64_t, 256> kPackedPlaces = [] {
  std::array<std::uint64_t, 256> table{};
  for (unsigned set = 0; set < 256; ++set) {
    unsigned at = 0;
    for (const unsigned is_in : {1u, 0u}) {
      for (unsigned lane = 0; lane < 8; ++lane) {
        if ((set >> lane & 1u) == is_in) {
          table[set] |= std::uint64_t(lane) << (8 * at++);
        }
      }
    }
  }
  return table;
}();

}  // namespace arete::collider
