// What the cut knows of a node of any size from bounds that are kept per node of 32 quads.
#pragma once

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

// For nodes below 32 quads the range of the node of 32 that holds it; above, the union of those that it holds; at lod 0
// that of lod 1. Ranges nest: a child's lies within its parent's.
NodeRange node_range(const Bounds& bounds, int quads, int lod, Place at);

// The stops that an axis of a node spans: [first, last], both inside the field.
struct StopSpan {
  std::int32_t first;
  std::int32_t last;
};
inline StopSpan stop_span(std::int32_t index, int quads, int lod, std::int32_t last_stop) {
  const std::int64_t side = std::int64_t(quads) << lod;
  const auto clamp = [last_stop](std::int64_t stop) {
    return static_cast<std::int32_t>(stop < last_stop ? stop : last_stop);
  };
  return {clamp(index * side), clamp((index + std::int64_t(1)) * side)};
}

}  // namespace arete::cut
