// A window of SDL: its surface, its size, and what its user asks for.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "view/controls.h"
#include "view/fly_camera.h"
#include "view/window/gui.h"
#include "vulkan/gpu.h"

namespace arete::view {

// What came in since the last frame.
struct Inputs {
  bool leaves = false;  // the window was closed
  Steering steering;
  double turn_right_px = 0, turn_down_px = 0;  // dragged
  double wheel = 0;
  std::vector<Action> actions;  // that act once
  bool is_double_click = false;
  std::array<double, 2> pointer_px{};
};

// On the thread that opened it; one at a time.
class Window {
 public:
  // Errors (gpu): no display, or none with Vulkan.
  static Result<std::unique_ptr<Window>> open(const std::string& title, int width, int height);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  // Valid as long as the window is.
  vulkan::SurfaceMaker surface_maker() const;
  Gui& gui() noexcept { return *gui_; }
  VkExtent2D pixels() const;
  bool is_minimised() const;
  Inputs read();
  // Sleeps until something comes in, or a tenth of a second.
  void wait() const;
  void hide();

 private:
  Window() = default;
  void read_key(int scancode, Inputs& inputs) const;
  Steering held_keys() const;

  SDL_Window* window_ = nullptr;
  std::unique_ptr<Gui> gui_;
  struct Key {
    int scancode;
    Action action;
  };
  std::vector<Key> keys_;
  bool is_looking_ = false;
};

}  // namespace arete::view
