// The staging buffer stays: the frame that copies from it may be under way for as long as the words are in use.
#include "vulkan/fixed_words.h"

#include <cstring>

namespace arete::vulkan {

Result<FixedWords> FixedWords::create(const Gpu& gpu, std::span<const std::uint32_t> words, VkBufferUsageFlags usage,
                                      const std::string& what) {
  FixedWords made;
  auto staging = Buffer::create(gpu, words.size_bytes(), VK_BUFFER_USAGE_TRANSFER_SRC_BIT, MemoryKind::upload,
                                what + " (staging)");
  if (!staging) return Unexpected{staging.error()};
  made.staging_ = std::move(*staging);
  std::memcpy(made.staging_.mapped().data(), words.data(), words.size_bytes());
  auto buffer = Buffer::create(gpu, words.size_bytes(),
                               usage | VK_BUFFER_USAGE_TRANSFER_DST_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT |
                                   VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                               MemoryKind::device, what);
  if (!buffer) return Unexpected{buffer.error()};
  made.words_ = std::move(*buffer);
  return made;
}

void FixedWords::record_copy(const Gpu& gpu, VkCommandBuffer commands) {
  if (is_copied_) return;
  const VkBufferCopy all{0, 0, words_.bytes()};
  gpu.functions.CmdCopyBuffer(commands, staging_.handle(), words_.handle(), 1, &all);
  is_copied_ = true;
}

}  // namespace arete::vulkan
