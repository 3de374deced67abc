// The cut: which nodes cover the field for a camera, with the edge rule that each one's neighbours ask for.
//
// A node of lod >= 1 is split when the camera is nearer to its box of actual stops than its range (Strugar 2009, with
// the local ranges and the restricted closure of docs/surface.md). The result is 2:1 balanced over edges; culling drops
// emission alone and changes no mask.
#pragma once

#include <cstdint>
#include <memory>

#include "arete/core.h"

namespace arete {

// Says whether a node may be drawn: all that its vertices read is at hand. Must hold for a node's parent if it
// holds for the node, and for every node of the coarsest lod.
class Residency {
 public:
  virtual ~Residency() = default;
  virtual bool is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept = 0;
};

// Scratch memory of select_cut, kept between frames so that a steady camera allocates nothing. One per thread.
class CutWorkspace {
 public:
  CutWorkspace();
  ~CutWorkspace();
  CutWorkspace(CutWorkspace&&) noexcept;
  CutWorkspace& operator=(CutWorkspace&&) noexcept;
  std::uint64_t visited_nodes() const noexcept;  // of the last call
  struct State;
  State& state() noexcept { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Selects the cut of `view`. With a residency, what is wanted but absent is replaced by the greatest restricted subtree
// of wanted and resident nodes. Throws nothing; allocates only while `workspace` and `cut` grow.
void select_cut(const Bounds& bounds, const View& view, const Ranges& ranges, CutWorkspace& workspace, Cut& cut,
                const Residency* residency = nullptr);

// The balanced, masked cut in which exactly the nodes that `is_split` accepts (closed under parents, then under the 2:1
// rule) are split: for callers that choose by other means, and for tests.
class SplitPredicate {
 public:
  virtual ~SplitPredicate() = default;
  virtual bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept = 0;
};
void cut_from_splits(const Lattice& lattice, int node_quads, const SplitPredicate& splits, CutWorkspace& workspace,
                     Cut& cut);

// The box of a node in metres: the hull of its stops and the height range of its closed lod-0 samples (max mode: up to
// top).
struct NodeBox {
  double min_x_m, min_y_m, min_z_m, max_x_m, max_y_m, max_z_m;
};
NodeBox node_box(const Bounds& bounds, int node_quads, int lod, std::uint32_t x, std::uint32_t z, HeightPlane plane);

}  // namespace arete
