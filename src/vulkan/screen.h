// A field drawn to a window, frame after frame: the same meshes, shaders and pixels as Renderer's, two frames in
// flight.
#pragma once

#include <array>
#include <optional>

#include "vulkan/field_scene.h"
#include "vulkan/fitted_mesher.h"
#include "vulkan/overlay.h"
#include "vulkan/picture_pass.h"
#include "vulkan/swapchain.h"

namespace arete::vulkan {

// What one frame shows. The cut need not be the camera's own: a frozen one is seen from elsewhere.
struct ScreenFrame {
  const FieldView& view;  // whose constants, ranges and anchor the cut is meshed by, from these pages
  const Cut& cut;
  const Camera& camera;
  const PictureOptions& options;  // width, height and mesher aside
  const Overlay& overlay;
  bool reads_back = false;  // asks for the picture; waits for the device
};

struct ScreenFigures {
  bool is_drawn = false;  // false: the images had to be made anew, or the window is minimised
  std::int64_t nodes = 0;
  std::int64_t triangles = 0;
  std::int64_t built_vertices = 0;  // the others' words stood in the pool already
  // Of the frame that was last known to be finished, on the device; unset where it keeps no time.
  std::optional<double> build_ms, draw_ms;
  std::optional<Picture> picture;
};

// Not thread-safe. `bounds` must outlive it.
class Screen {
 public:
  // Errors (gpu): no device can present to the window, or what the device lacks.
  static Result<std::unique_ptr<Screen>> create(const DeviceOptions& options, const SurfaceMaker& window,
                                                const Bounds& bounds, const Coverage& coverage);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // The window has this many pixels now, or its vsync changed.
  Result<void> fit(VkExtent2D window, bool has_vsync);
  // The pixels that frames have; 0 while the window is minimised.
  VkExtent2D extent() const noexcept { return swapchain_.extent(); }
  // What frames are lit and draped with from now on; null: nothing. Waits for the device.
  Result<void> set_light(std::shared_ptr<const LightMap> light);
  Result<void> set_drape(const Picture* drape);
  // Errors: as TerrainMesher::record's; a lost device or window (gpu).
  Result<ScreenFigures> draw(const ScreenFrame& frame);

  const std::string& device_name() const noexcept { return context_->device_name(); }
  std::int64_t validation_messages() const noexcept { return context_->validation_messages(); }

 private:
  struct InFlight {
    VkCommandPool pool = VK_NULL_HANDLE;
    VkCommandBuffer commands = VK_NULL_HANDLE;
    VkFence is_done = VK_NULL_HANDLE;
    VkQueryPool times = VK_NULL_HANDLE;
    bool is_submitted = false;
    Semaphore is_free;  // of the image
    Buffer constants;
    DescriptorSet set;
    OverlayPainter::Buffers overlay;
  };
  static constexpr int kInFlight = 2;

  Screen(std::unique_ptr<Context> context, const Bounds& bounds);
  Result<void> open(const Coverage& coverage);
  Result<void> open_frame(InFlight& frame) const;
  Result<void> finish(InFlight& frame);
  Result<void> record(const ScreenFrame& shown, Scene& scene, InFlight& frame, std::uint32_t image,
                      ScreenFigures& figures);
  Result<void> submit(InFlight& frame, std::uint32_t image);
  Picture picture() const;

  std::unique_ptr<Context> context_;  // outlives the rest
  CommandRunner runner_;
  Swapchain swapchain_;
  PicturePipelines pipelines_;
  OverlayPainter overlay_;
  SceneIndices indices_;
  PictureTargets targets_;
  Buffer pixels_;  // on the host, of the frame that is read back
  std::shared_ptr<const LightMap> light_;
  Image light_image_, drape_image_;
  FittedMesher mesher_;
  std::array<InFlight, kInFlight> in_flight_;
  std::size_t next_ = 0;
  std::optional<double> build_ms_, draw_ms_;
};

}  // namespace arete::vulkan
