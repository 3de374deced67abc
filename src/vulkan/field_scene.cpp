// Meshes a cut for a picture, on every core.
//
// Walls hang from the rim's own vertices, so they meet the ground without a gap whatever the lods.
#include "vulkan/field_scene.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <mutex>
#include <thread>

#include "arete/mesh.h"

namespace arete::vulkan {
namespace {

bool is_on_rim(const Lattice& lattice, const Node& node, int quads) {
  return node.x == 0 || node.z == 0 || std::int32_t(node.x) == lattice.nodes_x(node.lod, quads) - 1 ||
         std::int32_t(node.z) == lattice.nodes_z(node.lod, quads) - 1;
}

// Appends the wall below one side of a node: vertices first, first + step, ... are its upper rim.
class WallBuilder {
 public:
  WallBuilder(std::vector<std::uint32_t>& words, const kernel::VertexLayout& layout, float floor_m)
      : words_(words), layout_(layout), floor_m_(floor_m) {}

  void add_side(std::uint32_t first, std::uint32_t step, int segments, float normal_x, float normal_z) {
    for (int segment = 0; segment < segments; ++segment) {
      const std::uint32_t a = first + std::uint32_t(segment) * step, b = a + step;
      for (const auto& [vertex, is_low] :
           {std::pair{a, false}, {a, true}, {b, false}, {b, false}, {a, true}, {b, true}}) {
        add_vertex(vertex, is_low, normal_x, normal_z);
      }
    }
  }

 private:
  void add_vertex(std::uint32_t vertex, bool is_low, float normal_x, float normal_z) {
    const std::size_t stride = std::size_t(layout_.stride_words);
    const std::size_t from = vertex * stride, to = words_.size();
    words_.resize(to + stride);
    std::copy_n(words_.begin() + std::ptrdiff_t(from), stride, words_.begin() + std::ptrdiff_t(to));
    std::uint32_t* words = &words_[to];
    if (is_low) words[layout_.position + 1] = std::bit_cast<std::uint32_t>(floor_m_);
    words[layout_.normal] = std::bit_cast<std::uint32_t>(normal_x);
    words[layout_.normal + 1] = std::bit_cast<std::uint32_t>(0.0f);
    words[layout_.normal + 2] = std::bit_cast<std::uint32_t>(normal_z);
  }

  std::vector<std::uint32_t>& words_;
  const kernel::VertexLayout& layout_;
  float floor_m_;
};

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

Result<FieldScene> make_field_scene(const SampleSource& source, const Bounds& bounds, const Cut& cut,
                                    const kernel::FrameConstants& frame, const Ranges& ranges, Anchor anchor,
                                    bool has_walls, double floor_m) {
  const Lattice& lattice = bounds.lattice();
  const int quads = ranges.node_quads;
  std::vector<std::uint32_t> emitted = cut.drawn;
  if (has_walls) {
    for (std::uint32_t i = 0; i < cut.nodes.size(); ++i) {
      if (is_on_rim(lattice, cut.nodes[i], quads)) emitted.push_back(i);
    }
    std::sort(emitted.begin(), emitted.end());
    emitted.erase(std::unique(emitted.begin(), emitted.end()), emitted.end());
  }
  FieldScene made;
  Scene& scene = made.scene;
  scene.bounds = &bounds;
  scene.anchor = anchor;
  scene.layout = picture_layout();
  scene.node_quads = quads;
  const std::size_t slot_vertices = std::size_t(node_vertices(quads));
  const std::size_t slot_words = slot_vertices * std::size_t(scene.layout.stride_words);
  if (emitted.size() * slot_vertices > std::size_t(INT32_MAX) / 2) {
    return usage_error("the cut has " + std::to_string(emitted.size()) +
                       " nodes, more than one picture holds; allow a greater pixel error");
  }
  made.words.resize(emitted.size() * slot_words);
  for (std::size_t i = 0; i < emitted.size(); ++i) {
    const Node& node = cut.nodes[emitted[i]];
    scene.nodes.push_back({.first_vertex = std::uint32_t(i * slot_vertices),
                           .lod = node.lod,
                           .coarse_mask = node.coarse_mask,
                           .cells = node_cells(lattice, node, quads)});
  }

  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> error;
  const auto work = [&] {
    NodeMesher mesher(source, bounds);
    constexpr std::size_t kBatch = 16;  // neighbours in the cut's order share pages
    for (std::size_t first = next.fetch_add(kBatch); first < emitted.size(); first = next.fetch_add(kBatch)) {
      for (std::size_t i = first; i < std::min(first + kBatch, emitted.size()); ++i) {
        const auto built = mesher.build(frame, ranges, cut.nodes[emitted[i]], scene.layout,
                                        std::span(made.words).subspan(i * slot_words, slot_words));
        if (!built) {
          const std::lock_guard lock(mutex);
          error = built.error();
          return;
        }
      }
    }
  };
  std::vector<std::thread> threads;
  const std::size_t cores = std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, emitted.size() / 32 + 1);
  for (std::size_t i = 1; i < cores; ++i) threads.emplace_back(work);
  work();
  for (std::thread& thread : threads) thread.join();
  if (error) return Unexpected{*error};

  scene.first_wall_vertex = std::uint32_t(emitted.size() * slot_vertices);
  if (has_walls) {
    WallBuilder walls(made.words, scene.layout, float(floor_m));
    const auto row = std::uint32_t(quads + 1);
    for (std::size_t i = 0; i < emitted.size(); ++i) {
      const Node& node = cut.nodes[emitted[i]];
      const SceneNode& drawn = scene.nodes[i];
      const std::uint32_t first = drawn.first_vertex;
      const auto [cells_x, cells_z] = drawn.cells;
      if (node.z == 0) walls.add_side(first, 1, cells_x, 0, -1);
      if (node.x == 0) walls.add_side(first, row, cells_z, -1, 0);
      if (std::int32_t(node.z) == lattice.nodes_z(node.lod, quads) - 1) {
        walls.add_side(first + row * std::uint32_t(cells_z), 1, cells_x, 0, 1);
      }
      if (std::int32_t(node.x) == lattice.nodes_x(node.lod, quads) - 1) {
        walls.add_side(first + std::uint32_t(cells_x), row, cells_z, 1, 0);
      }
    }
    scene.wall_vertices =
        std::uint32_t(made.words.size() / std::size_t(scene.layout.stride_words)) - scene.first_wall_vertex;
  }
  scene.words = made.words;
  return made;
}

}  // namespace arete::vulkan
