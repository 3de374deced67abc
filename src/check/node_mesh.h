// One node as it is drawn, and the state that every judgement of a view shares.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "arete/check.h"
#include "arete/mesh.h"
#include "check/edge_net.h"
#include "check/page_reader.h"
#include "check/triangles.h"

namespace arete::check {

enum class Fate : std::uint8_t { drawn, over_hole, degenerate };

// The normals of a view's border vertices by lattice place (stop x << 32 | stop z), as the first node drew them.
using NormalMap = std::unordered_map<std::uint64_t, Words3>;

// The engine's words of one node and what becomes of each triangle of its index buffer.
class NodeMesh {
 public:
  Node node;
  std::vector<std::uint32_t> words;  // node_vertices(quads) in engine layout
  std::vector<Fate> fates;           // one a triangle of *triangles
  const Triangles* triangles = nullptr;

  explicit NodeMesh(int quads)
      : words(std::size_t(node_vertices(quads)) * std::size_t(engine_layout().stride_words)), quads_(quads) {}

  int quads() const { return quads_; }
  const kernel::VertexLayout& layout() const { return layout_; }
  Words3 position(std::uint32_t vertex) const { return three(vertex, layout_.position); }
  Words3 normal(std::uint32_t vertex) const { return three(vertex, layout_.normal); }
  // Alpha, the last byte of the colour, is 0 at a hole.
  bool is_hole(std::uint32_t vertex) const { return word(vertex, layout_.colour) >> 24 == 0; }
  std::uint32_t* vertex_words(std::uint32_t vertex) {
    return words.data() + std::size_t(vertex) * std::size_t(layout_.stride_words);
  }

  // Sets `fates` for an index buffer. A triangle with two corners at one place is degenerate.
  void judge(const Triangles& buffer);
  // Adds the edges without a triangle across to the net of the view.
  void add_edges(EdgeNet& net) const;
  // Compares the normals of the node's border with those that other nodes of the view gave the same lattice vertices.
  // Returns how many differ.
  std::int64_t compare_normals(const kernel::FrameConstants& frame, NormalMap& normals) const;

 private:
  std::uint32_t word(std::uint32_t vertex, int offset) const {
    return words[std::size_t(vertex) * std::size_t(layout_.stride_words) + std::size_t(offset)];
  }
  Words3 three(std::uint32_t vertex, int offset) const {
    return {word(vertex, offset), word(vertex, offset + 1), word(vertex, offset + 2)};
  }

  const kernel::VertexLayout layout_ = engine_layout();
  int quads_;
};

// What the judgements of one node read.
struct Scene {
  const Lattice& lattice;
  const Bounds& bounds;
  const Ranges& ranges;
  const kernel::FrameConstants& frame;
  bool has_holes;  // anywhere in the field
};

// Judges what a node must look like by its samples alone: hole flags everywhere; at unmorphed lod-0 vertices the
// collider's own bits, and their triangles on the collider's planes, each cell's two drawn once.
void judge_surface(const Scene& scene, const NodeMesh& mesh, PageReader& pages, CheckReport& report);

// Judges which nodes a cut holds: cells covered not exactly once, and edge neighbours more than one lod apart.
void judge_cover(const Lattice& lattice, int quads, const Cut& cut, CheckReport& report);

// Judges every page of the field against its neighbours and children; sets `has_holes`. Counts borders, padding and
// subsample planes as border_mismatches, aprons as normal_mismatches.
Result<void> judge_pages(const SampleSource& source, int jobs, const std::function<void(double)>& progress,
                         CheckReport& report, bool& has_holes);

}  // namespace arete::check
