// A scene to pixels: uploads the vertices and what shades them, draws ground and sky once, and reads the picture back.
#include "vulkan/commands.h"
#include "vulkan/light_map.h"
#include "vulkan/memory.h"
#include "vulkan/picture_checks.h"
#include "vulkan/picture_pass.h"
#include "vulkan/scene_constants.h"
#include "vulkan/uploads.h"

namespace arete::vulkan {
namespace {

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& values) {
  return std::as_bytes(std::span<const T>(values));
}

// What a picture is drawn into and read back from: kept between pictures of one size.
struct Targets {
  PictureTargets samples;
  Image resolved;
  Buffer pixels;  // on the host
};

Result<Targets> make_targets(const Gpu& gpu, std::uint32_t width, std::uint32_t height) {
  Targets targets;
  auto samples = PictureTargets::create(gpu, {width, height}, kColourFormat);
  if (!samples) return Unexpected{samples.error()};
  targets.samples = std::move(*samples);
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

}  // namespace

struct Renderer::State {
  std::unique_ptr<Context> context;  // outlives the rest
  CommandRunner runner;
  PicturePipelines pipelines;
  DescriptorSet set;
  SceneIndices indices;
  Targets targets;

  const Gpu& gpu() const { return context->gpu(); }

  // What one picture reads on the device.
  struct Inputs {
    Buffer words, constants;
    Image light, drape;
  };

  Result<Inputs> upload(const Scene& scene, const Camera& camera, const PictureOptions& options);
  void record(VkCommandBuffer commands, const Scene& scene, const PictureOptions& options, const Inputs& inputs) const;
};

Result<Renderer::State::Inputs> Renderer::State::upload(const Scene& scene, const Camera& camera,
                                                        const PictureOptions& options) {
  Inputs inputs;
  constexpr VkBufferUsageFlags kRead = VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  auto words = upload_buffer(gpu(), runner, std::as_bytes(scene.words), kRead, "vertices");
  if (!words) return Unexpected{words.error()};
  inputs.words = std::move(*words);
  ARETE_TRY(indices.fit(gpu(), runner, scene));

  const LightMap* light = options.shadows ? scene.light.get() : nullptr;
  auto light_image = upload_light(gpu(), runner, light);
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
                             const Inputs& inputs) const {
  const DeviceFunctions& vk = gpu().functions;
  const VkExtent2D extent{std::uint32_t(options.width), std::uint32_t(options.height)};
  image_barrier(gpu(), commands, targets.resolved.handle(), VK_IMAGE_ASPECT_COLOR_BIT, {}, VK_IMAGE_LAYOUT_UNDEFINED,
                kColourOutput, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  begin_picture(gpu(), commands, targets.samples, targets.resolved.view(), extent);
  const VkDeviceAddress words = scene.node_words != 0 ? scene.node_words : inputs.words.address();
  record_scene(gpu(), commands, {pipelines, set.get(), indices, words}, scene, options);
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
  ARETE_TRY(check_samples(gpu, renderer->device_name()));
  auto runner = CommandRunner::create(gpu);
  if (!runner) return Unexpected{runner.error()};
  renderer->state_->runner = std::move(*runner);
  auto pipelines = PicturePipelines::create(gpu, kColourFormat);
  if (!pipelines) return Unexpected{pipelines.error()};
  renderer->state_->pipelines = std::move(*pipelines);
  auto set = renderer->state_->pipelines.make_set(gpu);
  if (!set) return Unexpected{set.error()};
  renderer->state_->set = std::move(*set);
  return renderer;
}

Result<Picture> Renderer::render(const Scene& scene, const Camera& camera, const PictureOptions& options) {
  ARETE_ASSERT(scene.bounds != nullptr && scene.layout.position >= 0 && scene.layout.normal >= 0 &&
               scene.layout.colour >= 0 && scene.layout.uv0 >= 0);
  State& state = *state_;
  ARETE_TRY(check_picture(state.gpu(), camera, options));
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
  state.set.write_buffer(0, inputs->constants);
  state.set.write_texture(1, inputs->light, pipelines.sampler.get());
  state.set.write_texture(2, inputs->drape, pipelines.sampler.get());
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
