// The stages between a file and a raster: windows, mosaics, warps and filled holes, against plain re-computations.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "test_files.h"

namespace arete::test {
namespace {

using Heights = std::function<double(int column, int row)>;

TinyTiff<double> made_tiff(int width, int height, const Heights& heights, double west = 500000,
                           double north = 4000000) {
  TinyTiff<double> tiff{std::uint32_t(width), std::uint32_t(height),     {}, "nan",
                        {10, 10, 0},          {0, 0, 0, west, north, 0}, {}, TinyTiff<double>::projected(32611)};
  for (int row = 0; row < height; ++row) {
    for (int column = 0; column < width; ++column) {
      tiff.values.push_back(heights(column, row));
    }
  }
  return tiff;
}

bool is_same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

// ---- Windows --------------------------------------------------------------------------------------------------------

TEST(Window, KeepsTheSamplesInsideTheBox) {
  const Scratch scratch;
  write_file(scratch / "a.tif", made_tiff(20, 15, [](int c, int r) { return 100 * r + c; }).bytes());
  RasterOptions options;
  // Samples stand at 500,005 + 10 column and 3,999,995 - 10 row; the box's edges touch columns 3 and 7, rows 2 and 5.
  options.bbox = {500035, 3999945, 500075, 3999975};
  auto raster = Raster::open(scratch / "a.tif", options);
  ASSERT_TRUE(raster) << raster.error().message;
  EXPECT_EQ((*raster)->info().width, 5);
  EXPECT_EQ((*raster)->info().height, 4);
  EXPECT_EQ((*(*raster)->info().geotransform)[0], 500030);
  EXPECT_EQ((*(*raster)->info().geotransform)[3], 3999980);
  const std::vector<double> heights = read_all(**raster);
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 5; ++column) {
      EXPECT_EQ(heights[std::size_t(row * 5 + column)], 100 * (row + 2) + column + 3);
    }
  }
}

TEST(Window, RefusesBoxesThatHoldNothing) {
  const Scratch scratch;
  write_file(scratch / "a.tif", made_tiff(20, 15, [](int c, int r) { return 100 * r + c; }).bytes());
  RasterOptions options;
  options.bbox = {0, 0, 10, 10};
  EXPECT_NE(refusal(scratch / "a.tif", options).find("reaches over"), std::string::npos);
  options.bbox = {500100, 3999900, 500000, 3999990};
  EXPECT_NE(refusal(scratch / "a.tif", options), "");
  options.bbox = {0, 0, 10, 10};
  EXPECT_NE(refusal(*find_test_file("u16-no-georef/SmallElevation.tif"), options).find("georeference"),
            std::string::npos);
}

// B50: a window of a raster of 1.4 TiB touches only what it shows.
TEST(Window, B50OfAHugeVrt) {
  const Scratch scratch;
  write_file(scratch / "a.tif", made_tiff(40, 40, [](int c, int r) { return 1000 + 10 * r + c; }).bytes());
  write_file(
      scratch / "huge.vrt",
      "<VRTDataset rasterXSize=\"1073000000\" rasterYSize=\"604801\"><GeoTransform>0, 10, 0, 0, 0, -10</GeoTransform>"
      "<VRTRasterBand dataType=\"Float64\" band=\"1\"><NoDataValue>-1</NoDataValue><SimpleSource><SourceFilename "
      "relativeToVRT=\"1\">a.tif</SourceFilename><SourceBand>1</SourceBand><SrcRect xOff=\"0\" yOff=\"0\" xSize=\"40\" "
      "ySize=\"40\"/><DstRect xOff=\"900000000\" yOff=\"600000\" xSize=\"40\" ySize=\"40\"/></SimpleSource>"
      "</VRTRasterBand></VRTDataset>");
  RasterOptions options;
  options.bbox = {9000000000 + 50, -6000000 - 60, 9000000000 + 460, -6000000 + 100};
  auto raster = Raster::open(scratch / "huge.vrt", options);
  ASSERT_TRUE(raster) << raster.error().message;
  const auto statistics = (*raster)->statistics();
  ASSERT_TRUE(statistics) << statistics.error().message;
  EXPECT_EQ(statistics->valid, 35 * 6);  // columns 5.. of 40, rows 0 to 5
  EXPECT_EQ(statistics->max_m, 1000 + 10 * 5 + 39);
}

// ---- Mosaics --------------------------------------------------------------------------------------------------------

class Mosaic : public testing::Test {
 protected:
  // Two overlapping parts of one surface, the second one south-east of the first.
  void write_parts(const Heights& first, const Heights& second) {
    write_file(scratch_ / "a.tif", made_tiff(30, 20, first).bytes());
    write_file(scratch_ / "b.tif", made_tiff(30, 20, second, 500000 + 250, 4000000 - 100).bytes());
  }
  Result<std::unique_ptr<Raster>> open(const RasterOptions& options = {}) {
    const std::vector<Path> paths{scratch_ / "a.tif", scratch_ / "b.tif"};
    return Raster::open(paths, options);
  }
  Scratch scratch_;
};

TEST_F(Mosaic, TheFirstValidSampleWinsAndConflictsAreCounted) {
  write_parts([](int c, int r) { return c == 29 && r == 19 ? std::nan("") : 1000 + c + r; },
              [](int c, int r) { return 1000 + (c + 25) + (r + 10) + (c == 2 && r == 3 ? 7 : 0); });
  auto raster = open();
  ASSERT_TRUE(raster) << raster.error().message;
  ASSERT_EQ((*raster)->info().width, 55);
  ASSERT_EQ((*raster)->info().height, 30);
  const std::vector<double> heights = read_all(**raster);
  for (int row = 0; row < 30; ++row) {
    for (int column = 0; column < 55; ++column) {
      const bool in_first = column < 30 && row < 20, in_second = column >= 25 && row >= 10;
      const double expected = in_first || in_second ? 1000 + column + row : std::nan("");
      ASSERT_TRUE(is_same(heights[std::size_t(row * 55 + column)], expected)) << column << " " << row;
    }
  }
  const auto statistics = (*raster)->statistics();
  ASSERT_EQ(statistics->warnings.size(), 1u);
  EXPECT_EQ(statistics->warnings[0].substr(0, 2), "1 ") << statistics->warnings[0];
}

TEST_F(Mosaic, VoidsNobodyDeclaredDoNotWin) {
  write_parts([](int c, int) { return c >= 28 ? -9999.0 : 500.0; }, [](int, int) { return 600.0; });
  auto raster = open();
  ASSERT_TRUE(raster);
  EXPECT_EQ((*raster)->statistics()->min_m, 500);
  EXPECT_EQ(read_all(**raster)[std::size_t(15 * 55 + 28)], 600);
  EXPECT_TRUE(std::isnan(read_all(**raster)[std::size_t(5 * 55 + 28)]));
}

TEST_F(Mosaic, StrangersAreRefusedWithTheCommandThatWarps) {
  const Heights flat = [](int, int) { return 5.0; };
  write_parts(flat, flat);
  const auto refused = [&](const TinyTiff<double>& second) {
    write_file(scratch_ / "b.tif", second.bytes());
    const auto raster = open();
    return raster ? std::string() : raster.error().message;
  };
  EXPECT_EQ(refused(made_tiff(30, 20, flat)), "");
  EXPECT_NE(refused(made_tiff(30, 20, flat, 500003)).find("--crs"), std::string::npos) << "not whole samples apart";
  auto other = made_tiff(30, 20, flat);
  other.pixel_scale = {11, 11, 0};
  EXPECT_NE(refused(other).find("--crs"), std::string::npos) << "other spacing";
  other = made_tiff(30, 20, flat);
  other.geo_keys = TinyTiff<double>::projected(32612);
  EXPECT_NE(refused(other).find("--crs"), std::string::npos) << "other CRS";
  other = made_tiff(30, 20, flat);
  other.geo_keys = TinyTiff<double>::projected(32611, true);
  EXPECT_NE(refused(other).find("--crs"), std::string::npos) << "other registration";
}

TEST_F(Mosaic, OfTwoZonesIsWarpedTogether) {
  const Heights flat = [](int, int) { return 5.0; };
  write_parts(flat, flat);
  auto other = made_tiff(30, 20, flat, -50000 + 200, 4020000);  // about the same place seen from the next zone
  other.geo_keys = TinyTiff<double>::projected(32612);
  write_file(scratch_ / "b.tif", other.bytes());
  RasterOptions options;
  options.crs = "EPSG:32611";
  const auto raster = open(options);
  ASSERT_TRUE(raster) << raster.error().message;
  const auto statistics = (*raster)->statistics();
  EXPECT_EQ(statistics->min_m, 5);
  EXPECT_EQ(statistics->max_m, 5);
  EXPECT_NEAR(double(statistics->valid), 1200, 120);
}

// Each part is read where it lies, and seen from the grid that holds both, whichever comes first.
TEST_F(Mosaic, OfTwoZonesFarApartHoldsOneWarpAtATime) {
  const Heights flat = [](int, int) { return 5.0; };
  write_file(scratch_ / "a.tif", made_tiff(300, 200, flat).bytes());
  auto south = made_tiff(300, 200, flat, -50000, 3990000);  // ten kilometres to the south, seen from the next zone
  south.geo_keys = TinyTiff<double>::projected(32612);
  write_file(scratch_ / "b.tif", south.bytes());
  RasterOptions options;
  options.crs = "EPSG:32611";
  const auto both = open(options);
  ASSERT_TRUE(both) << both.error().message;
  const auto one = Raster::open(scratch_ / "a.tif", options);
  ASSERT_TRUE(one) << one.error().message;
  EXPECT_EQ((*both)->most_bytes(), (*one)->most_bytes());
  EXPECT_NEAR(double((*both)->statistics()->valid), 120000, 600);
}

// ---- Warps ----------------------------------------------------------------------------------------------------------

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

// ---- Filled holes ---------------------------------------------------------------------------------------------------

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
