// Filled holes, against the rule in its plainest form.
#include <cmath>
#include <numbers>
#include <random>

#include "made_tiff.h"

namespace arete::test {
namespace {

// The rule in its plainest form: look along eight ways.
double filled(const std::vector<double>& heights, int width, int height, int column, int row, int reach) {
  double weights = 0, weighted = 0;
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dx = -1; dx <= 1; ++dx) {
      for (int step = 1; step <= reach && (dx != 0 || dz != 0); ++step) {
        const int c = column + dx * step, r = row + dz * step;
        if (c < 0 || r < 0 || c >= width || r >= height) {
          break;
        }
        const double found = heights[std::size_t(r * width + c)];
        if (!std::isnan(found)) {
          const double weight = 1 / (step * (dx != 0 && dz != 0 ? std::numbers::sqrt2 : 1));
          weights += weight;
          weighted += weight * found;
          break;
        }
      }
    }
  }
  return weights > 0 ? weighted / weights : std::nan("");
}

TEST(Fill, FollowsTheRuleEverywhere) {
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const Scratch scratch;
  for (int round = 0; round < 12; ++round) {
    const int width = 1 + int(random() % 60), height = 1 + int(random() % 60), reach = 1 + int(random() % 25);
    const double density = std::array{0.02, 0.3, 0.9}[std::size_t(round % 3)];
    const auto tiff = made_tiff(width, height, [&](int, int) {
      return std::uniform_real_distribution<>()(random) < density ? double(random() % 1000) : std::nan("");
    });
    write_file(scratch / "a.tif", tiff.bytes());
    RasterOptions options;
    options.fill_samples = reach;
    const std::vector<double> heights = read_all(scratch / "a.tif", options);
    for (int row = 0; row < height; ++row) {
      for (int column = 0; column < width; ++column) {
        const double own = tiff.values[std::size_t(row * width + column)];
        const double expected = std::isnan(own) ? filled(tiff.values, width, height, column, row, reach) : own;
        const double found = heights[std::size_t(row * width + column)];
        ASSERT_EQ(std::isnan(found), std::isnan(expected)) << column << " " << row << " of " << width << "x" << height;
        if (!std::isnan(expected)) {
          ASSERT_NEAR(found, expected, 1e-9) << column << " " << row << " of " << width << "x" << height;
        }
      }
    }
    // From any row on, the same.
    auto raster = Raster::open(scratch / "a.tif", options);
    std::vector<double> one(std::size_t(width), 0);
    for (const int row : {height - 1, height / 2, 0}) {
      ASSERT_TRUE((*raster)->read_row(row, one));
      for (int column = 0; column < width; ++column) {
        ASSERT_TRUE(is_same(one[std::size_t(column)], heights[std::size_t(row * width + column)]));
      }
    }
  }
}

// B55: filled heights lie between the data they come from.
TEST(Fill, B55NeverLeavesTheDatasRange) {
  const Scratch scratch;
  for (const auto& heights : {std::vector<double>{459, -32768, -32768, -32768}, {459, 475, 497, -32768}}) {
    auto tiff = made_tiff(2, 2, [&](int c, int r) { return heights[std::size_t(r * 2 + c)]; });
    tiff.nodata = "-32768";
    write_file(scratch / "a.tif", tiff.bytes());
    RasterOptions options;
    options.fill_samples = 5;
    for (const double height : read_all(scratch / "a.tif", options)) {
      EXPECT_GE(height, 459);
      EXPECT_LE(height, 497);
    }
  }
}

TEST(Fill, StatisticsStayTheSources) {
  const Scratch scratch;
  write_file(scratch / "a.tif",
             made_tiff(9, 9, [](int c, int r) { return c == 4 && r == 4 ? std::nan("") : 10.0 * c; }).bytes());
  RasterOptions options;
  options.fill_samples = 3;
  auto raster = Raster::open(scratch / "a.tif", options);
  EXPECT_EQ((*raster)->statistics()->missing, 1);
  EXPECT_NEAR(read_all(**raster)[4 * 9 + 4], 40, 1e-9);
}

}  // namespace
}  // namespace arete::test
