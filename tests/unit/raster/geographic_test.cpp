// Longitude and latitude to places of a field: projected, geographic, and off Earth. Expected places come from
// gdaltransform and gdalinfo.
#include <cmath>

#include "test_files.h"

namespace arete::test {
namespace {

GeographicPlaces places_of(const RasterInfo& info) {
  auto places = GeographicPlaces::create(info.crs_wkt, info.geotransform, raster_lattice(info, {}));
  if (!places) {
    ADD_FAILURE() << places.error().message;
    std::abort();
  }
  return *std::move(places);
}

RasterInfo info_of(const std::string& name) {
  auto raster = Raster::open(*find_test_file(name));
  if (!raster) {
    ADD_FAILURE() << raster.error().message;
    std::abort();
  }
  return (*raster)->info();
}

// Upper left and centre of the raster, as degrees, minutes and seconds with two places: 0.3 m on Earth.
TEST(Geographic, ProjectedCornersAndCentresAreTheRasters) {
  const GeographicPlaces places = places_of(info_of("variants/spike_i16.tif"));
  const auto corner = places.place_m(-(71 + 30 / 60.0 + 14.63 / 3600), 44 + 13 / 60.0 + 32.82 / 3600);
  const auto centre = places.place_m(-(71 + 27 / 60.0 + 58.96 / 3600), 44 + 12 / 60.0 + 0.98 / 3600);
  ASSERT_TRUE(corner && centre);
  EXPECT_NEAR((*corner)[0], 0, 0.3);
  EXPECT_NEAR((*corner)[1], 0, 0.3);
  EXPECT_NEAR((*centre)[0], 32.5 * 90, 0.3);
  EXPECT_NEAR((*centre)[1], 32.5 * 90, 0.3);
}

TEST(Geographic, DegreesOffEarthAreOfThatGlobe) {
  const RasterInfo info = info_of("moon-33-f32/dem_moon.tif");
  const auto centre = places_of(info).place_m(-(46 + 25 / 60.0 + 55.39 / 3600), 87 + 33 / 60.0 + 20.84 / 3600);
  ASSERT_TRUE(centre) << centre.error().message;
  EXPECT_NEAR((*centre)[0], 16.5 * info.spacing_x_m, 0.3);
  EXPECT_NEAR((*centre)[1], 16.5 * info.spacing_z_m, 0.3);
}

// The middle of sample (3, 5), 0.5 samples further in where the field is an area one.
TEST(Geographic, SamplesStandOnTheirStopsAndLongitudesGoAround) {
  for (const bool is_area : {false, true}) {
    const RasterInfo info = info_of(is_area ? "variants/reg_area.tif" : "variants/reg_point.tif");
    const Lattice lattice = raster_lattice(info, {});
    const GeographicPlaces places = places_of(info);
    const auto& g = *info.geotransform;
    const double longitude = g[0] + 3.5 * g[1], latitude = g[3] + 5.5 * g[5];
    for (const double turn : {0.0, 360.0}) {
      const auto place = places.place_m(longitude + turn, latitude);
      ASSERT_TRUE(place) << place.error().message;
      EXPECT_EQ((*place)[0], lattice.x_m(3 + lattice.is_area()));
      EXPECT_EQ((*place)[1], lattice.z_m(5 + lattice.is_area()));
    }
  }
}

// There and back, in the field and beside it, on Earth and off.
TEST(Geographic, PlacesHaveTheDegreesThatLeadToThem) {
  for (const char* name :
       {"variants/spike_i16.tif", "variants/reg_area.tif", "variants/reg_point.tif", "moon-33-f32/dem_moon.tif"}) {
    const RasterInfo info = info_of(name);
    const Lattice lattice = raster_lattice(info, {});
    const GeographicPlaces places = places_of(info);
    for (const double part : {-0.1, 0.0, 0.3, 1.0}) {
      const double x = part * lattice.width_m(), z = (1 - part) * lattice.depth_m();
      const auto degrees = places.degrees_at(x, z);
      ASSERT_TRUE(degrees) << degrees.error().message;
      EXPECT_LE(std::abs((*degrees)[0]), 180);
      const auto back = places.place_m((*degrees)[0], (*degrees)[1]);
      ASSERT_TRUE(back) << back.error().message;
      EXPECT_NEAR((*back)[0], x, 2e-3) << name;
      EXPECT_NEAR((*back)[1], z, 2e-3) << name;
    }
    EXPECT_FALSE(places.degrees_at(HUGE_VAL, 0));
    EXPECT_FALSE(places.degrees_at(0, std::nan("")));
  }
}

TEST(Geographic, WhatHasNoPlaceIsRefused) {
  const RasterInfo info = info_of("variants/reg_area.tif");
  const GeographicPlaces places = places_of(info);
  for (const auto& [longitude, latitude] :
       {std::pair{std::nan(""), 0.0}, {0.0, std::nan("")}, {0.0, 91.0}, {361.0, 0.0}, {HUGE_VAL, 0.0}}) {
    const auto place = places.place_m(longitude, latitude);
    ASSERT_FALSE(place);
    EXPECT_EQ(place.error().kind, Error::Kind::usage);
  }
  const Lattice lattice = raster_lattice(info, {});
  for (const auto& refused :
       {GeographicPlaces::create("", info.geotransform, lattice), GeographicPlaces::create(info.crs_wkt, {}, lattice),
        GeographicPlaces::create("no CRS", info.geotransform, lattice)}) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::data);
  }
}

}  // namespace
}  // namespace arete::test
