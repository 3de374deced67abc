// Heights as steps: the chosen step is the least that fits, whole metres lose nothing, and every height is kept within
// half a step.
#include <algorithm>
#include <cmath>
#include <random>

#include "test_files.h"

namespace arete::test {
namespace {

TEST(HeightScale, StepsOfKnownRanges) {
  EXPECT_EQ(choose_height_scale(115, 1908, true)->step_m, 1.0 / 32);  // 1,793 m in 57,376 steps
  EXPECT_EQ(choose_height_scale(0, 61438, true)->step_m, 1);
  EXPECT_EQ(choose_height_scale(0, 61439, false)->step_m, 2);
  EXPECT_EQ(choose_height_scale(0, 61439, true)->step_m, 1) << "whole metres up to 65,534 keep a step of 1";
  EXPECT_EQ(choose_height_scale(0, 65534, true)->step_m, 1);
  EXPECT_EQ(choose_height_scale(0, 65535, true)->step_m, 2);
  EXPECT_EQ(choose_height_scale(0, 0, true)->step_m, std::ldexp(1, -20));
  EXPECT_EQ(choose_height_scale(std::nan(""), std::nan(""), true)->step_m, 1);
}

TEST(HeightScale, HoldsEveryRangeWithinHalfAStep) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 2000; ++round) {
    const double size = std::exp2(std::uniform_real_distribution<>(-24, 24)(random));
    const double middle = std::exp2(std::uniform_real_distribution<>(-10, 24)(random)) * (round % 2 ? 1 : -1);
    const double low = middle - size / 2, high = middle + size / 2;
    const auto scale = choose_height_scale(low, high, false);
    ASSERT_TRUE(scale) << scale.error().message;
    int exponent = 0;
    ASSERT_EQ(std::frexp(scale->step_m, &exponent), 0.5);
    ASSERT_EQ(std::fmod(scale->base_m, scale->step_m), 0);
    ASSERT_LE(high - low, 61438 * scale->step_m);
    // Exact in f32 for every step.
    for (const double h : {1.0, 32768.0, 65535.0}) {
      const double y = scale->base_m + scale->step_m * h;
      ASSERT_EQ(double(float(y)), y);
    }
    for (const double height : {low, middle, high, std::uniform_real_distribution<>(low, high)(random)}) {
      const std::uint16_t h = quantise(height, *scale);
      ASSERT_GE(h, 1);
      ASSERT_LE(std::abs(scale->base_m + scale->step_m * h - height), scale->step_m / 2);
    }
    // The least: half of it would not do.
    if (scale->step_m > std::ldexp(1, -20)) {
      const double half = scale->step_m / 2;
      ASSERT_TRUE(high - low > 61438 * half || std::max(std::abs(low), std::abs(high)) >= (16777216.0 - 1) * half);
    }
    // Room to edit both ways, unless the data are at the end of what f32 holds exactly.
    if (std::max(std::abs(low), std::abs(high)) < 16e6 * scale->step_m) {
      ASSERT_GE(quantise(low, *scale), 2048);
      ASSERT_LE(quantise(high, *scale), 65535 - 2046);
    }
  }
}

TEST(HeightScale, WholeMetresLoseNothing) {
  for (const auto& [low, high] :
       {std::pair{-10994.0, 8848.0}, {0.0, 65534.0}, {-32768.0, 32766.0}, {16700000.0, 16765534.0}}) {
    const auto scale = choose_height_scale(low, high, true);
    ASSERT_TRUE(scale);
    EXPECT_LE(scale->step_m, 1);
    for (double height = low; height <= high; height += 1) {
      ASSERT_EQ(scale->base_m + scale->step_m * quantise(height, *scale), height);
    }
  }
}

TEST(HeightScale, AskedStepsAreKeptOrRefusedWithTheOneThatFits) {
  EXPECT_EQ(choose_height_scale(0, 100, true, 0.25)->step_m, 0.25);
  EXPECT_EQ(choose_height_scale(std::nan(""), std::nan(""), true, 0.25)->step_m, 0.25);
  const auto refused = choose_height_scale(0, 65536, true, 1);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("--height-step 2"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(choose_height_scale(0, 65536, true, 2));
  for (const double step : {0.0, -1.0, 0.3, std::nan(""), std::ldexp(1, -21)}) {
    EXPECT_FALSE(choose_height_scale(0, 1, true, step)) << step;
  }
}

TEST(HeightScale, RowsReportTheirWorstError) {
  const HeightScale scale{0, 1};
  const std::vector<double> heights{1, 2.25, std::nan(""), 3.5, 7.75};
  std::vector<std::uint16_t> steps(heights.size());
  EXPECT_EQ(quantise_row(heights, scale, steps), 0.5);
  EXPECT_EQ(steps, (std::vector<std::uint16_t>{1, 2, 0, 4, 8}));
}

}  // namespace
}  // namespace arete::test
