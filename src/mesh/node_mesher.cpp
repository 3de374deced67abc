// A node's vertices from pages: grids of the cascade, the words of the layout and the corners of the edge rule.
#include "arete/mesh.h"
#include "kernel/vertex.h"
#include "node_grids.h"
#include "page_samples.h"
#include "vertex_words.h"
#include "write_vertex.h"

namespace arete {
namespace {

// The coarse rule of drawn_index() at and beside a node's corners, where it is not that of the edge: the kernel's
// vertex.
void patch_corners(const kernel::FrameConstants& frame, const kernel::NodeRecord& record,
                   const kernel::VertexLayout& layout, const mesh::PageSamples& samples, std::uint32_t* words) {
  const int quads = record.quads;
  for (const int k : {0, 1, quads}) {
    for (const int i : {0, 1, quads}) {
      const int edges = (k == 0 ? kernel::kEdgeMinusZ : 0) | (i == quads ? kernel::kEdgePlusX : 0) |
                        (k == quads ? kernel::kEdgePlusZ : 0) | (i == 0 ? kernel::kEdgeMinusX : 0);
      const kernel::DrawnIndex drawn = kernel::drawn_index(frame, record, i, k);
      if (drawn.lod != record.lod + ((record.coarse_mask & edges) != 0 ? 1 : 0)) {
        mesh::write_vertex(frame, layout, kernel::cascade_vertex(samples, frame, drawn.lod, drawn.gx, drawn.gz),
                           words + std::ptrdiff_t(k * (quads + 1) + i) * layout.stride_words);
      }
    }
  }
}

}  // namespace

struct NodeMesher::State {
  State(const SampleSource& source, const Bounds& bounds) : samples(source, bounds), grids(bounds) {}
  mesh::PageSamples samples;
  mesh::NodeGrids grids;
  mesh::WordRoom room;
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
  const mesh::WordTable table = mesh::word_table(layout);
  if (table.is_compact) {
    grids.write_compact(words.data());
  } else {
    mesh::write_vertices(frame, table, grids.vertices(), node_vertices(quads), state_->room, words.data());
  }
  if ((node.coarse_mask | node.corner_lods) != 0) {
    patch_corners(frame, record, layout, samples, words.data());
  }
  if (samples.error()) {
    return Unexpected{*samples.error()};
  }
  return {};
}

void NodeMesher::clear() { state_->samples.clear(); }

}  // namespace arete
