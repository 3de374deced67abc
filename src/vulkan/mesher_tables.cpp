// Options checked, and tables written out.
#include "vulkan/mesher_tables.h"

#include <algorithm>
#include <string>

#include "kernel/sample.h"
#include "vulkan/mesher_frame.h"

namespace arete::vulkan {

Result<void> check_options(const TerrainMesherOptions& options) {
  const kernel::VertexLayout& layout = options.layout;
  const std::pair<int, int> attributes[] = {{layout.position, 3}, {layout.normal, 3},  {layout.tangent, 4},
                                            {layout.uv0, 2},      {layout.uv1, 2},     {layout.colour, 1},
                                            {layout.joints, 4},   {layout.weights, 4}, {layout.packed_normal, 1}};
  std::uint64_t claimed = 0;
  bool is_sound = layout.stride_words >= 1 && layout.stride_words <= 32;
  for (const auto& [at, words] : attributes) {
    if (!is_sound || at < 0) continue;
    const std::uint64_t mask = ((std::uint64_t(1) << words) - 1) << at;
    is_sound = at + words <= layout.stride_words && (claimed & mask) == 0;
    claimed |= mask;
  }
  if (!is_sound) {
    return usage_error(
        "the vertex layout must have 1 to 32 words and attributes that lie inside it and do not overlap");
  }
  if (!is_node_size(options.node_quads)) {
    return usage_error("node_quads is " + std::to_string(options.node_quads) +
                       "; expected a power of two from 4 to 128");
  }
  if (options.frames_in_flight < 1 || options.frames_in_flight > 8) {
    return usage_error("frames_in_flight is " + std::to_string(options.frames_in_flight) + "; expected 1 to 8");
  }
  if (options.page_slots < 1 || options.page_uploads < 1 || options.pool_nodes < 1) {
    return usage_error("page_slots, page_uploads and pool_nodes must be at least 1");
  }
  // The shader counts words of the atlas in 30 bits and of the pool in 31.
  const std::uint64_t slot_words = std::uint64_t(kPlaneWords) * (options.plane == HeightPlane::max ? 2 : 1);
  const std::uint64_t pool_words = std::uint64_t(options.pool_nodes) *
                                   std::uint64_t(node_slot_vertices(options.node_quads)) *
                                   std::uint64_t(layout.stride_words);
  if (options.page_slots * slot_words >= std::uint64_t(1) << 30) {
    return usage_error("page_slots asks for 4 GiB or more; lower it");
  }
  if (pool_words >= std::uint64_t(1) << 31) {
    return usage_error("pool_nodes asks for 8 GiB or more; lower it");
  }
  if (options.most_views < 1 || options.most_views > std::min(64u, options.pool_nodes)) {
    return usage_error("most_views is " + std::to_string(options.most_views) + "; expected 1 to 64 and pool_nodes");
  }
  return {};
}

std::uint32_t unclaimed_words(const kernel::VertexLayout& layout) {
  std::uint64_t claimed = 0;
  for (const auto& [at, words] : {std::pair{layout.position, 3},
                                  {layout.normal, 3},
                                  {layout.tangent, 4},
                                  {layout.uv0, 2},
                                  {layout.uv1, 2},
                                  {layout.colour, 1},
                                  {layout.packed_normal, 1}}) {
    if (at >= 0) claimed |= ((std::uint64_t(1) << words) - 1) << at;
  }
  return std::uint32_t(~claimed & ((std::uint64_t(1) << layout.stride_words) - 1));
}

std::vector<std::uint32_t> kappa_words(const Bounds& bounds) {
  // A range node is two nodes a side, so that one side of a node of each axis lies between range nodes.
  constexpr int kShift = 6;
  const Lattice& lattice = bounds.lattice();
  std::vector<std::uint32_t> words(std::size_t(3 * lattice.lods()), 0);
  for (int lod = 0; lod + 1 < lattice.lods(); ++lod) {
    const int nodes_x = lattice.nodes_x(lod, kBoundsQuads), nodes_z = lattice.nodes_z(lod, kBoundsQuads);
    const int owners_x = lattice.nodes_x(lod + 1, kBoundsQuads), owners_z = lattice.nodes_z(lod + 1, kBoundsQuads);
    words[std::size_t(3 * lod)] = std::uint32_t(words.size());
    words[std::size_t(3 * lod + 1)] = std::uint32_t(nodes_x);
    words[std::size_t(3 * lod + 2)] = std::uint32_t(nodes_z);
    const auto greatest = [&](int sample_x, int sample_z) {
      std::uint8_t kappa = 0;
      const int last_x = kernel::last_range_node(sample_x, kShift, owners_x);
      const int last_z = kernel::last_range_node(sample_z, kShift, owners_z);
      for (int z = kernel::first_range_node(sample_z, kShift, owners_z); z <= last_z; ++z) {
        for (int x = kernel::first_range_node(sample_x, kShift, owners_x); x <= last_x; ++x) {
          kappa = std::max(kappa, bounds.at(lod + 1, x, z).kappa);
        }
      }
      return std::uint32_t(kappa);
    };
    const auto between = [](int node) { return (node + node % 2) * kBoundsQuads; };
    for (int z = 0; z < nodes_z; ++z) {
      for (int x = 0; x < nodes_x; ++x) {
        const int inside_x = x * kBoundsQuads + 1, inside_z = z * kBoundsQuads + 1;
        words.push_back(greatest(inside_x, inside_z) | greatest(between(x), inside_z) << 8 |
                        greatest(inside_x, between(z)) << 16 | greatest(between(x), between(z)) << 24);
      }
    }
  }
  return words;
}

}  // namespace arete::vulkan
