// A Vulkan device with one queue, chosen and opened for offscreen work or a window, or borrowed from the caller.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arete/vulkan.h"
#include "vulkan/check.h"
#include "vulkan/functions.h"

namespace arete::vulkan {

// What code needs of a device, whoever owns it. Copied freely; valid as long as the device lives.
struct Gpu {
  InstanceFunctions instance_functions;
  DeviceFunctions functions;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;
  VkPhysicalDeviceMemoryProperties memory{};
  VkPhysicalDeviceLimits limits{};
  bool has_round_to_nearest = false;  // shaders may ask for round-to-nearest-even in f32
  bool has_int64 = false;
  bool has_draw_indirect_count = false;
  bool has_validation = false;
};

// The caller's device as a Gpu without a queue. Errors (gpu): below Vulkan 1.3, or an entry point is missing.
Result<Gpu> borrow_device(const BorrowedDevice& device);

// A window to present to: what the instance needs for it, and the surface itself, which the context then owns.
struct SurfaceMaker {
  std::vector<const char*> extensions;
  std::function<Result<VkSurfaceKHR>(VkInstance)> make;
};

// Owns an instance, a device, their debug messenger and surface. Not thread-safe.
class Context {
 public:
  // Opens the device that `options` asks for: by name, else discrete, integrated, virtual, then software. Errors (gpu)
  // name the device and what it lacks.
  // With a window only devices that can present to it are taken.
  static Result<std::unique_ptr<Context>> open(const DeviceOptions& options, const SurfaceMaker* window = nullptr);
  ~Context();
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;

  const Gpu& gpu() const noexcept { return gpu_; }
  const std::string& device_name() const noexcept { return device_name_; }
  VkSurfaceKHR surface() const noexcept { return surface_; }
  VkInstance instance() const noexcept { return instance_; }
  PFN_vkGetInstanceProcAddr get_instance_proc_addr() const noexcept { return loader_.GetInstanceProcAddr; }
  // The handles, for parts that work on any caller's device.
  BorrowedDevice borrowed() const noexcept {
    return {instance_,         gpu_.physical_device,        gpu_.device,
            gpu_.queue_family, loader_.GetInstanceProcAddr, gpu_.has_draw_indirect_count};
  }
  // Warnings and errors of the validation layers so far; always 0 without DeviceOptions::validation.
  std::int64_t validation_messages() const noexcept { return validation_messages_; }

 private:
  Context() = default;
  Result<void> open_instance(const DeviceOptions& options, const SurfaceMaker* window);
  Result<void> choose_device(const DeviceOptions& options);
  Result<void> open_device();
  bool can_present(VkPhysicalDevice device, std::uint32_t family) const;

  static VKAPI_ATTR VkBool32 VKAPI_CALL on_message(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* context);

  LoaderFunctions loader_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDebugUtilsMessengerEXT messenger_ = VK_NULL_HANDLE;
  VkSurfaceKHR surface_ = VK_NULL_HANDLE;
  Gpu gpu_;
  std::string device_name_;
  std::atomic<std::int64_t> validation_messages_ = 0;
};

}  // namespace arete::vulkan
