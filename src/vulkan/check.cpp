// Vulkan's results in words.
#include "vulkan/check.h"

namespace arete::vulkan {

const char* result_name(VkResult result) noexcept {
  switch (result) {
    case VK_SUCCESS:
      return "VK_SUCCESS";
    case VK_NOT_READY:
      return "VK_NOT_READY";
    case VK_TIMEOUT:
      return "VK_TIMEOUT";
    case VK_INCOMPLETE:
      return "VK_INCOMPLETE";
    case VK_ERROR_OUT_OF_HOST_MEMORY:
      return "VK_ERROR_OUT_OF_HOST_MEMORY";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
    case VK_ERROR_INITIALIZATION_FAILED:
      return "VK_ERROR_INITIALIZATION_FAILED";
    case VK_ERROR_DEVICE_LOST:
      return "VK_ERROR_DEVICE_LOST";
    case VK_ERROR_MEMORY_MAP_FAILED:
      return "VK_ERROR_MEMORY_MAP_FAILED";
    case VK_ERROR_LAYER_NOT_PRESENT:
      return "VK_ERROR_LAYER_NOT_PRESENT";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
      return "VK_ERROR_EXTENSION_NOT_PRESENT";
    case VK_ERROR_FEATURE_NOT_PRESENT:
      return "VK_ERROR_FEATURE_NOT_PRESENT";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      return "VK_ERROR_INCOMPATIBLE_DRIVER";
    case VK_ERROR_TOO_MANY_OBJECTS:
      return "VK_ERROR_TOO_MANY_OBJECTS";
    case VK_ERROR_FORMAT_NOT_SUPPORTED:
      return "VK_ERROR_FORMAT_NOT_SUPPORTED";
    default:
      return "an unknown error";
  }
}

Result<void> check(VkResult result, const std::string& action) {
  if (result == VK_SUCCESS) {
    return {};
  }
  const char* advice = "";
  switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
      advice = "; ask for less: a smaller picture, pool or a greater pixel error";
      break;
    case VK_ERROR_DEVICE_LOST:
      advice = "; the device stopped: make a new one";
      break;
    case VK_ERROR_LAYER_NOT_PRESENT:
      advice = "; install the validation layers (vulkan-validationlayers)";
      break;
    case VK_ERROR_INCOMPATIBLE_DRIVER:
      advice = "; install a Vulkan 1.3 driver, for instance mesa-vulkan-drivers";
      break;
    default:
      break;
  }
  return gpu_error("vulkan: " + action + " failed with " + result_name(result) + " (" + std::to_string(int(result)) +
                   ")" + advice);
}

}  // namespace arete::vulkan
