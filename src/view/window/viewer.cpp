// Runs the loop. Frames of a flight go on by count, those of a hand by the clock.
#include "view/window/viewer.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "view/frustum_lines.h"
#include "view/round_flight.h"
#include "view/window/panel.h"
#include "vulkan/camera_axes.h"

namespace arete::view {
namespace {

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double size_m(const Bounds& bounds) { return std::hypot(bounds.lattice().width_m(), bounds.lattice().depth_m()); }

}  // namespace

Viewer::Viewer(const SampleSource& source, const Bounds& bounds, const ViewOptions& options)
    : source_(source),
      bounds_(bounds),
      options_(options),
      light_(source, bounds),
      picker_(source, {.bounds = &bounds}),
      fly_(options.camera, size_m(bounds), 4 * least_clearance_m(bounds)),
      camera_(options.camera) {
  settings_.picture = options.picture;
  settings_.ranges = options.ranges;
  settings_.has_panel = options.has_panel;
  flight_ = options.flight;
  if (flight_.empty() && options.frames > 0) flight_ = round_flight(options.camera, options.frames);
}

Result<void> Viewer::open() {
  auto streamer = Streamer::create(source_, bounds_, {.budget_bytes = options_.budget_bytes});
  if (!streamer) return Unexpected{streamer.error()};
  streamer_ = std::move(*streamer);
  ground_.emplace(streamer_->atlas(), bounds_);
  frame_.emplace(streamer_->atlas(), bounds_);
  auto window = Window::open(options_.title, options_.picture.width, options_.picture.height);
  if (!window) return Unexpected{window.error()};
  window_ = std::move(*window);
  Gui& gui = window_->gui();
  auto screen = vulkan::Screen::create(options_.device, window_->surface_maker(), bounds_, gui.coverage());
  if (!screen) return Unexpected{screen.error()};
  screen_ = std::move(*screen);
  gui.forget_coverage();
  if (options_.picture.drape != nullptr) {
    if (Result<void> set = screen_->set_drape(options_.picture.drape); !set) return set;
  }
  report_.device = figures_.device = screen_->device_name();
  start_ = last_ = second_ = Clock::now();
  return {};
}

Result<ViewReport> Viewer::run() {
  if (Result<void> opened = open(); !opened) return Unexpected{opened.error()};
  for (;;) {
    const Result<bool> goes_on = step();
    if (!goes_on) return Unexpected{goes_on.error()};
    if (!*goes_on) break;
  }
  window_->hide();
  report_.seconds = seconds_between(start_, Clock::now());
  const auto frames = double(std::max<std::int64_t>(report_.frames, 1));
  for (double* ms : {&report_.cut_ms, &report_.build_ms, &report_.draw_ms}) {
    *ms /= frames;
  }
  report_.camera = camera_;
  report_.cut_camera = frame_->camera();
  report_.validation_messages = screen_->validation_messages();
  report_.missing_pages = streamer_->stats().missing_pages;
  report_.failed_loads = streamer_->stats().failed;
  return std::move(report_);
}

Result<bool> Viewer::step() {
  const Inputs inputs = window_->read();
  if (inputs.leaves) {
    report_.is_complete = !flies_itself();
    return false;
  }
  if (window_->is_minimised()) {
    window_->wait();
    last_ = Clock::now();
    return true;
  }
  const VkExtent2D pixels = window_->pixels();
  if (pixels.width != fitted_.width || pixels.height != fitted_.height || has_vsync_ != settings_.has_vsync) {
    if (Result<void> fitted = screen_->fit(pixels, settings_.has_vsync); !fitted) return Unexpected{fitted.error()};
    fitted_ = pixels;
    has_vsync_ = settings_.has_vsync;
  }
  if (screen_->extent().width == 0) {
    window_->wait();
    fitted_ = {};
    return true;
  }
  for (const Action action : inputs.actions) {
    act(action, inputs);
  }
  if (inputs.is_double_click) act(Action::go_there, inputs);
  const Clock::time_point now = Clock::now();
  // A stall is no reason for a leap.
  const double seconds = std::min(seconds_between(last_, now), 0.25);
  last_ = now;
  if (Result<void> moved = move(inputs, seconds); !moved) return Unexpected{moved.error()};
  if (Result<void> taken = take_light(); !taken) return Unexpected{taken.error()};
  if (Result<void> selected = select(seconds_between(start_, now)); !selected) return Unexpected{selected.error()};
  draw_overlay();
  bool is_last = flies_itself() && flown_ + 1 >= flight_.size();
  if (is_last && options_.keeps_picture) {
    const Result<bool> settled = is_settled();
    if (!settled) return Unexpected{settled.error()};
    is_last = *settled;
  }
  const Result<bool> is_drawn = draw(is_last);
  if (!is_drawn) return Unexpected{is_drawn.error()};
  if (!*is_drawn) {
    fitted_ = {};  // once more
    return true;
  }
  if (flown_ + 1 < flight_.size()) ++flown_;
  return !is_last;
}

void Viewer::act(Action action, const Inputs& inputs) {
  const double aspect = double(screen_->extent().width) / double(std::max(screen_->extent().height, 1u));
  switch (action) {
    case Action::go_there:
      if (const Result<void> gone = go_to(inputs); !gone) figures_.trouble = gone.error().message;
      break;
    case Action::frame_field:
      fly_.fly_to(vulkan::overview_camera(bounds_, aspect, -fly_.heading_rad() * 180 / std::numbers::pi));
      break;
    case Action::reset:
      fly_.fly_to(options_.camera);
      break;
    case Action::freeze:
      settings_.is_frozen = !settings_.is_frozen;
      break;
    case Action::morph:
      settings_.has_morph = !settings_.has_morph;
      break;
    case Action::wireframe:
      settings_.picture.wireframe = !settings_.picture.wireframe;
      break;
    case Action::next_colour:
      settings_.picture.colour = next_colour(settings_.picture);
      break;
    case Action::panel:
      settings_.has_panel = !settings_.has_panel;
      break;
    default:
      break;  // held, or the window's own
  }
}

// Casts through the pointer's pixel on the finest ground, whatever is drawn there.
Result<void> Viewer::go_to(const Inputs& inputs) {
  const VkExtent2D extent = screen_->extent();
  const vulkan::CameraAxes axes(camera_, int(extent.width), int(extent.height));
  const double right = (2 * inputs.pointer_px[0] / extent.width - 1) * axes.reach_x;
  const double up = (1 - 2 * inputs.pointer_px[1] / extent.height) * axes.reach_y;
  const Ray ray{.origin_m = {camera_.eye_x_m, camera_.eye_y_m, camera_.eye_z_m},
                .direction = {axes.forward.x + right * axes.right.x + up * axes.up.x,
                              axes.forward.y + right * axes.right.y + up * axes.up.y,
                              axes.forward.z + right * axes.right.z + up * axes.up.z}};
  const Result<RayHit> hit = picker_.raycast(ray);
  if (!hit) return Unexpected{hit.error()};
  if (hit->status != RayStatus::surface) return {};
  fly_.fly_to(
      close_up(camera_, hit->position_m[0], hit->position_m[1], hit->position_m[2], least_clearance_m(bounds_)));
  return {};
}

Result<void> Viewer::move(const Inputs& inputs, double seconds) {
  if (flies_itself()) fly_.set(flight_[flown_]);
  const double per_pixel = camera_.vertical_fov_rad / double(screen_->extent().height) * 1.6;
  const auto ground_below = [&]() -> Result<std::optional<double>> {
    if (report_.frames == 0) return std::optional<double>();
    const vulkan::Camera at = fly_.camera();
    return ground_->height_at(at.eye_x_m, at.eye_z_m);
  };
  Result<std::optional<double>> ground_m = ground_below();
  if (!ground_m) return Unexpected{ground_m.error()};
  const double floor_m = bounds_.lattice().height_m(bounds_.field_min);
  const double height_m = fly_.camera().eye_y_m - ground_m->value_or(floor_m);
  if (!flies_itself()) {
    fly_.turn(inputs.turn_right_px * per_pixel, -inputs.turn_down_px * per_pixel);
    fly_.change_speed(inputs.wheel);
    fly_.step(inputs.steering, seconds, height_m);
  }
  figures_.speed_m_s = fly_.speed_m_s(height_m, inputs.steering.is_fast);
  ground_m = ground_below();
  if (!ground_m) return Unexpected{ground_m.error()};
  if (*ground_m) fly_.keep_above(**ground_m + least_clearance_m(bounds_));
  camera_ = flies_itself() ? flight_[flown_] : fly_.camera();
  figures_.height_m.reset();
  if (*ground_m) figures_.height_m = camera_.eye_y_m - **ground_m;
  return {};
}

Result<void> Viewer::take_light() {
  if (settings_.picture.shadows) light_.want(settings_.picture.sun_azimuth_deg, settings_.picture.sun_altitude_deg);
  auto light = light_.take();
  if (!light) return {};
  if (!*light) {
    has_light_failed_ = true;
    note_failure(light->error().message);
    return {};
  }
  return screen_->set_light(**light);
}

// What cannot be read is no reason to close a window: coarser or unlit ground stands there, and the panel says why.
void Viewer::note_failure(const std::string& message) {
  figures_.trouble = message;
  if (report_.first_failure.empty()) report_.first_failure = message;
}

Result<void> Viewer::select(double time_s) {
  const VkExtent2D extent = screen_->extent();
  const bool is_kept = settings_.is_frozen && report_.frames > 0;
  if (!is_kept) {
    frame_->look(camera_, int(extent.width), int(extent.height), settings_.ranges, settings_.has_morph);
  }
  const Viewpoint viewpoint = frame_->viewpoint();
  streamer_->update({&viewpoint, 1}, time_s);
  for (const LoadFailure& failure : streamer_->failures()) {
    note_failure(failure.message);
  }
  const Clock::time_point before = Clock::now();
  if (!is_kept) frame_->select(settings_.picture.walls);
  figures_.cut_ms = 1000 * seconds_between(before, Clock::now());
  figures_.pages = streamer_->stats();
  figures_.detail = frame_->detail();
  ground_->begin(frame_->cut(), frame_->constants(), frame_->ranges());
  return {};
}

void Viewer::draw_overlay() {
  const VkExtent2D extent = screen_->extent();
  figures_.camera = camera_;
  Gui& gui = window_->gui();
  gui.begin();
  if (settings_.is_frozen) {
    draw_lines(frustum_lines(frame_->camera(), 0.25 * size_m(bounds_), camera_, int(extent.width), int(extent.height)));
  }
  if (settings_.has_panel) {
    if (const std::optional<Action> action = draw_panel(figures_, settings_)) act(*action, {});
  }
  gui.end(overlay_);
}

// Whether the last picture of a flight shows all that it ever will.
Result<bool> Viewer::is_settled() {
  const StreamStats& pages = streamer_->stats();
  const bool is_lit = !settings_.picture.shadows || light_.is_done();
  if (has_light_failed_ || (pages.missing_pages > pages.refused_pages && pages.failed > 0)) {
    return data_error(report_.first_failure);
  }
  return pages.missing_pages == pages.refused_pages && pages.stale_pages == 0 && is_lit;
}

Result<bool> Viewer::draw(bool is_last) {
  const vulkan::FieldView view = frame_->field_view();
  auto drawn = screen_->draw({.view = view,
                              .cut = settings_.is_frozen ? frame_->cut() : frame_->drawn(),
                              .camera = camera_,
                              .options = settings_.picture,
                              .overlay = overlay_,
                              .reads_back = is_last && options_.keeps_picture});
  if (!drawn) return Unexpected{drawn.error()};
  if (!drawn->is_drawn) return false;
  report_.picture = std::move(drawn->picture);
  count(*drawn, seconds_between(second_, Clock::now()));
  return true;
}

void Viewer::count(const vulkan::ScreenFigures& drawn, double seconds) {
  report_.frames += 1;
  report_.cut_ms += figures_.cut_ms;
  report_.build_ms += drawn.build_ms.value_or(0);
  report_.draw_ms += drawn.draw_ms.value_or(0);
  report_.nodes = figures_.nodes = drawn.nodes;
  report_.cut_nodes = figures_.cut_nodes = std::int64_t(frame_->cut().nodes.size());
  report_.triangles = figures_.triangles = drawn.triangles;
  report_.built_vertices = figures_.built_vertices = drawn.built_vertices;
  figures_.build_ms = drawn.build_ms;
  figures_.draw_ms = drawn.draw_ms;
  frames_this_second_ += 1;
  if (seconds >= 0.5) {
    figures_.frames_per_s = double(frames_this_second_) / seconds;
    frames_this_second_ = 0;
    second_ = Clock::now();
  }
}

}  // namespace arete::view
