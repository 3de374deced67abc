// Records a picture's pass.
#include "vulkan/picture_pass.h"

namespace arete::vulkan {

Result<PictureTargets> PictureTargets::create(const Gpu& gpu, VkExtent2D extent, VkFormat colour_format) {
  PictureTargets targets;
  auto colour = Image::create(gpu,
                              {extent.width, extent.height, colour_format, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT,
                               kSamples, VK_IMAGE_ASPECT_COLOR_BIT},
                              "the picture's samples");
  if (!colour) return Unexpected{colour.error()};
  targets.colour = std::move(*colour);
  auto depth = Image::create(gpu,
                             {extent.width, extent.height, kDepthFormat, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT,
                              kSamples, VK_IMAGE_ASPECT_DEPTH_BIT},
                             "the picture's depth");
  if (!depth) return Unexpected{depth.error()};
  targets.depth = std::move(*depth);
  return targets;
}

void begin_picture(const Gpu& gpu, VkCommandBuffer commands, const PictureTargets& targets, VkImageView resolved,
                   VkExtent2D extent) {
  constexpr Stage kDepthTests{
      VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
      VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT};
  // The last picture's writes come first.
  image_barrier(gpu, commands, targets.colour.handle(), VK_IMAGE_ASPECT_COLOR_BIT, kColourOutput,
                VK_IMAGE_LAYOUT_UNDEFINED, kColourOutput, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  image_barrier(gpu, commands, targets.depth.handle(), VK_IMAGE_ASPECT_DEPTH_BIT, kDepthTests,
                VK_IMAGE_LAYOUT_UNDEFINED, kDepthTests, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
  VkRenderingAttachmentInfo colour{};
  colour.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  colour.imageView = targets.colour.view();
  colour.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  colour.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  colour.resolveImageView = resolved;
  colour.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  colour.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  colour.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  VkRenderingAttachmentInfo depth{};
  depth.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  depth.imageView = targets.depth.view();
  depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  depth.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  rendering.renderArea.extent = extent;
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &colour;
  rendering.pDepthAttachment = &depth;
  gpu.functions.CmdBeginRendering(commands, &rendering);
  const VkViewport viewport{0, 0, float(extent.width), float(extent.height), 0, 1};
  const VkRect2D scissor{{0, 0}, extent};
  gpu.functions.CmdSetViewport(commands, 0, 1, &viewport);
  gpu.functions.CmdSetScissor(commands, 0, 1, &scissor);
}

void record_scene(const Gpu& gpu, VkCommandBuffer commands, const SceneDraw& draw, const Scene& scene,
                  const PictureOptions& options) {
  const DeviceFunctions& vk = gpu.functions;
  const PicturePipelines& pipelines = draw.pipelines;
  const VkPipelineLayout layout = pipelines.layout.get();
  const Buffer& indices = draw.indices.buffer();
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &draw.set, 0, nullptr);
  vk.CmdBindIndexBuffer(commands, indices.handle(), 0, VK_INDEX_TYPE_UINT32);
  const auto push = [&](const SceneNode& node, const SceneIndices::List& list, bool is_wall, int side) {
    const VkDeviceAddress list_address = indices.address() + VkDeviceAddress(4) * list.first;
    const DrawConstants constants{draw.words, list_address, node.first_vertex, node.lod, is_wall ? 1 : 0, side};
    vk.CmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof constants, &constants);
  };
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                     options.wireframe ? pipelines.ground_lines.get() : pipelines.ground.get());
  for (const SceneNode& node : scene.nodes) {
    const SceneIndices::List list = draw.indices.ground(node);
    push(node, list, false, 0);
    if (options.wireframe) {
      vk.CmdDraw(commands, list.count, 1, 0, 0);
    } else {
      vk.CmdDrawIndexed(commands, list.count, 1, list.first, std::int32_t(node.first_vertex), 0);
    }
  }
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.ground.get());
  for (const SceneNode& node : scene.nodes) {
    for (int side = 0; options.walls && side < kSides; ++side) {
      if (!has_wall(node, side)) continue;
      const SceneIndices::List list = draw.indices.wall(node, side);
      push(node, list, true, side);
      vk.CmdDraw(commands, list.count, 1, 0, 0);
    }
  }
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.sky.get());
  vk.CmdDraw(commands, 3, 1, 0, 0);
}

}  // namespace arete::vulkan
