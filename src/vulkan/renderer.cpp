// A scene to pixels: uploads the vertices and what shades them, draws ground and sky once, and reads the picture back.
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <tuple>

#include "vulkan/commands.h"
#include "vulkan/light_map.h"
#include "vulkan/memory.h"
#include "vulkan/picture_pipelines.h"
#include "vulkan/scene_constants.h"
#include "vulkan/uploads.h"

namespace arete::vulkan {
namespace {

constexpr int kMaxSide = 16384;

Result<void> check_options(const Gpu& gpu, const Camera& camera, const PictureOptions& options) {
  const int limit = std::min(kMaxSide, int(std::min<std::uint32_t>(gpu.limits.maxImageDimension2D, kMaxSide)));
  if (options.width < 1 || options.height < 1 || options.width > limit || options.height > limit) {
    return usage_error("a picture of " + std::to_string(options.width) + "x" + std::to_string(options.height) +
                       " pixels cannot be drawn here; each side must be 1.." + std::to_string(limit));
  }
  const double values[] = {camera.eye_x_m,    camera.eye_y_m,    camera.eye_z_m,          camera.target_x_m,
                           camera.target_y_m, camera.target_z_m, options.sun_azimuth_deg, options.sun_altitude_deg};
  if (!std::all_of(std::begin(values), std::end(values), [](double value) { return std::isfinite(value); })) {
    return usage_error("the camera and the sun must be finite numbers");
  }
  if (camera.eye_x_m == camera.target_x_m && camera.eye_y_m == camera.target_y_m &&
      camera.eye_z_m == camera.target_z_m) {
    return usage_error("the camera's eye and target are one point; move one of them");
  }
  if (!(camera.vertical_fov_rad > 0 && camera.vertical_fov_rad < std::numbers::pi)) {
    return usage_error("the camera's field of view must lie between 0 and 180 degrees");
  }
  if (!(options.sun_altitude_deg >= -90 && options.sun_altitude_deg <= 90)) {
    return usage_error("the sun's altitude must lie in -90..90 degrees");
  }
  if (!(options.haze >= 0 && options.haze <= 1000)) {
    return usage_error("haze must lie in 0..1000");
  }
  if (options.contour_step_m && !(*options.contour_step_m > 0)) {
    return usage_error("the contour step must be above 0 metres");
  }
  if (options.colour == Colour::drape &&
      (options.drape == nullptr || options.drape->width < 1 || options.drape->height < 1 ||
       options.drape->rgba.size() !=
           std::size_t(4) * std::size_t(options.drape->width) * std::size_t(options.drape->height))) {
    return usage_error("colouring by a drape needs an RGBA8 image");
  }
  if (options.drape != nullptr && std::max(options.drape->width, options.drape->height) > limit) {
    return usage_error("the drape is larger than " + std::to_string(limit) + " pixels a side; make it smaller");
  }
  return {};
}

// The index lists that a scene's nodes use, one after another.
struct IndexLists {
  struct List {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  std::vector<std::uint32_t> indices;
  std::map<std::tuple<int, int, int>, List> lists;

  const List& of(int quads, const SceneNode& node) {
    const std::tuple key{int(node.coarse_mask), node.cells.x, node.cells.z};
    const auto found = lists.find(key);
    if (found != lists.end()) return found->second;
    const auto made = sew_indices(quads, node.coarse_mask, node.cells);
    const List list{std::uint32_t(indices.size()), std::uint32_t(made.size())};
    indices.insert(indices.end(), made.begin(), made.end());
    return lists.emplace(key, list).first->second;
  }
};

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

// What is drawn into: kept between pictures of one size.
struct Targets {
  Image colour;  // 4 samples
  Image depth;
  Image resolved;  // 1 sample
  Buffer pixels;   // on the host
};

Result<Targets> make_targets(const Gpu& gpu, std::uint32_t width, std::uint32_t height) {
  Targets targets;
  auto colour = Image::create(
      gpu, {width, height, kColourFormat, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT, kSamples, VK_IMAGE_ASPECT_COLOR_BIT},
      "the picture's samples");
  if (!colour) return Unexpected{colour.error()};
  targets.colour = std::move(*colour);
  auto depth = Image::create(
      gpu,
      {width, height, kDepthFormat, VK_IMAGE_USAGE_DEPTH_STENCIL_ATTACHMENT_BIT, kSamples, VK_IMAGE_ASPECT_DEPTH_BIT},
      "the picture's depth");
  if (!depth) return Unexpected{depth.error()};
  targets.depth = std::move(*depth);
  auto resolved = Image::create(
      gpu,
      {width, height, kColourFormat, VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT | VK_IMAGE_USAGE_TRANSFER_SRC_BIT,
       VK_SAMPLE_COUNT_1_BIT, VK_IMAGE_ASPECT_COLOR_BIT},
      "the picture");
  if (!resolved) return Unexpected{resolved.error()};
  targets.resolved = std::move(*resolved);
  auto pixels = Buffer::create(gpu, VkDeviceSize(4) * width * height, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                               MemoryKind::readback, "the picture's pixels");
  if (!pixels) return Unexpected{pixels.error()};
  targets.pixels = std::move(*pixels);
  return targets;
}

constexpr Stage kColourOutput{VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT,
                              VK_ACCESS_2_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_2_COLOR_ATTACHMENT_READ_BIT};
constexpr Stage kDepthTests{
    VK_PIPELINE_STAGE_2_EARLY_FRAGMENT_TESTS_BIT | VK_PIPELINE_STAGE_2_LATE_FRAGMENT_TESTS_BIT,
    VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_READ_BIT | VK_ACCESS_2_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT};

}  // namespace

struct Renderer::State {
  std::unique_ptr<Context> context;  // outlives the rest
  CommandRunner runner;
  PicturePipelines pipelines;
  Targets targets;

  const Gpu& gpu() const { return context->gpu(); }

  // What one picture reads on the device.
  struct Inputs {
    Buffer words, indices, constants;
    Image light, drape;
    IndexLists lists;
  };

  Result<Inputs> upload(const Scene& scene, const Camera& camera, const PictureOptions& options);
  void record(VkCommandBuffer commands, const Scene& scene, const PictureOptions& options, Inputs& inputs) const;
};

Result<Renderer::State::Inputs> Renderer::State::upload(const Scene& scene, const Camera& camera,
                                                        const PictureOptions& options) {
  Inputs inputs;
  constexpr VkBufferUsageFlags kRead = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  auto words = upload_buffer(gpu(), runner, std::as_bytes(scene.words), kRead, "vertices");
  if (!words) return Unexpected{words.error()};
  inputs.words = std::move(*words);
  for (const SceneNode& node : scene.nodes) {
    inputs.lists.of(scene.node_quads, node);
  }
  auto indices =
      upload_buffer(gpu(), runner, bytes_of(inputs.lists.indices), kRead | VK_BUFFER_USAGE_INDEX_BUFFER_BIT, "indices");
  if (!indices) return Unexpected{indices.error()};
  inputs.indices = std::move(*indices);

  const LightMap* light = options.shadows ? scene.light.get() : nullptr;
  static constexpr std::uint8_t kLit[2] = {255, 255};
  auto light_image = upload_texture(
      gpu(), runner,
      light != nullptr ? bytes_of(light->sun_and_sky) : std::as_bytes(std::span<const std::uint8_t>(kLit)),
      light != nullptr ? std::uint32_t(light->width) : 1, light != nullptr ? std::uint32_t(light->height) : 1,
      VK_FORMAT_R8G8_UNORM, "the light map");
  if (!light_image) return Unexpected{light_image.error()};
  inputs.light = std::move(*light_image);
  static constexpr std::uint8_t kWhite[4] = {255, 255, 255, 255};
  const Picture* drape = options.colour == Colour::drape ? options.drape : nullptr;
  auto drape_image = upload_texture(
      gpu(), runner, drape != nullptr ? bytes_of(drape->rgba) : std::as_bytes(std::span<const std::uint8_t>(kWhite)),
      drape != nullptr ? std::uint32_t(drape->width) : 1, drape != nullptr ? std::uint32_t(drape->height) : 1,
      VK_FORMAT_R8G8B8A8_SRGB, "the drape");
  if (!drape_image) return Unexpected{drape_image.error()};
  inputs.drape = std::move(*drape_image);

  const SceneConstants constants = make_scene_constants(scene, camera, options, light);
  auto uniform = upload_buffer(gpu(), runner, std::as_bytes(std::span(&constants, 1)),
                               VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, "scene constants");
  if (!uniform) return Unexpected{uniform.error()};
  inputs.constants = std::move(*uniform);
  return inputs;
}

void Renderer::State::record(VkCommandBuffer commands, const Scene& scene, const PictureOptions& options,
                             Inputs& inputs) const {
  const DeviceFunctions& vk = gpu().functions;
  const VkExtent2D extent{std::uint32_t(options.width), std::uint32_t(options.height)};
  image_barrier(gpu(), commands, targets.colour.handle(), VK_IMAGE_ASPECT_COLOR_BIT, {}, VK_IMAGE_LAYOUT_UNDEFINED,
                kColourOutput, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  image_barrier(gpu(), commands, targets.resolved.handle(), VK_IMAGE_ASPECT_COLOR_BIT, {}, VK_IMAGE_LAYOUT_UNDEFINED,
                kColourOutput, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  image_barrier(gpu(), commands, targets.depth.handle(), VK_IMAGE_ASPECT_DEPTH_BIT, {}, VK_IMAGE_LAYOUT_UNDEFINED,
                kDepthTests, VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL);

  VkRenderingAttachmentInfo colour{};
  colour.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  colour.imageView = targets.colour.view();
  colour.imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  colour.resolveMode = VK_RESOLVE_MODE_AVERAGE_BIT;
  colour.resolveImageView = targets.resolved.view();
  colour.resolveImageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  colour.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  colour.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  VkRenderingAttachmentInfo depth{};
  depth.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO;
  depth.imageView = targets.depth.view();
  depth.imageLayout = VK_IMAGE_LAYOUT_DEPTH_ATTACHMENT_OPTIMAL;
  depth.loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR;
  depth.storeOp = VK_ATTACHMENT_STORE_OP_DONT_CARE;
  VkRenderingInfo rendering{};
  rendering.sType = VK_STRUCTURE_TYPE_RENDERING_INFO;
  rendering.renderArea.extent = extent;
  rendering.layerCount = 1;
  rendering.colorAttachmentCount = 1;
  rendering.pColorAttachments = &colour;
  rendering.pDepthAttachment = &depth;
  vk.CmdBeginRendering(commands, &rendering);
  const VkViewport viewport{0, 0, float(options.width), float(options.height), 0, 1};
  const VkRect2D scissor{{0, 0}, extent};
  vk.CmdSetViewport(commands, 0, 1, &viewport);
  vk.CmdSetScissor(commands, 0, 1, &scissor);
  const VkDescriptorSet set = pipelines.set.get();
  const VkPipelineLayout layout = pipelines.layout.get();
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, layout, 0, 1, &set, 0, nullptr);
  vk.CmdBindIndexBuffer(commands, inputs.indices.handle(), 0, VK_INDEX_TYPE_UINT32);

  const auto push = [&](const DrawConstants& constants) {
    vk.CmdPushConstants(commands, layout, VK_SHADER_STAGE_VERTEX_BIT, 0, sizeof constants, &constants);
  };
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS,
                     options.wireframe ? pipelines.ground_lines.get() : pipelines.ground.get());
  for (const SceneNode& node : scene.nodes) {
    const IndexLists::List& list = inputs.lists.of(scene.node_quads, node);
    push({scene.node_words != 0 ? scene.node_words : inputs.words.address(),
          inputs.indices.address() + VkDeviceAddress(4) * list.first, node.first_vertex, node.lod, 0, 0});
    if (options.wireframe) {
      vk.CmdDraw(commands, list.count, 1, 0, 0);
    } else {
      vk.CmdDrawIndexed(commands, list.count, 1, list.first, std::int32_t(node.first_vertex), 0);
    }
  }
  if (options.walls && scene.wall_vertices > 0) {
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.ground.get());
    push({inputs.words.address(), inputs.indices.address(), 0, 0, 1, 0});
    vk.CmdDraw(commands, scene.wall_vertices, 1, scene.first_wall_vertex, 0);
  }
  vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipelines.sky.get());
  vk.CmdDraw(commands, 3, 1, 0, 0);
  vk.CmdEndRendering(commands);

  constexpr Stage kCopy{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};
  image_barrier(gpu(), commands, targets.resolved.handle(), VK_IMAGE_ASPECT_COLOR_BIT, kColourOutput,
                VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL, kCopy, VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
  VkBufferImageCopy copy{};
  copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
  copy.imageExtent = {extent.width, extent.height, 1};
  vk.CmdCopyImageToBuffer(commands, targets.resolved.handle(), VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL,
                          targets.pixels.handle(), 1, &copy);
  memory_barrier(gpu(), commands, {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
                 {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
}

Renderer::Renderer() : state_(std::make_unique<State>()) {}
Renderer::~Renderer() = default;

Result<std::unique_ptr<Renderer>> Renderer::create(const DeviceOptions& options) {
  std::unique_ptr<Renderer> renderer(new Renderer);
  auto context = Context::open(options);
  if (!context) return Unexpected{context.error()};
  renderer->state_->context = std::move(*context);
  const Gpu& gpu = renderer->state_->gpu();
  if ((gpu.limits.framebufferColorSampleCounts & gpu.limits.framebufferDepthSampleCounts & kSamples) == 0) {
    return gpu_error("vulkan: " + renderer->device_name() +
                     " cannot draw with 4 samples a pixel; choose another device");
  }
  auto runner = CommandRunner::create(gpu);
  if (!runner) return Unexpected{runner.error()};
  renderer->state_->runner = std::move(*runner);
  auto pipelines = PicturePipelines::create(gpu);
  if (!pipelines) return Unexpected{pipelines.error()};
  renderer->state_->pipelines = std::move(*pipelines);
  return renderer;
}

Result<Picture> Renderer::render(const Scene& scene, const Camera& camera, const PictureOptions& options) {
  ARETE_ASSERT(scene.bounds != nullptr && scene.layout.position >= 0 && scene.layout.normal >= 0 &&
               scene.layout.colour >= 0 && scene.layout.uv0 >= 0);
  State& state = *state_;
  ARETE_TRY(check_options(state.gpu(), camera, options));
  const auto width = std::uint32_t(options.width), height = std::uint32_t(options.height);
  const ImageShape& kept = state.targets.resolved.shape();
  if (state.targets.resolved.handle() == VK_NULL_HANDLE || kept.width != width || kept.height != height) {
    state.targets = {};
    auto targets = make_targets(state.gpu(), width, height);
    if (!targets) return Unexpected{targets.error()};
    state.targets = std::move(*targets);
  }
  auto inputs = state.upload(scene, camera, options);
  if (!inputs) return Unexpected{inputs.error()};
  const PicturePipelines& pipelines = state.pipelines;
  pipelines.set.write_buffer(0, inputs->constants);
  pipelines.set.write_texture(1, inputs->light, pipelines.sampler.get());
  pipelines.set.write_texture(2, inputs->drape, pipelines.sampler.get());
  auto commands = state.runner.begin();
  if (!commands) return Unexpected{commands.error()};
  state.record(*commands, scene, options, *inputs);
  ARETE_TRY(state.runner.submit_and_wait());
  const auto pixels = state.targets.pixels.mapped_as<std::uint8_t>();
  return Picture{options.width, options.height, {pixels.begin(), pixels.end()}};
}

Result<MeshedNodes> Renderer::build_nodes(TerrainMesher& mesher, const SampleSource& pages, const Cut& cut,
                                          const kernel::FrameConstants& frame) {
  auto commands = state_->runner.begin();
  if (!commands) return Unexpected{commands.error()};
  auto meshed = mesher.record(*commands, pages, cut, frame);
  if (!meshed) return meshed;
  ARETE_TRY(state_->runner.submit_and_wait());
  return meshed;
}

BorrowedDevice Renderer::device() const noexcept { return state_->context->borrowed(); }
const std::string& Renderer::device_name() const noexcept { return state_->context->device_name(); }
std::int64_t Renderer::validation_messages() const noexcept { return state_->context->validation_messages(); }

}  // namespace arete::vulkan
