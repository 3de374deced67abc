// Host data to the device through a staging buffer.
#include "vulkan/uploads.h"

#include <algorithm>
#include <cstring>

namespace arete::vulkan {
namespace {

Result<Buffer> stage(const Gpu& gpu, std::span<const std::byte> bytes, const std::string& what) {
  auto staging = Buffer::create(gpu, std::max<std::size_t>(bytes.size(), 4), VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                MemoryKind::upload, what + " (staging)");
  if (staging && !bytes.empty()) std::memcpy(staging->mapped().data(), bytes.data(), bytes.size());
  return staging;
}

constexpr Stage kCopy{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT};

// Every level is half as wide and high as that before, rounded down to 1 at least.
Result<Image> upload_levels(const Gpu& gpu, CommandRunner& runner,
                            const std::vector<std::span<const std::byte>>& levels, std::uint32_t width,
                            std::uint32_t height, VkFormat format, const std::string& what) {
  std::vector<std::byte> bytes;
  std::vector<VkBufferImageCopy> copies;
  for (std::uint32_t level = 0; level < levels.size(); ++level) {
    VkBufferImageCopy copy{};
    copy.bufferOffset = bytes.size();
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, level, 0, 1};
    copy.imageExtent = {std::max(width >> level, 1u), std::max(height >> level, 1u), 1};
    copies.push_back(copy);
    bytes.insert(bytes.end(), levels[level].begin(), levels[level].end());
    bytes.resize((bytes.size() + 3) / 4 * 4);  // offsets are multiples of 4 and of a texel
  }
  auto staging = stage(gpu, bytes, what);
  if (!staging) return Unexpected{staging.error()};
  auto image = Image::create(gpu,
                             {.width = width,
                              .height = height,
                              .format = format,
                              .usage = VK_IMAGE_USAGE_SAMPLED_BIT | VK_IMAGE_USAGE_TRANSFER_DST_BIT,
                              .levels = std::uint32_t(levels.size())},
                             what);
  if (!image) return image;
  auto commands = runner.begin();
  if (!commands) return Unexpected{commands.error()};
  image_barrier(gpu, *commands, image->handle(), VK_IMAGE_ASPECT_COLOR_BIT, {}, VK_IMAGE_LAYOUT_UNDEFINED, kCopy,
                VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL);
  gpu.functions.CmdCopyBufferToImage(*commands, staging->handle(), image->handle(),
                                     VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL, std::uint32_t(copies.size()), copies.data());
  image_barrier(gpu, *commands, image->handle(), VK_IMAGE_ASPECT_COLOR_BIT, kCopy, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
                {VK_PIPELINE_STAGE_2_FRAGMENT_SHADER_BIT, VK_ACCESS_2_SHADER_SAMPLED_READ_BIT},
                VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL);
  ARETE_TRY(runner.submit_and_wait());
  return image;
}

}  // namespace

Result<Buffer> upload_buffer(const Gpu& gpu, CommandRunner& runner, std::span<const std::byte> bytes,
                             VkBufferUsageFlags usage, const std::string& what) {
  auto staging = stage(gpu, bytes, what);
  if (!staging) return staging;
  auto buffer =
      Buffer::create(gpu, staging->bytes(), usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::device, what);
  if (!buffer) return buffer;
  auto commands = runner.begin();
  if (!commands) return Unexpected{commands.error()};
  const VkBufferCopy copy{0, 0, staging->bytes()};
  gpu.functions.CmdCopyBuffer(*commands, staging->handle(), buffer->handle(), 1, &copy);
  memory_barrier(gpu, *commands, kCopy, {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT});
  ARETE_TRY(runner.submit_and_wait());
  return buffer;
}

Result<Image> upload_texture(const Gpu& gpu, CommandRunner& runner, std::span<const std::byte> bytes,
                             std::uint32_t width, std::uint32_t height, VkFormat format, const std::string& what) {
  return upload_levels(gpu, runner, {bytes}, width, height, format, what);
}

Result<Image> upload_light(const Gpu& gpu, CommandRunner& runner, const LightMap* light) {
  static const LightMap kLit{.levels = {{255, 255}}};
  const LightMap& map = light != nullptr ? *light : kLit;
  std::vector<std::span<const std::byte>> levels;
  levels.reserve(map.levels.size());
  for (const std::vector<std::uint8_t>& level : map.levels) {
    levels.push_back(std::as_bytes(std::span(level)));
  }
  return upload_levels(gpu, runner, levels, std::uint32_t(map.width), std::uint32_t(map.height), VK_FORMAT_R8G8_UNORM,
                       "the light map");
}

}  // namespace arete::vulkan
