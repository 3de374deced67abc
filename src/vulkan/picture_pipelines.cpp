// Builds the picture's pipelines.
#include "vulkan/picture_pipelines.h"

#include "vulkan/graphics_pipeline.h"

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
  auto ground = make_graphics_pipeline(gpu, {.layout = shared,
                                             .colour_format = colour_format,
                                             .vertex = terrain_vertex->get(),
                                             .fragment = terrain_fragment->get(),
                                             .writes_depth = true,
                                             .what = "ground"});
  if (!ground) return Unexpected{ground.error()};
  made.ground = std::move(*ground);
  auto lines = make_graphics_pipeline(gpu, {.layout = shared,
                                            .colour_format = colour_format,
                                            .vertex = terrain_vertex->get(),
                                            .fragment = terrain_fragment->get(),
                                            .has_lines = true,
                                            .writes_depth = true,
                                            .what = "ground with lines"});
  if (!lines) return Unexpected{lines.error()};
  made.ground_lines = std::move(*lines);
  auto sky = make_graphics_pipeline(gpu, {.layout = shared,
                                          .colour_format = colour_format,
                                          .vertex = sky_vertex->get(),
                                          .fragment = sky_fragment->get(),
                                          .what = "sky"});
  if (!sky) return Unexpected{sky.error()};
  made.sky = std::move(*sky);

  auto sampler = make_sampler(gpu);
  if (!sampler) return Unexpected{sampler.error()};
  made.sampler = std::move(*sampler);
  return made;
}

}  // namespace arete::vulkan
