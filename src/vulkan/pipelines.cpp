// Shader modules, descriptors, layouts and compute pipelines.
#include "vulkan/pipelines.h"

#include <string>

namespace arete::vulkan {

Result<ShaderModule> make_shader(const Gpu& gpu, std::span<const std::uint32_t> words, const char* what) {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  VkShaderModule module = VK_NULL_HANDLE;
  ARETE_TRY(check(gpu.functions.CreateShaderModule(gpu.device, &info, nullptr, &module),
                  std::string("reading the shader ") + what));
  return ShaderModule(gpu.device, module, gpu.functions.DestroyShaderModule);
}

Result<SetLayout> make_set_layout(const Gpu& gpu, std::span<const VkDescriptorSetLayoutBinding> bindings) {
  VkDescriptorSetLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  info.bindingCount = static_cast<std::uint32_t>(bindings.size());
  info.pBindings = bindings.data();
  VkDescriptorSetLayout layout = VK_NULL_HANDLE;
  ARETE_TRY(check(gpu.functions.CreateDescriptorSetLayout(gpu.device, &info, nullptr, &layout),
                  "creating a descriptor set layout"));
  return SetLayout(gpu.device, layout, gpu.functions.DestroyDescriptorSetLayout);
}

Result<DescriptorSet> DescriptorSet::create(const Gpu& gpu, VkDescriptorSetLayout layout,
                                            std::span<const VkDescriptorSetLayoutBinding> bindings) {
  DescriptorSet set;
  set.gpu_ = &gpu;
  set.bindings_.assign(bindings.begin(), bindings.end());
  std::vector<VkDescriptorPoolSize> sizes;
  for (const VkDescriptorSetLayoutBinding& binding : bindings) {
    sizes.push_back({binding.descriptorType, binding.descriptorCount});
  }
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = 1;
  info.poolSizeCount = static_cast<std::uint32_t>(sizes.size());
  info.pPoolSizes = sizes.data();
  VkDescriptorPool pool = VK_NULL_HANDLE;
  ARETE_TRY(check(gpu.functions.CreateDescriptorPool(gpu.device, &info, nullptr, &pool), "creating a descriptor pool"));
  set.pool_ = DescriptorPool(gpu.device, pool, gpu.functions.DestroyDescriptorPool);
  VkDescriptorSetAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  allocate.descriptorPool = pool;
  allocate.descriptorSetCount = 1;
  allocate.pSetLayouts = &layout;
  ARETE_TRY(
      check(gpu.functions.AllocateDescriptorSets(gpu.device, &allocate, &set.set_), "allocating a descriptor set"));
  return set;
}

VkDescriptorType DescriptorSet::type_of(std::uint32_t binding) const {
  for (const VkDescriptorSetLayoutBinding& each : bindings_) {
    if (each.binding == binding) return each.descriptorType;
  }
  ARETE_ASSERT(!"a binding of the set's layout");
  return VK_DESCRIPTOR_TYPE_MAX_ENUM;
}

void DescriptorSet::write_buffer(std::uint32_t binding, const Buffer& buffer) const {
  const VkDescriptorBufferInfo info{buffer.handle(), 0, VK_WHOLE_SIZE};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set_;
  write.dstBinding = binding;
  write.descriptorCount = 1;
  write.descriptorType = type_of(binding);
  write.pBufferInfo = &info;
  gpu_->functions.UpdateDescriptorSets(gpu_->device, 1, &write, 0, nullptr);
}

void DescriptorSet::write_texture(std::uint32_t binding, const Image& image, VkSampler sampler) const {
  const VkDescriptorImageInfo info{sampler, image.view(), VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL};
  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set_;
  write.dstBinding = binding;
  write.descriptorCount = 1;
  write.descriptorType = type_of(binding);
  write.pImageInfo = &info;
  gpu_->functions.UpdateDescriptorSets(gpu_->device, 1, &write, 0, nullptr);
}

Result<PipelineLayout> make_layout(const Gpu& gpu, VkDescriptorSetLayout set, VkShaderStageFlags push_stages,
                                   std::uint32_t push_bytes) {
  const VkPushConstantRange range{push_stages, 0, push_bytes};
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = set == VK_NULL_HANDLE ? 0 : 1;
  info.pSetLayouts = &set;
  info.pushConstantRangeCount = push_bytes == 0 ? 0 : 1;
  info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  ARETE_TRY(
      check(gpu.functions.CreatePipelineLayout(gpu.device, &info, nullptr, &layout), "creating a pipeline layout"));
  return PipelineLayout(gpu.device, layout, gpu.functions.DestroyPipelineLayout);
}

Result<Pipeline> make_compute_pipeline(const Gpu& gpu, VkPipelineLayout layout, VkShaderModule shader,
                                       std::span<const std::uint32_t> constants, const char* what) {
  std::vector<VkSpecializationMapEntry> entries;
  for (std::uint32_t i = 0; i < constants.size(); ++i) {
    entries.push_back({i, i * 4, 4});
  }
  const VkSpecializationInfo specialization{static_cast<std::uint32_t>(entries.size()), entries.data(),
                                            constants.size_bytes(), constants.data()};
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader;
  info.stage.pName = "main";
  info.stage.pSpecializationInfo = &specialization;
  info.layout = layout;
  VkPipeline pipeline = VK_NULL_HANDLE;
  ARETE_TRY(check(gpu.functions.CreateComputePipelines(gpu.device, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline),
                  std::string("building the pipeline ") + what));
  return Pipeline(gpu.device, pipeline, gpu.functions.DestroyPipeline);
}

}  // namespace arete::vulkan
