// Opens a Vulkan 1.3 device: instance, choice among the devices present, features, one queue for graphics and compute.
#include "vulkan/gpu.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <vector>

namespace arete::vulkan {
namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

// Fills a list by the two-call idiom; `call` is int-like VkResult(count*, items*) or void.
template <class Item, class Call>
Result<std::vector<Item>> enumerate(Call call, const char* action, Item blank = {}) {
  std::vector<Item> items;
  VkResult result = VK_INCOMPLETE;
  while (result == VK_INCOMPLETE) {
    std::uint32_t count = 0;
    ARETE_TRY(check(call(&count, nullptr), action));
    items.assign(count, blank);
    result = call(&count, items.data());
    items.resize(std::min<std::size_t>(count, items.size()));
  }
  ARETE_TRY(check(result, action));
  return items;
}

int preference(VkPhysicalDeviceType type) {
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 3;
    default:
      return 4;
  }
}

// What arete asks of every device beyond Vulkan 1.3 itself.
struct Features {
  VkPhysicalDeviceVulkan13Features v13{};
  VkPhysicalDeviceVulkan12Features v12{};
  VkPhysicalDeviceFeatures2 base{};
  Features() {
    v13.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES;
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    base.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    v12.pNext = &v13;
    base.pNext = &v12;
  }
  Features(const Features&) = delete;
  Features& operator=(const Features&) = delete;
};

// The name of the first thing that the device lacks, or nothing.
const char* lacking(const VkPhysicalDeviceProperties& properties, const Features& offered, bool has_queue,
                    bool can_present) {
  if (properties.apiVersion < VK_API_VERSION_1_3) return "Vulkan 1.3";
  if (!has_queue) return "a queue for graphics and compute";
  if (!can_present) return "a way to present to this window";
  if (!offered.v13.dynamicRendering) return "dynamicRendering";
  if (!offered.v13.synchronization2) return "synchronization2";
  if (!offered.v12.bufferDeviceAddress) return "bufferDeviceAddress";
  return nullptr;
}

}  // namespace

VKAPI_ATTR VkBool32 VKAPI_CALL Context::on_message(VkDebugUtilsMessageSeverityFlagBitsEXT,
                                                   VkDebugUtilsMessageTypeFlagsEXT,
                                                   const VkDebugUtilsMessengerCallbackDataEXT* data, void* context) {
  static_cast<Context*>(context)->validation_messages_ += 1;
  std::fprintf(stderr, "vulkan validation: %s\n", data->pMessage);
  return VK_FALSE;
}

Result<std::unique_ptr<Context>> Context::open(const DeviceOptions& options, const SurfaceMaker* window) {
  std::unique_ptr<Context> context(new Context);
  ARETE_TRY(context->open_instance(options, window));
  if (window != nullptr) {
    auto surface = window->make(context->instance_);
    if (!surface) return Unexpected{surface.error()};
    context->surface_ = *surface;
  }
  ARETE_TRY(context->choose_device(options));
  ARETE_TRY(context->open_device());
  return context;
}

Context::~Context() {
  if (gpu_.device != VK_NULL_HANDLE && gpu_.functions.DestroyDevice != nullptr) {
    gpu_.functions.DestroyDevice(gpu_.device, nullptr);
  }
  if (instance_ == VK_NULL_HANDLE) {
    return;
  }
  if (surface_ != VK_NULL_HANDLE) {
    const auto destroy =
        reinterpret_cast<PFN_vkDestroySurfaceKHR>(loader_.GetInstanceProcAddr(instance_, "vkDestroySurfaceKHR"));
    destroy(instance_, surface_, nullptr);
  }
  if (messenger_ != VK_NULL_HANDLE) {
    const auto destroy = reinterpret_cast<PFN_vkDestroyDebugUtilsMessengerEXT>(
        loader_.GetInstanceProcAddr(instance_, "vkDestroyDebugUtilsMessengerEXT"));
    destroy(instance_, messenger_, nullptr);
  }
  if (gpu_.instance_functions.DestroyInstance != nullptr) {
    gpu_.instance_functions.DestroyInstance(instance_, nullptr);
  }
}

Result<void> Context::open_instance(const DeviceOptions& options, const SurfaceMaker* window) {
  auto loader = open_loader();
  if (!loader) return Unexpected{loader.error()};
  loader_ = *loader;
  gpu_.has_validation = options.validation;
  if (options.validation) {
    auto layers = enumerate<VkLayerProperties>(
        [&](std::uint32_t* count, VkLayerProperties* items) {
          return loader_.EnumerateInstanceLayerProperties(count, items);
        },
        "listing the layers");
    if (!layers) return Unexpected{layers.error()};
    const bool is_there = std::any_of(layers->begin(), layers->end(), [](const VkLayerProperties& layer) {
      return std::strcmp(layer.layerName, kValidationLayer) == 0;
    });
    if (!is_there) return check(VK_ERROR_LAYER_NOT_PRESENT, "enabling validation");
  }

  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "arete";
  application.apiVersion = VK_API_VERSION_1_3;
  VkDebugUtilsMessengerCreateInfoEXT messenger{};
  messenger.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT;
  messenger.messageSeverity =
      VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT;
  messenger.messageType =
      VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_TYPE_PERFORMANCE_BIT_EXT;
  messenger.pfnUserCallback = on_message;
  messenger.pUserData = this;
  const VkValidationFeatureEnableEXT enabled[] = {VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
  VkValidationFeaturesEXT validation{};
  validation.sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT;
  validation.pNext = &messenger;
  validation.enabledValidationFeatureCount = 1;
  validation.pEnabledValidationFeatures = enabled;
  const char* const layers[] = {kValidationLayer};
  std::vector<const char*> extensions;
  if (window != nullptr) extensions = window->extensions;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  if (options.validation) {
    info.pNext = &validation;
    info.enabledLayerCount = 1;
    info.ppEnabledLayerNames = layers;
    extensions.insert(extensions.end(), {VK_EXT_DEBUG_UTILS_EXTENSION_NAME, VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME});
  }
  info.enabledExtensionCount = static_cast<std::uint32_t>(extensions.size());
  info.ppEnabledExtensionNames = extensions.data();
  ARETE_TRY(check(loader_.CreateInstance(&info, nullptr, &instance_), "creating an instance"));
  auto functions = load_instance_functions(loader_.GetInstanceProcAddr, instance_);
  if (!functions) return Unexpected{functions.error()};
  gpu_.instance_functions = *functions;
  if (options.validation) {
    const auto create = reinterpret_cast<PFN_vkCreateDebugUtilsMessengerEXT>(
        loader_.GetInstanceProcAddr(instance_, "vkCreateDebugUtilsMessengerEXT"));
    if (create == nullptr) return check(VK_ERROR_EXTENSION_NOT_PRESENT, "enabling VK_EXT_debug_utils");
    ARETE_TRY(check(create(instance_, &messenger, nullptr, &messenger_), "creating the debug messenger"));
  }
  return {};
}

Result<void> Context::choose_device(const DeviceOptions& options) {
  const InstanceFunctions& vk = gpu_.instance_functions;
  auto devices = enumerate<VkPhysicalDevice>(
      [&](std::uint32_t* count, VkPhysicalDevice* items) {
        return vk.EnumeratePhysicalDevices(instance_, count, items);
      },
      "listing the devices");
  if (!devices) return Unexpected{devices.error()};
  std::string refused;
  int best = 1 << 20;
  for (const VkPhysicalDevice device : *devices) {
    VkPhysicalDeviceVulkan12Properties v12{};
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    VkPhysicalDeviceProperties2 properties{};
    properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    properties.pNext = &v12;
    vk.GetPhysicalDeviceProperties2(device, &properties);
    const VkPhysicalDeviceProperties& base = properties.properties;
    const std::string name = base.deviceName;
    if (options.software && base.deviceType != VK_PHYSICAL_DEVICE_TYPE_CPU) continue;
    if (!options.device.empty() && name.find(options.device) == std::string::npos) {
      refused += (refused.empty() ? "found " : ", ") + name;
      continue;
    }

    Features offered;
    vk.GetPhysicalDeviceFeatures2(device, &offered.base);
    auto families = enumerate<VkQueueFamilyProperties>(
        [&](std::uint32_t* count, VkQueueFamilyProperties* items) {
          vk.GetPhysicalDeviceQueueFamilyProperties(device, count, items);
          return VK_SUCCESS;
        },
        "listing the queues");
    if (!families) return Unexpected{families.error()};
    constexpr VkQueueFlags kWanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    const auto family = std::find_if(families->begin(), families->end(), [](const VkQueueFamilyProperties& each) {
      return (each.queueFlags & kWanted) == kWanted;
    });
    const bool has_queue = family != families->end();
    const bool is_presenting = has_queue && can_present(device, std::uint32_t(family - families->begin()));
    if (const char* lack = lacking(base, offered, has_queue, is_presenting)) {
      refused += (refused.empty() ? "" : ", ") + name + " lacks " + lack;
      continue;
    }
    if (preference(base.deviceType) < best) {
      best = preference(base.deviceType);
      device_name_ = name;
      gpu_.physical_device = device;
      gpu_.queue_family = static_cast<std::uint32_t>(family - families->begin());
      gpu_.limits = base.limits;
      gpu_.has_round_to_nearest = v12.shaderRoundingModeRTEFloat32 == VK_TRUE;
      gpu_.has_int64 = offered.base.features.shaderInt64 == VK_TRUE;
      gpu_.has_draw_indirect_count = offered.v12.drawIndirectCount == VK_TRUE;
    }
  }
  if (gpu_.physical_device == VK_NULL_HANDLE) {
    const std::string wanted = options.software          ? "no software device"
                               : !options.device.empty() ? "no device named '" + options.device + "'"
                                                         : "no device";
    return gpu_error("vulkan: " + wanted + " that can be used" + (refused.empty() ? "" : " (" + refused + ")") +
                     "; install a Vulkan 1.3 driver, for instance mesa-vulkan-drivers");
  }
  vk.GetPhysicalDeviceMemoryProperties(gpu_.physical_device, &gpu_.memory);
  return {};
}

bool Context::can_present(VkPhysicalDevice device, std::uint32_t family) const {
  if (surface_ == VK_NULL_HANDLE) return true;
  const auto supports = reinterpret_cast<PFN_vkGetPhysicalDeviceSurfaceSupportKHR>(
      loader_.GetInstanceProcAddr(instance_, "vkGetPhysicalDeviceSurfaceSupportKHR"));
  VkBool32 is_supported = VK_FALSE;
  return supports(device, family, surface_, &is_supported) == VK_SUCCESS && is_supported == VK_TRUE;
}

Result<void> Context::open_device() {
  const float priority = 1.0f;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = gpu_.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  Features wanted;
  wanted.v13.dynamicRendering = VK_TRUE;
  wanted.v13.synchronization2 = VK_TRUE;
  wanted.v12.bufferDeviceAddress = VK_TRUE;
  wanted.v12.drawIndirectCount = gpu_.has_draw_indirect_count ? VK_TRUE : VK_FALSE;
  wanted.base.features.shaderInt64 = gpu_.has_int64 ? VK_TRUE : VK_FALSE;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &wanted.base;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  const char* const swapchain = VK_KHR_SWAPCHAIN_EXTENSION_NAME;
  info.enabledExtensionCount = surface_ != VK_NULL_HANDLE ? 1 : 0;
  info.ppEnabledExtensionNames = &swapchain;
  ARETE_TRY(check(gpu_.instance_functions.CreateDevice(gpu_.physical_device, &info, nullptr, &gpu_.device),
                  "opening " + device_name_));
  auto functions = load_device_functions(gpu_.instance_functions.GetDeviceProcAddr, gpu_.device);
  if (!functions) return Unexpected{functions.error()};
  gpu_.functions = *functions;
  gpu_.functions.GetDeviceQueue(gpu_.device, gpu_.queue_family, 0, &gpu_.queue);
  return {};
}

Result<Gpu> borrow_device(const BorrowedDevice& borrowed) {
  Gpu gpu;
  gpu.physical_device = borrowed.physical_device;
  gpu.device = borrowed.device;
  gpu.queue_family = borrowed.queue_family;
  gpu.has_draw_indirect_count = borrowed.has_draw_indirect_count;
  PFN_vkGetInstanceProcAddr get = borrowed.get_instance_proc_addr;
  if (get == nullptr) {
    auto loader = open_loader();
    if (!loader) return Unexpected{loader.error()};
    get = loader->GetInstanceProcAddr;
  }
  auto instance_functions = load_instance_functions(get, borrowed.instance);
  if (!instance_functions) return Unexpected{instance_functions.error()};
  gpu.instance_functions = *instance_functions;
  VkPhysicalDeviceVulkan12Properties v12{};
  v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &v12;
  gpu.instance_functions.GetPhysicalDeviceProperties2(borrowed.physical_device, &properties);
  if (properties.properties.apiVersion < VK_API_VERSION_1_3) {
    return gpu_error(std::string("vulkan: ") + properties.properties.deviceName + " lacks Vulkan 1.3");
  }
  gpu.limits = properties.properties.limits;
  gpu.has_round_to_nearest = v12.shaderRoundingModeRTEFloat32 == VK_TRUE;
  gpu.instance_functions.GetPhysicalDeviceMemoryProperties(borrowed.physical_device, &gpu.memory);
  auto functions = load_device_functions(gpu.instance_functions.GetDeviceProcAddr, borrowed.device);
  if (!functions) return Unexpected{functions.error()};
  gpu.functions = *functions;
  return gpu;
}

}  // namespace arete::vulkan
