// Node bounds of 32 quads read for nodes of 4 to 128.
#include "node_ranges.h"

#include <algorithm>
#include <bit>

namespace arete::cut {

NodeRanges::NodeRanges(const Bounds& bounds, const NodeGrid& grid)
    : bounds_(bounds),
      hole_(bounds.field_min),
      quads_(grid.quads),
      shift_(std::countr_zero(unsigned(kBoundsQuads)) - std::countr_zero(unsigned(grid.quads))) {
  for (int lod = 1; lod < grid.lods; ++lod) {
    levels_[std::size_t(lod)] = {&bounds.at(lod, 0, 0), bounds.lattice().nodes_x(lod, kBoundsQuads),
                                 bounds.lattice().nodes_z(lod, kBoundsQuads)};
  }
}

NodeRange NodeRanges::at_lod_0(Place at) const {
  if (levels_[1].nodes == nullptr) {
    return {bounds_.field_min, bounds_.field_max, bounds_.field_max, 0};
  }
  NodeRange range = this->at(1, {at.x >> 1, at.z >> 1});
  range.split = 0;
  return range;
}

NodeRange NodeRanges::united(int lod, Place at) const {
  const Level& level = levels_[std::size_t(lod)];
  const std::int32_t block = quads_ / kBoundsQuads;
  const std::int32_t end_x = std::min((at.x + 1) * block, level.width);
  const std::int32_t end_z = std::min((at.z + 1) * block, level.depth);
  NodeRange range{UINT16_MAX, 0, 0, UINT8_MAX};
  for (std::int32_t z = at.z * block; z < end_z; ++z) {
    for (std::int32_t x = at.x * block; x < end_x; ++x) {
      const NodeRange part = read(level.nodes[std::ptrdiff_t(z) * level.width + x]);
      range.min = std::min(range.min, part.min);
      range.max = std::max(range.max, part.max);
      range.top = std::max(range.top, part.top);
      range.split = std::min(range.split, part.split);
    }
  }
  return range;
}

}  // namespace arete::cut
