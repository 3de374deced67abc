// Draws overlays: the shader reads the vertices by their address, scissors cut them off.
#include "vulkan/overlay.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "vulkan/graphics_pipeline.h"
#include "vulkan/uploads.h"

namespace arete::vulkan {
namespace {

const std::uint32_t kVertex[] = {
#include "overlay.vert.spv.inc"
};
const std::uint32_t kFragment[] = {
#include "overlay.frag.spv.inc"
};

constexpr VkDescriptorSetLayoutBinding kBindings[] = {
    {0, VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, 1, VK_SHADER_STAGE_FRAGMENT_BIT, nullptr}};

// The push constants of shaders/overlay.vert.
struct PushConstants {
  VkDeviceAddress words;
  float clip_per_point[2];
};

// Copies `bytes` into a buffer of the host, made anew where it is too small.
Result<void> write(const Gpu& gpu, std::span<const std::byte> bytes, VkBufferUsageFlags usage, Buffer& buffer) {
  if (buffer.bytes() < bytes.size()) {
    auto made = Buffer::create(gpu, 2 * bytes.size(), usage, MemoryKind::upload, "the overlay");
    if (!made) return Unexpected{made.error()};
    buffer = std::move(*made);
  }
  std::memcpy(buffer.mapped().data(), bytes.data(), bytes.size());
  return {};
}

VkRect2D scissor_of(const OverlayDraw& draw, float pixels_per_point, VkExtent2D extent) {
  const auto pixel = [&](float points, std::uint32_t size) {
    return std::int32_t(std::lround(std::clamp(points * pixels_per_point, 0.0f, float(size))));
  };
  const std::int32_t x = pixel(draw.min_x, extent.width), y = pixel(draw.min_y, extent.height);
  return {{x, y},
          {std::uint32_t(std::max(pixel(draw.max_x, extent.width) - x, 0)),
           std::uint32_t(std::max(pixel(draw.max_y, extent.height) - y, 0))}};
}

}  // namespace

Result<OverlayPainter> OverlayPainter::create(const Gpu& gpu, CommandRunner& runner, VkFormat colour_format,
                                              const Coverage& coverage) {
  OverlayPainter made;
  auto set_layout = make_set_layout(gpu, kBindings);
  if (!set_layout) return Unexpected{set_layout.error()};
  made.set_layout_ = std::move(*set_layout);
  auto layout = make_layout(gpu, made.set_layout_.get(), VK_SHADER_STAGE_VERTEX_BIT, sizeof(PushConstants));
  if (!layout) return Unexpected{layout.error()};
  made.layout_ = std::move(*layout);
  auto vertex = make_shader(gpu, kVertex, "overlay.vert");
  if (!vertex) return Unexpected{vertex.error()};
  auto fragment = make_shader(gpu, kFragment, "overlay.frag");
  if (!fragment) return Unexpected{fragment.error()};
  auto pipeline = make_graphics_pipeline(gpu, {.layout = made.layout_.get(),
                                               .colour_format = colour_format,
                                               .vertex = vertex->get(),
                                               .fragment = fragment->get(),
                                               .blends = true,
                                               .what = "overlay"});
  if (!pipeline) return Unexpected{pipeline.error()};
  made.pipeline_ = std::move(*pipeline);
  auto sampler = make_sampler(gpu);
  if (!sampler) return Unexpected{sampler.error()};
  made.sampler_ = std::move(*sampler);
  auto image = upload_texture(gpu, runner, std::as_bytes(coverage.texels), coverage.width, coverage.height,
                              VK_FORMAT_R8_UNORM, "the overlay's coverage");
  if (!image) return Unexpected{image.error()};
  made.coverage_ = std::move(*image);
  auto set = DescriptorSet::create(gpu, made.set_layout_.get(), kBindings);
  if (!set) return Unexpected{set.error()};
  made.set_ = std::move(*set);
  made.set_.write_texture(0, made.coverage_, made.sampler_.get());
  return made;
}

Result<void> OverlayPainter::record(const Gpu& gpu, VkCommandBuffer commands, const Overlay& overlay, VkExtent2D extent,
                                    Buffers& buffers) const {
  if (overlay.draws.empty()) return {};
  ARETE_TRY(write(gpu, std::as_bytes(std::span(overlay.vertices)),
                  VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, buffers.vertices));
  ARETE_TRY(write(gpu, std::as_bytes(std::span(overlay.indices)), VK_BUFFER_USAGE_INDEX_BUFFER_BIT, buffers.indices));
  const DeviceFunctions& vk = gpu.functions;
  const VkDescriptorSet set = set_.get();
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_.get());
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout_.get(), 0, 1, &set, 0, nullptr);
  vk.CmdBindIndexBuffer(commands, buffers.indices.handle(), 0, VK_INDEX_TYPE_UINT16);
  const PushConstants constants{
      buffers.vertices.address(),
      {2 * overlay.pixels_per_point / float(extent.width), 2 * overlay.pixels_per_point / float(extent.height)}};
  vk.CmdPushConstants(commands, layout_.get(), VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof constants, &constants);
  for (const OverlayDraw& draw : overlay.draws) {
    const VkRect2D scissor = scissor_of(draw, overlay.pixels_per_point, extent);
    vk.CmdSetScissor(commands, 0, 1, &scissor);
    vk.CmdDrawIndexed(commands, draw.index_count, 1, draw.first_index, draw.first_vertex, 0);
  }
  return {};
}

}  // namespace arete::vulkan
