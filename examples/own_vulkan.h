// A program's own Vulkan, as any has it and without a word of arete: a device, two targets, a frame's commands, and the
// picture back. Only what 04_vulkan.cpp needs; an error ends the program.
#pragma once

#include <vulkan/vulkan.h>  // with the loader's prototypes

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

namespace own {

constexpr VkFormat kColour = VK_FORMAT_R8G8B8A8_SRGB, kDepth = VK_FORMAT_D32_SFLOAT;

inline void must(VkResult result) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "Vulkan says %d\n", int(result));
  std::exit(1);
}

// A Vulkan structure of zeros with its type.
template <class T>
T blank(VkStructureType type) {
  T made{};
  made.sType = type;
  return made;
}

// The first device, its first queue of graphics and compute, and the features of a modern renderer.
struct Device {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t family = 0;

  Device() {
    auto application = blank<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
    application.apiVersion = VK_API_VERSION_1_3;
    auto instance_info = blank<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
    instance_info.pApplicationInfo = &application;
    must(vkCreateInstance(&instance_info, nullptr, &instance));
    std::uint32_t count = 1;
    vkEnumeratePhysicalDevices(instance, &count, &physical);
    if (count == 0) {
      std::fprintf(stderr, "no Vulkan device\n");
      std::exit(1);
    }
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    vkGetPhysicalDeviceQueueFamilyProperties(physical, &count, families.data());
    constexpr VkQueueFlags kWanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
    while (family + 1 < count && (families[family].queueFlags & kWanted) != kWanted) ++family;
    auto features13 = blank<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
    features13.synchronization2 = VK_TRUE;
    features13.dynamicRendering = VK_TRUE;
    auto features12 = blank<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
    features12.bufferDeviceAddress = VK_TRUE;
    features12.pNext = &features13;
    const float priority = 1;
    auto queue_info = blank<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
    queue_info.queueFamilyIndex = family;
    queue_info.queueCount = 1;
    queue_info.pQueuePriorities = &priority;
    auto device_info = blank<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
    device_info.pNext = &features12;
    device_info.queueCreateInfoCount = 1;
    device_info.pQueueCreateInfos = &queue_info;
    must(vkCreateDevice(physical, &device_info, nullptr, &device));
    vkGetDeviceQueue(device, family, 0, &queue);
  }
  ~Device() {
    vkDestroyDevice(device, nullptr);
    vkDestroyInstance(instance, nullptr);
  }
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

inline VkDeviceMemory allocate(const Device& gpu, const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) {
  VkPhysicalDeviceMemoryProperties offered;
  vkGetPhysicalDeviceMemoryProperties(gpu.physical, &offered);
  auto info = blank<VkMemoryAllocateInfo>(VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO);
  info.allocationSize = needs.size;
  while ((needs.memoryTypeBits >> info.memoryTypeIndex & 1) == 0 ||
         (offered.memoryTypes[info.memoryTypeIndex].propertyFlags & wanted) != wanted) {
    ++info.memoryTypeIndex;
  }
  VkDeviceMemory memory = VK_NULL_HANDLE;
  must(vkAllocateMemory(gpu.device, &info, nullptr, &memory));
  return memory;
}

struct Target {
  VkImage image = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkImageView view = VK_NULL_HANDLE;
};

inline Target make_target(const Device& gpu, VkExtent2D size, VkFormat format, VkImageUsageFlags usage,
                          VkImageAspectFlags aspect) {
  Target made;
  auto image = blank<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  image.imageType = VK_IMAGE_TYPE_2D;
  image.format = format;
  image.extent = {size.width, size.height, 1};
  image.mipLevels = image.arrayLayers = 1;
  image.samples = VK_SAMPLE_COUNT_1_BIT;
  image.usage = usage;
  must(vkCreateImage(gpu.device, &image, nullptr, &made.image));
  VkMemoryRequirements needs;
  vkGetImageMemoryRequirements(gpu.device, made.image, &needs);
  made.memory = allocate(gpu, needs, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
  must(vkBindImageMemory(gpu.device, made.image, made.memory, 0));
  auto view = blank<VkImageViewCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO);
  view.image = made.image;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = format;
  view.subresourceRange = {aspect, 0, 1, 0, 1};
  must(vkCreateImageView(gpu.device, &view, nullptr, &made.view));
  return made;
}

inline VkShaderModule make_shader(const Device& gpu, std::span<const std::uint32_t> words) {
  auto info = blank<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = words.size_bytes();
  info.pCode = words.data();
  VkShaderModule made = VK_NULL_HANDLE;
  must(vkCreateShaderModule(gpu.device, &info, nullptr, &made));
  return made;
}

// What a pipeline draws with: modules of SPIR-V and the place of the vertices' attributes.
struct Shading {
  std::span<const std::uint32_t> vertex, fragment;
  std::uint32_t stride_bytes = 0;
  std::vector<VkVertexInputAttributeDescription> attributes;
};

// Triangles counter-clockwise in front, over a depth of 1 at the eye and 0 far away.
inline VkPipeline make_pipeline(const Device& gpu, VkExtent2D size, VkPipelineLayout layout, const Shading& shading) {
  const VkShaderModule vertex_shader = make_shader(gpu, shading.vertex);
  const VkShaderModule fragment_shader = make_shader(gpu, shading.fragment);
  auto stage = blank<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  stage.pName = "main";
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{stage, stage};
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vertex_shader;
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = fragment_shader;
  const VkVertexInputBindingDescription binding{0, shading.stride_bytes, VK_VERTEX_INPUT_RATE_VERTEX};
  auto input = blank<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  input.vertexBindingDescriptionCount = 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = std::uint32_t(shading.attributes.size());
  input.pVertexAttributeDescriptions = shading.attributes.data();
  auto assembly =
      blank<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, float(size.width), float(size.height), 0, 1};
  const VkRect2D scissor{{0, 0}, size};
  auto viewports = blank<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  viewports.viewportCount = viewports.scissorCount = 1;
  viewports.pViewports = &viewport;
  viewports.pScissors = &scissor;
  auto raster =
      blank<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.cullMode = VK_CULL_MODE_BACK_BIT;
  raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  raster.lineWidth = 1;
  auto samples = blank<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  auto depth = blank<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_GREATER;
  VkPipelineColorBlendAttachmentState opaque{};
  opaque.colorWriteMask = 15;
  auto blend = blank<VkPipelineColorBlendStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO);
  blend.attachmentCount = 1;
  blend.pAttachments = &opaque;
  auto formats = blank<VkPipelineRenderingCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO);
  formats.colorAttachmentCount = 1;
  formats.pColorAttachmentFormats = &kColour;
  formats.depthAttachmentFormat = kDepth;
  auto info = blank<VkGraphicsPipelineCreateInfo>(VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO);
  info.pNext = &formats;
  info.stageCount = 2;
  info.pStages = stages.data();
  info.pVertexInputState = &input;
  info.pInputAssemblyState = &assembly;
  info.pViewportState = &viewports;
  info.pRasterizationState = &raster;
  info.pMultisampleState = &samples;
  info.pDepthStencilState = &depth;
  info.pColorBlendState = &blend;
  info.layout = layout;
  VkPipeline made = VK_NULL_HANDLE;
  must(vkCreateGraphicsPipelines(gpu.device, VK_NULL_HANDLE, 1, &info, nullptr, &made));
  vkDestroyShaderModule(gpu.device, vertex_shader, nullptr);
  vkDestroyShaderModule(gpu.device, fragment_shader, nullptr);
  return made;
}

inline void move_layout(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
                        VkImageLayout to) {
  auto barrier = blank<VkImageMemoryBarrier2>(VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER_2);
  barrier.srcStageMask = barrier.dstStageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  barrier.srcAccessMask = VK_ACCESS_2_MEMORY_WRITE_BIT;
  barrier.dstAccessMask = VK_ACCESS_2_MEMORY_READ_BIT | VK_ACCESS_2_MEMORY_WRITE_BIT;
  barrier.oldLayout = from;
  barrier.newLayout = to;
  barrier.image = image;
  barrier.subresourceRange = {aspect, 0, 1, 0, 1};
  auto dependency = blank<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  dependency.imageMemoryBarrierCount = 1;
  dependency.pImageMemoryBarriers = &barrier;
  vkCmdPipelineBarrier2(commands, &dependency);
}

// One frame of one pipeline into an offscreen picture; the vertex shader reads `push_bytes` of constants.
class Frame {
 public:
  Frame(const Device& gpu, VkExtent2D size, const Shading& shading, std::uint32_t push_bytes)
      : gpu_(gpu), size_(size), push_bytes_(push_bytes) {
    colour_ = make_target(gpu, size, kColour, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                          VK_IMAGE_ASPECT_COLOR_BIT);
    depth_ = make_target(gpu, size, kDepth, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
    const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, push_bytes};
    auto layout = blank<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    must(vkCreatePipelineLayout(gpu.device, &layout, nullptr, &layout_));
    pipeline_ = make_pipeline(gpu, size, layout_, shading);
    auto pool = blank<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
    pool.queueFamilyIndex = gpu.family;
    must(vkCreateCommandPool(gpu.device, &pool, nullptr, &pool_));
    auto commands = blank<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
    commands.commandPool = pool_;
    commands.commandBufferCount = 1;
    must(vkAllocateCommandBuffers(gpu.device, &commands, &commands_));
    auto pixels = blank<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
    pixels.size = VkDeviceSize(4) * size.width * size.height;
    pixels.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
    must(vkCreateBuffer(gpu.device, &pixels, nullptr, &pixels_));
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(gpu.device, pixels_, &needs);
    pixels_memory_ = allocate(gpu, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    must(vkBindBufferMemory(gpu.device, pixels_, pixels_memory_, 0));
    auto begin = blank<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
    must(vkBeginCommandBuffer(commands_, &begin));
  }
  ~Frame() {
    vkDestroyBuffer(gpu_.device, pixels_, nullptr);
    vkFreeMemory(gpu_.device, pixels_memory_, nullptr);
    for (const Target& target : {colour_, depth_}) {
      vkDestroyImageView(gpu_.device, target.view, nullptr);
      vkDestroyImage(gpu_.device, target.image, nullptr);
      vkFreeMemory(gpu_.device, target.memory, nullptr);
    }
    vkDestroyCommandPool(gpu_.device, pool_, nullptr);
    vkDestroyPipeline(gpu_.device, pipeline_, nullptr);
    vkDestroyPipelineLayout(gpu_.device, layout_, nullptr);
  }
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  VkCommandBuffer commands() const { return commands_; }

  void begin_rendering(std::array<float, 4> sky, const void* constants) {
    move_layout(commands_, colour_.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
    move_layout(commands_, depth_.image, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
                VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
    auto colour = blank<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
    colour.imageView = colour_.view;
    colour.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
    colour.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
    colour.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
    colour.clearValue.color = {{sky[0], sky[1], sky[2], sky[3]}};
    auto depth = colour;
    depth.imageView = depth_.view;
    depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
    depth.clearValue.depthStencil = {0, 0};
    auto rendering = blank<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
    rendering.renderArea.extent = size_;
    rendering.layerCount = 1;
    rendering.colorAttachmentCount = 1;
    rendering.pColorAttachments = &colour;
    rendering.pDepthAttachment = &depth;
    vkCmdBeginRendering(commands_, &rendering);
    vkCmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline_);
    vkCmdPushConstants(commands_, layout_, VK_SHADER_STAGE_VERTEX_BIT, 0, push_bytes_, constants);
  }

  // Ends rendering and the commands, runs them to their end, and gives RGBA8 pixels, the top row first.
  std::vector<std::uint8_t> finish() {
    vkCmdEndRendering(commands_);
    move_layout(commands_, colour_.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
                VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {size_.width, size_.height, 1};
    vkCmdCopyImageToBuffer(commands_, colour_.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels_, 1, &copy);
    auto to_host = blank<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
    to_host.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
    to_host.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
    to_host.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
    to_host.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
    auto dependency = blank<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
    dependency.memoryBarrierCount = 1;
    dependency.pMemoryBarriers = &to_host;
    vkCmdPipelineBarrier2(commands_, &dependency);
    must(vkEndCommandBuffer(commands_));
    auto submit = blank<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands_;
    must(vkQueueSubmit(gpu_.queue, 1, &submit, VK_NULL_HANDLE));
    must(vkQueueWaitIdle(gpu_.queue));
    void* mapped = nullptr;
    must(vkMapMemory(gpu_.device, pixels_memory_, 0, VK_WHOLE_SIZE, 0, &mapped));
    const auto* rgba = static_cast<const std::uint8_t*>(mapped);
    return {rgba, rgba + std::size_t(4) * size_.width * size_.height};
  }

 private:
  const Device& gpu_;
  VkExtent2D size_;
  std::uint32_t push_bytes_;
  Target colour_, depth_;
  VkPipelineLayout layout_ = VK_NULL_HANDLE;
  VkPipeline pipeline_ = VK_NULL_HANDLE;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkBuffer pixels_ = VK_NULL_HANDLE;
  VkDeviceMemory pixels_memory_ = VK_NULL_HANDLE;
};

}  // namespace own
