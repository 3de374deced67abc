// A node's vertices from pages, by the kernel's vertex function.
#include "arete/mesh.h"
#include "kernel/vertex.h"
#include "page_samples.h"
#include "write_vertex.h"

namespace arete {

struct NodeMesher::State {
  State(const SampleSource& source, const Bounds& bounds) : samples(source, bounds) {}
  mesh::PageSamples samples;
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
  samples.begin(frame, node, quads, ranges.plane);
  std::uint32_t* out = words.data();
  for (int k = 0; k <= quads; ++k) {
    for (int i = 0; i <= quads; ++i, out += layout.stride_words) {
      mesh::write_vertex(frame, layout, kernel::node_vertex(samples, frame, record, i, k), out);
    }
  }
  if (samples.error()) {
    return Unexpected{*samples.error()};
  }
  return {};
}

void NodeMesher::clear() { state_->samples.clear(); }

}  // namespace arete
