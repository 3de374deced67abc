// One command buffer, submitted and waited for.
#include "vulkan/commands.h"

#include <utility>

namespace arete::vulkan {

Result<CommandRunner> CommandRunner::create(const Gpu& gpu) {
  CommandRunner runner;
  runner.gpu_ = &gpu;
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = gpu.queue_family;
  ARETE_TRY(
      check(gpu.functions.CreateCommandPool(gpu.device, &pool, nullptr, &runner.pool_), "creating a command pool"));
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = runner.pool_;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  ARETE_TRY(check(gpu.functions.AllocateCommandBuffers(gpu.device, &allocate, &runner.commands_),
                  "allocating a command buffer"));
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  ARETE_TRY(check(gpu.functions.CreateFence(gpu.device, &fence, nullptr, &runner.fence_), "creating a fence"));
  return runner;
}

CommandRunner::~CommandRunner() {
  if (gpu_ == nullptr) return;
  gpu_->functions.DestroyFence(gpu_->device, fence_, nullptr);
  gpu_->functions.DestroyCommandPool(gpu_->device, pool_, nullptr);
}

CommandRunner& CommandRunner::operator=(CommandRunner&& other) noexcept {
  std::swap(gpu_, other.gpu_);
  std::swap(pool_, other.pool_);
  std::swap(commands_, other.commands_);
  std::swap(fence_, other.fence_);
  return *this;
}

Result<VkCommandBuffer> CommandRunner::begin() {
  ARETE_TRY(check(gpu_->functions.ResetCommandPool(gpu_->device, pool_, 0), "resetting a command pool"));
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  info.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  ARETE_TRY(check(gpu_->functions.BeginCommandBuffer(commands_, &info), "beginning a command buffer"));
  return commands_;
}

Result<void> CommandRunner::submit_and_wait() {
  ARETE_TRY(check(gpu_->functions.EndCommandBuffer(commands_), "ending a command buffer"));
  VkCommandBufferSubmitInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  commands.commandBuffer = commands_;
  VkSubmitInfo2 submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  submit.commandBufferInfoCount = 1;
  submit.pCommandBufferInfos = &commands;
  ARETE_TRY(check(gpu_->functions.QueueSubmit2(gpu_->queue, 1, &submit, fence_), "submitting work"));
  ARETE_TRY(
      check(gpu_->functions.WaitForFences(gpu_->device, 1, &fence_, VK_TRUE, UINT64_MAX), "waiting for the device"));
  return check(gpu_->functions.ResetFences(gpu_->device, 1, &fence_), "resetting a fence");
}

void memory_barrier(const Gpu& gpu, VkCommandBuffer commands, Stage from, Stage to) {
  VkMemoryBarrier2 barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER_2;
  barrier.srcStageMask = from.stage;
  barrier.srcAccessMask = from.access;
  barrier.dstStageMask = to.stage;
  barrier.dstAccessMask = to.access;
  VkDependencyInfo dependency{};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &barrier;
  gpu.functions.CmdPipelineBarrier2(commands, &dependency);
}

void image_barrier(const Gpu& gpu, VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, Stage from,
                   VkImageLayout from_layout, Stage to, VkImageLayout to_layout) {
  VkImageMemoryBarrier2 barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2;
  barrier.srcStageMask = from.stage;
  barrier.srcAccessMask = from.access;
  barrier.dstStageMask = to.stage;
  barrier.dstAccessMask = to.access;
  barrier.oldLayout = from_layout;
  barrier.newLayout = to_layout;
  barrier.srcQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.dstQueueFamilyIndex = VK_QUEUE_FAMILY_IGNORED;
  barrier.image = image;
  barrier.subresourceRange = {aspect, 0, VK_REMAINING_MIP_LEVELS, 0, 1};
  VkDependencyInfo dependency{};
  dependency.sType = VK_STRUCTURE_TYPE_DEPENDENCY_INFO;
  dependency.imageMemoryBarrierCount = 1;
  dependency.pImageMemoryBarriers = &barrier;
  gpu.functions.CmdPipelineBarrier2(commands, &dependency);
}

}  // namespace arete::vulkan
