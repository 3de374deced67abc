// The module that the device's rounding asks for, as a pipeline.
#include "vulkan/exact_compute.h"

namespace arete::vulkan {

Result<ExactCompute> ExactCompute::create(const Gpu& gpu, const ExactModules& modules, std::uint32_t push_bytes,
                                          std::span<const std::uint32_t> constants, const char* what) {
  ExactCompute made;
  auto layout = make_layout(gpu, VK_NULL_HANDLE, VK_SHADER_STAGE_COMPUTE_BIT, push_bytes);
  if (!layout) return Unexpected{layout.error()};
  made.layout_ = std::move(*layout);
  auto shader = make_shader(gpu, gpu.has_round_to_nearest ? modules.nearest : modules.words, what);
  if (!shader) return Unexpected{shader.error()};
  auto pipeline = make_compute_pipeline(gpu, made.layout_.get(), shader->get(), constants, what);
  if (!pipeline) return Unexpected{pipeline.error()};
  made.pipeline_ = std::move(*pipeline);
  return made;
}

void ExactCompute::bind(const Gpu& gpu, VkCommandBuffer commands) const {
  gpu.functions.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline_.get());
}

}  // namespace arete::vulkan
