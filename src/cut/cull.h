// Which leaves of a cut a frustum keeps.
#pragma once

#include <span>
#include <vector>

#include "arete/cut.h"
#include "node_ranges.h"

namespace arete::cut {

// Keeps every leaf whose drawn vertices may lie in the frustum: its box, or, when the camera is so far that they slide
// out of it, the box of the ancestor that they cannot leave. Culling changes no lod and no mask.
class Culler {
 public:
  Culler(const NodeRanges& nodes, const View& view, const Ranges& ranges, const kernel::FrameConstants& frame);

  // Appends the indices of kept leaves, the children of one parent; `first` is the index of the first one.
  void keep(std::span<const Node> leaves, int parent_lod, Place parent, std::uint32_t first,
            std::vector<std::uint32_t>& drawn) const;

 private:
  enum class Side { outside, across, inside };
  Side side(int lod, Place at) const;
  bool may_leave(int lod, Place at, int reached_lod) const;
  bool is_kept(int lod, Place at) const;

  const NodeRanges& nodes_;
  const Lattice& lattice_;
  const View& view_;
  const Ranges& ranges_;
  const kernel::FrameConstants& frame_;
  int cascade_lods_;  // lods through which vertices stay in their node's box
};

}  // namespace arete::cut
