// Words that a device reads and nobody changes, with the copy that brings them there once.
#pragma once

#include <span>
#include <string>

#include "vulkan/memory.h"

namespace arete::vulkan {

class FixedWords {
 public:
  FixedWords() = default;
  // At least one word; shaders find them by address, `usage` says who else reads them. Error (gpu): out of memory,
  // named by `what`.
  static Result<FixedWords> create(const Gpu& gpu, std::span<const std::uint32_t> words, VkBufferUsageFlags usage,
                                   const std::string& what);
  // Records the copy when it is called first; without a barrier behind it.
  void record_copy(const Gpu& gpu, VkCommandBuffer commands);
  VkBuffer handle() const noexcept { return words_.handle(); }
  VkDeviceAddress address() const noexcept { return words_.address(); }

 private:
  Buffer staging_, words_;
  bool is_copied_ = false;
};

}  // namespace arete::vulkan
