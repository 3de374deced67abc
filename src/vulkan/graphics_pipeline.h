// What the pipelines of a picture have in common: dynamic rendering, reversed depth, 4 samples a pixel, no vertex input
// (shaders read the vertices themselves, so any layout draws).
#pragma once

#include "vulkan/pipelines.h"

namespace arete::vulkan {

struct GraphicsPipelineShape {
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkFormat colour_format = VK_FORMAT_UNDEFINED;
  VkShaderModule vertex = VK_NULL_HANDLE;
  VkShaderModule fragment = VK_NULL_HANDLE;
  bool has_lines = false;  // the shaders' specialisation constant 0
  bool writes_depth = false;
  bool blends = false;  // over what stands there, by alpha
  const char* what = "";
};
Result<Pipeline> make_graphics_pipeline(const Gpu& gpu, const GraphicsPipelineShape& shape);

// Linear, clamped to the edges.
Result<Sampler> make_sampler(const Gpu& gpu);

}  // namespace arete::vulkan
