// Shader modules, layouts and pipelines that clean up after themselves.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "vulkan/gpu.h"
#include "vulkan/memory.h"

namespace arete::vulkan {

// Any Vulkan handle of a device with the function that destroys it.
template <class Handle>
class Owned {
 public:
  using Destroy = void(VKAPI_PTR*)(VkDevice, Handle, const VkAllocationCallbacks*);
  Owned() = default;
  Owned(VkDevice device, Handle handle, Destroy destroy) : device_(device), handle_(handle), destroy_(destroy) {}
  ~Owned() {
    if (handle_ != VK_NULL_HANDLE) destroy_(device_, handle_, nullptr);
  }
  Owned(Owned&& other) noexcept { *this = std::move(other); }
  Owned& operator=(Owned&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(handle_, other.handle_);
    std::swap(destroy_, other.destroy_);
    return *this;
  }
  Handle get() const noexcept { return handle_; }

 private:
  VkDevice device_ = VK_NULL_HANDLE;
  Handle handle_ = VK_NULL_HANDLE;
  Destroy destroy_ = nullptr;
};

using ShaderModule = Owned<VkShaderModule>;
using PipelineLayout = Owned<VkPipelineLayout>;
using Pipeline = Owned<VkPipeline>;
using SetLayout = Owned<VkDescriptorSetLayout>;
using DescriptorPool = Owned<VkDescriptorPool>;
using Sampler = Owned<VkSampler>;

Result<ShaderModule> make_shader(const Gpu& gpu, std::span<const std::uint32_t> words, const char* what);

Result<SetLayout> make_set_layout(const Gpu& gpu, std::span<const VkDescriptorSetLayoutBinding> bindings);

// One descriptor set with the pool that holds it.
class DescriptorSet {
 public:
  DescriptorSet() = default;
  static Result<DescriptorSet> create(const Gpu& gpu, VkDescriptorSetLayout layout,
                                      std::span<const VkDescriptorSetLayoutBinding> bindings);
  VkDescriptorSet get() const noexcept { return set_; }
  void write_buffer(std::uint32_t binding, const Buffer& buffer) const;  // the whole buffer, at the binding's type
  void write_texture(std::uint32_t binding, const Image& image, VkSampler sampler) const;

 private:
  VkDescriptorType type_of(std::uint32_t binding) const;
  const Gpu* gpu_ = nullptr;
  DescriptorPool pool_;
  VkDescriptorSet set_ = VK_NULL_HANDLE;
  std::vector<VkDescriptorSetLayoutBinding> bindings_;
};

// A layout of at most one descriptor set and one push constant range from byte 0.
Result<PipelineLayout> make_layout(const Gpu& gpu, VkDescriptorSetLayout set, VkShaderStageFlags push_stages,
                                   std::uint32_t push_bytes);

// `constants` are the shader's specialisation constants 0, 1, ...
Result<Pipeline> make_compute_pipeline(const Gpu& gpu, VkPipelineLayout layout, VkShaderModule shader,
                                       std::span<const std::uint32_t> constants, const char* what);

}  // namespace arete::vulkan
