// A node's vertices from pages: grids of the cascade, the edge rule, and the words of the layout.
#include <algorithm>

#include "arete/mesh.h"
#include "kernel/vertex.h"
#include "node_grids.h"
#include "page_samples.h"
#include "vertex_words.h"

namespace arete {
namespace {

void put(mesh::VertexGrid& grid, int at, const kernel::SurfaceVertex& vertex) {
  const std::size_t i = std::size_t(at);
  grid.x[i] = vertex.x;
  grid.y[i] = vertex.y;
  grid.z[i] = vertex.z;
  grid.gradient_x[i] = vertex.gradient.x;
  grid.gradient_z[i] = vertex.gradient.z;
  grid.is_hole[i] = vertex.is_hole;
  grid.has_holes = grid.has_holes || vertex.is_hole == 1;
}

kernel::SurfaceVertex vertex_of(const mesh::VertexGrid& grid, int at) {
  const std::size_t i = std::size_t(at);
  return {grid.x[i], grid.y[i], grid.z[i], {grid.gradient_x[i], grid.gradient_z[i]}, grid.is_hole[i]};
}

// The coarse rule of drawn_index(): stitched edges take the vertices of the lod above, and what lies at or beside a
// corner asks the kernel.
void apply_edge_rule(const kernel::FrameConstants& frame, const kernel::NodeRecord& record,
                     const mesh::PageSamples& samples, mesh::NodeGrids& grids, mesh::VertexGrid& grid) {
  const int quads = record.quads;
  const auto stitch = [&](int first_i, int first_k, int step_i, int step_k) {
    const mesh::VertexGrid& above = grids.grid(1);
    const int stride = grids.axis_x(1).count;
    for (int n = 0; n <= quads; ++n) {
      const int i = first_i + n * step_i, k = first_k + n * step_k;
      const int target = grids.axis_z(0).parent[std::size_t(k)] * stride + grids.axis_x(0).parent[std::size_t(i)];
      put(grid, k * (quads + 1) + i, vertex_of(above, target));
    }
  };
  if ((record.coarse_mask & kernel::kEdgeMinusZ) != 0) {
    stitch(0, 0, 1, 0);
  }
  if ((record.coarse_mask & kernel::kEdgePlusX) != 0) {
    stitch(quads, 0, 0, 1);
  }
  if ((record.coarse_mask & kernel::kEdgePlusZ) != 0) {
    stitch(0, quads, 1, 0);
  }
  if ((record.coarse_mask & kernel::kEdgeMinusX) != 0) {
    stitch(0, 0, 0, 1);
  }
  for (const int k : {0, 1, quads}) {
    for (const int i : {0, 1, quads}) {
      put(grid, k * (quads + 1) + i, kernel::node_vertex(samples, frame, record, i, k));
    }
  }
}

}  // namespace

struct NodeMesher::State {
  State(const SampleSource& source, const Bounds& bounds) : samples(source, bounds), grids(bounds) {}
  mesh::PageSamples samples;
  mesh::NodeGrids grids;
};

NodeMesher::NodeMesher(const SampleSource& source, const Bounds& bounds)
    : state_(std::make_unique<State>(source, bounds)) {}
NodeMesher::~NodeMesher() = default;

Result<void> NodeMesher::build(const kernel::FrameConstants& frame, const Ranges& ranges, const Node& node,
                               const kernel::VertexLayout& layout, std::span<std::uint32_t> words) {
  const int quads = ranges.node_quads;
  ARETE_ASSERT(words.size() >= std::size_t(node_vertices(quads)) * std::size_t(layout.stride_words));
  ARETE_ASSERT(node.lod <= frame.coarsest_lod);
  const kernel::NodeRecord record = node_record(node, quads);
  mesh::PageSamples& samples = state_->samples;
  mesh::NodeGrids& grids = state_->grids;
  samples.begin(node, quads, ranges.plane);
  grids.begin(frame, samples, node, quads);
  mesh::VertexGrid& grid = grids.grid(0);
  if ((node.coarse_mask | node.corner_lods) != 0) {
    apply_edge_rule(frame, record, samples, grids, grid);
  }
  mesh::write_vertices(frame, mesh::word_table(layout), grid, node_vertices(quads), words.data());
  if (samples.error()) {
    return Unexpected{*samples.error()};
  }
  return {};
}

void NodeMesher::clear() { state_->samples.clear(); }

}  // namespace arete
