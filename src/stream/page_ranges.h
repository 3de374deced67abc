// Heights and split ranges of the quarters of every page of lod >= 1, gathered from the field's node bounds so that a
// walk reads one cache line a page.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arete/core.h"

namespace arete::stream {

// Over the bounds' nodes in one quarter of a page, holes taken at the field's least. Steps.
struct QuarterRange {
  std::uint16_t min = 0xffff;
  std::uint16_t max = 0;
  std::uint16_t top = 0;
  std::uint8_t split = kernel::kKappaLimit;

  void join(const QuarterRange& other);
};
// North-west, north-east, south-west, south-east: the places of the page's children.
using PageQuarters = std::array<QuarterRange, 4>;
static_assert(sizeof(PageQuarters) == 32);

class PageRanges {
 public:
  explicit PageRanges(const Bounds& bounds);
  static std::size_t bytes(const Lattice& lattice);
  // Reads the bounds again.
  void refill() noexcept;
  const PageQuarters& at(int lod, std::uint32_t x, std::uint32_t z) const noexcept {
    const Lod& level = lods_[std::size_t(lod)];
    return level.pages[std::size_t(z) * level.pages_x + x];
  }

 private:
  struct Lod {
    std::size_t pages_x = 0;
    std::vector<PageQuarters> pages;
  };
  const Bounds& bounds_;
  std::vector<Lod> lods_;  // [0] stays empty
};

}  // namespace arete::stream
