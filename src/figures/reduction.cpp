// One step of the max-mip chain on a plane that no cache holds, beside a copy of as many bytes.
#include <cstring>

#include "figures.h"
#include "turns.h"

namespace arete::figures {

void add_reduction(std::vector<Figure>& figures) {
  constexpr int kSide = 8193;
  constexpr int kCoarse = (kSide + 1) / 2;
  std::vector<std::uint16_t> fine(std::size_t(kSide) * kSide), coarse(std::size_t(kCoarse) * kCoarse);
  std::uint32_t state = 1;
  for (std::uint16_t& sample : fine) {
    state = state * 1664525u + 1013904223u;
    sample = std::uint16_t(state >> 16);
  }
  // A copy reads and writes each of its bytes.
  const std::size_t bytes = (fine.size() + coarse.size()) * sizeof(std::uint16_t);
  std::vector<std::uint16_t> copy(bytes / 2 / sizeof(std::uint16_t));
  figures.push_back(by_turns(
      "reduction", double(bytes) * 1e-9, "GB/s", [&] { reduce_max(fine, kSide, coarse); },
      "a copy that reads and writes as many bytes",
      [&] {
        std::memcpy(copy.data(), fine.data(), copy.size() * sizeof(std::uint16_t));
        keep(copy);
      }));
}

}  // namespace arete::figures
