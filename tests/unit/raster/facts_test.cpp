// Real files against tests/data/facts.json: counts, range, sum, corners and first extremes that other readers found
// (GDAL's Python bindings, OpenImageIO, Esri's lerc, NumPy). Values there are as stored; what a file declares (unit,
// row order) and what is found out about it (undeclared voids) is applied here, by its own table.
#include <cmath>
#include <map>

#include "real_files.h"

namespace arete::test {
namespace {

// What the files with undeclared voids hold besides them, counted with gdal_translate -of XYZ and awk.
struct VoidFacts {
  std::int64_t voids;
  double least;
  double sum;
  std::array<std::int64_t, 2> first_least;
};
const std::map<std::string, VoidFacts>& undeclared_voids() {
  static const std::map<std::string, VoidFacts> table{
      {"craterlake-undeclared-void/craterlake-elev-16bit-30m.tif", {39489, 1289, 122680110, {93, 308}}},
      {"atlantic-undeclared-void/dem_unfinished.tif", {282, -10, 9333, {24, 21}}},
  };
  return table;
}

class Facts : public testing::TestWithParam<std::string> {};

TEST_P(Facts, AgreeWithOtherReaders) {
  const std::string name = GetParam();
  const auto path = find_test_file(name);
  if (!path) {
    GTEST_SKIP() << name << " is not part of the project; set ARETE_TEST_DATA to a folder that holds it";
  }
  const Json& fact = facts()[name];
  RasterOptions options = options_for(name);
  auto raster = Raster::open(*path, options);
  ASSERT_TRUE(raster) << raster.error().message;
  auto statistics = (*raster)->statistics();
  ASSERT_TRUE(statistics) << statistics.error().message;

  EXPECT_EQ((*raster)->info().width, fact["width"].get<std::int64_t>());
  EXPECT_EQ((*raster)->info().height, fact["height"].get<std::int64_t>());
  const double unit = fact.value("unit", Json()) == "US survey foot" ? 1200.0 / 3937.0 : 1;
  const bool is_south_up =
      fact.contains("geotransform") && fact["geotransform"].is_array() && fact["geotransform"][5].get<double>() > 0;
  const auto place = [&](const Json& as_stored) -> std::array<std::int64_t, 2> {
    const auto row = as_stored[0].get<std::int64_t>();
    return {is_south_up ? (*raster)->info().height - 1 - row : row, as_stored[1].get<std::int64_t>()};
  };

  if (const auto found = undeclared_voids().find(name); found != undeclared_voids().end()) {
    const VoidFacts& voids = found->second;
    EXPECT_EQ(statistics->missing, fact["missing"].get<std::int64_t>() + voids.voids);
    EXPECT_EQ(statistics->valid, fact["valid"].get<std::int64_t>() - voids.voids);
    EXPECT_EQ(statistics->min_m, voids.least);
    EXPECT_EQ(statistics->first_min, voids.first_least);
    EXPECT_NEAR(statistics->sum_m, voids.sum, 1e-12 * std::abs(voids.sum));
    EXPECT_FALSE(statistics->warnings.empty());
    EXPECT_EQ(statistics->max_m, fact["max"].get<double>());
    return;
  }
  EXPECT_EQ(statistics->valid, fact["valid"].get<std::int64_t>());
  EXPECT_EQ(statistics->missing, fact["missing"].get<std::int64_t>());
  if (fact["min"].is_null()) {
    EXPECT_TRUE(std::isnan(statistics->min_m));
    return;
  }
  const double tolerance = unit == 1 ? 0 : 1e-12;
  EXPECT_NEAR(statistics->min_m, fact["min"].get<double>() * unit, tolerance * 1e4);
  EXPECT_NEAR(statistics->max_m, fact["max"].get<double>() * unit, tolerance * 1e4);
  if (fact.contains("sum")) {
    const double sum = fact["sum"].get<double>() * unit;
    EXPECT_NEAR(statistics->sum_m, sum, 1e-12 * std::abs(sum));
    EXPECT_EQ(statistics->first_max, place(fact["first_max_row_col"]));
    if (!is_south_up) {  // flipping moves the first of several equal minima
      EXPECT_EQ(statistics->first_min, place(fact["first_min_row_col"]));
    }
    const Json& stored = fact["corners_NW_NE_SW_SE_as_stored"];
    for (std::size_t i = 0; i < 4; ++i) {
      const Json& corner = stored[is_south_up ? (i + 2) % 4 : i];
      if (corner.is_null()) {
        EXPECT_TRUE(std::isnan(statistics->corners_m[i])) << i;
      } else {
        EXPECT_NEAR(statistics->corners_m[i], corner.get<double>() * unit, tolerance * 1e4) << i;
      }
    }
  }
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  for (char& c : name) {
    c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, Facts, testing::ValuesIn(real_files()), test_name);

}  // namespace
}  // namespace arete::test
