// A camera that flies: turned and steered by hand, or taken to a goal along an eased way. No window, no clock.
#pragma once

#include <optional>

#include "arete/vulkan.h"

namespace arete::view {

// What the keys that are held ask for: -1..1 each.
struct Steering {
  double right = 0;
  double up = 0;
  double ahead = 0;
  bool is_fast = false;
  bool is_still() const { return right == 0 && up == 0 && ahead == 0; }
};

class FlyCamera {
 public:
  // `size_m` is the field's diagonal, `least_m` the height over ground below which the pace falls no further.
  FlyCamera(const vulkan::Camera& camera, double size_m, double least_m);

  vulkan::Camera camera() const;
  double heading_rad() const noexcept { return pose_.heading_rad; }

  // Stands there at once.
  void set(const vulkan::Camera& camera);
  // Goes there within kTrip_s; ends by itself, or when the camera is turned or steered.
  void fly_to(const vulkan::Camera& goal);
  bool is_on_trip() const noexcept { return trip_.has_value(); }
  static constexpr double kTrip_s = 1.2;

  // To the right and up; the pitch stays short of straight up and down.
  void turn(double right_rad, double up_rad);
  // One step is a quarter more, or less.
  void change_speed(double steps);
  // The height over ground a second, so that the ground passes at one pace however high one flies.
  double speed_m_s(double height_m, bool is_fast) const;
  // Moves by what is steered and along the trip.
  void step(const Steering& steering, double seconds, double height_m);
  // Lifts the eye to `y_m` at least.
  void keep_above(double y_m);

 private:
  struct Pose {
    double x_m, y_m, z_m;
    double heading_rad;  // clockwise from north (-Z)
    double pitch_rad;    // above the horizon
    double reach_m;      // to the target
    double fov_rad;
  };
  struct Trip {
    Pose from, to;
    double passed_s = 0;
  };
  static Pose pose_of(const vulkan::Camera& camera);

  Pose pose_;
  double size_m_, least_m_;
  double speed_ = 1;
  std::optional<Trip> trip_;
};

// A camera that looks at what `camera` sees at `hit`, from nearer and well above its ground.
vulkan::Camera close_up(const vulkan::Camera& camera, double hit_x_m, double hit_y_m, double hit_z_m, double least_m);

}  // namespace arete::view
