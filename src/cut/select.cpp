// The cut of a camera: a descent from the roots, the 2:1 closure, and leaves with their edge rule.
//
// A node is split when the scaled squared distance to its closed box is below R_0^2, in the very f32 expressions of the
// morph weight. Rounding is monotone, so no vertex of a leaf is nearer than its box, and a parent is never left whole
// whose child asks to be split (Strugar, "Continuous Distance-Dependent Level of Detail for Rendering Heightmaps",
// 2009).
#include <algorithm>

#include "arete/cut.h"
#include "child_distances.h"
#include "cull.h"
#include "kernel/morph.h"
#include "leaves.h"
#include "node_ranges.h"
#include "restrict.h"
#include "workspace.h"

namespace arete {
namespace cut {
namespace {

// The roots' parents and grandparents, in Morton order.
void push_virtual(const NodeGrid& grid, int lod, SplitSet& splits) {
  const Place size = grid.sizes[std::size_t(lod)];
  const std::int32_t side = std::int32_t(std::bit_ceil(unsigned(std::max(size.x, size.z))));
  for (std::int64_t code = 0; code < std::int64_t(side) * side; ++code) {
    const PageKey at = PageKey::unpack(std::uint64_t(code));
    const Place place{std::int32_t(at.x), std::int32_t(at.z)};
    if (grid.contains(lod, place)) {
      splits.list(lod).push_back({place, grid.children(lod, place)});
    }
  }
}

// Distances of nodes to the camera and whether they ask to be split.
class Selector {
 public:
  Selector(const NodeRanges& nodes, const Ranges& ranges, const kernel::FrameConstants& frame, int quads)
      : nodes_(nodes), lattice_(nodes.bounds().lattice()), ranges_(ranges), frame_(frame), quads_(quads) {}

  // Bits of the children (of lod - 1 >= 1, in the field) that are split.
  int split_children(int lod, Place parent, int children) const {
    const int child_lod = lod - 1;
    const std::int64_t side = std::int64_t(quads_) << child_lod;
    ChildBoxes boxes;
    for (int i = 0; i < 3; ++i) {
      boxes.half_x[i] = lattice_.half_x(clamp((2 * parent.x + i) * side, lattice_.last_stop_x()));
      boxes.half_z[i] = lattice_.half_z(clamp((2 * parent.z + i) * side, lattice_.last_stop_z()));
    }
    boxes.half_x[3] = boxes.half_x[2];
    boxes.half_z[3] = boxes.half_z[2];
    for (int child = 0; child < 4; ++child) {
      // Children outside the field read the first one and are masked out.
      const NodeRange range = nodes_.at(child_lod, child_of(parent, children >> child & 1 ? child : 0));
      boxes.heights[child] = range.min | std::uint32_t(range.max) << 16;
      boxes.exponents[child] = range.split - 2 * (child_lod - 1);
    }
    return children_in_range(frame_, ranges_.lag_m, ranges_.select_sq, boxes) & children;
  }

 private:
  static std::int32_t clamp(std::int64_t stop, std::int32_t last_stop) {
    return static_cast<std::int32_t>(stop < last_stop ? stop : last_stop);
  }

  const NodeRanges& nodes_;
  const Lattice& lattice_;
  const Ranges& ranges_;
  const kernel::FrameConstants& frame_;
  int quads_;
};

// Descends from the roots; `split_children(lod, parent, children)` answers for a parent's children in the field.
// `prefetch(lod, parent)` announces that it will be asked.
template <class SplitChildren, class Prefetch>
std::uint64_t descend(const NodeGrid& grid, SplitSet& splits, const SplitChildren& split_children,
                      const Prefetch& prefetch) {
  splits.clear();
  std::uint64_t visited = 0;
  push_virtual(grid, grid.lods + 1, splits);
  for (const Split& split : splits.list(grid.lods + 1)) {
    splits.insert(grid.lods + 1, split.at, split.children);
  }
  push_virtual(grid, grid.lods, splits);
  for (int lod = grid.lods; lod >= 1; --lod) {
    std::vector<Split>& list = splits.list(lod);
    std::vector<Split>& below = splits.list(lod - 1);
    // Four children a node at most, and one more may be written past the last.
    below.resize(4 * list.size() + 1);
    Split* out = below.data();
    for (Split& split : list) {
      const int children = grid.children(lod, split.at);
      split.children = lod > 1 ? split_children(lod, split.at, children) : 0;
      for (int child = 0; child < 4; ++child) {
        *out = {child_of(split.at, child), 0};
        prefetch(lod - 1, out->at);
        out += split.children >> child & 1;
      }
      splits.insert(lod, split.at, split.children);
      visited += std::uint64_t((children & 1) + (children >> 1 & 1) + (children >> 2 & 1) + (children >> 3));
    }
    below.resize(std::size_t(out - below.data()));
  }
  return visited;
}

}  // namespace
}  // namespace cut

CutWorkspace::CutWorkspace() : state_(std::make_unique<State>()) {}
CutWorkspace::~CutWorkspace() = default;
CutWorkspace::CutWorkspace(CutWorkspace&&) noexcept = default;
CutWorkspace& CutWorkspace::operator=(CutWorkspace&&) noexcept = default;
std::uint64_t CutWorkspace::visited_nodes() const noexcept { return state_->visited; }

void select_cut(const Bounds& bounds, const View& view, const Ranges& ranges, CutWorkspace& workspace, Cut& cut,
                const Residency* residency) {
  CutWorkspace::State& state = workspace.state();
  const cut::NodeGrid grid(bounds.lattice(), ranges.node_quads);
  const kernel::FrameConstants frame = make_frame(bounds, view, ranges, {});
  const cut::NodeRanges nodes(bounds, grid);
  const cut::Selector selector(nodes, ranges, frame, grid.quads);
  state.visited = cut::descend(
      grid, state.wanted,
      [&](int lod, cut::Place at, int children) { return selector.split_children(lod, at, children); },
      [&](int lod, cut::Place at) { nodes.prefetch_children(lod, at); });
  cut::refine_to_restricted(grid, state.wanted);
  const cut::SplitSet* splits = &state.wanted;
  if (residency != nullptr) {
    cut::coarsen_to_resident(grid, state.wanted, *residency, state.kept);
    splits = &state.kept;
  }
  if (view.frustum.empty()) {
    cut::emit_leaves(grid, *splits, nullptr, cut);
    return;
  }
  const cut::Culler culler(nodes, view, ranges, frame);
  cut::emit_leaves(grid, *splits, &culler, cut);
}

void cut_from_splits(const Lattice& lattice, int node_quads, const SplitPredicate& splits, CutWorkspace& workspace,
                     Cut& cut) {
  CutWorkspace::State& state = workspace.state();
  const cut::NodeGrid grid(lattice, node_quads);
  state.visited = cut::descend(
      grid, state.wanted,
      [&](int lod, cut::Place at, int children) {
        int split = 0;
        for (int child = 0; child < 4; ++child) {
          if (children >> child & 1) {
            const cut::Place below = cut::child_of(at, child);
            const bool is_split = splits.is_split(lod - 1, std::uint32_t(below.x), std::uint32_t(below.z));
            split |= (is_split ? 1 : 0) << child;
          }
        }
        return split;
      },
      [](int, cut::Place) {});
  cut::refine_to_restricted(grid, state.wanted);
  cut::emit_leaves(grid, state.wanted, nullptr, cut);
}

NodeBox node_box(const Bounds& bounds, int node_quads, int lod, std::uint32_t x, std::uint32_t z, HeightPlane plane) {
  const Lattice& lattice = bounds.lattice();
  const cut::Place at{std::int32_t(x), std::int32_t(z)};
  const cut::StopSpan span_x = cut::stop_span(at.x, node_quads, lod, lattice.last_stop_x());
  const cut::StopSpan span_z = cut::stop_span(at.z, node_quads, lod, lattice.last_stop_z());
  const cut::NodeRange range = cut::NodeRanges(bounds, cut::NodeGrid(lattice, node_quads)).at(lod, at);
  return {lattice.x_m(span_x.first),
          lattice.height_m(range.min),
          lattice.z_m(span_z.first),
          lattice.x_m(span_x.last),
          lattice.height_m(plane == HeightPlane::max ? range.top : range.max),
          lattice.z_m(span_z.last)};
}

}  // namespace arete
