// Shadows end where trigonometry says, and level ground sees the whole sky.
#include "vulkan/light_map.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "made_field.h"

namespace arete::vulkan {
namespace {

constexpr double kDegree = std::numbers::pi / 180;

HeightGrid grid_of(int side, double spacing_m) {
  return {side, side, spacing_m, spacing_m, std::vector<float>(std::size_t(side) * std::size_t(side), 0.0f)};
}

TEST(LightMap, LevelGroundIsLitFromEverywhere) {
  const HeightGrid grid = grid_of(33, 10);
  for (int degrees = 0; degrees < 360; degrees += 17) {
    std::vector<float> seen(grid.y_m.size(), 0.0f);
    add_visibility(grid, degrees * kDegree, 20 * kDegree, 0.01, 1.0f, seen);
    for (const float part : seen) ASSERT_EQ(part, 1.0f) << degrees;
  }
}

// A wall across the light: its shadow is height / tan(altitude) long, on the far side alone.
TEST(LightMap, AWallsShadowHasTheRightLengthAndSide) {
  constexpr int kSide = 101, kWall = 50;
  constexpr double kSpacing = 5, kHeight = 60, kAltitude = 30 * kDegree;
  const double length = kHeight / std::tan(kAltitude);
  for (const int direction : {0, 1, 2, 3}) {  // the light from north, east, south, west
    HeightGrid grid = grid_of(kSide, kSpacing);
    for (int i = 0; i < kSide; ++i) {
      grid.y_m[std::size_t(direction % 2 == 0 ? kWall * kSide + i : i * kSide + kWall)] = float(kHeight);
    }
    std::vector<float> seen(grid.y_m.size(), 0.0f);
    add_visibility(grid, direction * 90 * kDegree, kAltitude, 0.002, 1.0f, seen);
    const int away = direction == 0 || direction == 3 ? 1 : -1;
    for (int distance = 1; distance < 45; ++distance) {
      const auto at = [&](int offset) {
        const int line = kWall + offset;
        return seen[std::size_t(direction % 2 == 0 ? line * kSide + 50 : 50 * kSide + line)];
      };
      const double metres = distance * kSpacing;
      if (std::abs(metres - length) > 6) {
        EXPECT_EQ(at(away * distance), metres < length ? 0.0f : 1.0f) << direction << " " << distance;
      }
      EXPECT_EQ(at(-away * distance), 1.0f) << direction << " " << distance;
    }
  }
}

TEST(LightMap, PenumbrasWidenWithTheLight) {
  HeightGrid grid = grid_of(201, 1);
  for (int i = 0; i < 201; ++i) grid.y_m[std::size_t(i * 201 + 20)] = 50;
  const auto partly_lit = [&](double radius) {
    std::vector<float> seen(grid.y_m.size(), 0.0f);
    add_visibility(grid, 270 * kDegree, 30 * kDegree, radius, 1.0f, seen);
    int count = 0;
    for (int i = 0; i < 201; ++i) {
      const float part = seen[std::size_t(100 * 201 + i)];
      count += part > 0.01f && part < 0.99f ? 1 : 0;
    }
    return count;
  };
  EXPECT_GT(partly_lit(0.05), 3 * partly_lit(0.01));
}

TEST(LightMap, CoarserLevelsAreMeans) {
  const std::vector<std::uint8_t> level{0, 8, 4, 8, 255, 255, 8, 0, 0, 0, 255, 255};  // 3 x 2, sun and sky
  EXPECT_EQ(coarser_level(level, 3, 2), (std::vector<std::uint8_t>{3, 4}));
  EXPECT_EQ(coarser_level({10, 20, 20, 40}, 1, 2), (std::vector<std::uint8_t>{15, 30}));
}

TEST(LightMap, CoversTheFieldTexelByTexel) {
  const test::MadeField field(test::Terrain::flat, 200, 10, 1);
  const auto map = make_light_map(field, field.bounds(), 300, 30);
  ASSERT_TRUE(map) << map.error().message;
  EXPECT_EQ((*map)->width, 200);
  EXPECT_EQ((*map)->height, 200);
  EXPECT_NEAR((*map)->u_scale * 0 + (*map)->u_offset, 0.5 / 200, 1e-12);
  EXPECT_NEAR((*map)->v_scale * 1990 + (*map)->v_offset, 199.5 / 200, 1e-12);
  ASSERT_EQ((*map)->levels.size(), 8u);
  for (int level = 0; level < 8; ++level) {
    const std::size_t side = std::size_t(200 >> level);
    ASSERT_EQ((*map)->levels[std::size_t(level)].size(), 2 * side * side) << level;
    for (const std::uint8_t part : (*map)->levels[std::size_t(level)]) ASSERT_EQ(part, 255) << level;
  }
}

}  // namespace
}  // namespace arete::vulkan
