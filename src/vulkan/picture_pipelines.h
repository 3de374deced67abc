// The two pipelines of a picture, ground and sky, with the sampled images that they share.
#pragma once

#include "vulkan/pipelines.h"

namespace arete::vulkan {

inline constexpr VkFormat kColourFormat = VK_FORMAT_R8G8B8A8_SRGB;  // of pictures in memory
inline constexpr VkFormat kDepthFormat = VK_FORMAT_D32_SFLOAT;
inline constexpr VkSampleCountFlagBits kSamples = VK_SAMPLE_COUNT_4_BIT;

// What changes from one draw to the next: the push constants of shaders/terrain.vert.
struct DrawConstants {
  VkDeviceAddress words;
  VkDeviceAddress indices;
  std::uint32_t first_vertex;
  std::int32_t lod;
  std::int32_t is_wall;
  std::int32_t wall_side;
};

struct PicturePipelines {
  SetLayout set_layout;
  PipelineLayout layout;
  Pipeline ground;        // indexed triangles
  Pipeline ground_lines;  // vertices looked up by the shader, with the triangles' edges drawn over
  Pipeline sky;
  Sampler sampler;

  static Result<PicturePipelines> create(const Gpu& gpu, VkFormat colour_format);
  // A set of the constants (binding 0), the light map (1) and the drape (2).
  Result<DescriptorSet> make_set(const Gpu& gpu) const;
};

}  // namespace arete::vulkan
