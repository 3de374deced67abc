// How far a view's cut reaches: the nodes of each lod that it may split lie in one window, and the pages that its nodes
// may read are few.
//
// Both hold more than the cut needs and never less. A node of lod L that asks to be split is nearer than 2^(L-1) R_0;
// one that only the 2:1 closure splits touches a node that touches a finer one ... that asks, so it is nearer than
// 2^(L-2) R_0 and one node of its lod.
#pragma once

#include <array>
#include <vector>

#include "arete/core.h"
#include "cut/node_ranges.h"

namespace arete::vulkan {

// Mirrors LodWindow of shaders/select_cut.comp.
struct LodWindow {
  std::int32_t x = 0;
  std::int32_t z = 0;
  std::int32_t order = 0;
  std::int32_t nodes_x = 0;
  std::int32_t nodes_z = 0;
  std::int32_t pages_first = 0;
  std::int32_t pages_x = 0;
  std::int32_t pages_z = 0;
  std::int32_t pages_w = 0;
  std::int32_t pages_d = 0;
  std::int32_t ranges_first = 0;
  std::int32_t ranges_w = 0;
};
static_assert(sizeof(LodWindow) == 48);

class ViewReach {
 public:
  // `bounds` must outlive it. Nodes have `node_quads` quads a side.
  ViewReach(const Bounds& bounds, int node_quads);

  // The least b for which windows of four blocks of 2^b nodes a side hold every node that may be split, and every root;
  // fills their places, the order of their blocks and the nodes of each lod.
  int windows(const Ranges& ranges, const kernel::FrameConstants& frame, std::vector<LodWindow>& windows) const;

  // Appends every page that the cut's nodes may lie in, the coarsest first.
  void pages(const Ranges& ranges, const kernel::FrameConstants& frame, std::vector<PageKey>& pages) const;

 private:
  bool may_split(const Ranges& ranges, const kernel::FrameConstants& frame, int lod, PageKey below) const;

  const Bounds& bounds_;
  int quads_;
  cut::NodeGrid grid_;    // of nodes
  cut::NodeGrid blocks_;  // of nodes of at least 32 quads, whose ranges are kept
  cut::NodeRanges ranges_;
};

}  // namespace arete::vulkan
