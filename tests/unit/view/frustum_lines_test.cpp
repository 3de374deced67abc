// The edges of a frozen view, projected.
#include "view/frustum_lines.h"

#include <gtest/gtest.h>

#include <cmath>

namespace arete::view {
namespace {

TEST(FrustumLines, OfTheCamerasOwnViewLieOnThePicturesRim) {
  const vulkan::Camera camera{10, 20, 30, 40, 5, -60, 0.7};
  const std::vector<Line> lines = frustum_lines(camera, 1000, camera, 640, 360);
  int on_frame = 0;
  for (const Line& line : lines) {
    const auto is_corner = [](double x, double y) {
      return (std::abs(x) < 1e-6 || std::abs(x - 640) < 1e-6) && (std::abs(y) < 1e-6 || std::abs(y - 360) < 1e-6);
    };
    on_frame += is_corner(line.from_x, line.from_y) && is_corner(line.to_x, line.to_y) ? 1 : 0;
  }
  EXPECT_EQ(on_frame, 8) << "four edges end-on and four of the frame, all between corners";
}

TEST(FrustumLines, FromTheSideTheyMeetAtTheTip) {
  const vulkan::Camera frozen{0, 0, 0, 0, 0, -1, 0.7};
  const vulkan::Camera side{300, 0, -50, 0, 0, -50, 0.7};  // looks west: north is to the right
  const std::vector<Line> lines = frustum_lines(frozen, 100, side, 400, 400);
  ASSERT_EQ(lines.size(), 8u);
  int at_tip = 0;
  for (const Line& line : lines) {
    at_tip += std::abs(line.from_y - 200) < 1e-6 && line.from_x < 200 ? 1 : 0;
    EXPECT_TRUE(std::isfinite(line.from_x + line.from_y + line.to_x + line.to_y));
  }
  EXPECT_EQ(at_tip, 4);
}

TEST(FrustumLines, WhatIsBehindIsCutOff) {
  const vulkan::Camera frozen{0, 0, 0, 0, 0, -1, 0.7};
  EXPECT_TRUE(frustum_lines(frozen, 100, {0, 0, 500, 0, 0, 501, 0.7}, 400, 400).empty());
  for (const Line& line : frustum_lines(frozen, 100, {1, 2, -50, 1, 2, -51, 0.7}, 400, 400)) {
    EXPECT_TRUE(std::isfinite(line.from_x + line.from_y + line.to_x + line.to_y));
  }
}

}  // namespace
}  // namespace arete::view
