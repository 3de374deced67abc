// A camera in the hand: where it looks and goes, how fast, and what ends a trip.
#include "view/fly_camera.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "view/round_flight.h"

namespace arete::view {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kSize_m = 6000, kLeast_m = 2;

// At (100, 50, 200), 10 m from its target to the north.
vulkan::Camera northward() { return {100, 50, 200, 100, 50, 190, 0.7}; }

FlyCamera made() { return {northward(), kSize_m, kLeast_m}; }

void expect_near(const vulkan::Camera& a, const vulkan::Camera& b, double room_m = 1e-9) {
  EXPECT_NEAR(a.eye_x_m, b.eye_x_m, room_m);
  EXPECT_NEAR(a.eye_y_m, b.eye_y_m, room_m);
  EXPECT_NEAR(a.eye_z_m, b.eye_z_m, room_m);
  EXPECT_NEAR(a.target_x_m, b.target_x_m, room_m);
  EXPECT_NEAR(a.target_y_m, b.target_y_m, room_m);
  EXPECT_NEAR(a.target_z_m, b.target_z_m, room_m);
  EXPECT_NEAR(a.vertical_fov_rad, b.vertical_fov_rad, 1e-12);
}

TEST(FlyCamera, KeepsTheCameraThatItIsGiven) {
  expect_near(made().camera(), northward());
  const vulkan::Camera askew{7, 400, -30, -200, 3, 90, 1.1};
  expect_near(FlyCamera(askew, kSize_m, kLeast_m).camera(), askew);
}

TEST(FlyCamera, TurnsToTheEastAndNeverOverTheTop) {
  FlyCamera camera = made();
  camera.turn(kPi / 2, 0);
  expect_near(camera.camera(), {100, 50, 200, 110, 50, 200, 0.7});
  EXPECT_NEAR(camera.heading_rad(), kPi / 2, 1e-12);
  camera.turn(0, 10);
  EXPECT_LT(camera.camera().target_y_m, 60);
  EXPECT_GT(camera.camera().target_y_m, 59.9);
  camera.turn(0, -20);
  EXPECT_GT(camera.camera().target_y_m, 40);
  EXPECT_LT(camera.camera().target_y_m, 40.1);
}

TEST(FlyCamera, FliesWhereItLooksAndSidewaysLevel) {
  FlyCamera camera = made();
  camera.turn(0, -kPi / 4);
  camera.step({.ahead = 1}, 1, 10);  // 10 m/s for a second
  const double down = 10 / std::sqrt(2);
  EXPECT_NEAR(camera.camera().eye_y_m, 50 - down, 1e-9);
  EXPECT_NEAR(camera.camera().eye_z_m, 200 - down, 1e-9);
  camera.step({.right = 1}, 1, 10);
  EXPECT_NEAR(camera.camera().eye_x_m, 110, 1e-9);
  EXPECT_NEAR(camera.camera().eye_y_m, 50 - down, 1e-9);
  camera.step({.up = 1}, 2, 10);
  EXPECT_NEAR(camera.camera().eye_y_m, 70 - down, 1e-9);
}

TEST(FlyCamera, IsNoFasterAskew) {
  FlyCamera camera = made();
  camera.step({.right = 1, .up = 1, .ahead = 2}, 1, 10);
  const vulkan::Camera at = camera.camera();
  EXPECT_NEAR(std::hypot(at.eye_x_m - 100, at.eye_y_m - 50, at.eye_z_m - 200), 10, 1e-9);
}

TEST(FlyCamera, PaceFollowsTheHeightWithinLimits) {
  FlyCamera camera = made();
  EXPECT_EQ(camera.speed_m_s(300, false), 300);
  EXPECT_EQ(camera.speed_m_s(300, true), 1200);
  EXPECT_EQ(camera.speed_m_s(0, false), kLeast_m);
  EXPECT_EQ(camera.speed_m_s(-50, false), kLeast_m);
  EXPECT_EQ(camera.speed_m_s(1e9, false), kSize_m / 6);
  camera.change_speed(1);
  EXPECT_NEAR(camera.speed_m_s(300, false), 375, 1e-9);
  camera.change_speed(-1000);
  EXPECT_GT(camera.speed_m_s(300, false), 1);
  camera.change_speed(1000);
  EXPECT_LT(camera.speed_m_s(300, false), 3e5);
}

TEST(FlyCamera, StaysAboveTheGroundWithoutTurning) {
  FlyCamera camera = made();
  camera.keep_above(40);
  expect_near(camera.camera(), northward());
  camera.keep_above(75);
  expect_near(camera.camera(), {100, 75, 200, 100, 75, 190, 0.7});
}

TEST(FlyCamera, ATripEndsAtItsGoalByTheShorterTurn) {
  FlyCamera camera = made();
  camera.turn(-0.1, 0);  // 6 degrees west of north; the goal looks 6 degrees east of it
  const vulkan::Camera goal{900, 300, -40, 900 + 100 * std::sin(0.1), 300, -40 - 100 * std::cos(0.1), 0.5};
  camera.fly_to(goal);
  double farthest = 0;
  for (int i = 0; i < 200 && camera.is_on_trip(); ++i) {
    camera.step({}, FlyCamera::kTrip_s / 100, 10);
    farthest = std::max(farthest, std::abs(camera.heading_rad()));
  }
  EXPECT_FALSE(camera.is_on_trip());
  expect_near(camera.camera(), goal, 1e-6);
  EXPECT_LE(farthest, 0.1 + 1e-9);
}

TEST(FlyCamera, AHandEndsATrip) {
  for (const bool by_turning : {true, false}) {
    FlyCamera camera = made();
    camera.fly_to({900, 300, -40, 0, 0, 0, 0.5});
    camera.step({}, 0.1, 10);
    EXPECT_TRUE(camera.is_on_trip());
    if (by_turning) camera.turn(0.01, 0);
    if (!by_turning) camera.step({.ahead = 1}, 0.01, 10);
    EXPECT_FALSE(camera.is_on_trip());
  }
}

TEST(CloseUp, LooksAtTheHitFromAboveIt) {
  const vulkan::Camera from{0, 1000, 0, 1, 999, 0, 0.7};
  const vulkan::Camera near = close_up(from, 3000, 400, 0, kLeast_m);
  EXPECT_EQ(near.target_x_m, 3000);
  EXPECT_EQ(near.target_y_m, 400);
  EXPECT_GT(near.eye_y_m, 400 + kLeast_m);
  const double distance = std::hypot(near.eye_x_m - 3000, near.eye_y_m - 400, near.eye_z_m);
  EXPECT_LT(distance, 0.5 * std::hypot(3000, 600));
  EXPECT_GT(distance, kLeast_m);
  // From just beside it, it goes no nearer.
  const vulkan::Camera beside = close_up({0, 10, 0, 1, 9, 0, 0.7}, 3, 9, 0, kLeast_m);
  EXPECT_NEAR(beside.eye_x_m, 0, 1e-9);
}

TEST(RoundFlight, GoesOnceRoundAtOneHeight) {
  const vulkan::Camera first{0, 500, 1000, 0, 100, 0, 0.7};
  const std::vector<vulkan::Camera> flight = round_flight(first, 4);
  ASSERT_EQ(flight.size(), 4u);
  expect_near(flight[0], first);
  expect_near(flight[1], {-1000, 500, 0, 0, 100, 0, 0.7}, 1e-6);
  expect_near(flight[2], {0, 500, -1000, 0, 100, 0, 0.7}, 1e-6);
  expect_near(flight[3], {1000, 500, 0, 0, 100, 0, 0.7}, 1e-6);
}

}  // namespace
}  // namespace arete::view
