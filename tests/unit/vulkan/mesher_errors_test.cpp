// What a device cannot give is one clear line: too little memory, an entry point or a version that is missing, a device
// that stops. The failures are put between the mesher and the software device by functions of the tests' own.
#include <gtest/gtest.h>

#include <cstring>

#include "made_field.h"
#include "vulkan/commands.h"

namespace arete::vulkan {
namespace {

// What the stand-ins below go wrong about, and the functions behind them.
struct Faults {
  PFN_vkGetInstanceProcAddr get_instance = nullptr;
  PFN_vkGetDeviceProcAddr get_device = nullptr;
  PFN_vkAllocateMemory allocate = nullptr;
  PFN_vkGetPhysicalDeviceProperties2 properties = nullptr;
  int allocations_left = -1;  // then memory is out; below 0: never
  std::uint32_t version = VK_API_VERSION_1_3;
  const char* missing = "";  // an entry point
};
Faults faults;

VKAPI_ATTR VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo* info,
                                        const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
  if (faults.allocations_left == 0) return VK_ERROR_OUT_OF_DEVICE_MEMORY;
  --faults.allocations_left;
  return faults.allocate(device, info, callbacks, memory);
}

VKAPI_ATTR void VKAPI_CALL properties(VkPhysicalDevice device, VkPhysicalDeviceProperties2* out) {
  faults.properties(device, out);
  out->properties.apiVersion = faults.version;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_device(VkDevice device, const char* name) {
  if (std::strcmp(name, faults.missing) == 0) return nullptr;
  const PFN_vkVoidFunction function = faults.get_device(device, name);
  if (std::strcmp(name, "vkAllocateMemory") != 0) return function;
  faults.allocate = reinterpret_cast<PFN_vkAllocateMemory>(function);
  return reinterpret_cast<PFN_vkVoidFunction>(allocate);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_instance(VkInstance instance, const char* name) {
  const PFN_vkVoidFunction function = faults.get_instance(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") == 0) {
    faults.get_device = reinterpret_cast<PFN_vkGetDeviceProcAddr>(function);
    return reinterpret_cast<PFN_vkVoidFunction>(get_device);
  }
  if (std::strcmp(name, "vkGetPhysicalDeviceProperties2") == 0) {
    faults.properties = reinterpret_cast<PFN_vkGetPhysicalDeviceProperties2>(function);
    return reinterpret_cast<PFN_vkVoidFunction>(properties);
  }
  return function;
}

VKAPI_ATTR VkResult VKAPI_CALL lost(VkQueue, std::uint32_t, const VkSubmitInfo2*, VkFence) {
  return VK_ERROR_DEVICE_LOST;
}

class MesherErrors : public ::testing::Test {
 protected:
  void SetUp() override {
    auto opened = Context::open({.device = "", .software = true, .validation = true});
    ASSERT_TRUE(opened) << opened.error().message;
    context_ = std::move(*opened);
    faults = {};
    faults.get_instance = context_->borrowed().get_instance_proc_addr;
  }
  void TearDown() override { EXPECT_EQ(context_->validation_messages(), 0); }

  std::string refusal() {
    BorrowedDevice device = context_->borrowed();
    device.get_instance_proc_addr = get_instance;
    const auto mesher = TerrainMesher::create(device, field_.bounds(), {});
    return mesher ? std::string() : mesher.error().message;
  }

  std::unique_ptr<Context> context_;
  test::MadeField field_{test::Terrain::smooth, 200, 10, 0.125};
};

TEST_F(MesherErrors, WhereverMemoryEndsTheErrorSaysForWhat) {
  const std::pair<int, const char*> ends[] = {{0, "index lists"},
                                              {2, "the atlas of pages"},
                                              {3, "the vertex pool"},
                                              {4, "pages (staging)"},
                                              {9, "node records"}};
  for (const auto& [allocations, what] : ends) {
    faults.allocations_left = allocations;
    const std::string message = refusal();
    EXPECT_NE(message.find("VK_ERROR_OUT_OF_DEVICE_MEMORY"), std::string::npos) << message;
    EXPECT_NE(message.find(what), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST_F(MesherErrors, AnOlderDeviceIsNamed) {
  faults.version = VK_API_VERSION_1_2;
  EXPECT_NE(refusal().find("lacks Vulkan 1.3"), std::string::npos);
}

TEST_F(MesherErrors, AMissingEntryPointIsNamed) {
  faults.missing = "vkCmdPipelineBarrier2";
  EXPECT_NE(refusal().find("vkCmdPipelineBarrier2"), std::string::npos);
}

TEST_F(MesherErrors, ALostDeviceIsAnError) {
  Gpu gpu = context_->gpu();
  auto runner = CommandRunner::create(gpu);
  ASSERT_TRUE(runner);
  ASSERT_TRUE(runner->begin());
  gpu.functions.QueueSubmit2 = lost;
  const auto done = runner->submit_and_wait();
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().message.find("VK_ERROR_DEVICE_LOST"), std::string::npos) << done.error().message;
  EXPECT_EQ(done.error().message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace arete::vulkan
