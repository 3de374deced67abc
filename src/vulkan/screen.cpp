// Frames to a window: acquire, mesh, draw, present.
#include "vulkan/screen.h"

#include <cstring>

#include "vulkan/picture_checks.h"
#include "vulkan/scene_constants.h"
#include "vulkan/uploads.h"

namespace arete::vulkan {
namespace {

constexpr std::uint32_t kTimes = 3;  // before the build, after it, after the draws

constexpr std::uint8_t kWhite[4] = {255, 255, 255, 255};

}  // namespace

Screen::Screen(std::unique_ptr<Context> context, const Bounds& bounds)
    : context_(std::move(context)), swapchain_(*context_), mesher_(context_->borrowed(), bounds, kInFlight) {}

Screen::~Screen() {
  const Gpu& gpu = context_->gpu();
  gpu.functions.DeviceWaitIdle(gpu.device);
  for (InFlight& frame : in_flight_) {
    gpu.functions.DestroyQueryPool(gpu.device, frame.times, nullptr);
    gpu.functions.DestroyFence(gpu.device, frame.is_done, nullptr);
    gpu.functions.DestroyCommandPool(gpu.device, frame.pool, nullptr);
  }
}

Result<std::unique_ptr<Screen>> Screen::create(const DeviceOptions& options, const SurfaceMaker& window,
                                               const Bounds& bounds, const Coverage& coverage) {
  auto context = Context::open(options, &window);
  if (!context) return Unexpected{context.error()};
  std::unique_ptr<Screen> screen(new Screen(std::move(*context), bounds));
  ARETE_TRY(screen->open(coverage));
  return screen;
}

Result<void> Screen::open(const Coverage& coverage) {
  const Gpu& gpu = context_->gpu();
  ARETE_TRY(check_samples(gpu, device_name()));
  auto runner = CommandRunner::create(gpu);
  if (!runner) return Unexpected{runner.error()};
  runner_ = std::move(*runner);
  ARETE_TRY(swapchain_.open());
  auto pipelines = PicturePipelines::create(gpu, swapchain_.format());
  if (!pipelines) return Unexpected{pipelines.error()};
  pipelines_ = std::move(*pipelines);
  auto overlay = OverlayPainter::create(gpu, runner_, swapchain_.format(), coverage);
  if (!overlay) return Unexpected{overlay.error()};
  overlay_ = std::move(*overlay);
  for (InFlight& frame : in_flight_) {
    ARETE_TRY(open_frame(frame));
  }
  ARETE_TRY(set_light(nullptr));
  return set_drape(nullptr);
}

Result<void> Screen::open_frame(InFlight& frame) const {
  const Gpu& gpu = context_->gpu();
  const DeviceFunctions& vk = gpu.functions;
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.queueFamilyIndex = gpu.queue_family;
  ARETE_TRY(check(vk.CreateCommandPool(gpu.device, &pool, nullptr, &frame.pool), "creating a command pool"));
  VkCommandBufferAllocateInfo allocate{};
  allocate.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  allocate.commandPool = frame.pool;
  allocate.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  allocate.commandBufferCount = 1;
  ARETE_TRY(check(vk.AllocateCommandBuffers(gpu.device, &allocate, &frame.commands), "allocating a command buffer"));
  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  ARETE_TRY(check(vk.CreateFence(gpu.device, &fence, nullptr, &frame.is_done), "creating a fence"));
  if (gpu.limits.timestampComputeAndGraphics == VK_TRUE) {
    VkQueryPoolCreateInfo times{};
    times.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    times.queryType = VK_QUERY_TYPE_TIMESTAMP;
    times.queryCount = kTimes;
    ARETE_TRY(check(vk.CreateQueryPool(gpu.device, &times, nullptr, &frame.times), "creating a query pool"));
  }
  auto is_free = make_semaphore(gpu);
  if (!is_free) return Unexpected{is_free.error()};
  frame.is_free = std::move(*is_free);
  auto constants = Buffer::create(gpu, sizeof(SceneConstants), VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, MemoryKind::upload,
                                  "scene constants");
  if (!constants) return Unexpected{constants.error()};
  frame.constants = std::move(*constants);
  auto set = pipelines_.make_set(gpu);
  if (!set) return Unexpected{set.error()};
  frame.set = std::move(*set);
  frame.set.write_buffer(0, frame.constants);
  return {};
}

Result<void> Screen::fit(VkExtent2D window, bool has_vsync) {
  ARETE_TRY(swapchain_.fit(window, has_vsync));
  targets_ = {};
  pixels_ = {};
  const VkExtent2D extent = swapchain_.extent();
  if (extent.width == 0) return {};
  auto targets = PictureTargets::create(context_->gpu(), extent, swapchain_.format());
  if (!targets) return Unexpected{targets.error()};
  targets_ = std::move(*targets);
  return {};
}

Result<void> Screen::set_light(std::shared_ptr<const LightMap> light) {
  const Gpu& gpu = context_->gpu();
  ARETE_TRY(check(gpu.functions.DeviceWaitIdle(gpu.device), "waiting for the device"));
  auto image = upload_light(gpu, runner_, light.get());
  if (!image) return Unexpected{image.error()};
  light_ = std::move(light);
  light_image_ = std::move(*image);
  for (InFlight& frame : in_flight_) {
    frame.set.write_texture(1, light_image_, pipelines_.sampler.get());
  }
  return {};
}

Result<void> Screen::set_drape(const Picture* drape) {
  const Gpu& gpu = context_->gpu();
  ARETE_TRY(check(gpu.functions.DeviceWaitIdle(gpu.device), "waiting for the device"));
  auto image = upload_texture(
      gpu, runner_, std::as_bytes(drape != nullptr ? std::span<const std::uint8_t>(drape->rgba) : std::span(kWhite)),
      drape != nullptr ? std::uint32_t(drape->width) : 1, drape != nullptr ? std::uint32_t(drape->height) : 1,
      VK_FORMAT_R8G8B8A8_SRGB, "the drape");
  if (!image) return Unexpected{image.error()};
  drape_image_ = std::move(*image);
  for (InFlight& frame : in_flight_) {
    frame.set.write_texture(2, drape_image_, pipelines_.sampler.get());
  }
  return {};
}

// Waits until the device is done with a frame and reads its times.
Result<void> Screen::finish(InFlight& frame) {
  if (!frame.is_submitted) return {};
  const Gpu& gpu = context_->gpu();
  const DeviceFunctions& vk = gpu.functions;
  ARETE_TRY(check(vk.WaitForFences(gpu.device, 1, &frame.is_done, VK_TRUE, UINT64_MAX), "waiting for the device"));
  ARETE_TRY(check(vk.ResetFences(gpu.device, 1, &frame.is_done), "resetting a fence"));
  frame.is_submitted = false;
  if (frame.times == VK_NULL_HANDLE) return {};
  std::array<std::uint64_t, kTimes> ticks{};
  ARETE_TRY(check(vk.GetQueryPoolResults(gpu.device, frame.times, 0, kTimes, sizeof ticks, ticks.data(),
                                         sizeof ticks[0], VK_QUERY_RESULT_64_BIT),
                  "reading the device's time"));
  const double ms_per_tick = double(gpu.limits.timestampPeriod) * 1e-6;
  build_ms_ = double(ticks[1] - ticks[0]) * ms_per_tick;
  draw_ms_ = double(ticks[2] - ticks[1]) * ms_per_tick;
  return {};
}

Result<ScreenFigures> Screen::draw(const ScreenFrame& shown) {
  const Gpu& gpu = context_->gpu();
  ScreenFigures figures;
  if (swapchain_.extent().width == 0) return figures;
  ARETE_TRY(check_picture(gpu, shown.camera, shown.options));
  auto field = make_field_scene(shown.view, shown.cut, false);
  if (!field) return Unexpected{field.error()};
  Scene& scene = field->scene;
  ARETE_TRY(indices_.fit(gpu, runner_, scene));
  if (!mesher_.fits(shown.cut, shown.view.ranges)) {
    ARETE_TRY(check(gpu.functions.DeviceWaitIdle(gpu.device), "waiting for the device"));
    ARETE_TRY(mesher_.make(shown.cut, shown.view.ranges));
  }
  InFlight& frame = in_flight_[next_];
  ARETE_TRY(finish(frame));
  auto image = swapchain_.acquire(frame.is_free.get());
  if (!image) return Unexpected{image.error()};
  if (!*image) return figures;
  ARETE_TRY(record(shown, scene, frame, **image, figures));
  ARETE_TRY(submit(frame, **image));
  next_ = (next_ + 1) % kInFlight;
  auto is_shown = swapchain_.present(**image);
  if (!is_shown) return Unexpected{is_shown.error()};
  figures.is_drawn = *is_shown;
  if (shown.reads_back) {
    ARETE_TRY(finish(frame));
    figures.picture = picture();
  }
  figures.build_ms = build_ms_;
  figures.draw_ms = draw_ms_;
  return figures;
}

Result<void> Screen::record(const ScreenFrame& shown, Scene& scene, InFlight& frame, std::uint32_t image,
                            ScreenFigures& figures) {
  const Gpu& gpu = context_->gpu();
  const DeviceFunctions& vk = gpu.functions;
  const VkCommandBuffer commands = frame.commands;
  ARETE_TRY(check(vk.ResetCommandPool(gpu.device, frame.pool, 0), "resetting a command pool"));
  VkCommandBufferBeginInfo begin{};
  begin.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
  ARETE_TRY(check(vk.BeginCommandBuffer(commands, &begin), "beginning a command buffer"));
  const auto mark = [&](std::uint32_t query) {
    if (frame.times == VK_NULL_HANDLE) return;
    vk.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, frame.times, query);
  };
  if (frame.times != VK_NULL_HANDLE) vk.CmdResetQueryPool(commands, frame.times, 0, kTimes);
  mark(0);
  auto meshed = mesher_.mesher().record(commands, shown.view.source, shown.cut, shown.view.frame);
  if (!meshed) return Unexpected{meshed.error()};
  mark(1);
  place_nodes(scene, *meshed);
  figures.nodes = std::int64_t(scene.nodes.size());
  figures.triangles = count_triangles(scene);
  figures.built_vertices = std::int64_t(meshed->built_nodes) * node_vertices(scene.node_quads);

  PictureOptions options = shown.options;
  const VkExtent2D extent = swapchain_.extent();
  options.width = int(extent.width);
  options.height = int(extent.height);
  const LightMap* light = options.shadows ? light_.get() : nullptr;
  const SceneConstants constants = make_scene_constants(scene, shown.camera, options, light);
  std::memcpy(frame.constants.mapped().data(), &constants, sizeof constants);
  image_barrier(gpu, commands, swapchain_.image(image), VK_IMAGE_ASPECT_COLOR_BIT,
                {VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT, VK_ACCESS_2_NONE}, VK_IMAGE_LAYOUT_UNDEFINED,
                kColourOutput, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL);
  begin_picture(gpu, commands, targets_, swapchain_.view(image), extent);
  record_scene(gpu, commands, {pipelines_, frame.set.get(), indices_, scene.node_words}, scene, options);
  ARETE_TRY(overlay_.record(gpu, commands, shown.overlay, extent, frame.overlay));
  vk.CmdEndRendering(commands);

  VkImageLayout layout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL;
  Stage last = kColourOutput;
  if (shown.reads_back) {
    if (pixels_.handle() == VK_NULL_HANDLE) {
      auto pixels = Buffer::create(gpu, VkDeviceSize(4) * extent.width * extent.height,
                                   VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::readback, "the picture's pixels");
      if (!pixels) return Unexpected{pixels.error()};
      pixels_ = std::move(*pixels);
    }
    constexpr Stage kCopy{VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_READ_BIT};
    image_barrier(gpu, commands, swapchain_.image(image), VK_IMAGE_ASPECT_COLOR_BIT, last, layout, kCopy,
                  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL);
    layout = VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL;
    last = kCopy;
    VkBufferImageCopy copy{};
    copy.imageSubresource = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 0, 1};
    copy.imageExtent = {extent.width, extent.height, 1};
    vk.CmdCopyImageToBuffer(commands, swapchain_.image(image), layout, pixels_.handle(), 1, &copy);
    memory_barrier(gpu, commands, {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
                   {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
  }
  image_barrier(gpu, commands, swapchain_.image(image), VK_IMAGE_ASPECT_COLOR_BIT, last, layout, {},
                VK_IMAGE_LAYOUT_PRESENT_SRC_KHR);
  mark(2);
  return check(vk.EndCommandBuffer(commands), "ending a command buffer");
}

Result<void> Screen::submit(InFlight& frame, std::uint32_t image) {
  const Gpu& gpu = context_->gpu();
  VkSemaphoreSubmitInfo waits{};
  waits.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  waits.semaphore = frame.is_free.get();
  waits.stageMask = VK_PIPELINE_STAGE_2_COLOR_ATTACHMENT_OUTPUT_BIT;
  VkSemaphoreSubmitInfo signals{};
  signals.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO;
  signals.semaphore = swapchain_.drawn(image);
  signals.stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT;
  VkCommandBufferSubmitInfo commands{};
  commands.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO;
  commands.commandBuffer = frame.commands;
  VkSubmitInfo2 submit{};
  submit.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2;
  submit.waitSemaphoreInfoCount = 1;
  submit.pWaitSemaphoreInfos = &waits;
  submit.commandBufferInfoCount = 1;
  submit.pCommandBufferInfos = &commands;
  submit.signalSemaphoreInfoCount = 1;
  submit.pSignalSemaphoreInfos = &signals;
  ARETE_TRY(check(gpu.functions.QueueSubmit2(gpu.queue, 1, &submit, frame.is_done), "submitting work"));
  frame.is_submitted = true;
  return {};
}

Picture Screen::picture() const {
  const VkExtent2D extent = swapchain_.extent();
  const auto pixels = pixels_.mapped_as<std::uint8_t>();
  Picture picture{int(extent.width), int(extent.height), {pixels.begin(), pixels.end()}};
  if (swapchain_.format() == VK_FORMAT_B8G8R8A8_SRGB) {
    for (std::size_t i = 0; i < picture.rgba.size(); i += 4) {
      std::swap(picture.rgba[i], picture.rgba[i + 2]);
    }
  }
  for (std::size_t i = 3; i < picture.rgba.size(); i += 4) {
    picture.rgba[i] = 255;
  }
  return picture;
}

}  // namespace arete::vulkan
