// Turns, steers and eases.
#include "view/fly_camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace arete::view {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSteepest_rad = 89 * kPi / 180;
constexpr double kFast = 4;
constexpr double kSlowest = 1.0 / 64, kFastest = 64;

double eased(double part) { return part * part * (3 - 2 * part); }

double between(double from, double to, double part) { return from + (to - from) * part; }

}  // namespace

FlyCamera::FlyCamera(const vulkan::Camera& camera, double size_m, double least_m)
    : pose_(pose_of(camera)), size_m_(size_m), least_m_(least_m) {}

FlyCamera::Pose FlyCamera::pose_of(const vulkan::Camera& camera) {
  const double x = camera.target_x_m - camera.eye_x_m, y = camera.target_y_m - camera.eye_y_m,
               z = camera.target_z_m - camera.eye_z_m;
  const double flat = std::hypot(x, z);
  return {.x_m = camera.eye_x_m,
          .y_m = camera.eye_y_m,
          .z_m = camera.eye_z_m,
          .heading_rad = flat > 0 ? std::atan2(x, -z) : 0,
          .pitch_rad = std::clamp(std::atan2(y, flat), -kSteepest_rad, kSteepest_rad),
          .reach_m = std::hypot(flat, y),
          .fov_rad = camera.vertical_fov_rad};
}

vulkan::Camera FlyCamera::camera() const {
  const double flat = std::cos(pose_.pitch_rad) * pose_.reach_m;
  return {pose_.x_m,
          pose_.y_m,
          pose_.z_m,
          pose_.x_m + flat * std::sin(pose_.heading_rad),
          pose_.y_m + std::sin(pose_.pitch_rad) * pose_.reach_m,
          pose_.z_m - flat * std::cos(pose_.heading_rad),
          pose_.fov_rad};
}

void FlyCamera::set(const vulkan::Camera& camera) {
  pose_ = pose_of(camera);
  trip_.reset();
}

void FlyCamera::fly_to(const vulkan::Camera& goal) {
  Trip trip{.from = pose_, .to = pose_of(goal)};
  // The shorter way round.
  const double turn = std::remainder(trip.to.heading_rad - pose_.heading_rad, 2 * kPi);
  trip.to.heading_rad = pose_.heading_rad + turn;
  trip_ = trip;
}

void FlyCamera::turn(double right_rad, double up_rad) {
  if (right_rad == 0 && up_rad == 0) return;
  trip_.reset();
  pose_.heading_rad = std::remainder(pose_.heading_rad + right_rad, 2 * kPi);
  pose_.pitch_rad = std::clamp(pose_.pitch_rad + up_rad, -kSteepest_rad, kSteepest_rad);
}

void FlyCamera::change_speed(double steps) { speed_ = std::clamp(speed_ * std::pow(1.25, steps), kSlowest, kFastest); }

double FlyCamera::speed_m_s(double height_m, bool is_fast) const {
  return speed_ * (is_fast ? kFast : 1) * std::clamp(height_m, least_m_, std::max(least_m_, size_m_ / 6));
}

void FlyCamera::step(const Steering& steering, double seconds, double height_m) {
  if (!steering.is_still()) {
    trip_.reset();
    const double sine = std::sin(pose_.heading_rad), cosine = std::cos(pose_.heading_rad);
    const double flat = std::cos(pose_.pitch_rad) * steering.ahead;
    const double x = cosine * steering.right + sine * flat;
    const double y = steering.up + std::sin(pose_.pitch_rad) * steering.ahead;
    const double z = sine * steering.right - cosine * flat;
    const double length = std::max(1.0, std::hypot(x, y, z));  // no faster askew
    const double way_m = seconds * speed_m_s(height_m, steering.is_fast) / length;
    pose_.x_m += x * way_m;
    pose_.y_m += y * way_m;
    pose_.z_m += z * way_m;
  }
  if (!trip_) return;
  trip_->passed_s += seconds;
  const double part = eased(std::clamp(trip_->passed_s / kTrip_s, 0.0, 1.0));
  const Pose &from = trip_->from, &to = trip_->to;
  pose_ = {between(from.x_m, to.x_m, part),
           between(from.y_m, to.y_m, part),
           between(from.z_m, to.z_m, part),
           between(from.heading_rad, to.heading_rad, part),
           between(from.pitch_rad, to.pitch_rad, part),
           between(from.reach_m, to.reach_m, part),
           between(from.fov_rad, to.fov_rad, part)};
  if (trip_->passed_s >= kTrip_s) {
    pose_ = to;
    trip_.reset();
  }
}

void FlyCamera::keep_above(double y_m) { pose_.y_m = std::max(pose_.y_m, y_m); }

vulkan::Camera close_up(const vulkan::Camera& camera, double hit_x_m, double hit_y_m, double hit_z_m, double least_m) {
  constexpr double kNearer = 0.2, kLift = 0.35;
  const double x = hit_x_m - camera.eye_x_m, y = hit_y_m - camera.eye_y_m, z = hit_z_m - camera.eye_z_m;
  const double distance = std::hypot(x, y, z);
  const double part = std::max(kNearer, std::min(1.0, 8 * least_m / std::max(distance, 1e-9)));
  vulkan::Camera near = camera;
  near.eye_x_m = hit_x_m - part * x;
  near.eye_z_m = hit_z_m - part * z;
  near.eye_y_m = hit_y_m + std::max(-part * y, kLift * part * distance);
  near.target_x_m = hit_x_m;
  near.target_y_m = hit_y_m;
  near.target_z_m = hit_z_m;
  return near;
}

}  // namespace arete::view
