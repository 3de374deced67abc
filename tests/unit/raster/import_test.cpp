// What a file's numbers mean: place, spacing, row order, sign, units. Tests are named after the rows of the
// public bug reports that they answer (B31 and so on).
#include <algorithm>
#include <cmath>
#include <set>

#include "test_files.h"

namespace arete::test {
namespace {

TEST(Import, B31PointAndAreaDifferByHalfASample) {
  const auto area = open(*find_test_file("variants/reg_area.tif"));
  const auto point = open(*find_test_file("variants/reg_point.tif"));
  EXPECT_EQ(area->info().registration, Registration::area);
  EXPECT_EQ(point->info().registration, Registration::point);
  EXPECT_EQ(read_all(*area), read_all(*point));
  // Where the first sample stands: half a texel in from the corner, whatever the registration.
  const auto first = [](const RasterInfo& info) {
    const auto& g = *info.geotransform;
    return std::array{g[0] + g[1] / 2, g[3] + g[5] / 2};
  };
  const double pixel = (*area->info().geotransform)[1];
  EXPECT_NEAR(first(area->info())[0] - first(point->info())[0], pixel / 2, 1e-9 * pixel);
  EXPECT_NEAR(first(area->info())[1] - first(point->info())[1], -pixel / 2, 1e-9 * pixel);
  RasterOptions options;
  options.registration = Registration::point;
  EXPECT_EQ(open(*find_test_file("variants/reg_area.tif"), options)->info().registration, Registration::point);
}

TEST(Import, UndeclaredRegistrationIsAreaWhereGeoreferencedElsePoint) {
  EXPECT_EQ(open(*find_test_file("variants/far_origin_1m_f32.tif"))->info().registration, Registration::area);
  EXPECT_EQ(open(*find_test_file("u16-no-georef/SmallElevation.tif"))->info().registration, Registration::point);
  EXPECT_EQ(open(*find_test_file("variants/png8_srtm_257.png"))->info().registration, Registration::point);
  EXPECT_EQ(open(*find_test_file("bil-srtm-int16/n44_w072_crop.bil"))->info().registration, Registration::area);
}

TEST(Import, B34CellNames) {
  const Scratch scratch;
  std::string cell(1201 * 1201 * 2, '\0');
  const auto corner = [&](const std::string& name) {
    write_file(scratch / name, cell);
    const auto raster = open(scratch / name);
    const auto& g = *raster->info().geotransform;
    EXPECT_EQ(raster->info().registration, Registration::point);
    return std::array{std::lround(g[0] + g[1] / 2), std::lround(g[3] + g[5] * 1200.5)};  // west, south
  };
  EXPECT_EQ(corner("N00E010.hgt"), (std::array{10L, 0L}));
  EXPECT_EQ(corner("N00W001.hgt"), (std::array{-1L, 0L}));
  EXPECT_EQ(corner("S01E010.hgt"), (std::array{10L, -1L}));
  EXPECT_EQ(corner("n00e010.hgt"), (std::array{10L, 0L}));
  EXPECT_EQ(corner("S29W072.hgt"), (std::array{-72L, -29L}));
  for (const char* name : {"N91E181.hgt", "N44E180.hgt", "S91E000.hgt", "hello.hgt", "X44W072.hgt"}) {
    write_file(scratch / name, cell);
    EXPECT_NE(refusal(scratch / name).find("N44W072"), std::string::npos) << name << ": " << refusal(scratch / name);
  }
}

TEST(Import, B35RowsRunNorthToSouthInEveryFormat) {
  const Scratch scratch;
  const std::vector<double> expected{1, 2, 3, 4, 5, 6};
  write_file(scratch / "a.asc", "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n4 5 6\n");
  EXPECT_EQ(read_all(scratch / "a.asc"), expected);

  TinyTiff<std::int16_t> tiff{3, 2, {1, 2, 3, 4, 5, 6}, {}, {10, 10, 0}, {0, 0, 0, 500, 900, 0}, {}, {}};
  write_file(scratch / "a.tif", tiff.bytes());
  EXPECT_EQ(read_all(scratch / "a.tif"), expected);

  std::string big, little;
  for (const std::uint16_t v : {1, 2, 3, 4, 5, 6}) {
    big += bytes_of(v, true);
    little += bytes_of(v);
  }
  write_file(scratch / "a.png", png_bytes(3, 2, 16, 0, big));
  EXPECT_EQ(read_all(scratch / "a.png"), expected);

  RasterOptions options;
  options.raw = *parse_raw_layout("3x2:u16le");
  write_file(scratch / "a.r16", little);
  EXPECT_EQ(read_all(scratch / "a.r16", options), expected);
  options.raw = *parse_raw_layout("3x2:u16be");
  write_file(scratch / "b.r16", big);
  EXPECT_EQ(read_all(scratch / "b.r16", options), expected);

  std::string floats;
  for (const float v : {1.f, 2.f, 3.f, 4.f, 5.f, 6.f}) {
    floats += bytes_of(v);
  }
  write_file(scratch / "a.hdr",
             "ncols 3\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\nbyteorder LSBFIRST\n");
  write_file(scratch / "a.flt", floats);
  EXPECT_EQ(read_all(scratch / "a.flt"), expected);
}

TEST(Import, B35SouthUpFilesGiveTheSurfaceOfTheirNorthUpTwins) {
  const auto north = open(*find_test_file("variants/reg_area.tif")),
             south = open(*find_test_file("variants/southup.tif"));
  EXPECT_EQ(read_all(*north), read_all(*south));
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_NEAR((*north->info().geotransform)[i], (*south->info().geotransform)[i], 1e-9);
  }
}

// An asymmetric DTED: its columns run south to north in the file.
TEST(Import, B35DtedRowsRunNorthToSouth) {
  const auto raster = open(*find_test_file("dted0-n43/n43.dt0"));
  const std::vector<double> heights = read_all(*raster);
  const std::string file = read_file(*find_test_file("dted0-n43/n43.dt0"));
  const auto stored = [&](std::int64_t row, std::int64_t column) {  // records of 8 + 121 * 2 + 4 bytes after 3,428
    const std::size_t at = std::size_t(3428 + column * 254 + 8 + (120 - row) * 2);
    return double(static_cast<unsigned char>(file[at]) << 8 | static_cast<unsigned char>(file[at + 1]));
  };
  for (const auto& [row, column] : {std::pair{0, 0}, {0, 120}, {120, 0}, {120, 120}, {17, 93}}) {
    EXPECT_EQ(heights[std::size_t(row * 121 + column)], stored(row, column)) << row << " " << column;
  }
}

TEST(Import, B37SamplesAreNoCells) {
  const auto two = open(*find_test_file("variants/tiny_2x2.tif"));
  EXPECT_EQ(two->info().width, 2);
  EXPECT_EQ(raster_lattice(two->info(), {}).stops_x, 2);  // a point raster stands on its samples: one cell
  RasterOptions options;
  options.registration = Registration::area;
  EXPECT_EQ(raster_lattice(open(*find_test_file("variants/tiny_2x2.tif"), options)->info(), {}).stops_x, 4);
  const Scratch scratch;
  write_file(scratch / "a.asc",
             "ncols 3\nnrows 5\nxllcorner 0\nyllcorner 0\ncellsize 1\n1 2 3\n4 5 6\n7 8 9\n1 1 1\n2 2 2\n");
  EXPECT_EQ(read_all(scratch / "a.asc").size(), 15u);
}

TEST(Import, B39SignedBytes) {
  const Scratch scratch;
  std::string cell(1201 * 1201 * 2, '\0');
  const std::size_t at = (5 * 1201 + 7) * 2;
  cell[at] = '\xff';
  cell[at + 1] = '\xfe';
  write_file(scratch / "N10E010.hgt", cell);
  const auto raster = open(scratch / "N10E010.hgt");
  EXPECT_EQ(read_all(*raster)[5 * 1201 + 7], -2);
  EXPECT_EQ(raster->statistics()->min_m, -2);

  // DTED keeps sign and magnitude: 0x8002 is -2, 0xFFFF is -32767, the void.
  std::string dted = read_file(*find_test_file("dted0-n43/n43.dt0"));
  const auto put = [&](std::int64_t row, std::int64_t column, char high, char low) {
    const std::size_t place = std::size_t(3428 + column * 254 + 8 + (120 - row) * 2);
    dted[place] = high;
    dted[place + 1] = low;
  };
  put(5, 7, '\x80', '\x02');
  put(5, 8, '\xff', '\xff');
  write_file(scratch / "n43.dt0", dted);
  const std::vector<double> heights = read_all(scratch / "n43.dt0");
  EXPECT_EQ(heights[5 * 121 + 7], -2);
  EXPECT_TRUE(std::isnan(heights[5 * 121 + 8]));
}

TEST(Import, B40SixteenBitsSurvive) {
  const Scratch scratch;
  for (const bool is_big : {false, true}) {
    std::string samples;
    for (int i = 0; i < 65 * 65; ++i) {
      samples += bytes_of(std::uint16_t(i), is_big);
    }
    write_file(scratch / "a.r16", samples);
    RasterOptions options;
    options.raw = RawLayout{65, 65, SampleType::u16, is_big};
    const auto raster = open(scratch / "a.r16", options);
    const std::vector<double> heights = read_all(*raster);
    EXPECT_EQ(std::set<double>(heights.begin(), heights.end()).size(), 4225u);
    const auto scale = choose_height_scale(0, 4224, true);
    std::vector<std::uint16_t> steps(heights.size());
    EXPECT_EQ(quantise_row(heights, *scale, steps), 0);
    EXPECT_EQ(std::set<std::uint16_t>(steps.begin(), steps.end()).size(), 4225u);
  }
}

TEST(Import, B42DegreesBecomeMetresAtTheCentre) {
  const auto bay = open(*find_test_file("bay-129-f32/dem_squared.tif"));
  EXPECT_NEAR(bay->info().spacing_z_m, 30.83, 0.03);
  EXPECT_NEAR(bay->info().spacing_x_m, 24.40, 0.03);
  EXPECT_TRUE(bay->info().spacing_is_known);
  EXPECT_TRUE(warns(bay->info().warnings, "degrees")) << "the command must say so";

  const Scratch scratch;
  TinyTiff<std::int16_t> tiff{33,
                              33,
                              std::vector<std::int16_t>(33 * 33, 5),
                              {},
                              {0.001, 0.001, 0},
                              {0, 0, 0, 10, 60.0165, 0},
                              {},
                              TinyTiff<std::int16_t>::geographic(4326)};
  write_file(scratch / "north.tif", tiff.bytes());
  const auto north = open(scratch / "north.tif");
  EXPECT_NEAR(north->info().spacing_x_m / north->info().spacing_z_m, 0.5, 0.003);
  EXPECT_NEAR(north->info().spacing_z_m, 111.412, 0.01);  // length of a thousandth of a degree of the meridian at 60 N

  tiff.tiepoint = {0, 0, 0, 10, 90.01, 0};
  write_file(scratch / "pole.tif", tiff.bytes());
  EXPECT_NE(refusal(scratch / "pole.tif").find("--crs"), std::string::npos);
}

TEST(Import, B43VerticalUnits) {
  const auto raster = open(*find_test_file("variants/feet_f32.tif"));
  EXPECT_EQ(raster->info().vertical_unit, "US survey foot");
  EXPECT_NEAR(raster->statistics()->min_m, 260, 1e-4);
  EXPECT_NEAR(raster->statistics()->max_m, 501, 1e-4);
  RasterOptions options;
  options.vertical_scale = 2;
  EXPECT_NEAR(open(*find_test_file("variants/feet_f32.tif"), options)->statistics()->max_m, 1002, 2e-4);
}

TEST(Import, B47SpacingsOfBothAxes) {
  const auto raster = open(*find_test_file("sthelens-nonsquare/dem_nodata.dem"));
  EXPECT_NEAR(raster->info().spacing_x_m, 150.923, 0.001);
  EXPECT_NEAR(raster->info().spacing_z_m, 216, 1e-9);
  const Lattice lattice = raster_lattice(raster->info(), {});
  EXPECT_NEAR(lattice.width_m(), 9659, 1);  // a point raster: between the first and the last sample
  EXPECT_NEAR(lattice.depth_m(), 13824, 1);
  RasterOptions options;
  options.registration = Registration::area;
  const auto area = open(*find_test_file("sthelens-nonsquare/dem_nodata.dem"), options);
  EXPECT_NEAR(raster_lattice(area->info(), {}).width_m(), 9810, 1);
  EXPECT_NEAR(raster_lattice(area->info(), {}).depth_m(), 14040, 1);
}

TEST(Import, B52TinyRasters) {
  for (const char* name : {"1x1", "1x257", "257x1", "2x2", "3x3"}) {
    const auto raster = open(*find_test_file("variants/tiny_" + std::string(name) + ".tif"));
    for (const double height : read_all(*raster)) {
      EXPECT_GT(height, 200);
    }
  }
}

TEST(Import, B66ChannelBytesAsTheyAre) {
  const Scratch scratch;
  std::string samples;
  std::vector<double> expected;
  for (int i = 0; i < 65 * 65; ++i) {
    const int r = 127 + i % 3, g = i % 2 ? 0 : 255, b = (i * 7) % 256;  // around multiples of 256 m
    samples += {char(r), char(g), char(b)};
    expected.push_back(r * 256 + g + b / 256.0 - 32768);
  }
  RasterOptions options;
  options.encoding = Encoding::terrarium;
  const std::string gamma = png_chunk("gAMA", bytes_of(std::uint32_t(45455), true)),
                    srgb = png_chunk("sRGB", std::string(1, '\0'));
  for (const std::string& chunks : {std::string(), gamma, srgb, gamma + srgb}) {
    write_file(scratch / "a.png", png_bytes(65, 65, 8, 2, samples, chunks));
    EXPECT_EQ(read_all(scratch / "a.png", options), expected);
  }
  write_file(scratch / "palette.png", png_bytes(2, 2, 8, 3, std::string(4, '\1'), png_chunk("PLTE", "abcdef")));
  write_file(scratch / "rgb16.png", png_bytes(2, 2, 16, 2, std::string(24, 'x')));
  write_file(scratch / "grey.png", png_bytes(2, 2, 8, 0, std::string(4, 'x')));
  for (const char* name : {"palette.png", "rgb16.png", "grey.png"}) {
    EXPECT_NE(refusal(scratch / name, options), "") << name;
  }
  // Transparent samples are holes.
  write_file(scratch / "rgba.png", png_bytes(2, 1, 8, 6, std::string("\x80\x01\x00\xff\x80\x02\x00\x00", 8)));
  const std::vector<double> heights = read_all(scratch / "rgba.png", options);
  EXPECT_EQ(heights[0], 1);
  EXPECT_TRUE(std::isnan(heights[1]));
}

TEST(Import, B75FarOrigins) {
  const auto raster = open(*find_test_file("variants/far_origin_1m_f32.tif"));
  EXPECT_EQ(raster->info().spacing_x_m, 1);
  EXPECT_EQ((*raster->info().geotransform)[0], 16777217.5);
  const Lattice lattice = raster_lattice(raster->info(), {});
  EXPECT_EQ(lattice.x_m(1), 0.5);  // places count from the raster's own corner
  EXPECT_FALSE(raster->info().spacing_is_known);
  EXPECT_TRUE(warns(raster->info().warnings, "--spacing"));
}

TEST(Import, RotatedRastersAreRefusedWithTheWayOut) {
  const Scratch scratch;
  TinyTiff<std::int16_t> tiff{4,
                              4,
                              std::vector<std::int16_t>(16, 5),
                              {},
                              {},
                              {},
                              {10, 2, 0, 500000, 2, -10, 0, 4000000, 0, 0, 0, 0, 0, 0, 0, 1},
                              TinyTiff<std::int16_t>::projected(32611)};
  write_file(scratch / "a.tif", tiff.bytes());
  EXPECT_NE(refusal(scratch / "a.tif").find("--crs"), std::string::npos) << refusal(scratch / "a.tif");
}

TEST(Import, SpacingOptionsReplaceTheFilesOwn) {
  RasterOptions options;
  options.spacing_x_m = 2.5;
  options.spacing_z_m = 4;
  const auto raster = open(*find_test_file("u16-no-georef/SmallElevation.tif"), options);
  EXPECT_EQ(raster->info().spacing_x_m, 2.5);
  EXPECT_EQ(raster->info().spacing_z_m, 4);
  EXPECT_TRUE(raster->info().spacing_is_known);
  EXPECT_FALSE(open(*find_test_file("u16-no-georef/SmallElevation.tif"))->info().spacing_is_known);
  options.spacing_x_m = -1;
  EXPECT_NE(refusal(*find_test_file("u16-no-georef/SmallElevation.tif"), options), "");
}

TEST(Import, IntegersThenFractionsInAnAsciiGridAreKept) {
  const Scratch scratch;
  std::string text = "ncols 100\nnrows 1000\nxllcorner 0\nyllcorner 0\ncellsize 1\n";
  for (int i = 0; i < 99999; ++i) {
    text += "12 ";
  }
  write_file(scratch / "a.asc", text + "3.25\n");  // far beyond the 100 kB by which GDAL guesses a type
  EXPECT_EQ(read_all(scratch / "a.asc").back(), 3.25);
}

TEST(Import, RawLayoutsAreSpelledOut) {
  EXPECT_EQ(parse_raw_layout("513x257:i16be")->height, 257);
  for (const char* text : {"", "513", "513x257", "513x257:", "513x257:u16", "0x4:u8", "4x-4:u8", "4x4:u24le", "4x4:u8 ",
                           "9999999999x2:u8"}) {
    EXPECT_FALSE(parse_raw_layout(text)) << text;
  }
  EXPECT_TRUE(parse_raw_layout("4x4:u8"));
  const Scratch scratch;
  write_file(scratch / "a.raw", std::string(17, '\0'));
  RasterOptions options;
  options.raw = *parse_raw_layout("4x4:u8");
  EXPECT_NE(refusal(scratch / "a.raw", options).find("17"), std::string::npos);
}

}  // namespace
}  // namespace arete::test
