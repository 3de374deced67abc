// Node meshes on the CPU: the vertices of a cut's nodes by the kernel's vertex function, and their index buffers.
//
// Every node that holds a vertex computes the same bits for it, so neighbours meet without cracks and merges move
// nothing. The GPU kernel writes the same words.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arete/core.h"

namespace arete {

// Vertex layouts. The engine's 23 words: position 3, normal 3, tangent 4, uv0 2, uv1 2, colour 1 (RGBA8), joints 4, weights 4
// (the last two zero).
kernel::VertexLayout engine_layout();
// 4 words: position and packed normal.
kernel::VertexLayout compact_layout();

// Vertices of a node of `quads` quads a side, and of its pool slot: a multiple of 4.
constexpr int node_vertices(int quads) { return (quads + 1) * (quads + 1); }
constexpr int node_slot_vertices(int quads) { return (node_vertices(quads) + 3) / 4 * 4; }

// Triangles of an unstitched node by the split contract: 6 quads^2 indices, counter-clockwise seen from above.
std::vector<std::uint32_t> node_indices(int quads);
// The same surface without the triangles that repeat a vertex once the edges in `coarse_mask` are stitched: 6 quads^2 - 3 quads/2 a stitched edge.
std::vector<std::uint32_t> sew_indices(int quads, int coarse_mask);

// Reads pages of a source for node meshing and keeps them at hand between nodes. One per thread.
class NodeMesher {
 public:
  explicit NodeMesher(const SampleSource& source, const Bounds& bounds);
  ~NodeMesher();
  NodeMesher(const NodeMesher&) = delete;
  NodeMesher& operator=(const NodeMesher&) = delete;
  // Writes node_vertices(quads) vertices, row-major, stride_words words each, into `words`
  // (at least node_vertices(quads) * stride_words long).
  Result<void> build(const kernel::FrameConstants& frame, const Ranges& ranges, const Node& node,
                     const kernel::VertexLayout& layout, std::span<std::uint32_t> words);
  // Forgets pages, as at the end of a frame.
  void clear();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arete
