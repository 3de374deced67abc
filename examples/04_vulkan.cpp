// Terrain inside a program's own Vulkan frame: this file makes the instance, device, queue, command buffer and
// pipeline, and TerrainMesher records uploads and the build of the vertices into that command buffer; the draws are
// indexed and indirect.
//
//   04_vulkan STORE OUT.ppm
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <vector>

#include <vulkan/vulkan.h>  // with the loader's prototypes
#include "arete/cut.h"
#include "arete/tiles.h"
#include "arete/vulkan.h"

namespace {

constexpr std::uint32_t kVertexShader[] = {
#include "04_ground.vert.spv.inc"
};
constexpr std::uint32_t kFragmentShader[] = {
#include "04_ground.frag.spv.inc"
};
constexpr std::uint32_t kWidth = 960, kHeight = 540;
constexpr VkFormat kColour = VK_FORMAT_R8G8B8A8_SRGB, kDepth = VK_FORMAT_D32_SFLOAT;

void must(VkResult result) {
  if (result == VK_SUCCESS) return;
  std::fprintf(stderr, "Vulkan says %d\n", int(result));
  std::exit(1);
}
template <class T>
T must(arete::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

// A Vulkan structure of zeros with its type.
template <class T>
T blank(VkStructureType type) {
  T made{};
  made.sType = type;
  return made;
}

// ---- The program's own Vulkan ---------------------------------------------------------------------------------------

struct Device {
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t family = 0;
};

Device open_device() {
  Device made;
  auto application = blank<VkApplicationInfo>(VK_STRUCTURE_TYPE_APPLICATION_INFO);
  application.apiVersion = VK_API_VERSION_1_3;
  auto instance = blank<VkInstanceCreateInfo>(VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO);
  instance.pApplicationInfo = &application;
  must(vkCreateInstance(&instance, nullptr, &made.instance));
  std::uint32_t count = 1;
  vkEnumeratePhysicalDevices(made.instance, &count, &made.physical);
  if (count == 0) {
    std::fprintf(stderr, "no Vulkan device\n");
    std::exit(1);
  }
  vkGetPhysicalDeviceQueueFamilyProperties(made.physical, &count, nullptr);
  std::vector<VkQueueFamilyProperties> families(count);
  vkGetPhysicalDeviceQueueFamilyProperties(made.physical, &count, families.data());
  constexpr VkQueueFlags kWanted = VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT;
  while (made.family + 1 < count && (families[made.family].queueFlags & kWanted) != kWanted) ++made.family;
  // What the mesher asks for: synchronization2 and bufferDeviceAddress. Dynamic rendering is this program's own wish.
  auto features13 = blank<VkPhysicalDeviceVulkan13Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES);
  features13.synchronization2 = VK_TRUE;
  features13.dynamicRendering = VK_TRUE;
  auto features12 = blank<VkPhysicalDeviceVulkan12Features>(VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES);
  features12.bufferDeviceAddress = VK_TRUE;
  features12.pNext = &features13;
  const float priority = 1;
  auto queue = blank<VkDeviceQueueCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO);
  queue.queueFamilyIndex = made.family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  auto device = blank<VkDeviceCreateInfo>(VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO);
  device.pNext = &features12;
  device.queueCreateInfoCount = 1;
  device.pQueueCreateInfos = &queue;
  must(vkCreateDevice(made.physical, &device, nullptr, &made.device));
  vkGetDeviceQueue(made.device, made.family, 0, &made.queue);
  return made;
}

VkDeviceMemory allocate(const Device& gpu, const VkMemoryRequirements& needs, VkMemoryPropertyFlags wanted) {
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

Target make_target(const Device& gpu, VkFormat format, VkImageUsageFlags usage, VkImageAspectFlags aspect) {
  Target made;
  auto image = blank<VkImageCreateInfo>(VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO);
  image.imageType = VK_IMAGE_TYPE_2D;
  image.format = format;
  image.extent = {kWidth, kHeight, 1};
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

VkShaderModule make_shader(const Device& gpu, const std::uint32_t* words, std::size_t bytes) {
  auto info = blank<VkShaderModuleCreateInfo>(VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO);
  info.codeSize = bytes;
  info.pCode = words;
  VkShaderModule made = VK_NULL_HANDLE;
  must(vkCreateShaderModule(gpu.device, &info, nullptr, &made));
  return made;
}

// A pipeline that reads the mesher's pool as any vertex buffer.
VkPipeline make_pipeline(const Device& gpu, VkPipelineLayout layout, const arete::kernel::VertexLayout& vertex) {
  const VkShaderModule vertex_shader = make_shader(gpu, kVertexShader, sizeof kVertexShader);
  const VkShaderModule fragment_shader = make_shader(gpu, kFragmentShader, sizeof kFragmentShader);
  auto stage = blank<VkPipelineShaderStageCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO);
  stage.pName = "main";
  std::array<VkPipelineShaderStageCreateInfo, 2> stages{stage, stage};
  stages[0].stage = VK_SHADER_STAGE_VERTEX_BIT;
  stages[0].module = vertex_shader;
  stages[1].stage = VK_SHADER_STAGE_FRAGMENT_BIT;
  stages[1].module = fragment_shader;
  const VkVertexInputBindingDescription binding{0, std::uint32_t(4 * vertex.stride_words), VK_VERTEX_INPUT_RATE_VERTEX};
  const VkVertexInputAttributeDescription attributes[] = {
      {0, 0, VK_FORMAT_R32G32B32_SFLOAT, std::uint32_t(4 * vertex.position)},
      {1, 0, VK_FORMAT_R32_UINT, std::uint32_t(4 * vertex.packed_normal)}};
  auto input = blank<VkPipelineVertexInputStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO);
  input.vertexBindingDescriptionCount = 1;
  input.pVertexBindingDescriptions = &binding;
  input.vertexAttributeDescriptionCount = 2;
  input.pVertexAttributeDescriptions = attributes;
  auto assembly =
      blank<VkPipelineInputAssemblyStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO);
  assembly.topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST;
  const VkViewport viewport{0, 0, float(kWidth), float(kHeight), 0, 1};
  const VkRect2D scissor{{0, 0}, {kWidth, kHeight}};
  auto viewports = blank<VkPipelineViewportStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO);
  viewports.viewportCount = viewports.scissorCount = 1;
  viewports.pViewports = &viewport;
  viewports.pScissors = &scissor;
  auto raster =
      blank<VkPipelineRasterizationStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO);
  raster.cullMode = VK_CULL_MODE_BACK_BIT;  // triangles run counter-clockwise seen from above
  raster.frontFace = VK_FRONT_FACE_COUNTER_CLOCKWISE;
  raster.lineWidth = 1;
  auto samples = blank<VkPipelineMultisampleStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO);
  samples.rasterizationSamples = VK_SAMPLE_COUNT_1_BIT;
  auto depth = blank<VkPipelineDepthStencilStateCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO);
  depth.depthTestEnable = depth.depthWriteEnable = VK_TRUE;
  depth.depthCompareOp = VK_COMPARE_OP_LESS;
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

void move_layout(VkCommandBuffer commands, VkImage image, VkImageAspectFlags aspect, VkImageLayout from,
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

// ---- The camera -----------------------------------------------------------------------------------------------------

using Matrix = std::array<std::array<double, 4>, 4>;  // rows

// Clip from world for an eye that looks along `heading` (radians from north, clockwise) and down by `down`.
Matrix clip_from_world(const std::array<double, 3>& eye, double heading, double down, double fov, double far) {
  const double s = std::sin(heading), c = std::cos(heading), sd = std::sin(down), cd = std::cos(down);
  const double right[3] = {c, 0, s}, forward[3] = {s * cd, -sd, -c * cd}, up[3] = {s * sd, cd, -c * sd};
  const double zoom = 1 / std::tan(fov / 2), near = 1;
  Matrix m{};
  for (std::size_t i = 0; i < 3; ++i) {
    m[0][i] = right[i] * zoom * kHeight / kWidth;
    m[1][i] = -up[i] * zoom;  // Vulkan's y points down
    m[2][i] = forward[i] * far / (far - near);
    m[3][i] = forward[i];
    for (std::size_t row = 0; row < 4; ++row) m[row][3] -= m[row][i] * eye[i];
  }
  m[2][3] -= near * far / (far - near);
  return m;
}

// The four sides and the near plane, for culling.
std::vector<arete::Plane> frustum_of(const Matrix& m) {
  std::vector<arete::Plane> planes{{m[2][0], m[2][1], m[2][2], m[2][3]}};
  for (const std::size_t axis : {0, 1}) {
    for (const double sign : {1.0, -1.0}) {
      planes.push_back({m[3][0] + sign * m[axis][0], m[3][1] + sign * m[axis][1], m[3][2] + sign * m[axis][2],
                        m[3][3] + sign * m[axis][3]});
    }
  }
  return planes;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: 04_vulkan STORE OUT.ppm\n");
    return 2;
  }
  const auto store = must(arete::TileStore::open(arguments[1]));
  const arete::Bounds& bounds = store->bounds();
  const arete::Lattice& lattice = store->lattice();

  // What this program would have anyhow.
  const Device gpu = open_device();
  const Target colour = make_target(gpu, kColour, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
                                    VK_IMAGE_ASPECT_COLOR_BIT);
  const Target depth = make_target(gpu, kDepth, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, VK_IMAGE_ASPECT_DEPTH_BIT);
  const VkPushConstantRange range{VK_SHADER_STAGE_VERTEX_BIT, 0, 64};
  auto layout_info = blank<VkPipelineLayoutCreateInfo>(VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO);
  layout_info.pushConstantRangeCount = 1;
  layout_info.pPushConstantRanges = &range;
  VkPipelineLayout layout = VK_NULL_HANDLE;
  must(vkCreatePipelineLayout(gpu.device, &layout_info, nullptr, &layout));
  const VkPipeline pipeline = make_pipeline(gpu, layout, arete::compact_layout());
  auto pool_info = blank<VkCommandPoolCreateInfo>(VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO);
  pool_info.queueFamilyIndex = gpu.family;
  VkCommandPool pool = VK_NULL_HANDLE;
  must(vkCreateCommandPool(gpu.device, &pool_info, nullptr, &pool));
  auto commands_info = blank<VkCommandBufferAllocateInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO);
  commands_info.commandPool = pool;
  commands_info.commandBufferCount = 1;
  VkCommandBuffer commands = VK_NULL_HANDLE;
  must(vkAllocateCommandBuffers(gpu.device, &commands_info, &commands));

  // The camera's cut.
  const std::array<double, 3> eye{0.15 * lattice.width_m(), lattice.height_m(bounds.field_max) + 300,
                                  0.95 * lattice.depth_m()};
  const double fov = 0.8;
  const Matrix matrix = clip_from_world(eye, 0.5, 0.2, fov, 2e5);
  const arete::View view{.eye_x_m = eye[0],
                         .eye_y_m = eye[1],
                         .eye_z_m = eye[2],
                         .pixels_per_radian = kHeight / (2 * std::tan(fov / 2)),
                         .frustum = frustum_of(matrix)};
  const arete::Ranges ranges = arete::make_ranges(bounds, view.pixels_per_radian, {.max_error_px = 1});
  arete::CutWorkspace workspace;
  arete::Cut cut;
  arete::select_cut(bounds, view, ranges, workspace, cut);
  const arete::Anchor anchor = arete::anchor_near(lattice, eye[0], eye[2]);
  const arete::kernel::FrameConstants frame = arete::make_frame(bounds, view, ranges, anchor);

  // The mesher on this program's device.
  auto mesher =
      must(arete::vulkan::TerrainMesher::create({.instance = gpu.instance,
                                                 .physical_device = gpu.physical,
                                                 .device = gpu.device,
                                                 .queue_family = gpu.family,
                                                 .get_instance_proc_addr = vkGetInstanceProcAddr},
                                                bounds, {.layout = arete::compact_layout(), .frames_in_flight = 1}));

  // The frame.
  auto begin = blank<VkCommandBufferBeginInfo>(VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO);
  must(vkBeginCommandBuffer(commands, &begin));
  const arete::vulkan::MeshedNodes nodes = must(mesher->record(commands, *store, cut, frame));  // vertices
  move_layout(commands, colour.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
              VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  move_layout(commands, depth.image, VK_IMAGE_ASPECT_DEPTH_BIT, VK_IMAGE_LAYOUT_UNDEFINED,
              VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);
  auto colour_attachment = blank<VkRenderingAttachmentInfo>(VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO);
  colour_attachment.imageView = colour.view;
  colour_attachment.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  colour_attachment.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  colour_attachment.storeOp = VK_ATTACHMENT_STORE_OP_STORE;
  colour_attachment.clearValue.color = {{0.35f, 0.55f, 0.85f, 1}};
  auto depth_attachment = colour_attachment;
  depth_attachment.imageView = depth.view;
  depth_attachment.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  depth_attachment.clearValue.depthStencil = {1, 0};
  auto rendering = blank<VkRenderingInfo>(VK_STRUCTURE_TYPE_RENDERING_INFO);
  rendering.renderArea.extent = {kWidth, kHeight};
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &colour_attachment;
  rendering.pDepthAttachment = &depth_attachment;
  vkCmdBeginRendering(commands, &rendering);
  vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
  const double anchor_m[] = {anchor.half_x * double(lattice.half_x_m()), 0, anchor.half_z * double(lattice.half_z_m())};
  std::array<float, 16> clip_from_anchor{};  // columns
  for (std::size_t row = 0; row < 4; ++row) {
    double translation = matrix[row][3];
    for (std::size_t i = 0; i < 3; ++i) {
      clip_from_anchor[4 * i + row] = float(matrix[row][i]);
      translation += matrix[row][i] * anchor_m[i];
    }
    clip_from_anchor[12 + row] = float(translation);
  }
  vkCmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, 64, clip_from_anchor.data());
  mesher->record_draws(commands, nodes);  // indexed, indirect, from the pool
  vkCmdEndRendering(commands);

  // The picture comes back.
  auto buffer_info = blank<VkBufferCreateInfo>(VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO);
  buffer_info.size = VkDeviceSize(4) * kWidth * kHeight;
  buffer_info.usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  VkBuffer pixels = VK_NULL_HANDLE;
  must(vkCreateBuffer(gpu.device, &buffer_info, nullptr, &pixels));
  VkMemoryRequirements needs;
  vkGetBufferMemoryRequirements(gpu.device, pixels, &needs);
  const VkDeviceMemory pixels_memory =
      allocate(gpu, needs, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
  must(vkBindBufferMemory(gpu.device, pixels, pixels_memory, 0));
  move_layout(commands, colour.image, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
              VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {kWidth, kHeight, 1};
  vkCmdCopyImageToBuffer(commands, colour.image, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, pixels, 1, &copy);
  auto to_host = blank<VkMemoryBarrier2>(VK_STRUCTURE_TYPE_MEMORY_BARRIER_2);
  to_host.srcStageMask = VK_PIPELINE_STAGE_2_COPY_BIT;
  to_host.srcAccessMask = VK_ACCESS_2_TRANSFER_WRITE_BIT;
  to_host.dstStageMask = VK_PIPELINE_STAGE_2_HOST_BIT;
  to_host.dstAccessMask = VK_ACCESS_2_HOST_READ_BIT;
  auto dependency = blank<VkDependencyInfo>(VK_STRUCTURE_TYPE_DEPENDENCY_INFO);
  dependency.memoryBarrierCount = 1;
  dependency.pMemoryBarriers = &to_host;
  vkCmdPipelineBarrier2(commands, &dependency);
  must(vkEndCommandBuffer(commands));
  auto submit = blank<VkSubmitInfo>(VK_STRUCTURE_TYPE_SUBMIT_INFO);
  submit.commandBufferCount = 1;
  submit.pCommandBuffers = &commands;
  must(vkQueueSubmit(gpu.queue, 1, &submit, VK_NULL_HANDLE));
  must(vkQueueWaitIdle(gpu.queue));
  void* mapped = nullptr;
  must(vkMapMemory(gpu.device, pixels_memory, 0, VK_WHOLE_SIZE, 0, &mapped));
  const auto* rgba = static_cast<const unsigned char*>(mapped);
  std::ofstream file(arguments[2], std::ios::binary);
  file << "P6\n" << kWidth << ' ' << kHeight << "\n255\n";
  std::size_t ground = 0;
  for (std::size_t i = 0; i < std::size_t(4) * kWidth * kHeight; i += 4) {
    file.write(reinterpret_cast<const char*>(rgba + i), 3);
    ground += rgba[i + 2] < rgba[i + 1] ? 1 : 0;  // the sky is blue
  }
  if (!file.flush()) {
    std::fprintf(stderr, "%s: cannot be written\n", arguments[2]);
    return 1;
  }
  std::printf("%u of %zu nodes drawn, %zu %% of the picture is ground\n", nodes.draw_count, cut.nodes.size(),
              100 * ground / (kWidth * kHeight));

  mesher = nullptr;  // before the device
  vkDestroyBuffer(gpu.device, pixels, nullptr);
  vkFreeMemory(gpu.device, pixels_memory, nullptr);
  for (const Target& target : {colour, depth}) {
    vkDestroyImageView(gpu.device, target.view, nullptr);
    vkDestroyImage(gpu.device, target.image, nullptr);
    vkFreeMemory(gpu.device, target.memory, nullptr);
  }
  vkDestroyCommandPool(gpu.device, pool, nullptr);
  vkDestroyPipeline(gpu.device, pipeline, nullptr);
  vkDestroyPipelineLayout(gpu.device, layout, nullptr);
  vkDestroyDevice(gpu.device, nullptr);
  vkDestroyInstance(gpu.instance, nullptr);
  return 0;
}
