// Finds the Vulkan loader and fills the tables of entry points.
#include "vulkan/functions.h"

#include <dlfcn.h>

#include <string>

namespace arete::vulkan {
namespace {

Unexpected missing(const char* name) {
  return gpu_error(std::string("vulkan: the driver has no ") + name + ", which Vulkan 1.3 asks for; update the driver");
}

}  // namespace

Result<LoaderFunctions> open_loader() {
  // Never closed: drivers keep threads and handlers that outlive any one user.
  static void* const library = [] {
    void* found = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    return found != nullptr ? found : dlopen("libvulkan.so", RTLD_NOW | RTLD_LOCAL);
  }();
  if (library == nullptr) {
    return gpu_error(
        "vulkan: no loader (libvulkan.so.1) on this machine; install libvulkan1 and a driver, for instance "
        "mesa-vulkan-drivers");
  }
  LoaderFunctions functions;
  functions.GetInstanceProcAddr = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(library, "vkGetInstanceProcAddr"));
  if (functions.GetInstanceProcAddr == nullptr) {
    return missing("vkGetInstanceProcAddr");
  }
#define ARETE_VK_LOAD(name)                                                                            \
  functions.name = reinterpret_cast<PFN_vk##name>(functions.GetInstanceProcAddr(nullptr, "vk" #name)); \
  if (functions.name == nullptr) {                                                                     \
    return missing("vk" #name);                                                                        \
  }
  ARETE_VK_LOADER_FUNCTIONS(ARETE_VK_LOAD)
#undef ARETE_VK_LOAD
  return functions;
}

Result<InstanceFunctions> load_instance_functions(PFN_vkGetInstanceProcAddr get, VkInstance instance) {
  InstanceFunctions functions;
#define ARETE_VK_LOAD(name)                                                   \
  functions.name = reinterpret_cast<PFN_vk##name>(get(instance, "vk" #name)); \
  if (functions.name == nullptr) {                                            \
    return missing("vk" #name);                                               \
  }
  ARETE_VK_INSTANCE_FUNCTIONS(ARETE_VK_LOAD)
#undef ARETE_VK_LOAD
  return functions;
}

Result<DeviceFunctions> load_device_functions(PFN_vkGetDeviceProcAddr get, VkDevice device) {
  DeviceFunctions functions;
#define ARETE_VK_LOAD(name)                                                 \
  functions.name = reinterpret_cast<PFN_vk##name>(get(device, "vk" #name)); \
  if (functions.name == nullptr) {                                          \
    return missing("vk" #name);                                             \
  }
  ARETE_VK_DEVICE_FUNCTIONS(ARETE_VK_LOAD)
#undef ARETE_VK_LOAD
  return functions;
}

}  // namespace arete::vulkan
