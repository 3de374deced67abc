// Opens, fits and presents a swapchain.
#include "vulkan/swapchain.h"

#include <algorithm>

namespace arete::vulkan {
namespace {

template <class Function>
Result<void> load(PFN_vkVoidFunction found, Function& function, const char* name) {
  function = reinterpret_cast<Function>(found);
  return found != nullptr ? Result<void>() : gpu_error(std::string("vulkan: the driver has no ") + name);
}

}  // namespace

Result<Semaphore> make_semaphore(const Gpu& gpu) {
  VkSemaphoreCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
  VkSemaphore semaphore = VK_NULL_HANDLE;
  ARETE_TRY(check(gpu.functions.CreateSemaphore(gpu.device, &info, nullptr, &semaphore), "creating a semaphore"));
  return Semaphore(gpu.device, semaphore, gpu.functions.DestroySemaphore);
}

Swapchain::~Swapchain() {
  images_.clear();
  if (swapchain_ != VK_NULL_HANDLE) functions_.DestroySwapchain(context_.gpu().device, swapchain_, nullptr);
}

Result<void> Swapchain::open() {
  const Gpu& gpu = context_.gpu();
#define ARETE_VK_LOAD(name)                                                                                 \
  ARETE_TRY(load(context_.get_instance_proc_addr()(context_.instance(), "vk" #name "KHR"), functions_.name, \
                 "vk" #name "KHR"))
  ARETE_VK_LOAD(GetPhysicalDeviceSurfaceCapabilities);
  ARETE_VK_LOAD(GetPhysicalDeviceSurfaceFormats);
  ARETE_VK_LOAD(GetPhysicalDeviceSurfacePresentModes);
#undef ARETE_VK_LOAD
#define ARETE_VK_LOAD(name) \
  ARETE_TRY(                \
      load(gpu.instance_functions.GetDeviceProcAddr(gpu.device, "vk" #name "KHR"), functions_.name, "vk" #name "KHR"))
  ARETE_VK_LOAD(CreateSwapchain);
  ARETE_VK_LOAD(DestroySwapchain);
  ARETE_VK_LOAD(GetSwapchainImages);
  ARETE_VK_LOAD(AcquireNextImage);
  ARETE_VK_LOAD(QueuePresent);
#undef ARETE_VK_LOAD
  std::uint32_t count = 0;
  ARETE_TRY(check(functions_.GetPhysicalDeviceSurfaceFormats(gpu.physical_device, context_.surface(), &count, nullptr),
                  "listing the window's formats"));
  std::vector<VkSurfaceFormatKHR> formats(count);
  ARETE_TRY(
      check(functions_.GetPhysicalDeviceSurfaceFormats(gpu.physical_device, context_.surface(), &count, formats.data()),
            "listing the window's formats"));
  const auto found = std::find_if(formats.begin(), formats.end(), [](const VkSurfaceFormatKHR& each) {
    return (each.format == VK_FORMAT_B8G8R8A8_SRGB || each.format == VK_FORMAT_R8G8B8A8_SRGB) &&
           each.colorSpace == VK_COLOR_SPACE_SRGB_NONLINEAR_KHR;
  });
  if (found == formats.end()) {
    return gpu_error("vulkan: the window offers no sRGB format of 8 bits a channel; choose another device");
  }
  format_ = *found;
  return {};
}

Result<VkPresentModeKHR> Swapchain::present_mode(bool has_vsync) const {
  if (has_vsync) return VK_PRESENT_MODE_FIFO_KHR;  // always there
  std::uint32_t count = 0;
  const VkPhysicalDevice device = context_.gpu().physical_device;
  ARETE_TRY(check(functions_.GetPhysicalDeviceSurfacePresentModes(device, context_.surface(), &count, nullptr),
                  "listing the window's present modes"));
  std::vector<VkPresentModeKHR> modes(count);
  ARETE_TRY(check(functions_.GetPhysicalDeviceSurfacePresentModes(device, context_.surface(), &count, modes.data()),
                  "listing the window's present modes"));
  for (const VkPresentModeKHR wanted : {VK_PRESENT_MODE_MAILBOX_KHR, VK_PRESENT_MODE_IMMEDIATE_KHR}) {
    if (std::find(modes.begin(), modes.end(), wanted) != modes.end()) return wanted;
  }
  return VK_PRESENT_MODE_FIFO_KHR;
}

Result<void> Swapchain::fit(VkExtent2D window, bool has_vsync) {
  const Gpu& gpu = context_.gpu();
  ARETE_TRY(check(gpu.functions.DeviceWaitIdle(gpu.device), "waiting for the device"));
  VkSurfaceCapabilitiesKHR can{};
  ARETE_TRY(check(functions_.GetPhysicalDeviceSurfaceCapabilities(gpu.physical_device, context_.surface(), &can),
                  "asking for the window's size"));
  constexpr std::uint32_t kOpen = 0xffffffffu;
  extent_ = can.currentExtent;
  if (extent_.width == kOpen) {
    extent_ = {std::clamp(window.width, can.minImageExtent.width, can.maxImageExtent.width),
               std::clamp(window.height, can.minImageExtent.height, can.maxImageExtent.height)};
  }
  images_.clear();
  if (extent_.width == 0 || extent_.height == 0) {
    extent_ = {};
    return {};
  }
  auto mode = present_mode(has_vsync);
  if (!mode) return Unexpected{mode.error()};
  constexpr VkImageUsageFlags kUsage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT;
  if ((can.supportedUsageFlags & kUsage) != kUsage) {
    return gpu_error("vulkan: the window's images cannot be read back; choose another device");
  }
  const VkSwapchainKHR old = swapchain_;
  VkSwapchainCreateInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_SWAPCHAIN_CREATE_INFO_KHR;
  info.surface = context_.surface();
  info.minImageCount = can.minImageCount + 1;
  if (can.maxImageCount != 0) info.minImageCount = std::min(info.minImageCount, can.maxImageCount);
  info.imageFormat = format_.format;
  info.imageColorSpace = format_.colorSpace;
  info.imageExtent = extent_;
  info.imageArrayLayers = 1;
  info.imageUsage = kUsage;
  info.imageSharingMode = VK_SHARING_MODE_EXCLUSIVE;
  info.preTransform = can.currentTransform;
  info.compositeAlpha = VK_COMPOSITE_ALPHA_OPAQUE_BIT_KHR;
  info.presentMode = *mode;
  info.clipped = VK_TRUE;
  info.oldSwapchain = old;
  swapchain_ = VK_NULL_HANDLE;
  const VkResult result = functions_.CreateSwapchain(gpu.device, &info, nullptr, &swapchain_);
  if (old != VK_NULL_HANDLE) functions_.DestroySwapchain(gpu.device, old, nullptr);
  ARETE_TRY(check(result, "making the window's images"));
  return take_images();
}

Result<void> Swapchain::take_images() {
  const Gpu& gpu = context_.gpu();
  std::uint32_t count = 0;
  ARETE_TRY(
      check(functions_.GetSwapchainImages(gpu.device, swapchain_, &count, nullptr), "taking the window's images"));
  std::vector<VkImage> images(count);
  ARETE_TRY(check(functions_.GetSwapchainImages(gpu.device, swapchain_, &count, images.data()),
                  "taking the window's images"));
  for (const VkImage image : images) {
    Each each;
    each.image = image;
    VkImageViewCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
    info.image = image;
    info.viewType = VK_IMAGE_VIEW_TYPE_2D;
    info.format = format_.format;
    info.subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1};
    VkImageView view = VK_NULL_HANDLE;
    ARETE_TRY(check(gpu.functions.CreateImageView(gpu.device, &info, nullptr, &view), "viewing the window's images"));
    each.view = ImageView(gpu.device, view, gpu.functions.DestroyImageView);
    auto drawn = make_semaphore(gpu);
    if (!drawn) return Unexpected{drawn.error()};
    each.drawn = std::move(*drawn);
    images_.push_back(std::move(each));
  }
  return {};
}

Result<std::optional<std::uint32_t>> Swapchain::acquire(VkSemaphore is_free) {
  std::uint32_t image = 0;
  const VkResult result =
      functions_.AcquireNextImage(context_.gpu().device, swapchain_, UINT64_MAX, is_free, VK_NULL_HANDLE, &image);
  if (result == VK_ERROR_OUT_OF_DATE_KHR) return std::optional<std::uint32_t>();
  // A suboptimal image is drawn and shown; present() then says so.
  if (result != VK_SUBOPTIMAL_KHR) ARETE_TRY(check(result, "taking a window's image"));
  return std::optional(image);
}

Result<bool> Swapchain::present(std::uint32_t image) {
  const VkSemaphore waited = images_[image].drawn.get();
  VkPresentInfoKHR info{};
  info.sType = VK_STRUCTURE_TYPE_PRESENT_INFO_KHR;
  info.waitSemaphoreCount = 1;
  info.pWaitSemaphores = &waited;
  info.swapchainCount = 1;
  info.pSwapchains = &swapchain_;
  info.pImageIndices = &image;
  const VkResult result = functions_.QueuePresent(context_.gpu().queue, &info);
  if (result == VK_ERROR_OUT_OF_DATE_KHR || result == VK_SUBOPTIMAL_KHR) return false;
  ARETE_TRY(check(result, "showing a window's image"));
  return true;
}

}  // namespace arete::vulkan
