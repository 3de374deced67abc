// Gathering node bounds into pages; see page_ranges.h.
#include "stream/page_ranges.h"

#include <algorithm>

namespace arete::stream {

void QuarterRange::join(const QuarterRange& other) {
  min = std::min(min, other.min);
  max = std::max(max, other.max);
  top = std::max(top, other.top);
  split = std::min(split, other.split);
}

PageRanges::PageRanges(const Bounds& bounds) : bounds_(bounds), lods_(std::size_t(bounds.lattice().lods())) {
  const Lattice& lattice = bounds.lattice();
  for (int lod = 1; lod < int(lods_.size()); ++lod) {
    Lod& level = lods_[std::size_t(lod)];
    level.pages_x = std::size_t(lattice.pages_x(lod));
    level.pages.resize(level.pages_x * std::size_t(lattice.pages_z(lod)));
  }
  refill();
}

std::size_t PageRanges::bytes(const Lattice& lattice) {
  std::size_t pages = 0;
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    pages += std::size_t(lattice.pages_x(lod)) * std::size_t(lattice.pages_z(lod));
  }
  return pages * sizeof(PageQuarters);
}

void PageRanges::refill() noexcept {
  const Lattice& lattice = bounds_.lattice();
  const auto or_hole = [this](std::uint16_t steps) { return steps == 0 ? bounds_.field_min : steps; };
  constexpr int kQuarter = kBoundsPerPage / 2;
  for (int lod = 1; lod < int(lods_.size()); ++lod) {
    Lod& level = lods_[std::size_t(lod)];
    std::fill(level.pages.begin(), level.pages.end(), PageQuarters{});
    for (std::int32_t z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (std::int32_t x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x) {
        const NodeBounds& node = bounds_.at(lod, x, z);
        const std::uint16_t max = or_hole(node.max);
        PageQuarters& page =
            level.pages[std::size_t(z / kBoundsPerPage) * level.pages_x + std::size_t(x / kBoundsPerPage)];
        page[std::size_t(x / kQuarter % 2 + 2 * (z / kQuarter % 2))].join(
            {or_hole(node.min), max, std::max(max, node.top), node.split});
      }
    }
  }
}

}  // namespace arete::stream
