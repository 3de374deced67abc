// Opens the window and reads its events.
#include "view/window/window.h"

#include <SDL.h>
#include <SDL_vulkan.h>

#include <algorithm>

namespace arete::view {
namespace {

Unexpected no_window(const std::string& what) {
  const char* const said = SDL_GetError();
  return gpu_error("view: " + what + (*said != 0 ? std::string(" (") + said + ")" : "") +
                   "; it needs a desktop, or a virtual one such as Xvfb: arete render draws without");
}

}  // namespace

Result<std::unique_ptr<Window>> Window::open(const std::string& title, int width, int height) {
  std::unique_ptr<Window> opened(new Window);
  const auto is_set = [](const char* name) { return SDL_getenv(name) != nullptr; };
  if (!is_set("SDL_VIDEODRIVER") && !is_set("WAYLAND_DISPLAY")) {
    if (!is_set("DISPLAY")) return no_window("there is no display: neither DISPLAY nor WAYLAND_DISPLAY is set");
    SDL_SetHint(SDL_HINT_VIDEODRIVER, "x11");  // others complain in words of their own
  }
  if (SDL_Init(SDL_INIT_VIDEO) != 0) return no_window("no display can be opened");
  opened->window_ = SDL_CreateWindow(title.c_str(), SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, width, height,
                                     SDL_WINDOW_VULKAN | SDL_WINDOW_RESIZABLE | SDL_WINDOW_ALLOW_HIGHDPI);
  if (opened->window_ == nullptr) return no_window("no window can be opened on this display");
  opened->gui_ = std::make_unique<Gui>(opened->window_);
  for (const Binding& binding : bindings()) {
    for (const char* name : {binding.key, binding.other_key}) {
      if (name != nullptr) opened->keys_.push_back({SDL_GetScancodeFromName(name), binding.action});
    }
  }
  return opened;
}

Window::~Window() {
  gui_ = nullptr;
  if (window_ != nullptr) SDL_DestroyWindow(window_);
  SDL_Quit();
}

vulkan::SurfaceMaker Window::surface_maker() const {
  vulkan::SurfaceMaker maker;
  unsigned count = 0;
  SDL_Vulkan_GetInstanceExtensions(window_, &count, nullptr);
  maker.extensions.resize(count);
  SDL_Vulkan_GetInstanceExtensions(window_, &count, maker.extensions.data());
  maker.make = [window = window_](VkInstance instance) -> Result<VkSurfaceKHR> {
    VkSurfaceKHR surface = VK_NULL_HANDLE;
    if (SDL_Vulkan_CreateSurface(window, instance, &surface) != SDL_TRUE) {
      return no_window("this display takes no pictures from Vulkan");
    }
    return surface;
  };
  return maker;
}

VkExtent2D Window::pixels() const {
  int width = 0, height = 0;
  SDL_Vulkan_GetDrawableSize(window_, &width, &height);
  return {std::uint32_t(width), std::uint32_t(height)};
}

bool Window::is_minimised() const { return (SDL_GetWindowFlags(window_) & SDL_WINDOW_MINIMIZED) != 0; }
void Window::wait() const { SDL_WaitEventTimeout(nullptr, 100); }
void Window::hide() { SDL_HideWindow(window_); }

void Window::read_key(int scancode, Inputs& inputs) const {
  for (const Key& key : keys_) {
    if (key.scancode != scancode || is_held(key.action)) continue;
    if (key.action == Action::leave) {
      inputs.leaves = true;
    } else {
      inputs.actions.push_back(key.action);
    }
  }
}

Steering Window::held_keys() const {
  Steering steering;
  if (gui_->wants_keyboard()) return steering;
  const Uint8* const is_down = SDL_GetKeyboardState(nullptr);
  for (const Key& key : keys_) {
    if (is_down[key.scancode] == 0) continue;
    switch (key.action) {
      case Action::ahead:
        steering.ahead += 1;
        break;
      case Action::back:
        steering.ahead -= 1;
        break;
      case Action::right:
        steering.right += 1;
        break;
      case Action::left:
        steering.right -= 1;
        break;
      case Action::up:
        steering.up += 1;
        break;
      case Action::down:
        steering.up -= 1;
        break;
      case Action::fast:
        steering.is_fast = true;
        break;
      default:
        break;
    }
  }
  return steering;
}

Inputs Window::read() {
  Inputs inputs;
  SDL_Event event;
  while (SDL_PollEvent(&event) != 0) {
    gui_->take(event);
    switch (event.type) {
      case SDL_QUIT:
        inputs.leaves = true;
        break;
      case SDL_KEYDOWN:
        if (event.key.repeat == 0 && !gui_->wants_keyboard()) read_key(event.key.keysym.scancode, inputs);
        break;
      case SDL_MOUSEBUTTONDOWN:
        if (gui_->wants_pointer()) break;
        if (event.button.button == SDL_BUTTON_RIGHT) is_looking_ = true;
        if (event.button.button == SDL_BUTTON_LEFT && event.button.clicks == 2) inputs.is_double_click = true;
        break;
      case SDL_MOUSEBUTTONUP:
        if (event.button.button == SDL_BUTTON_RIGHT) is_looking_ = false;
        break;
      case SDL_MOUSEMOTION:
        if (!is_looking_) break;
        inputs.turn_right_px += event.motion.xrel;
        inputs.turn_down_px += event.motion.yrel;
        break;
      case SDL_MOUSEWHEEL:
        if (!gui_->wants_pointer()) inputs.wheel += double(event.wheel.preciseY);
        break;
      default:
        break;
    }
  }
  const SDL_bool is_held_fast = is_looking_ ? SDL_TRUE : SDL_FALSE;
  if (SDL_GetRelativeMouseMode() != is_held_fast) SDL_SetRelativeMouseMode(is_held_fast);
  inputs.steering = held_keys();
  int x = 0, y = 0, width = 1, height = 1;
  SDL_GetMouseState(&x, &y);
  SDL_GetWindowSize(window_, &width, &height);
  const VkExtent2D size = pixels();
  inputs.pointer_px = {double(x) * size.width / std::max(width, 1), double(y) * size.height / std::max(height, 1)};
  return inputs;
}

}  // namespace arete::view
