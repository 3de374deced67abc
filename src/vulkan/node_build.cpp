// How a node's vertices are shared out to workgroups, and the dispatches that build them.
#include "vulkan/node_build.h"

#include <algorithm>

#include "vulkan/mesher_tables.h"

namespace arete::vulkan {
namespace {

const std::uint32_t kShader[] = {
#include "node_vertices.comp.spv.inc"
};
const std::uint32_t kShaderNearest[] = {
#include "node_vertices.comp.nearest.spv.inc"
};

// Mirrors the block `Dispatch` of the shader.
struct DispatchConstants {
  kernel::FrameConstants constants;
  VkDeviceAddress buffers;
  std::uint32_t first_group;
  std::uint32_t padding;
};
static_assert(sizeof(DispatchConstants) == 120);

// How workgroups share a node's slot: parts x passes x threads covers it, and a pass stages its words `stagers` threads
// at a time. Much shared memory would leave few workgroups on a processor, many passes few workgroups to share out.
struct WorkShape {
  std::uint32_t threads, passes, parts, stagers;
};
WorkShape work_shape(std::uint32_t slot_vertices, std::uint32_t stride_words) {
  constexpr std::uint32_t kMostThreads = 128, kMostPasses = 2, kMostStagedBytes = 8192;
  const auto divide = [](std::uint32_t a, std::uint32_t b) { return (a + b - 1) / b; };
  WorkShape shape{};
  shape.threads = std::min(kMostThreads, slot_vertices);
  const std::uint32_t passes = divide(slot_vertices, shape.threads);
  shape.parts = divide(passes, kMostPasses);
  shape.passes = divide(passes, shape.parts);
  std::uint32_t rounds = 1;
  while (shape.threads / 4 % rounds != 0 || shape.threads / rounds * stride_words * 4 > kMostStagedBytes) ++rounds;
  shape.stagers = shape.threads / rounds;
  return shape;
}

}  // namespace

Result<NodeBuild> NodeBuild::create(const Gpu& gpu, const Bounds& bounds, const TerrainMesherOptions& options) {
  const kernel::VertexLayout& places = options.layout;
  const auto word = [](int value) { return static_cast<std::uint32_t>(value); };
  const WorkShape shape = work_shape(word(node_slot_vertices(options.node_quads)), word(places.stride_words));
  const std::uint32_t constants[] = {shape.threads,
                                     word(options.node_quads),
                                     options.plane == HeightPlane::max ? 1u : 0u,
                                     bounds.is_uniform() ? 0u : 1u,
                                     word(places.stride_words),
                                     word(places.position),
                                     word(places.normal),
                                     word(places.tangent),
                                     word(places.uv0),
                                     word(places.uv1),
                                     word(places.colour),
                                     word(places.packed_normal),
                                     unclaimed_words(places),
                                     options.stores_directly ? 0u : 1u,
                                     shape.passes,
                                     shape.parts,
                                     shape.stagers};
  auto pipeline =
      ExactCompute::create(gpu, {kShader, kShaderNearest}, sizeof(DispatchConstants), constants, "node_vertices.comp");
  if (!pipeline) return Unexpected{pipeline.error()};
  NodeBuild made;
  made.pipeline_ = std::move(*pipeline);
  made.parts_ = shape.parts;
  return made;
}

void NodeBuild::record(const Gpu& gpu, VkCommandBuffer commands, const kernel::FrameConstants& frame,
                       VkDeviceAddress block, std::size_t nodes) const {
  pipeline_.bind(gpu, commands);
  const std::uint32_t end = std::uint32_t(nodes) * parts_;
  const std::uint32_t most_groups = gpu.limits.maxComputeWorkGroupCount[0];
  for (std::uint32_t first = 0; first < end;) {
    const std::uint32_t groups = std::min(end - first, most_groups);
    pipeline_.push(gpu, commands, DispatchConstants{frame, block, first, 0});
    gpu.functions.CmdDispatch(commands, groups, 1, 1);
    first += groups;
  }
}

void NodeBuild::record_indirect(const Gpu& gpu, VkCommandBuffer commands, const kernel::FrameConstants& frame,
                                VkDeviceAddress block, VkBuffer counts, VkDeviceSize offset) const {
  pipeline_.bind(gpu, commands);
  pipeline_.push(gpu, commands, DispatchConstants{frame, block, 0, 0});
  gpu.functions.CmdDispatchIndirect(commands, counts, offset);
}

}  // namespace arete::vulkan
