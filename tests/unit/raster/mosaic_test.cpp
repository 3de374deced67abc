// Windows into rasters and mosaics of several, against plain re-computations.
#include <cmath>

#include "made_tiff.h"

namespace arete::test {
namespace {

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

// A raster whose columns run from east to west is turned round, and stays where it is.
TEST(Window, OfAMirroredRaster) {
  const Scratch scratch;
  write_file(scratch / "a.tif", made_tiff(20, 15, [](int c, int r) { return 100 * r + c; }).bytes());
  write_file(scratch / "mirrored.vrt",
             "<VRTDataset rasterXSize=\"20\" rasterYSize=\"15\"><GeoTransform>500200, -10, 0, 4000000, 0, -10"
             "</GeoTransform><VRTRasterBand dataType=\"Float64\" band=\"1\"><SimpleSource><SourceFilename "
             "relativeToVRT=\"1\">a.tif</SourceFilename><SourceBand>1</SourceBand></SimpleSource></VRTRasterBand>"
             "</VRTDataset>");
  auto raster = Raster::open(scratch / "mirrored.vrt");
  ASSERT_TRUE(raster) << raster.error().message;
  const auto& g = *(*raster)->info().geotransform;
  EXPECT_EQ(g[0], 500000);
  EXPECT_EQ(g[1], 10);
  EXPECT_EQ(g[3], 4000000);
  const std::vector<double> heights = read_all(**raster);
  for (int column = 0; column < 20; ++column) {
    EXPECT_EQ(heights[std::size_t(3 * 20 + column)], 300 + 19 - column);
  }
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
  other.pixel_scale = {10, 11, 0};
  EXPECT_NE(refused(other).find("--crs"), std::string::npos) << "other spacing of rows";
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

}  // namespace
}  // namespace arete::test
