// The Vulkan entry points that arete calls, as tables filled at run time.
//
// Nothing links against the Vulkan loader and no global symbol bears a Vulkan name, so a program may use the loader's
// own prototypes, or any meta-loader, beside this library.
#pragma once

#ifndef VK_NO_PROTOTYPES
#define VK_NO_PROTOTYPES
#endif
#include <vulkan/vulkan_core.h>

#include "arete/result.h"

namespace arete::vulkan {

#define ARETE_VK_LOADER_FUNCTIONS(X) \
  X(CreateInstance)                  \
  X(EnumerateInstanceVersion)        \
  X(EnumerateInstanceLayerProperties)

#define ARETE_VK_INSTANCE_FUNCTIONS(X)      \
  X(DestroyInstance)                        \
  X(EnumeratePhysicalDevices)               \
  X(GetPhysicalDeviceProperties2)           \
  X(GetPhysicalDeviceFeatures2)             \
  X(GetPhysicalDeviceMemoryProperties)      \
  X(GetPhysicalDeviceFormatProperties)      \
  X(GetPhysicalDeviceQueueFamilyProperties) \
  X(CreateDevice)                           \
  X(GetDeviceProcAddr)

#define ARETE_VK_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice)                   \
  X(GetDeviceQueue)                  \
  X(QueueSubmit2)                    \
  X(DeviceWaitIdle)                  \
  X(CreateBuffer)                    \
  X(DestroyBuffer)                   \
  X(GetBufferMemoryRequirements)     \
  X(GetBufferDeviceAddress)          \
  X(BindBufferMemory)                \
  X(CreateImage)                     \
  X(DestroyImage)                    \
  X(GetImageMemoryRequirements)      \
  X(BindImageMemory)                 \
  X(CreateImageView)                 \
  X(DestroyImageView)                \
  X(CreateSampler)                   \
  X(DestroySampler)                  \
  X(AllocateMemory)                  \
  X(FreeMemory)                      \
  X(MapMemory)                       \
  X(CreateCommandPool)               \
  X(DestroyCommandPool)              \
  X(ResetCommandPool)                \
  X(AllocateCommandBuffers)          \
  X(BeginCommandBuffer)              \
  X(EndCommandBuffer)                \
  X(CreateFence)                     \
  X(DestroyFence)                    \
  X(WaitForFences)                   \
  X(ResetFences)                     \
  X(CreateSemaphore)                 \
  X(DestroySemaphore)                \
  X(CreateQueryPool)                 \
  X(DestroyQueryPool)                \
  X(GetQueryPoolResults)             \
  X(CreateShaderModule)              \
  X(DestroyShaderModule)             \
  X(CreatePipelineLayout)            \
  X(DestroyPipelineLayout)           \
  X(CreateComputePipelines)          \
  X(CreateGraphicsPipelines)         \
  X(DestroyPipeline)                 \
  X(CreateDescriptorSetLayout)       \
  X(DestroyDescriptorSetLayout)      \
  X(CreateDescriptorPool)            \
  X(DestroyDescriptorPool)           \
  X(AllocateDescriptorSets)          \
  X(UpdateDescriptorSets)            \
  X(CmdBindPipeline)                 \
  X(CmdBindDescriptorSets)           \
  X(CmdBindVertexBuffers)            \
  X(CmdBindIndexBuffer)              \
  X(CmdPushConstants)                \
  X(CmdSetViewport)                  \
  X(CmdSetScissor)                   \
  X(CmdBeginRendering)               \
  X(CmdEndRendering)                 \
  X(CmdDraw)                         \
  X(CmdDrawIndexed)                  \
  X(CmdDrawIndexedIndirect)          \
  X(CmdDrawIndexedIndirectCount)     \
  X(CmdDispatch)                     \
  X(CmdDispatchIndirect)             \
  X(CmdPipelineBarrier2)             \
  X(CmdCopyBuffer)                   \
  X(CmdCopyBufferToImage)            \
  X(CmdCopyImageToBuffer)            \
  X(CmdFillBuffer)                   \
  X(CmdResetQueryPool)               \
  X(CmdWriteTimestamp2)

#define ARETE_VK_MEMBER(name) PFN_vk##name name = nullptr;

struct LoaderFunctions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  ARETE_VK_LOADER_FUNCTIONS(ARETE_VK_MEMBER)
};

struct InstanceFunctions {
  ARETE_VK_INSTANCE_FUNCTIONS(ARETE_VK_MEMBER)
};

struct DeviceFunctions {
  ARETE_VK_DEVICE_FUNCTIONS(ARETE_VK_MEMBER)
};

#undef ARETE_VK_MEMBER

// Opens the system's Vulkan loader once for the process. Error (gpu): no loader is installed.
Result<LoaderFunctions> open_loader();
// Error (gpu): the driver lacks an entry point of Vulkan 1.3.
Result<InstanceFunctions> load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance);
Result<DeviceFunctions> load_device_functions(PFN_vkGetDeviceProcAddr get, VkDevice device);

}  // namespace arete::vulkan
