// Makes index lists as scenes ask for them.
#include "vulkan/scene_indices.h"

#include "vulkan/uploads.h"

namespace arete::vulkan {
namespace {

// The triangles of the wall below a node's side: indices of its vertices, with kLow at the wall's foot.
std::vector<std::uint32_t> wall_indices(int quads, int side, NodeCells cells) {
  constexpr std::uint32_t kLow = 0x80000000u;
  const int row = quads + 1;
  const int firsts[kSides] = {0, cells.x, row * cells.z, 0};
  const bool is_along_x = side % 2 == 0;
  const int step = is_along_x ? 1 : row;
  std::vector<std::uint32_t> indices;
  for (int segment = 0; segment < (is_along_x ? cells.x : cells.z); ++segment) {
    const auto a = std::uint32_t(firsts[side] + segment * step), b = a + std::uint32_t(step);
    indices.insert(indices.end(), {a, a | kLow, b, b, a | kLow, b | kLow});
  }
  return indices;
}

}  // namespace

void SceneIndices::add(const Key& key, int quads) {
  if (lists_.contains(key)) return;
  const auto& [kind, x, z] = key;
  const NodeCells cells{x, z};
  const auto made = kind < kWalls ? sew_indices(quads, kind, cells) : wall_indices(quads, kind - kWalls, cells);
  lists_.emplace(key, List{std::uint32_t(indices_.size()), std::uint32_t(made.size())});
  indices_.insert(indices_.end(), made.begin(), made.end());
}

Result<void> SceneIndices::fit(const Gpu& gpu, CommandRunner& runner, const Scene& scene) {
  if (scene.node_quads != quads_) {
    lists_.clear();
    indices_.clear();
    quads_ = scene.node_quads;
  }
  const std::size_t known = lists_.size();
  for (const SceneNode& node : scene.nodes) {
    add({node.coarse_mask, node.cells.x, node.cells.z}, quads_);
    for (int side = 0; side < kSides; ++side) {
      if (has_wall(node, side)) add({kWalls + side, node.cells.x, node.cells.z}, quads_);
    }
  }
  if (known == lists_.size() && buffer_.handle() != VK_NULL_HANDLE) return {};
  ARETE_TRY(check(gpu.functions.DeviceWaitIdle(gpu.device), "waiting for the device"));
  auto made = upload_buffer(
      gpu, runner, std::as_bytes(std::span(indices_)),
      VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_INDEX_BUFFER_BIT,
      "indices");
  if (!made) return Unexpected{made.error()};
  buffer_ = std::move(*made);
  return {};
}

SceneIndices::List SceneIndices::ground(const SceneNode& node) const {
  return lists_.at({node.coarse_mask, node.cells.x, node.cells.z});
}

SceneIndices::List SceneIndices::wall(const SceneNode& node, int side) const {
  return lists_.at({kWalls + side, node.cells.x, node.cells.z});
}

}  // namespace arete::vulkan
