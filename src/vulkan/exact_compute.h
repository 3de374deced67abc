// A compute shader that places vertices or chooses cuts: its words must be the CPU's.
#pragma once

#include <span>

#include "vulkan/pipelines.h"

namespace arete::vulkan {

// The module as it stands, and the one that asks for round-to-nearest-even (arete_exact_shaders).
struct ExactModules {
  std::span<const std::uint32_t> words;
  std::span<const std::uint32_t> nearest;
};

// A pipeline of one such shader with nothing but push constants, which find their buffers by address.
class ExactCompute {
 public:
  // `constants` are the shader's specialisation constants 0, 1, ...
  static Result<ExactCompute> create(const Gpu& gpu, const ExactModules& modules, std::uint32_t push_bytes,
                                     std::span<const std::uint32_t> constants, const char* what);
  void bind(const Gpu& gpu, VkCommandBuffer commands) const;
  template <class Constants>
  void push(const Gpu& gpu, VkCommandBuffer commands, const Constants& constants) const {
    gpu.functions.CmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof constants,
                                   &constants);
  }

 private:
  PipelineLayout layout_;
  Pipeline pipeline_;
};

}  // namespace arete::vulkan
