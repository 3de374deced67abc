// Meshes a cut for a picture.
//
// Walls hang from the rim's own vertices, so they meet the ground without a gap whatever the lods.
#include "vulkan/field_scene.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "arete/mesh.h"
#include "core/workers.h"
#include "vulkan/check.h"

namespace arete::vulkan {
namespace {

bool is_on_rim(const Lattice& lattice, const Node& node, int quads) {
  return node.x == 0 || node.z == 0 || std::int32_t(node.x) == lattice.nodes_x(node.lod, quads) - 1 ||
         std::int32_t(node.z) == lattice.nodes_z(node.lod, quads) - 1;
}

// Appends the walls below a node's sides that lie on the field's rim.
class WallBuilder {
 public:
  WallBuilder(const kernel::VertexLayout& layout, const Lattice& lattice, int quads, float floor_m)
      : layout_(layout), lattice_(lattice), quads_(quads), floor_m_(floor_m) {}

  void add_node(const Node& node, std::span<const std::uint32_t> node_words) {
    const auto [cells_x, cells_z] = node_cells(lattice_, node, quads_);
    const int row = quads_ + 1;
    if (node.z == 0) add_side(node_words, 0, 1, cells_x, 0, -1);
    if (node.x == 0) add_side(node_words, 0, row, cells_z, -1, 0);
    if (std::int32_t(node.z) == lattice_.nodes_z(node.lod, quads_) - 1) {
      add_side(node_words, row * cells_z, 1, cells_x, 0, 1);
    }
    if (std::int32_t(node.x) == lattice_.nodes_x(node.lod, quads_) - 1) {
      add_side(node_words, cells_x, row, cells_z, 1, 0);
    }
  }

  const std::vector<std::uint32_t>& words() const { return words_; }

 private:
  // Below vertices first, first + step, ...
  void add_side(std::span<const std::uint32_t> node_words, int first, int step, int segments, float normal_x,
                float normal_z) {
    for (int segment = 0; segment < segments; ++segment) {
      const int a = first + segment * step, b = a + step;
      for (const auto& [vertex, is_low] :
           {std::pair{a, false}, {a, true}, {b, false}, {b, false}, {a, true}, {b, true}}) {
        const std::size_t at = words_.size();
        const auto stride = std::size_t(layout_.stride_words);
        const auto from = node_words.subspan(std::size_t(vertex) * stride, stride);
        words_.insert(words_.end(), from.begin(), from.end());
        std::uint32_t* const words = &words_[at];
        if (is_low) words[layout_.position + 1] = std::bit_cast<std::uint32_t>(floor_m_);
        words[layout_.normal] = std::bit_cast<std::uint32_t>(normal_x);
        words[layout_.normal + 1] = std::bit_cast<std::uint32_t>(0.0f);
        words[layout_.normal + 2] = std::bit_cast<std::uint32_t>(normal_z);
      }
    }
  }

  const kernel::VertexLayout& layout_;
  const Lattice& lattice_;
  int quads_;
  float floor_m_;
  std::vector<std::uint32_t> words_;
};

// Meshes nodes on every core, node i at slot i of `words`.
Result<void> mesh_nodes(const FieldView& view, const std::vector<Node>& nodes, const kernel::VertexLayout& layout,
                        std::size_t slot_words, std::vector<std::uint32_t>& words) {
  words.resize(nodes.size() * slot_words);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](const std::atomic<bool>& has_failed) -> Result<void> {
    NodeMesher mesher(view.source, view.bounds);
    constexpr std::size_t kBatch = 16;  // neighbours in the cut's order share pages
    for (std::size_t first = next.fetch_add(kBatch); first < nodes.size() && !has_failed;
         first = next.fetch_add(kBatch)) {
      for (std::size_t i = first; i < std::min(first + kBatch, nodes.size()); ++i) {
        ARETE_TRY(mesher.build(view.frame, view.ranges, nodes[i], layout,
                               std::span(words).subspan(i * slot_words, slot_words)));
      }
    }
    return {};
  };
  return run_workers(int(std::min(std::size_t(worker_count(0)), nodes.size() / 32 + 1)), work);
}

}  // namespace

kernel::VertexLayout picture_layout() {
  return {.stride_words = 9,
          .position = 0,
          .normal = 3,
          .tangent = -1,
          .uv0 = 6,
          .uv1 = -1,
          .colour = 8,
          .joints = -1,
          .weights = -1,
          .packed_normal = -1};
}

Cut picture_cut(const Lattice& lattice, const Cut& cut, int node_quads, bool has_walls) {
  Cut wanted = cut;
  if (has_walls) {
    for (std::uint32_t i = 0; i < cut.nodes.size(); ++i) {
      if (is_on_rim(lattice, cut.nodes[i], node_quads)) wanted.drawn.push_back(i);
    }
    std::sort(wanted.drawn.begin(), wanted.drawn.end());
    wanted.drawn.erase(std::unique(wanted.drawn.begin(), wanted.drawn.end()), wanted.drawn.end());
  }
  return wanted;
}

Result<FieldScene> make_field_scene(const FieldView& view, const Cut& cut, bool with_nodes, bool has_walls,
                                    double floor_m) {
  const Lattice& lattice = view.bounds.lattice();
  const int quads = view.ranges.node_quads;
  FieldScene made;
  Scene& scene = made.scene;
  scene.bounds = &view.bounds;
  scene.anchor = view.anchor;
  scene.layout = picture_layout();
  scene.node_quads = quads;
  const auto slot_vertices = std::size_t(node_slot_vertices(quads));
  const std::size_t slot_words = slot_vertices * std::size_t(scene.layout.stride_words);
  if (cut.drawn.size() * slot_vertices > std::size_t(INT32_MAX) / 2) {
    return usage_error("the cut has " + std::to_string(cut.drawn.size()) +
                       " nodes, more than one picture holds; allow a greater pixel error");
  }
  std::vector<Node> meshed;
  for (std::size_t i = 0; i < cut.drawn.size(); ++i) {
    const Node& node = cut.nodes[cut.drawn[i]];
    scene.nodes.push_back({.first_vertex = std::uint32_t(i * slot_vertices),
                           .lod = node.lod,
                           .coarse_mask = node.coarse_mask,
                           .cells = node_cells(lattice, node, quads)});
    if (with_nodes || (has_walls && is_on_rim(lattice, node, quads))) meshed.push_back(node);
  }
  ARETE_TRY(mesh_nodes(view, meshed, scene.layout, slot_words, made.words));
  if (has_walls) {
    WallBuilder walls(scene.layout, lattice, quads, float(floor_m));
    for (std::size_t i = 0; i < meshed.size(); ++i) {
      walls.add_node(meshed[i], std::span(made.words).subspan(i * slot_words, slot_words));
    }
    if (!with_nodes) made.words.clear();
    const auto stride = std::size_t(scene.layout.stride_words);
    scene.first_wall_vertex = std::uint32_t(made.words.size() / stride);
    scene.wall_vertices = std::uint32_t(walls.words().size() / stride);
    made.words.insert(made.words.end(), walls.words().begin(), walls.words().end());
  }
  scene.words = made.words;
  return made;
}

}  // namespace arete::vulkan
