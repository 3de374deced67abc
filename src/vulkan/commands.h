// Command buffers that run to their end, and the barriers between their parts.
#pragma once

#include "vulkan/gpu.h"

namespace arete::vulkan {

// Records one command buffer at a time and waits for it. Not thread-safe.
class CommandRunner {
 public:
  CommandRunner() = default;
  static Result<CommandRunner> create(const Gpu& gpu);
  ~CommandRunner();
  CommandRunner(CommandRunner&& other) noexcept { *this = std::move(other); }
  CommandRunner& operator=(CommandRunner&& other) noexcept;

  // Starts recording; the command buffer is valid until submit_and_wait.
  Result<VkCommandBuffer> begin();
  // Ends recording, submits, and returns when the device is done.
  Result<void> submit_and_wait();

 private:
  const Gpu* gpu_ = nullptr;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
};

struct Stage {
  VkPipelineStageFlags2 stage = VK_PIPELINE_STAGE_2_NONE;
  VkAccessFlags2 access = VK_ACCESS_2_NONE;
};

// Makes everything that `from` wrote visible to `to`.
void memory_barrier(const Gpu& gpu, VkCommandBuffer commands, Stage from, Stage to);

// Moves a whole image from one layout to another.
void image_barrier(const Gpu& gpu, VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, Stage from,
                   VkImageLayout from_layout, Stage to, VkImageLayout to_layout);

}  // namespace arete::vulkan
