// Dear ImGui in a window of SDL: its input from the window's events, its triangles as an overlay.
#pragma once

#include "vulkan/overlay.h"

struct SDL_Window;
union SDL_Event;

namespace arete::view {

// One at a time; its functions are called on the window's thread.
class Gui {
 public:
  explicit Gui(SDL_Window* window);
  ~Gui();
  Gui(const Gui&) = delete;
  Gui& operator=(const Gui&) = delete;

  // The letters; valid until forget_coverage().
  vulkan::Coverage coverage() const;
  void forget_coverage();
  void take(const SDL_Event& event);
  // Whether the pointer or the keyboard is the panel's now.
  bool wants_pointer() const;
  bool wants_keyboard() const;
  // Panels are drawn between the two.
  void begin();
  void end(vulkan::Overlay& overlay);
};

}  // namespace arete::view
