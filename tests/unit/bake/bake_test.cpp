// Rasters to stores: every stop is the sample it came from, statistics are the source's, and a failed bake leaves
// nothing.
#include <cmath>
#include <set>

#include "arete/bake.h"
#include "unit/raster/test_files.h"

namespace arete::test {
namespace {

// The steps of a stop, read through the pages of lod 0.
std::uint16_t stop_steps(const SampleSource& source, std::int32_t x, std::int32_t z) {
  const PageKey key{0, std::uint32_t(std::min(x / kPageCells, source.lattice().pages_x(0) - 1)),
                    std::uint32_t(std::min(z / kPageCells, source.lattice().pages_z(0) - 1))};
  const auto page = source.page(key);
  if (!page) {
    ADD_FAILURE() << page.error().message;
    return 0;
  }
  return (*page)->at(HeightPlane::subsample, x - int(key.x) * kPageCells, z - int(key.z) * kPageCells);
}

// Every stop against the raster's own rows.
void expect_same_heights(const SampleSource& source, const Path& path, const RasterOptions& options = {}) {
  auto raster = Raster::open(path, options);
  ASSERT_TRUE(raster);
  ASSERT_TRUE((*raster)->statistics());
  const std::vector<double> heights = read_all(**raster);
  const Lattice& lattice = source.lattice();
  const std::int64_t width = (*raster)->info().width, height = (*raster)->info().height;
  const int rim = lattice.is_area();
  ASSERT_EQ(lattice.stops_x, width + 2 * rim);
  ASSERT_EQ(lattice.stops_z, height + 2 * rim);
  for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
    for (std::int32_t x = 0; x < lattice.stops_x; ++x) {
      const std::int64_t row = std::clamp<std::int64_t>(z - rim, 0, height - 1);
      const std::int64_t column = std::clamp<std::int64_t>(x - rim, 0, width - 1);
      const double expected = heights[std::size_t(row * width + column)];
      const std::uint16_t steps = stop_steps(source, x, z);
      if (std::isnan(expected)) {
        ASSERT_EQ(steps, kHole) << x << " " << z;
      } else {
        ASSERT_NE(steps, kHole) << x << " " << z;
        ASSERT_LE(std::abs(lattice.height_m(steps) - expected), lattice.step_m / 2) << x << " " << z;
      }
    }
  }
}

std::vector<std::string> names_in(const Path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

class Baked : public testing::TestWithParam<const char*> {};

TEST_P(Baked, StopsAreTheSamples) {
  const Path path = *find_test_file(GetParam());
  const Scratch scratch;
  const auto report = bake(path, scratch / "a.arete");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(names_in(scratch.folder()), std::vector<std::string>{"a.arete"});
  const auto store = TileStore::open(scratch / "a.arete");
  ASSERT_TRUE(store) << store.error().message;
  EXPECT_TRUE((*store)->verify());
  expect_same_heights(**store, path);

  // The store's statistics are the source's own, and the error is what it says.
  auto raster = Raster::open(path);
  const auto statistics = (*raster)->statistics();
  const StoreInfo& info = (*store)->info();
  EXPECT_EQ(info.valid, statistics->valid);
  EXPECT_EQ(info.missing, statistics->missing);
  if (info.valid > 0) {
    EXPECT_EQ(info.min_m, statistics->min_m);
    EXPECT_EQ(info.max_m, statistics->max_m);
    EXPECT_EQ(info.sum_m, statistics->sum_m);
  }
  EXPECT_EQ(info.first_max, statistics->first_max);
  EXPECT_LE(info.quantisation_error_m, (*store)->lattice().step_m / 2);
  EXPECT_EQ(info.geotransform, (*raster)->info().geotransform);
  EXPECT_EQ(info.crs_wkt, (*raster)->info().crs_wkt);
  EXPECT_EQ((*store)->statistics()->pages, report->pages);

  const auto loaded = load_raster(path);
  ASSERT_TRUE(loaded);
  expect_same_heights(**loaded, path);

  // Steps without pages are the same steps.
  const auto steps = load_stops(std::span(&path, 1));
  ASSERT_TRUE(steps) << steps.error().message;
  const Lattice& lattice = steps->lattice;
  ASSERT_EQ(lattice.stops_x, (*store)->lattice().stops_x);
  ASSERT_EQ(lattice.stops_z, (*store)->lattice().stops_z);
  EXPECT_EQ(lattice.base_m, (*store)->lattice().base_m);
  EXPECT_EQ(lattice.step_m, (*store)->lattice().step_m);
  EXPECT_EQ(steps->info.quantisation_error_m, info.quantisation_error_m);
  EXPECT_EQ(steps->info.source_fingerprint, info.source_fingerprint);
  ASSERT_EQ(std::int64_t(steps->stops.size()), std::int64_t(lattice.stops_x) * lattice.stops_z);
  for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
    for (std::int32_t x = 0; x < lattice.stops_x; ++x) {
      ASSERT_EQ(steps->stops[std::size_t(z) * std::size_t(lattice.stops_x) + std::size_t(x)], stop_steps(**store, x, z))
          << x << " " << z;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Baked,
                         testing::Values("variants/tiny_1x1.tif", "variants/tiny_1x257.tif", "variants/tiny_257x1.tif",
                                         "variants/tiny_2x2.tif", "variants/tiny_129x129.tif",
                                         "variants/tiny_130x128.tif", "variants/reg_area.tif", "variants/southup.tif",
                                         "variants/constant_i16.tif", "variants/all_nodata_f32.tif",
                                         "variants/far_origin_1m_f32.tif", "variants/feet_f32.tif",
                                         "sthelens-nonsquare/dem_nodata.dem",
                                         "atlantic-undeclared-void/dem_unfinished.tif",
                                         "lerc-california/california_400_400_1_float.lerc2"));

TEST(Bake, WholeMetresAreKeptWithoutLoss) {
  const Scratch scratch;
  const auto report = bake(*find_test_file("N44W072.hgt.zip"), scratch / "a.arete");
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->info.quantisation_error_m, 0);
  EXPECT_EQ(report->lattice.step_m, 1.0 / 32);
  EXPECT_EQ(report->lattice.stops_x, 1201);  // a point raster
}

TEST(Bake, EqualContentHasEqualHashes) {
  const Scratch scratch;
  ASSERT_TRUE(bake(*find_test_file("variants/i16_lzw_pred2_tiled.tif"), scratch / "a.arete"));
  ASSERT_TRUE(bake(*find_test_file("variants/i16_zstd_pred2.tif"), scratch / "b.arete"));
  const auto a = TileStore::open(scratch / "a.arete"), b = TileStore::open(scratch / "b.arete");
  ASSERT_TRUE(a && b);
  EXPECT_EQ((*a)->statistics()->content_hash, (*b)->statistics()->content_hash);
  ASSERT_TRUE(bake(*find_test_file("variants/reg_area.tif"), scratch / "c.arete"));
  EXPECT_NE((*TileStore::open(scratch / "c.arete"))->statistics()->content_hash, (*a)->statistics()->content_hash);
}

TEST(Bake, FailuresLeaveNothingBehind) {
  const Scratch scratch;
  for (const char* name : {"corrupt/zeroed_middle.tif", "corrupt/hugo_short.asc", "corrupt/empty.tif"}) {
    const auto report = bake(*find_test_file(name), scratch / "a.arete");
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().message.find('\n'), std::string::npos);
    EXPECT_TRUE(names_in(scratch.folder()).empty()) << name;
  }
  EXPECT_FALSE(bake(scratch / "none.tif", scratch / "a.arete"));
  EXPECT_FALSE(bake(*find_test_file("variants/reg_area.tif"), scratch / "none" / "a.arete"));
  BakeOptions options;
  options.height_step_m = std::ldexp(1, -20);
  EXPECT_FALSE(bake(*find_test_file("variants/spike_i16.tif"), scratch / "a.arete", options));
  EXPECT_TRUE(names_in(scratch.folder()).empty());
}

TEST(Bake, AnInputIsNeverItsOwnOutput) {
  const Scratch scratch;
  std::filesystem::copy_file(*find_test_file("variants/reg_area.tif"), scratch / "a.tif");
  const std::string before = read_file(scratch / "a.tif");
  EXPECT_FALSE(bake(scratch / "a.tif", scratch / "a.tif"));
  EXPECT_EQ(read_file(scratch / "a.tif"), before);
}

// B40: every one of 4,225 distinct 16-bit heights reaches the store.
TEST(Bake, B40DistinctHeightsSurvive) {
  const Scratch scratch;
  std::string samples;
  for (int i = 0; i < 65 * 65; ++i) {
    samples += bytes_of(std::uint16_t(i), true);
  }
  write_file(scratch / "a.r16", samples);
  BakeOptions options;
  options.raster.raw = RawLayout{65, 65, SampleType::u16, true};
  const auto source = load_raster(scratch / "a.r16", options);
  ASSERT_TRUE(source);
  std::set<std::uint16_t> steps;
  for (std::int32_t i = 0; i < 65 * 65; ++i) {
    steps.insert(stop_steps(**source, i % 65, i / 65));
  }
  EXPECT_EQ(steps.size(), 4225u);
}

}  // namespace
}  // namespace arete::test
