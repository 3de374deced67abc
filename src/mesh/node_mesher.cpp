// A node's vertices from pages: grids of the cascade, the words of the layout and the corners of the edge rule.
#include <array>
#include <span>

#include "arete/mesh.h"
#include "kernel/vertex.h"
#include "node_grids.h"
#include "page_samples.h"
#include "vertex_words.h"

namespace arete {
namespace {

// The vertices at and beside a node's corners that the coarse rule of drawn_index() draws otherwise than those of the
// edge: at most 9, in the order of rows.
class CornerVertices {
 public:
  CornerVertices(const kernel::FrameConstants& frame, const kernel::NodeRecord& record,
                 const mesh::PageSamples& samples) {
    if ((record.coarse_mask | record.corner_lods) == 0) {
      return;
    }
    const int quads = record.quads;
    for (const int k : {0, 1, quads}) {
      for (const int i : {0, 1, quads}) {
        const int edges = (k == 0 ? kernel::kEdgeMinusZ : 0) | (i == quads ? kernel::kEdgePlusX : 0) |
                          (k == quads ? kernel::kEdgePlusZ : 0) | (i == 0 ? kernel::kEdgeMinusX : 0);
        const kernel::DrawnIndex drawn = kernel::drawn_index(frame, record, i, k);
        if (drawn.lod != record.lod + ((record.coarse_mask & edges) != 0 ? 1 : 0)) {
          placed_[count_++] = {i, k, kernel::cascade_vertex(samples, frame, drawn.lod, drawn.gx, drawn.gz)};
        }
      }
    }
  }
  std::span<const mesh::PlacedVertex> all() const { return std::span(placed_).first(count_); }

 private:
  std::array<mesh::PlacedVertex, 9> placed_;
  std::size_t count_ = 0;
};

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
  ARETE_ASSERT(is_node_size(quads));
  ARETE_ASSERT(words.size() >= std::size_t(node_vertices(quads)) * std::size_t(layout.stride_words));
  ARETE_ASSERT(node.lod <= frame.coarsest_lod);
  ARETE_ASSERT(std::int64_t(node.x) << node.lod <= frame.last_stop_x / quads);
  ARETE_ASSERT(std::int64_t(node.z) << node.lod <= frame.last_stop_z / quads);
  mesh::PageSamples& samples = state_->samples;
  mesh::NodeGrids& grids = state_->grids;
  samples.begin(node, quads, ranges.plane);
  grids.begin(frame, samples, node, quads);
  const mesh::WordTable table = mesh::word_table(layout);
  const CornerVertices corners(frame, node_record(node, quads), samples);
  if (table.is_compact) {
    grids.write_compact(corners.all(), words.data());
  } else {
    mesh::write_vertices(frame, table, grids.vertices(corners.all()), node_vertices(quads), state_->room, words.data());
  }
  if (samples.error()) {
    return Unexpected{*samples.error()};
  }
  return {};
}

void NodeMesher::clear() { state_->samples.clear(); }

}  // namespace arete
