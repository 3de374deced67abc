// The build of node vertices: the pipeline of shaders/node_vertices.comp, and its dispatches.
#pragma once

#include "arete/vulkan.h"
#include "vulkan/exact_compute.h"

namespace arete::vulkan {

// Mirrors the block `Buffers` of shaders/node_vertices.comp.
struct BuffersBlock {
  VkDeviceAddress atlas;
  VkDeviceAddress kappas;
  VkDeviceAddress nodes;
  VkDeviceAddress pages;
  VkDeviceAddress pool;
};
static_assert(sizeof(BuffersBlock) == 40);

class NodeBuild {
 public:
  static Result<NodeBuild> create(const Gpu& gpu, const Bounds& bounds, const TerrainMesherOptions& options);
  // Workgroups of a node.
  std::uint32_t parts() const noexcept { return parts_; }
  // Records the build of `nodes` nodes; `block` is the address of a BuffersBlock.
  void record(const Gpu& gpu, VkCommandBuffer commands, const kernel::FrameConstants& frame, VkDeviceAddress block,
              std::size_t nodes) const;
  // The same with the number of workgroups on the device, a VkDispatchIndirectCommand.
  void record_indirect(const Gpu& gpu, VkCommandBuffer commands, const kernel::FrameConstants& frame,
                       VkDeviceAddress block, VkBuffer counts, VkDeviceSize offset) const;

 private:
  ExactCompute pipeline_;
  std::uint32_t parts_ = 1;
};

}  // namespace arete::vulkan
