// The window's loop: inputs, camera, pages, cut, panel, picture.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <vector>

#include "arete/collider.h"
#include "arete/view.h"
#include "view/field_frame.h"
#include "view/fly_camera.h"
#include "view/ground.h"
#include "view/light_maker.h"
#include "view/settings.h"
#include "view/window/window.h"
#include "vulkan/screen.h"

namespace arete::view {

// One run of a window.
class Viewer {
 public:
  // All three must outlive it.
  Viewer(const SampleSource& source, const Bounds& bounds, const ViewOptions& options);
  Result<ViewReport> run();

 private:
  using Clock = std::chrono::steady_clock;

  Result<void> open();
  Result<bool> step();  // false: it is over
  void act(Action action, const Inputs& inputs);
  Result<void> go_to(const Inputs& inputs);
  Result<void> move(const Inputs& inputs, double seconds);
  Result<void> take_light();
  void note_failure(const std::string& message);
  Result<void> select(double time_s);
  void draw_overlay();
  Result<bool> draw(bool is_last);
  Result<bool> is_settled();
  void count(const vulkan::ScreenFigures& drawn, double seconds);
  bool flies_itself() const { return !flight_.empty(); }

  const SampleSource& source_;
  const Bounds& bounds_;
  const ViewOptions& options_;
  Settings settings_;
  Figures figures_;
  ViewReport report_;
  std::vector<vulkan::Camera> flight_;
  std::size_t flown_ = 0;

  std::unique_ptr<Window> window_;
  std::unique_ptr<vulkan::Screen> screen_;
  std::unique_ptr<Streamer> streamer_;
  LightMaker light_;
  bool has_light_failed_ = false;
  PageCollider picker_;  // reads what it needs
  std::optional<GroundBelow> ground_;
  std::optional<FieldFrame> frame_;
  FlyCamera fly_;
  vulkan::Camera camera_;
  vulkan::Overlay overlay_;
  VkExtent2D fitted_{};
  bool has_vsync_ = true;
  Clock::time_point start_, last_, second_;
  std::int64_t frames_this_second_ = 0;
};

}  // namespace arete::view
