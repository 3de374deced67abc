// What the cut knows of a node of any size from bounds that are kept per node of 32 quads.
#pragma once

#include <array>
#include <cstdint>

#include "arete/core.h"
#include "split_set.h"

namespace arete::cut {

// Heights in steps over the node's closed lod-0 samples, holes taken at the field's least, and its split range.
struct NodeRange {
  std::uint16_t min = 0;
  std::uint16_t max = 0;
  std::uint16_t top = 0;   // of the max plane at the node's lod or coarser
  std::uint8_t split = 0;  // half lods below 2^(lod - 1) R_0; 0 at lod 0, which never splits
};

// The stops that an axis of a node spans: [first, last], both inside the field.
struct StopSpan {
  std::int32_t first;
  std::int32_t last;
};
inline std::int32_t node_stop(std::int32_t index, int quads, int lod, std::int32_t last_stop) {
  const std::int64_t stop = (std::int64_t(index) * quads) << lod;
  return static_cast<std::int32_t>(stop < last_stop ? stop : last_stop);
}
inline StopSpan stop_span(std::int32_t index, int quads, int lod, std::int32_t last_stop) {
  return {node_stop(index, quads, lod, last_stop), node_stop(index + 1, quads, lod, last_stop)};
}

class NodeRanges {
 public:
  NodeRanges(const Bounds& bounds, const NodeGrid& grid);

  const Bounds& bounds() const { return bounds_; }

  // For nodes below 32 quads the range of the node of 32 that holds it; above, the union of those that it holds; at lod
  // 0 that of lod 1. Ranges nest: a child's lies within its parent's.
  NodeRange at(int lod, Place at) const {
    if (lod == 0) {
      return at_lod_0(at);
    }
    if (shift_ < 0) {
      return united(lod, at);
    }
    const Level& level = levels_[std::size_t(lod)];
    return read(level.nodes[std::ptrdiff_t(at.z >> shift_) * level.width + (at.x >> shift_)]);
  }

  // Bounds of nodes of 32 quads as they are kept, row-major, or null where nodes have another size.
  struct Level {
    const NodeBounds* nodes = nullptr;
    std::int32_t width = 0;
    std::int32_t depth = 0;

    const NodeBounds* at(Place at) const { return nodes + std::ptrdiff_t(at.z) * width + at.x; }
  };
  const Level* level_of_32(int lod) const { return shift_ == 0 && lod > 0 ? &levels_[std::size_t(lod)] : nullptr; }
  std::uint16_t hole() const { return hole_; }

 private:
  NodeRange read(const NodeBounds& node) const {
    const std::uint16_t min = node.min == 0 ? hole_ : node.min;
    const std::uint16_t max = node.max == 0 ? hole_ : node.max;
    return {min, max, max > node.top ? max : node.top, node.split};
  }
  NodeRange at_lod_0(Place at) const;
  NodeRange united(int lod, Place at) const;

  const Bounds& bounds_;
  std::uint16_t hole_;
  int quads_;
  int shift_;  // log2 of nodes in a node of 32 quads, negative above 32
  std::array<Level, kListLods> levels_;
};

// The square of the distance of the farthest place in a node's box, as the morph weights measure it: rounding is
// monotone, so no vertex in the box is farther.
float farthest_sq(const kernel::FrameConstants& frame, const Lattice& lattice, StopSpan x, StopSpan z, NodeRange range);

}  // namespace arete::cut
