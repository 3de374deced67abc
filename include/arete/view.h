// A window onto a field: flown by hand over pages that stream in, with a panel of what is drawn (docs/view.md).
//
// It draws what pictures show: the same cut, meshes and shaders, from the streamer's resident pages. In a build without
// a window (ARETE_BUILD_VIEW) run_view() says so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arete/vulkan.h"

namespace arete {

struct ViewOptions {
  std::string title = "arete";
  vulkan::DeviceOptions device;
  vulkan::PictureOptions picture;  // its size is the window's first one; the mesher is always the device's
  RangeOptions ranges;
  vulkan::Camera camera;  // the first one, to which a reset returns
  bool has_panel = true;
  std::size_t budget_bytes = std::size_t(512) << 20;  // as StreamOptions'
  // A window that flies by itself and then closes: through these cameras, one a frame, or with none once round the
  // first one's target in `frames` frames. Neither: it is flown by hand until it is closed.
  std::vector<vulkan::Camera> flight;
  int frames = 0;
  bool keeps_picture = false;  // of the flight's last camera, once every page that it wants is here
};

struct ViewReport {
  std::string device;
  bool is_complete = true;  // false: closed before its flight's end
  std::int64_t frames = 0;
  double seconds = 0;
  // Means of a frame, on the host (cut) and on the device (the others; 0 where it keeps no time).
  double cut_ms = 0, build_ms = 0, draw_ms = 0;
  // Of the last frame. The cut is of `cut_camera`: another one while it is frozen.
  vulkan::Camera camera, cut_camera;
  std::int64_t nodes = 0, cut_nodes = 0, triangles = 0, built_vertices = 0;
  std::int64_t missing_pages = 0;
  std::int64_t validation_messages = 0;
  std::int64_t failed_loads = 0;
  std::string first_failure;  // what could not be read first, or empty
  std::optional<vulkan::Picture> picture;
};

// Opens the window, and returns once it is closed. On the thread that may use the display; the source and bounds must
// serve several threads. Errors: no display or no device that can present to it (gpu), a budget or option out of range
// (usage), a flight whose last picture wants a page that cannot be read (data).
Result<ViewReport> run_view(const SampleSource& source, const Bounds& bounds, const ViewOptions& options);

}  // namespace arete
