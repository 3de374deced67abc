// A node's vertices from pages: rows of the cascade, the edge rule, and the words of the layout.
#include <algorithm>

#include "arete/mesh.h"
#include "kernel/vertex.h"
#include "node_rows.h"
#include "page_samples.h"
#include "vertex_row.h"

namespace arete {
namespace {

void put(mesh::VertexRow& row, int i, const kernel::SurfaceVertex& vertex) {
  const std::size_t at = std::size_t(i);
  row.x[at] = vertex.x;
  row.y[at] = vertex.y;
  row.z[at] = vertex.z;
  row.gradient_x[at] = vertex.gradient.x;
  row.gradient_z[at] = vertex.gradient.z;
  row.is_hole[at] = vertex.is_hole;
}

void put(mesh::VertexRow& row, int i, const mesh::VertexRow& from, int place) {
  const std::size_t at = std::size_t(place);
  put(row, i, {from.x[at], from.y[at], from.z[at], {from.gradient_x[at], from.gradient_z[at]}, from.is_hole[at]});
}

// The coarse rule of drawn_index() on one row: stitched edges take the vertices of the lod above, and what lies at or
// beside a corner asks the kernel.
void apply_edge_rule(const kernel::FrameConstants& frame, const kernel::NodeRecord& record,
                     const mesh::PageSamples& samples, mesh::NodeRows& rows, int k, mesh::VertexRow& row) {
  const int quads = record.quads;
  const bool along_x = (k == 0 && (record.coarse_mask & kernel::kEdgeMinusZ) != 0) ||
                       (k == quads && (record.coarse_mask & kernel::kEdgePlusZ) != 0);
  const int sides = record.coarse_mask & (kernel::kEdgeMinusX | kernel::kEdgePlusX);
  if (along_x || sides != 0) {
    const mesh::LatticeAxis& axis = rows.axis_x(0);
    const mesh::VertexRow& above = rows.row(1, rows.axis_z(0).parent[std::size_t(k)]);
    for (int i = 0; i <= quads; ++i) {
      if (along_x || (i == 0 && (sides & kernel::kEdgeMinusX) != 0) ||
          (i == quads && (sides & kernel::kEdgePlusX) != 0)) {
        put(row, i, above, axis.parent[std::size_t(i)]);
      }
    }
  }
  if (k <= 1 || k == quads) {
    for (const int i : {0, 1, quads}) {
      put(row, i, kernel::node_vertex(samples, frame, record, i, k));
    }
  }
}

}  // namespace

struct NodeMesher::State {
  State(const SampleSource& source, const Bounds& bounds) : samples(source, bounds), rows(bounds) {}
  mesh::PageSamples samples;
  mesh::NodeRows rows;
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
  mesh::NodeRows& rows = state_->rows;
  samples.begin(frame, node, quads, ranges.plane);
  rows.begin(frame, samples, node, quads);
  const mesh::WordTable table = mesh::word_table(layout);
  const bool has_edge_rule = (node.coarse_mask | node.corner_lods) != 0;
  std::uint32_t* out = words.data();
  for (int k = 0; k <= quads; ++k) {
    mesh::VertexRow& row = rows.row(0, k);
    if (has_edge_rule) {
      apply_edge_rule(frame, record, samples, rows, k, row);
      rows.forget_row();
    }
    mesh::write_row(frame, table, row, quads + 1, k == quads, out);
    out += std::ptrdiff_t(quads + 1) * layout.stride_words;
  }
  if (samples.error()) {
    return Unexpected{*samples.error()};
  }
  return {};
}

void NodeMesher::clear() { state_->samples.clear(); }

}  // namespace arete
