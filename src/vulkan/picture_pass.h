// The one rendering pass of a picture: ground, walls and sky into 4 samples a pixel, resolved into the caller's image.
#pragma once

#include "vulkan/picture_pipelines.h"
#include "vulkan/scene_indices.h"

namespace arete::vulkan {

// What is drawn into: kept between pictures of one size.
struct PictureTargets {
  Image colour;  // 4 samples
  Image depth;
  static Result<PictureTargets> create(const Gpu& gpu, VkExtent2D extent, VkFormat colour_format);
};

inline constexpr Stage kColourOutput{VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                                     VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT};

// Begins rendering over the whole of `resolved`, an image of one sample that lies in COLOR_ATTACHMENT_OPTIMAL.
void begin_picture(const Gpu& gpu, VkCommandBuffer commands, const PictureTargets& targets, VkImageView resolved,
                   VkExtent2D extent);

// What the draws of a scene read on the device: `set` has the scene's constants, light and drape, `words` the nodes'
// vertices, and `indices` is fitted to the scene.
struct SceneDraw {
  const PicturePipelines& pipelines;
  VkDescriptorSet set;
  const SceneIndices& indices;
  VkDeviceAddress words;
};
void record_scene(const Gpu& gpu, VkCommandBuffer commands, const SceneDraw& draw, const Scene& scene,
                  const PictureOptions& options);

}  // namespace arete::vulkan
