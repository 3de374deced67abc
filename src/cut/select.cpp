// The cut of a camera: a descent from the roots, the 2:1 closure, and leaves with their edge rule.
//
// A node is split when the scaled squared distance to its closed box is below R_0^2, in the very f32 expressions of the
// morph weight. Rounding is monotone, so no vertex of a leaf is nearer than its box, and a parent is never left whole
// whose child asks to be split (Strugar, "Continuous Distance-Dependent Level of Detail for Rendering Heightmaps",
// 2009).
#include <algorithm>

#include "arete/cut.h"
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
      splits.list(lod).push_back(place);
    }
  }
}

// Distances of nodes to the camera and whether they ask to be split.
class Selector {
 public:
  Selector(const Bounds& bounds, const Ranges& ranges, const kernel::FrameConstants& frame, const NodeGrid& grid)
      : bounds_(bounds), ranges_(ranges), frame_(frame), grid_(grid) {}

  // Bits of the children (of lod - 1 >= 1, in the field) that are split.
  int split_children(int lod, Place parent, int children) const {
    const int child_lod = lod - 1;
    const Lattice& lattice = bounds_.lattice();
    float x[3];
    float z[3];
    for (int i = 0; i < 3; ++i) {
      const int half_x = lattice.half_x(stop(2 * parent.x + i, child_lod, lattice.last_stop_x()));
      const int half_z = lattice.half_z(stop(2 * parent.z + i, child_lod, lattice.last_stop_z()));
      x[i] = kernel::camera_offset(half_x, frame_.camera_half_x, frame_.half_x_m, frame_.camera_rest_x);
      z[i] = kernel::camera_offset(half_z, frame_.camera_half_z, frame_.half_z_m, frame_.camera_rest_z);
    }
    const float lag = ranges_.lag_m;
    const float near_x[2] = {kernel::nearest_offset(x[0] - lag, x[1] + lag),
                             kernel::nearest_offset(x[1] - lag, x[2] + lag)};
    const float near_z[2] = {kernel::nearest_offset(z[0] - lag, z[1] + lag),
                             kernel::nearest_offset(z[1] - lag, z[2] + lag)};
    int split = 0;
    for (int child = 0; child < 4; ++child) {
      if ((children >> child & 1) == 0) {
        continue;
      }
      const NodeRange range =
          node_range(bounds_, grid_.quads, child_lod, {2 * parent.x + (child & 1), 2 * parent.z + (child >> 1)});
      const float low = kernel::height_m(range.min, frame_.base_m, frame_.step_m) - frame_.camera_y;
      const float high = kernel::height_m(range.max, frame_.base_m, frame_.step_m) - frame_.camera_y;
      const float near_y = kernel::nearest_offset(low - lag, high + lag);
      const float d2 = kernel::distance_sq(near_x[child & 1], near_y, near_z[child >> 1]);
      const float scaled = kernel::scaled_distance_sq(d2, range.split, child_lod - 1);
      split |= (scaled < ranges_.select_sq ? 1 : 0) << child;
    }
    return split;
  }

 private:
  std::int32_t stop(std::int32_t index, int lod, std::int32_t last_stop) const {
    const std::int64_t at = (std::int64_t(index) * grid_.quads) << lod;
    return static_cast<std::int32_t>(at < last_stop ? at : last_stop);
  }

  const Bounds& bounds_;
  const Ranges& ranges_;
  const kernel::FrameConstants& frame_;
  const NodeGrid& grid_;
};

// Descends from the roots; `split_children(lod, parent, children)` answers for a parent's children in the field.
template <class SplitChildren>
std::uint64_t descend(const NodeGrid& grid, SplitSet& splits, const SplitChildren& split_children) {
  splits.clear();
  std::uint64_t visited = 0;
  push_virtual(grid, grid.lods + 1, splits);
  for (const Place at : splits.list(grid.lods + 1)) {
    splits.insert(grid.lods + 1, at, grid.children(grid.lods + 1, at));
  }
  push_virtual(grid, grid.lods, splits);
  for (int lod = grid.lods; lod >= 1; --lod) {
    for (const Place at : splits.list(lod)) {
      int split = 0;
      const int children = grid.children(lod, at);
      if (lod > 1) {
        split = split_children(lod, at, children);
        for (int child = 0; child < 4; ++child) {
          if (split >> child & 1) {
            splits.list(lod - 1).push_back({2 * at.x + (child & 1), 2 * at.z + (child >> 1)});
          }
        }
      }
      splits.insert(lod, at, split);
      visited += std::uint64_t(std::popcount(unsigned(children)));
    }
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
  const cut::Selector selector(bounds, ranges, frame, grid);
  state.visited = cut::descend(grid, state.wanted, [&](int lod, cut::Place at, int children) {
    return selector.split_children(lod, at, children);
  });
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
  const cut::Culler culler(bounds, view, ranges, frame);
  cut::emit_leaves(grid, *splits, &culler, cut);
}

void cut_from_splits(const Lattice& lattice, int node_quads, const SplitPredicate& splits, CutWorkspace& workspace,
                     Cut& cut) {
  CutWorkspace::State& state = workspace.state();
  const cut::NodeGrid grid(lattice, node_quads);
  state.visited = cut::descend(grid, state.wanted, [&](int lod, cut::Place at, int children) {
    int split = 0;
    for (int child = 0; child < 4; ++child) {
      if (children >> child & 1) {
        const bool is_split =
            splits.is_split(lod - 1, std::uint32_t(2 * at.x + (child & 1)), std::uint32_t(2 * at.z + (child >> 1)));
        split |= (is_split ? 1 : 0) << child;
      }
    }
    return split;
  });
  cut::refine_to_restricted(grid, state.wanted);
  cut::emit_leaves(grid, state.wanted, nullptr, cut);
}

NodeBox node_box(const Bounds& bounds, int node_quads, int lod, std::uint32_t x, std::uint32_t z, HeightPlane plane) {
  const Lattice& lattice = bounds.lattice();
  const cut::Place at{std::int32_t(x), std::int32_t(z)};
  const cut::StopSpan span_x = cut::stop_span(at.x, node_quads, lod, lattice.last_stop_x());
  const cut::StopSpan span_z = cut::stop_span(at.z, node_quads, lod, lattice.last_stop_z());
  const cut::NodeRange range = cut::node_range(bounds, node_quads, lod, at);
  return {lattice.x_m(span_x.first),
          lattice.height_m(range.min),
          lattice.z_m(span_z.first),
          lattice.x_m(span_x.last),
          lattice.height_m(plane == HeightPlane::max ? range.top : range.max),
          lattice.z_m(span_z.last)};
}

}  // namespace arete
