// A window's surface as images to draw into, and their presentation.
#pragma once

#include <optional>
#include <vector>

#include "vulkan/gpu.h"
#include "vulkan/pipelines.h"

namespace arete::vulkan {

using ImageView = Owned<VkImageView>;
using Semaphore = Owned<VkSemaphore>;
Result<Semaphore> make_semaphore(const Gpu& gpu);

struct SwapchainFunctions {
  PFN_vkGetPhysicalDeviceSurfaceCapabilitiesKHR GetPhysicalDeviceSurfaceCapabilities = nullptr;
  PFN_vkGetPhysicalDeviceSurfaceFormatsKHR GetPhysicalDeviceSurfaceFormats = nullptr;
  PFN_vkGetPhysicalDeviceSurfacePresentModesKHR GetPhysicalDeviceSurfacePresentModes = nullptr;
  PFN_vkCreateSwapchainKHR CreateSwapchain = nullptr;
  PFN_vkDestroySwapchainKHR DestroySwapchain = nullptr;
  PFN_vkGetSwapchainImagesKHR GetSwapchainImages = nullptr;
  PFN_vkAcquireNextImageKHR AcquireNextImage = nullptr;
  PFN_vkQueuePresentKHR QueuePresent = nullptr;
};

// Images of 8 bits a channel in sRGB, which can be read back. The context must have a surface and outlive it.
class Swapchain {
 public:
  explicit Swapchain(const Context& context) : context_(context) {}
  ~Swapchain();
  Swapchain(const Swapchain&) = delete;
  Swapchain& operator=(const Swapchain&) = delete;

  // Chooses the format. Error (gpu): the surface offers none that serves.
  Result<void> open();
  // Makes the images anew, of the window's size where the surface leaves it open. Waits for the device. The extent is
  // then 0 while the window is minimised: there is nothing to draw into. Without vsync a picture may tear.
  Result<void> fit(VkExtent2D window, bool has_vsync);

  // The next image, which is free when `is_free` is signalled; nothing when the images no longer fit the window.
  Result<std::optional<std::uint32_t>> acquire(VkSemaphore is_free);
  // Shows an image once its drawn() is signalled. False: the images no longer fit the window.
  Result<bool> present(std::uint32_t image);

  VkFormat format() const noexcept { return format_.format; }
  VkExtent2D extent() const noexcept { return extent_; }
  VkImage image(std::uint32_t i) const { return images_[i].image; }
  VkImageView view(std::uint32_t i) const { return images_[i].view.get(); }
  VkSemaphore drawn(std::uint32_t i) const { return images_[i].drawn.get(); }

 private:
  struct Each {
    VkImage image = VK_NULL_HANDLE;  // the swapchain's
    ImageView view;
    Semaphore drawn;
  };

  Result<VkPresentModeKHR> present_mode(bool has_vsync) const;
  Result<void> take_images();

  const Context& context_;
  SwapchainFunctions functions_;
  VkSurfaceFormatKHR format_{};
  VkExtent2D extent_{};
  VkSwapchainKHR swapchain_ = VK_NULL_HANDLE;
  std::vector<Each> images_;
};

}  // namespace arete::vulkan
