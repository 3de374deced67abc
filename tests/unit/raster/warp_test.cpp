// Warps to other grids, against plain re-computations.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "made_tiff.h"

namespace arete::test {
namespace {

TEST(Warp, ToItsOwnCrsChangesNothing) {
  const Scratch scratch;
  write_file(scratch / "a.tif", made_tiff(40, 30, [](int c, int r) { return (c * 7919 + r * 104729) % 997; }).bytes());
  RasterOptions options;
  options.crs = "auto";
  auto raster = Raster::open(scratch / "a.tif", options);
  ASSERT_TRUE(raster) << raster.error().message;
  const std::vector<double> warped = read_all(**raster), source = read_all(scratch / "a.tif");
  ASSERT_EQ(warped.size(), source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    EXPECT_NEAR(warped[i], source[i], 1e-3);
  }
}

// Heights that are linear in the source's own axes come out exactly, wherever the samples of the other grid fall.
TEST(Warp, DegreesToMercator) {
  const Scratch scratch;
  const auto plane = [](double lon, double lat) { return 1000 + 500 * lon + 300 * lat; };
  TinyTiff<double> tiff{
      120, 90, {}, {}, {0.001, 0.001, 0}, {0, 0, 0, 10, 47, 0}, {}, TinyTiff<double>::geographic(4326)};
  for (int row = 0; row < 90; ++row) {
    for (int column = 0; column < 120; ++column) {
      tiff.values.push_back(plane(10 + 0.001 * (column + 0.5), 47 - 0.001 * (row + 0.5)));
    }
  }
  write_file(scratch / "a.tif", tiff.bytes());
  RasterOptions options;
  options.crs = "EPSG:3857";
  auto raster = Raster::open(scratch / "a.tif", options);
  ASSERT_TRUE(raster) << raster.error().message;
  const RasterInfo& info = (*raster)->info();
  const std::vector<double> heights = read_all(**raster);
  int checked = 0;
  for (std::int64_t row = 0; row < info.height; ++row) {
    for (std::int64_t column = 0; column < info.width; ++column) {
      const auto& g = *info.geotransform;
      const double x = g[0] + g[1] * (double(column) + 0.5), y = g[3] + g[5] * (double(row) + 0.5);
      const double degrees = 180 / std::numbers::pi, radius = 6378137;
      const double lon = x / radius * degrees,
                   lat = (2 * std::atan(std::exp(y / radius)) - std::numbers::pi / 2) * degrees;
      const double height = heights[std::size_t(row * info.width + column)];
      const bool is_inside = lon > 10.0006 && lon < 10.1194 && lat < 46.9994 && lat > 46.9106;
      if (is_inside) {
        // A hundredth of a sample is worth 0.005 m east and 0.003 m north here.
        ASSERT_NEAR(height, plane(lon, lat), 0.008) << column << " " << row;
        ++checked;
      } else if (!std::isnan(height)) {
        ASSERT_NEAR(height, plane(lon, lat), 0.5);  // the outer half texel repeats the rim
      }
    }
  }
  EXPECT_GT(checked, 9000);
}

// The poles lie at infinity there.
TEST(Warp, OfAWholeGlobeNeedsABox) {
  const Scratch scratch;
  TinyTiff<double> tiff{36, 18, {}, {}, {10, 10, 0}, {0, 0, 0, -180, 90, 0}, {}, TinyTiff<double>::geographic(4326)};
  tiff.values.assign(std::size_t(36) * 18, 7);
  write_file(scratch / "a.tif", tiff.bytes());
  RasterOptions options;
  options.crs = "EPSG:3857";
  const std::string refused = refusal(scratch / "a.tif", options);
  EXPECT_NE(refused.find("a.tif: --crs EPSG:3857 "), std::string::npos) << refused;
  EXPECT_NE(refused.find("--bbox"), std::string::npos) << refused;
  options.bbox = {-20037508, -10000000, 20037508, 10000000};
  const auto raster = Raster::open(scratch / "a.tif", options);
  ASSERT_TRUE(raster) << raster.error().message;
  EXPECT_NEAR((*(*raster)->info().geotransform)[1], 20037508.0 / 18, 1e5);
  EXPECT_NEAR(double((*raster)->info().width), 36, 1);
  EXPECT_EQ((*raster)->statistics()->missing, 0);
}

TEST(Warp, StraightensRotatedRasters) {
  const Scratch scratch;
  TinyTiff<double> tiff{60,
                        60,
                        {},
                        {},
                        {},
                        {},
                        {8, 6, 0, 500000, 6, -8, 0, 4000000, 0, 0, 0, 0, 0, 0, 0, 1},
                        TinyTiff<double>::projected(32611)};
  const auto plane = [](double x, double y) { return (x - 500000) * 0.5 + (y - 4000000) * 0.25 + 3000; };
  for (int row = 0; row < 60; ++row) {
    for (int column = 0; column < 60; ++column) {
      const double c = column + 0.5, r = row + 0.5;
      tiff.values.push_back(plane(500000 + 8 * c + 6 * r, 4000000 + 6 * c - 8 * r));
    }
  }
  write_file(scratch / "a.tif", tiff.bytes());
  RasterOptions options;
  options.crs = "auto";
  auto raster = Raster::open(scratch / "a.tif", options);
  ASSERT_TRUE(raster) << raster.error().message;
  const RasterInfo& info = (*raster)->info();
  EXPECT_NEAR(info.spacing_x_m, 10, 0.2);
  const std::vector<double> heights = read_all(**raster);
  const auto& g = *info.geotransform;
  int valid = 0;
  for (std::int64_t row = 0; row < info.height; ++row) {
    for (std::int64_t column = 0; column < info.width; ++column) {
      const double height = heights[std::size_t(row * info.width + column)];
      if (!std::isnan(height)) {
        ++valid;
        const double x = g[0] + g[1] * (double(column) + 0.5), y = g[3] + g[5] * (double(row) + 0.5);
        ASSERT_NEAR(height, plane(x, y), 5.1);  // half a texel of rim at most
      }
    }
  }
  EXPECT_NEAR(valid, 3600, 200);
}

TEST(Warp, VoidsAreLeftOut) {
  const Scratch scratch;
  TinyTiff<double> tiff = made_tiff(50, 50, [](int c, int r) { return (c / 5 + r / 5) % 2 ? 400.0 : -9999.0; });
  write_file(scratch / "a.tif", tiff.bytes());
  RasterOptions options;
  options.crs = "EPSG:4326";
  auto raster = Raster::open(scratch / "a.tif", options);
  ASSERT_TRUE(raster) << raster.error().message;
  const auto statistics = (*raster)->statistics();
  EXPECT_NEAR(statistics->min_m, 400, 1e-9) << "nothing between a void and the ground";
  EXPECT_NEAR(statistics->max_m, 400, 1e-9);
  EXPECT_GT(statistics->missing, statistics->valid / 2);
}

TEST(Warp, RefusesWhatHasNoPlace) {
  RasterOptions options;
  options.crs = "EPSG:32619";
  EXPECT_NE(refusal(*find_test_file("u16-no-georef/SmallElevation.tif"), options).find("--crs"), std::string::npos);
  options.crs = "EPSG:999999";
  const std::string message = refusal(*find_test_file("variants/reg_area.tif"), options);
  EXPECT_NE(message.find("EPSG:999999"), std::string::npos) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace arete::test
