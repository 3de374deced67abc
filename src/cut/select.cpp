// The cut of a camera: a descent from the roots, the 2:1 closure, and leaves with their edge rule.
//
// A node is split when the scaled squared distance to its closed box is below R_0^2, in the very f32 expressions of the
// morph weight. Rounding is monotone, so no vertex of a leaf is nearer than its box, and a parent is never left whole
// whose child asks to be split (Strugar, "Continuous Distance-Dependent Level of Detail for Rendering Heightmaps",
// 2009).
#include <algorithm>
#include <array>

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
  Selector(const NodeRanges& nodes, const Ranges& ranges, const kernel::FrameConstants& frame)
      : nodes_(nodes), distances_(frame, ranges.lag_m, ranges.select_sq, nodes.hole()), quads_(ranges.node_quads) {}

  // Bits of the children (of lod - 1 >= 1, in the field) that are split.
  int split_children(int lod, Place parent, int children) const {
    const int child_lod = lod - 1;
    const std::int64_t side = std::int64_t(quads_) << child_lod;
    Integers4 heights, exponents;
    if (const NodeRanges::Level* level = nodes_.level_of_32(child_lod)) {
      // Children outside the field read the first one and are masked out.
      const NodeBounds* north = level->at(child_of(parent, 0));
      const NodeBounds* south = north + (children & 0b1100 ? level->width : 0);
      const int east = children & 0b0010 ? 1 : 0;
      heights = Integers4{heights_of(north[0]), heights_of(north[east]), heights_of(south[0]), heights_of(south[east])};
      exponents = Integers4{north[0].split, north[east].split, south[0].split, south[east].split};
    } else {
      for (int child = 0; child < 4; ++child) {
        const NodeRange range = nodes_.at(child_lod, child_of(parent, children >> child & 1 ? child : 0));
        heights[child] = std::int32_t(range.min | std::uint32_t(range.max) << 16);
        exponents[child] = range.split;
      }
    }
    exponents -= 2 * (child_lod - 1);
    return distances_.in_range(2 * parent.x * side, 2 * parent.z * side, side, heights, exponents) & children;
  }

  // Starts to read the bounds of a node's children.
  void prefetch_children(int lod, Place parent) const {
    if (const NodeRanges::Level* level = nodes_.level_of_32(lod - 1)) {
      const NodeBounds* first = level->at(child_of(parent, 0));
      __builtin_prefetch(first);
      __builtin_prefetch(first + level->width);
    }
  }

 private:
  static std::int32_t heights_of(const NodeBounds& node) {
    return std::int32_t(node.min | std::uint32_t(node.max) << 16);
  }

  const NodeRanges& nodes_;
  ChildDistances distances_;
  int quads_;
};

// Descends from the roots; `split_children(lod, parent, children)` answers for a parent's children in the field.
// `prefetch(lod, parent)` announces that it will be asked.
template <class SplitChildren, class Prefetch>
std::uint64_t descend(const NodeGrid& grid, SplitSet& splits, const SplitChildren& split_children,
                      const Prefetch& prefetch) {
  constexpr std::array<std::uint8_t, 16> kCounts = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  splits.clear();
  std::uint64_t visited = 0;
  push_virtual(grid, grid.lods + 1, splits);
  splits.cover_list(grid.lods + 1);
  for (const Split& split : splits.list(grid.lods + 1)) {
    splits.insert(grid.lods + 1, split.at, split.children);
  }
  push_virtual(grid, grid.lods, splits);
  for (int lod = grid.lods; lod > 1; --lod) {
    splits.cover_list(lod);
    std::vector<Split>& list = splits.list(lod);
    std::vector<Split>& below = splits.list(lod - 1);
    // Four children a node at most, and one more may be written past the last.
    below.resize(4 * list.size() + 1);
    Split* out = below.data();
    constexpr std::size_t kAhead = 4;  // nodes whose bounds are on their way
    for (std::size_t i = 0; i < list.size(); ++i) {
      Split& split = list[i];
      prefetch(lod, list[std::min(i + kAhead, list.size() - 1)].at);
      const int children = grid.children(lod, split.at);
      split.children = split_children(lod, split.at, children);
      for (int child = 0; child < 4; ++child) {
        *out = {child_of(split.at, child), 0};
        out += split.children >> child & 1;
      }
      splits.insert(lod, split.at, split.children);
      visited += kCounts[std::size_t(children)];
    }
    below.resize(std::size_t(out - below.data()));
  }
  // Lod 0 never splits.
  splits.cover_list(1);
  for (Split& split : splits.list(1)) {
    split.children = 0;
    splits.insert(1, split.at, 0);
    visited += kCounts[std::size_t(grid.children(1, split.at))];
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
  const cut::Selector selector(nodes, ranges, frame);
  state.visited = cut::descend(
      grid, state.wanted,
      [&](int lod, cut::Place at, int children) { return selector.split_children(lod, at, children); },
      [&](int lod, cut::Place at) { selector.prefetch_children(lod, at); });
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
