// Meshes a cut for a picture.
#include "vulkan/field_scene.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "arete/mesh.h"
#include "core/workers.h"
#include "vulkan/check.h"

namespace arete::vulkan {
namespace {

// The edges of a node that lie on the field's rim.
std::uint8_t rim_mask(const Lattice& lattice, const Node& node, int quads) {
  int mask = 0;
  if (node.z == 0) mask |= kernel::kEdgeMinusZ;
  if (std::int32_t(node.x) == lattice.nodes_x(node.lod, quads) - 1) mask |= kernel::kEdgePlusX;
  if (std::int32_t(node.z) == lattice.nodes_z(node.lod, quads) - 1) mask |= kernel::kEdgePlusZ;
  if (node.x == 0) mask |= kernel::kEdgeMinusX;
  return std::uint8_t(mask);
}

// Meshes the drawn nodes on every core, node i at slot i of `words`.
Result<void> mesh_nodes(const FieldView& view, const Cut& cut, const kernel::VertexLayout& layout,
                        std::size_t slot_words, std::vector<std::uint32_t>& words) {
  const std::vector<std::uint32_t>& drawn = cut.drawn;
  words.resize(drawn.size() * slot_words);
  std::atomic<std::size_t> next = 0;
  const auto work = [&](const std::atomic<bool>& has_failed) -> Result<void> {
    NodeMesher mesher(view.source, view.bounds);
    constexpr std::size_t kBatch = 16;  // neighbours in the cut's order share pages
    for (std::size_t first = next.fetch_add(kBatch); first < drawn.size() && !has_failed;
         first = next.fetch_add(kBatch)) {
      for (std::size_t i = first; i < std::min(first + kBatch, drawn.size()); ++i) {
        ARETE_TRY(mesher.build(view.frame, view.ranges, cut.nodes[drawn[i]], layout,
                               std::span(words).subspan(i * slot_words, slot_words)));
      }
    }
    return {};
  };
  return run_workers(int(std::min(std::size_t(worker_count(0)), drawn.size() / 32 + 1)), work);
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

double walls_end_m(const Bounds& bounds) {
  const Lattice& lattice = bounds.lattice();
  const double low_m = lattice.height_m(bounds.field_min), high_m = lattice.height_m(bounds.field_max);
  return low_m - std::max(0.12 * (high_m - low_m), 0.006 * std::hypot(lattice.width_m(), lattice.depth_m()));
}

Cut picture_cut(const Lattice& lattice, const Cut& cut, int node_quads, bool has_walls) {
  Cut wanted = cut;
  if (has_walls) {
    for (std::uint32_t i = 0; i < cut.nodes.size(); ++i) {
      if (rim_mask(lattice, cut.nodes[i], node_quads) != 0) wanted.drawn.push_back(i);
    }
    std::sort(wanted.drawn.begin(), wanted.drawn.end());
    wanted.drawn.erase(std::unique(wanted.drawn.begin(), wanted.drawn.end()), wanted.drawn.end());
  }
  return wanted;
}

Result<FieldScene> make_field_scene(const FieldView& view, const Cut& cut, bool with_words) {
  const Lattice& lattice = view.bounds.lattice();
  const int quads = view.ranges.node_quads;
  FieldScene made;
  Scene& scene = made.scene;
  scene.bounds = &view.bounds;
  scene.anchor = view.anchor;
  scene.layout = picture_layout();
  scene.node_quads = quads;
  scene.finest_range_m = std::sqrt(double(view.ranges.select_sq));
  scene.floor_m = walls_end_m(view.bounds);
  const auto slot_vertices = std::size_t(node_slot_vertices(quads));
  if (cut.drawn.size() * slot_vertices > std::size_t(INT32_MAX) / 2) {
    return usage_error("the cut has " + std::to_string(cut.drawn.size()) +
                       " nodes, more than one picture holds; allow a greater pixel error");
  }
  for (std::size_t i = 0; i < cut.drawn.size(); ++i) {
    const Node& node = cut.nodes[cut.drawn[i]];
    scene.nodes.push_back({.first_vertex = std::uint32_t(i * slot_vertices),
                           .lod = node.lod,
                           .coarse_mask = node.coarse_mask,
                           .rim_mask = rim_mask(lattice, node, quads),
                           .cells = node_cells(lattice, node, quads)});
  }
  if (with_words) {
    ARETE_TRY(mesh_nodes(view, cut, scene.layout, slot_vertices * std::size_t(scene.layout.stride_words), made.words));
    scene.words = made.words;
  }
  return made;
}

void place_nodes(Scene& scene, const MeshedNodes& meshed) {
  scene.node_words = meshed.vertices_address;
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
    scene.nodes[i].first_vertex = meshed.slots[i] * std::uint32_t(node_slot_vertices(scene.node_quads));
  }
}

std::int64_t count_triangles(const Scene& scene) {
  std::int64_t triangles = 0;
  for (const SceneNode& node : scene.nodes) {
    triangles += std::int64_t(2) * node.cells.x * node.cells.z;
  }
  return triangles;
}

}  // namespace arete::vulkan
