// Heights that came in come out: within half a step, and without loss for whole metres, in every format.
#include <cmath>
#include <nlohmann/json.hpp>

#include "arete/bake.h"
#include "unit/raster/test_files.h"

namespace arete::test {
namespace {

std::vector<std::string> names_in(const Path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::unique_ptr<TileStore> baked(const std::string& name, const Path& store) {
  EXPECT_TRUE(bake(*find_test_file(name), store));
  auto opened = TileStore::open(store);
  EXPECT_TRUE(opened);
  return *std::move(opened);
}

struct Case {
  const char* input;
  const char* output;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.input << " to " << c.output; }

class RoundTrip : public testing::TestWithParam<Case> {};

TEST_P(RoundTrip, KeepsHeightsHolesAndPlace) {
  const Scratch scratch;
  const auto store = baked(GetParam().input, scratch / "a.arete");
  const Path output = scratch / GetParam().output;
  const auto report = export_raster(*store, store->info(), output);
  ASSERT_TRUE(report) << report.error().message;
  for (const Path& file : report->files) {
    EXPECT_TRUE(std::filesystem::exists(file)) << file;
  }
  EXPECT_EQ(names_in(scratch.folder()).size(), report->files.size() + 1) << "nothing else is left";

  RasterOptions options;
  if (output.extension() == ".r16") {
    options.raw = RawLayout{report->width, report->height, SampleType::u16, false};
    const auto sidecar = nlohmann::json::parse(read_file(output.string() + ".json"));
    EXPECT_EQ(sidecar["width"], report->width);
    EXPECT_EQ(sidecar["base_m"], report->base_m);
    EXPECT_EQ(sidecar["registration"], store->lattice().is_area() ? "area" : "point");
    if (!sidecar["hole"].is_null()) {
      options.nodata = 0;
    }
  }
  auto source = Raster::open(*find_test_file(GetParam().input));
  auto back = Raster::open(output, options);
  ASSERT_TRUE(source && back) << back.error().message;
  const auto statistics = (*source)->statistics();
  ASSERT_TRUE(statistics && (*back)->statistics());
  const std::vector<double> before = read_all(**source);
  std::vector<double> after = read_all(**back);
  ASSERT_EQ(before.size(), after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (options.raw) {
      after[i] = report->base_m + report->step_m * after[i];
    }
    ASSERT_EQ(std::isnan(before[i]), std::isnan(after[i])) << i;
    if (!std::isnan(before[i])) {
      ASSERT_LE(std::abs(after[i] - before[i]), statistics->all_whole_metres ? 0 : store->lattice().step_m / 2) << i;
    }
  }
  const RasterInfo& a = (*source)->info();
  const RasterInfo& b = (*back)->info();
  if (!options.raw) {
    EXPECT_EQ(a.registration, b.registration);
    EXPECT_EQ(a.crs_wkt.empty(), b.crs_wkt.empty()) << b.crs_wkt;
    EXPECT_EQ(a.spacing_is_known, b.spacing_is_known);
    EXPECT_EQ(a.geotransform.has_value(), b.geotransform.has_value());
    for (std::size_t i = 0; a.geotransform && b.geotransform && i < 6; ++i) {
      EXPECT_NEAR((*a.geotransform)[i], (*b.geotransform)[i], 1e-9 * std::max(1.0, std::abs((*a.geotransform)[i])));
    }
    EXPECT_NEAR(a.spacing_x_m, b.spacing_x_m, 1e-6);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, RoundTrip,
    testing::Values(Case{"variants/reg_area.tif", "b.tif"}, Case{"variants/reg_point.tif", "b.tif"},
                    Case{"variants/reg_area.tif", "b.png"}, Case{"variants/reg_point.tif", "b.png"},
                    Case{"variants/reg_point.tif", "b.r16"}, Case{"sthelens-nonsquare/dem_nodata.dem", "b.tif"},
                    Case{"sthelens-nonsquare/dem_nodata.dem", "b.png"},
                    Case{"sthelens-nonsquare/dem_nodata.dem", "b.r16"},
                    Case{"gulf-rockies-i16-bathy/grayscale-test.tif", "b.tif"},
                    Case{"gulf-rockies-i16-bathy/grayscale-test.tif", "b.png"},
                    Case{"gulf-rockies-i16-bathy/grayscale-test.tif", "b.r16"},
                    Case{"variants/f32_deflate_pred3_strip.tif", "b.tif"},
                    Case{"variants/f32_deflate_pred3_strip.tif", "b.png"}, Case{"variants/tiny_1x1.tif", "b.png"},
                    Case{"u16-no-georef/SmallElevation.tif", "b.png"},
                    Case{"u16-no-georef/SmallElevation.tif", "b.tif"}, Case{"moon-33-f32/dem_moon.tif", "b.tif"},
                    Case{"variants/all_nodata_f32.tif", "b.tif"}));

TEST(Export, HillshadeFollowsTheSun) {
  const Scratch scratch;
  TinyTiff<float> tiff{
      21, 11, {}, {}, {10, 10, 0}, {0, 0, 0, 500000, 4000000, 0}, {}, TinyTiff<float>::projected(32611)};
  for (int row = 0; row < 11; ++row) {
    for (int column = 0; column < 21; ++column) {
      tiff.values.push_back(
          float(10 * (column < 10 ? column : 20 - column)));  // a roof at 45 degrees, its ridge north to south
    }
  }
  write_file(scratch / "a.tif", tiff.bytes());
  const auto source = load_raster(scratch / "a.tif");
  ASSERT_TRUE(source);
  ExportOptions options;
  options.hillshade = true;
  options.sun_azimuth_deg = 90;  // in the east, square to the eastern side
  options.sun_altitude_deg = 45;
  ASSERT_TRUE(export_raster(**source, {}, scratch / "shade.tif", options));
  const std::vector<double> shade = read_all(scratch / "shade.tif");
  EXPECT_EQ(shade[5 * 21 + 15], 255);
  EXPECT_TRUE(std::isnan(shade[5 * 21 + 5]) || shade[5 * 21 + 5] == 1) << "the western side is dark";
  // The same roof with its ridge from west to east.
  TinyTiff<float> turned = tiff;
  for (int row = 0; row < 11; ++row) {
    for (int column = 0; column < 21; ++column) {
      turned.values[std::size_t(row * 21 + column)] = float(10 * (row < 5 ? row : 10 - row));
    }
  }
  write_file(scratch / "b.tif", turned.bytes());
  const auto other = load_raster(scratch / "b.tif");
  ASSERT_TRUE(other);
  options.sun_azimuth_deg = 180;  // in the south
  ASSERT_TRUE(export_raster(**other, {}, scratch / "south.tif", options));
  const std::vector<double> south = read_all(scratch / "south.tif");
  EXPECT_EQ(south[8 * 21 + 10], 255);
  EXPECT_TRUE(std::isnan(south[2 * 21 + 10]) || south[2 * 21 + 10] == 1) << "the northern side is dark";
  options.sun_altitude_deg = 90;
  ASSERT_TRUE(export_raster(**source, {}, scratch / "noon.png", options));
  EXPECT_NEAR(read_all(scratch / "noon.png")[5 * 21 + 5], 1 + 254 * std::sqrt(0.5), 1);
}

TEST(Export, RefusalsLeaveNothing) {
  const Scratch scratch;
  const auto source = load_raster(*find_test_file("variants/reg_area.tif"));
  ASSERT_TRUE(source);
  for (const char* name : {"a.jpg", "a", "none/a.tif"}) {
    const auto report = export_raster(**source, {}, scratch / name);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message.find('\n'), std::string::npos);
  }
  ExportOptions options;
  options.hillshade = true;
  EXPECT_FALSE(export_raster(**source, {}, scratch / "a.r16", options));
  EXPECT_TRUE(names_in(scratch.folder()).empty());
}

}  // namespace
}  // namespace arete::test
