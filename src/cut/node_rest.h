// Whether a node's vertices all stand at rest: then their words depend on its edges, its pages and the frame's anchor
// alone, not on the camera.
#pragma once

#include "arete/core.h"
#include "node_ranges.h"

namespace arete::cut {

class NodeRest {
 public:
  // `bounds` must outlive it.
  NodeRest(const Bounds& bounds, int node_quads);

  // True only if no vertex morphs, neither at the node's lod nor, along coarse edges and at corners, at the two above
  // it: the farthest corner of the node's box lies before every band. Rounding is monotone, so no vertex is farther.
  bool is_at_rest(const kernel::FrameConstants& frame, const Node& node) const;

 private:
  const Bounds& bounds_;
  int quads_;
  NodeRanges ranges_;
};

}  // namespace arete::cut
