// Which samples are holes: declared, too great for a height, or voids that nobody declared; and which are but odd.
#include <cmath>

#include "test_files.h"

namespace arete::test {
namespace {

TEST(Voids, B46HolesByEqualityInNonSquareRasters) {
  const Scratch scratch;
  for (const auto& [nodata, text] : {std::pair{std::nanf(""), "nan"}, {1e30f, "1e+30"}}) {
    TinyTiff<float> tiff{
        53, 75, {}, text, {10, 20, 0}, {0, 0, 0, 500000, 4000000, 0}, {}, TinyTiff<float>::projected(32611)};
    for (int i = 0; i < 53 * 75; ++i) {
      tiff.values.push_back(-2000.0f + float(i % 1901));
    }
    for (const int hole : {0, 52, 1000, 2222, 3974}) {
      tiff.values[std::size_t(hole)] = nodata;
    }
    write_file(scratch / "a.tif", tiff.bytes());
    const auto raster = open(scratch / "a.tif");
    const auto statistics = raster->statistics();
    EXPECT_EQ(statistics->missing, 5);
    EXPECT_EQ(statistics->valid, 53 * 75 - 5);
    EXPECT_EQ(statistics->min_m, -2000);
    EXPECT_EQ(statistics->max_m, -100);
    EXPECT_EQ(raster->info().spacing_x_m, 10);
    EXPECT_EQ(raster->info().spacing_z_m, 20);
    EXPECT_TRUE(std::isnan(read_all(*raster)[1000]));
  }
}

TEST(Voids, B57HugeNumbersAreNoHeights) {
  const Scratch scratch;
  for (const auto& nodata : {std::optional<std::string>("-3.4028235e+38"), std::optional<std::string>()}) {
    TinyTiff<float> tiff{65, 65, {}, nodata, {}, {}, {}, {}};
    for (int i = 0; i < 65 * 65; ++i) {
      tiff.values.push_back(float(i % 101));
    }
    tiff.values[777] = -3.4028235e38f;
    write_file(scratch / "a.tif", tiff.bytes());
    const auto statistics = open(scratch / "a.tif")->statistics();
    EXPECT_EQ(statistics->min_m, 0);
    EXPECT_EQ(statistics->max_m, 100);
    EXPECT_EQ(statistics->missing, 1);
    EXPECT_EQ(warns(statistics->warnings, "zero and become holes"), !nodata) << "an undeclared one is worth a word";
  }
}

TEST(Voids, B59UndeclaredVoidsInBulk) {
  const Path crater = *find_test_file("craterlake-undeclared-void/craterlake-elev-16bit-30m.tif");
  const auto raster = open(crater);
  EXPECT_EQ(raster->statistics()->missing, 39489);
  EXPECT_TRUE(warns(raster->statistics()->warnings, "undeclared voids"));
  EXPECT_TRUE(std::isnan(read_all(*raster)[0]));
  RasterOptions named;
  named.nodata = -32767;
  EXPECT_EQ(open(crater, named)->statistics()->missing, 39489);
  RasterOptions kept;
  kept.find_voids = false;
  EXPECT_EQ(open(crater, kept)->statistics()->min_m, -32767);
}

TEST(Voids, B59WhatIsNoVoid) {
  const Scratch scratch;
  const auto missing = [&](const std::vector<std::int16_t>& values) {
    TinyTiff<std::int16_t> tiff{std::uint32_t(values.size()), 1, values, {}, {}, {}, {}, {}};
    write_file(scratch / "a.tif", tiff.bytes());
    return open(scratch / "a.tif")->statistics()->missing;
  };
  std::vector<std::int16_t> sea;
  for (int i = 0; i < 500; ++i) {
    sea.push_back(std::int16_t(-9999 - i % 3));  // a trench with -9,999 among its depths
  }
  EXPECT_EQ(missing(sea), 0);
  std::vector<std::int16_t> slope;
  for (int i = 0; i < 500; ++i) {
    slope.push_back(std::int16_t(-9999 + i));
  }
  EXPECT_EQ(missing(slope), 0);
  std::vector<std::int16_t> land(500, 300);
  land[3] = -9999;
  EXPECT_EQ(missing(land), 0) << "one of 500 is a spike, not bulk";
  land[4] = -9999;
  EXPECT_EQ(missing(land), 2);
  land[5] = -32768;
  land[6] = -32768;
  EXPECT_EQ(missing(land), 4);
}

TEST(Voids, B11RimsOfOneValueAreWarnedOf) {
  const Scratch scratch;
  TinyTiff<std::int16_t> tiff{64, 64, {}, {}, {}, {}, {}, {}};
  for (int i = 0; i < 64 * 64; ++i) {
    tiff.values.push_back(std::int16_t(i / 64 == 63 || i % 64 == 63 ? 0 : 1500 + i % 7));
  }
  write_file(scratch / "a.tif", tiff.bytes());
  const auto warnings = open(scratch / "a.tif")->statistics()->warnings;
  EXPECT_TRUE(warns(warnings, "last row"));
  EXPECT_TRUE(warns(warnings, "last column"));
  EXPECT_FALSE(warns(warnings, "first row"));
  RasterOptions options;
  options.nodata = 0;
  EXPECT_EQ(open(scratch / "a.tif", options)->statistics()->missing, 127);
}

// What is odd in a flat field is the row, not the ground beside it.
TEST(Voids, B11FlatGroundBesideAnOddRowIsNoBorder) {
  const Scratch scratch;
  for (const int odd : {0, 1, 30, 62, 63}) {
    TinyTiff<std::int16_t> tiff{64, 64, {}, {}, {}, {}, {}, {}};
    for (int i = 0; i < 64 * 64; ++i) {
      tiff.values.push_back(std::int16_t(i / 64 == odd ? 2000 : 500));
    }
    write_file(scratch / "a.tif", tiff.bytes());
    const auto warnings = open(scratch / "a.tif")->statistics()->warnings;
    EXPECT_TRUE(warns(warnings, "64 sample(s) of 2000 m")) << odd;
    EXPECT_FALSE(warns(warnings, "of 500 m")) << odd;
    EXPECT_FALSE(warns(warnings, "is 500 m throughout")) << odd;
    EXPECT_EQ(warns(warnings, "is 2000 m throughout"), odd == 0 || odd == 63) << odd;
  }
}

}  // namespace
}  // namespace arete::test
