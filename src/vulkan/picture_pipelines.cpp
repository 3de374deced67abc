// Builds the picture's pipelines: dynamic rendering, reversed depth, 4 samples a pixel, no vertex input (shaders read
// the pool themselves, so any vertex layout draws).
#include "vulkan/picture_pipelines.h"

namespace arete::vulkan {
namespace {

const std::uint32_t kTerrainVertex[] = {
#include "terrain.vert.spv.inc"
};
const std::uint32_t kTerrainFragment[] = {
#include "terrain.frag.spv.inc"
};
const std::uint32_t kSkyVertex[] = {
#include "sky.vert.spv.inc"
};
const std::uint32_t kSkyFragment[] = {
#include "sky.frag.spv.inc"
};

constexpr VkDescriptorSetLayoutBinding kBindings[] = {
    {0, VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, 1, VK_SHADER_STAGE_VERTEX_BIT | VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
    {1, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
    {2, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr},
};

VkPipelineShaderStageCreateInfo stage_info(VkShaderStageFlagBits stage, VkShaderModule module,
                                           const VkSpecializationInfo* specialization) {
  VkPipelineShaderStageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage = stage;
  info.module = module;
  info.pName = "main";
  info.pSpecializationInfo = specialization;
  return info;
}

Result<Pipeline> make_graphics_pipeline(const Gpu& gpu, VkPipelineLayout layout, VkFormat colour_format,
                                        VkShaderModule vertex, VkShaderModule fragment, VkBool32 has_lines,
                                        VkBool32 writes_depth, const char* what) {
  const VkSpecializationMapEntry entry{0, 0, sizeof(VkBool32)};
  const VkSpecializationInfo specialization{1, &entry, sizeof(VkBool32), &has_lines};
  const VkPipelineShaderStageCreateInfo stages[] = {
      stage_info(VK_SHADER_STAGE_VERTEX_BIT, vertex, &specialization),
      stage_info(VK_SHADER_STAGE_FRAGMENT_BIT, fragment, &specialization)};
  VkPipelineVertexInputStateCreateInfo vertex_input{};
  vertex_input.sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO;
  VkPipelineInputAssemblyStateCreateInfo assembly{};
  assembly.sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO;
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  VkPipelineViewportStateCreateInfo viewport{};
  viewport.sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO;
  viewport.viewportCount = 1;
  viewport.scissorCount = 1;
  VkPipelineRasterizationStateCreateInfo raster{};
  raster.sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO;
  raster.polygonMode = VK_POLYGON_MODE_FILL;
  raster.cullMode = VK_CULL_MODE_NONE;
  raster.lineWidth = 1;
  VkPipelineMultisampleStateCreateInfo samples{};
  samples.sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO;
  samples.rasterizationSamples = kSamples;
  VkPipelineDepthStencilStateCreateInfo depth{};
  depth.sType = VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO;
  depth.depthTestEnable = VK_TRUE;
  depth.depthWriteEnable = writes_depth;
  depth.depthCompareOp = VK_COMPARE_OP_GREATER_OR_EQUAL;
  VkPipelineColorBlendAttachmentState attachment{};
  attachment.colorWriteMask =
      VK_COLOR_COMPONENT_R_BIT | VK_COLOR_COMPONENT_G_BIT | VK_COLOR_COMPONENT_B_BIT | VK_COLOR_COMPONENT_A_BIT;
  VkPipelineColorBlendStateCreateInfo blend{};
  blend.sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO;
  blend.attachmentCount = 1;
  blend.pAttachments = &attachment;
  const VkDynamicState dynamic_states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
  VkPipelineDynamicStateCreateInfo dynamic{};
  dynamic.sType = VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO;
  dynamic.dynamicStateCount = 2;
  dynamic.pDynamicStates = dynamic_states;
  VkPipelineRenderingCreateInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachmentFormats = &colour_format;
  rendering.depthAttachmentFormat = kDepthFormat;
  VkGraphicsPipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO;
  info.pNext = &rendering;
  info.stageCount = 2;
  info.pStages = stages;
  info.pVertexInputState = &vertex_input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewport;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.pDynamicState = &dynamic;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ARETE_TRY(check(gpu.functions.CreateGraphicsPipelines(gpu.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
                  std::string("building the pipeline ") + what));
  return Pipeline(gpu.device, pipeline, gpu.functions.DestroyPipeline);
}

}  // namespace

Result<DescriptorSet> PicturePipelines::make_set(const Gpu& gpu) const {
  return DescriptorSet::create(gpu, set_layout.get(), kBindings);
}

Result<PicturePipelines> PicturePipelines::create(const Gpu& gpu, VkFormat colour_format) {
  PicturePipelines made;
  auto set_layout = make_set_layout(gpu, kBindings);
  if (!set_layout) return Unexpected{set_layout.error()};
  made.set_layout = std::move(*set_layout);
  auto layout = make_layout(gpu, made.set_layout.get(), VK_SHADER_STAGE_VERTEX_BIT, sizeof(DrawConstants));
  if (!layout) return Unexpected{layout.error()};
  made.layout = std::move(*layout);

  auto terrain_vertex = make_shader(gpu, kTerrainVertex, "terrain.vert");
  if (!terrain_vertex) return Unexpected{terrain_vertex.error()};
  auto terrain_fragment = make_shader(gpu, kTerrainFragment, "terrain.frag");
  if (!terrain_fragment) return Unexpected{terrain_fragment.error()};
  auto sky_vertex = make_shader(gpu, kSkyVertex, "sky.vert");
  if (!sky_vertex) return Unexpected{sky_vertex.error()};
  auto sky_fragment = make_shader(gpu, kSkyFragment, "sky.frag");
  if (!sky_fragment) return Unexpected{sky_fragment.error()};

  const VkPipelineLayout shared = made.layout.get();
  auto ground = make_graphics_pipeline(gpu, shared, colour_format, terrain_vertex->get(), terrain_fragment->get(),
                                       VK_FALSE, VK_TRUE, "ground");
  if (!ground) return Unexpected{ground.error()};
  made.ground = std::move(*ground);
  auto lines = make_graphics_pipeline(gpu, shared, colour_format, terrain_vertex->get(), terrain_fragment->get(),
                                      VK_TRUE, VK_TRUE, "ground with lines");
  if (!lines) return Unexpected{lines.error()};
  made.ground_lines = std::move(*lines);
  auto sky = make_graphics_pipeline(gpu, shared, colour_format, sky_vertex->get(), sky_fragment->get(), VK_FALSE,
                                    VK_FALSE, "sky");
  if (!sky) return Unexpected{sky.error()};
  made.sky = std::move(*sky);

  VkSamplerCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO;
  info.magFilter = VK_FILTER_LINEAR;
  info.minFilter = VK_FILTER_LINEAR;
  info.addressModeU = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeV = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  info.addressModeW = VK_SAMPLER_ADDRESS_MODE_CLAMP_TO_EDGE;
  VkSampler sampler = VK_NULL_HANDLE;
  ARETE_TRY(check(gpu.functions.CreateSampler(gpu.device, &info, nullptr, &sampler), "creating a sampler"));
  made.sampler = Sampler(gpu.device, sampler, gpu.functions.DestroySampler);
  return made;
}

}  // namespace arete::vulkan
