// Node bounds of 32 quads read for nodes of 4 to 128.
#include "node_ranges.h"

#include <algorithm>
#include <bit>

namespace arete::cut {
namespace {
NodeRange from_bounds(const Bounds& bounds, const NodeBounds& node) {
  const auto or_hole = [&](std::uint16_t steps) { return steps == 0 ? bounds.field_min : steps; };
  const std::uint16_t max = or_hole(node.max);
  return {or_hole(node.min), max, std::max(max, node.top), node.split};
}
}  // namespace

NodeRange node_range(const Bounds& bounds, int quads, int lod, Place at) {
  const Lattice& lattice = bounds.lattice();
  if (lattice.lods() == 1) {
    return {bounds.field_min, bounds.field_max, bounds.field_max, 0};
  }
  if (lod == 0) {
    NodeRange range = node_range(bounds, quads, 1, {at.x >> 1, at.z >> 1});
    range.split = 0;
    return range;
  }
  if (quads <= kBoundsQuads) {
    const int shift = std::countr_zero(unsigned(kBoundsQuads)) - std::countr_zero(unsigned(quads));
    return from_bounds(bounds, bounds.at(lod, at.x >> shift, at.z >> shift));
  }
  const std::int32_t block = quads / kBoundsQuads;
  const std::int32_t end_x = std::min((at.x + 1) * block, lattice.nodes_x(lod, kBoundsQuads));
  const std::int32_t end_z = std::min((at.z + 1) * block, lattice.nodes_z(lod, kBoundsQuads));
  NodeRange range = from_bounds(bounds, bounds.at(lod, at.x * block, at.z * block));
  for (std::int32_t z = at.z * block; z < end_z; ++z) {
    for (std::int32_t x = at.x * block; x < end_x; ++x) {
      const NodeRange part = from_bounds(bounds, bounds.at(lod, x, z));
      range.min = std::min(range.min, part.min);
      range.max = std::max(range.max, part.max);
      range.top = std::max(range.top, part.top);
      range.split = std::min(range.split, part.split);
    }
  }
  return range;
}

}  // namespace arete::cut
