// Node meshes on the CPU: the vertices of a cut's nodes by the kernel's vertex function, and their index buffers.
//
// Every node that holds a vertex computes the same bits for it, so neighbours meet without cracks and merges move
// nothing. The GPU kernel writes the same words (kernel/attributes.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arete/core.h"

namespace arete {

// ---- Layouts --------------------------------------------------------------------------------------------------------

// The engine's 23 words: position 3, normal 3, tangent 4, uv0 2, uv1 2, colour 1 (RGBA8), joints 4, weights 4 (the last
// two zero).
kernel::VertexLayout engine_layout();
// 4 words: position and packed normal.
kernel::VertexLayout compact_layout();

// Vertices of a node of `quads` quads a side, and of its pool slot: a multiple of 4.
constexpr int node_vertices(int quads) { return (quads + 1) * (quads + 1); }
constexpr int node_slot_vertices(int quads) { return (node_vertices(quads) + 3) / 4 * 4; }

// ---- Index buffers --------------------------------------------------------------------------------------------------
// Triangles of the split contract, counter-clockwise seen from above; vertex (i, k) is k (quads + 1) + i. `quads` is
// even.

// Every node's triangles: 6 quads^2 indices. Right for every node and mask: where the edge rule or the rim puts several
// vertices on one place, triangles have no area.
std::vector<std::uint32_t> node_indices(int quads);

// The same surface without the triangles that repeat a vertex once the edges in `coarse_mask` are stitched: 6 quads^2 -
// 3 quads/2 a stitched edge. For nodes that lie in the field with all their cells.
std::vector<std::uint32_t> sew_indices(int quads, int coarse_mask);

// The cells of a node that lie in the field: 1..quads an axis, 0 along an axis of a single stop.
struct NodeCells {
  int x;
  int z;
};
NodeCells node_cells(const Lattice& lattice, const Node& node, int quads);

// For any node: leaves out what lies beyond the rim as well, and keeps the rim's vertices, whose index may be odd, in
// place.
std::vector<std::uint32_t> sew_indices(int quads, int coarse_mask, NodeCells cells);

// ---- Vertices -------------------------------------------------------------------------------------------------------

// Reads pages of a source for node meshing and keeps one page a lod at hand between nodes: nodes in a cut's order find
// theirs there. One per thread; the source and bounds must outlive it.
class NodeMesher {
 public:
  explicit NodeMesher(const SampleSource& source, const Bounds& bounds);
  ~NodeMesher();
  NodeMesher(const NodeMesher&) = delete;
  NodeMesher& operator=(const NodeMesher&) = delete;
  // Writes node_vertices(quads) vertices, row-major, stride_words words each, into `words`
  // (at least node_vertices(quads) * stride_words long). Fails as the source does, and (data) where a page
  // is not resident; `words` is then undefined.
  Result<void> build(const kernel::FrameConstants& frame, const Ranges& ranges, const Node& node,
                     const kernel::VertexLayout& layout, std::span<std::uint32_t> words);
  // Forgets pages, so that changed ones are read again.
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A rect of one field, tiled by nodes: fine whole index g of an axis stands on the stop nearest to p0 + g d.
struct RectGrid {
  int q = 0;              // places are whole numbers of 1/2^q texel, 0..20
  std::int64_t p0_x = 0;  // from the field's edge (area) or first sample (point); |p0 + g d| < 2^60
  std::int64_t p0_z = 0;
  std::int64_t d_x = 1;  // between neighbouring fine indices, > 0
  std::int64_t d_z = 1;
};

// The vertices of `node` of a rect over a field in memory, by the same vertex function without local ranges. `stops` is
// row-major, stops_x * stops_z steps; `node.quads` gives N, `frame.coarsest_lod` the lod that never morphs. A node
// whose vertices are a texel apart or closer (3/4 texel for area fields, or less than one with the rect equal to the
// field) draws the collider's cells. Gradients use stops about a vertex spacing apart, at least one.
void build_rect_node_vertices(const Lattice& lattice, std::span<const std::uint16_t> stops, const RectGrid& rect,
                              const kernel::FrameConstants& frame, const kernel::NodeRecord& node,
                              const kernel::VertexLayout& layout, std::span<std::uint32_t> words);

}  // namespace arete
