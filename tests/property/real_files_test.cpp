// One surface of every real file: the finest mesh, heights, rays, triangles and the exported raster agree at every
// sample, cell centre, point of a diagonal and rim, holes included.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "arete/bake.h"
#include "arete/collider.h"
#include "arete/cut.h"
#include "arete/mesh.h"
#include "support/drawn_triangles.h"
#include "support/made_pages.h"
#include "unit/raster/real_files.h"

namespace arete::test {
namespace {

// The exported raster's metres at the lattice's stops, NaN where there is none; an area raster's rims repeat.
std::vector<double> exported_stops(const TileStore& store, const Path& path) {
  const Lattice& lattice = store.lattice();
  auto raster = Raster::open(path);
  if (!raster) {
    ADD_FAILURE() << raster.error().message;
    return {};
  }
  const auto width = std::size_t((*raster)->info().width), height = std::size_t((*raster)->info().height);
  std::vector<std::vector<double>> rows(height, std::vector<double>(width));
  for (std::size_t row = 0; row < height; ++row) {
    EXPECT_TRUE((*raster)->read_row(std::int64_t(row), rows[row]));
  }
  const auto sample = [&](std::int32_t stop, std::size_t count) {
    return std::size_t(std::clamp<std::int64_t>(stop - lattice.is_area(), 0, std::int64_t(count) - 1));
  };
  std::vector<double> stops;
  for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
    for (std::int32_t x = 0; x < lattice.stops_x; ++x) stops.push_back(rows[sample(z, height)][sample(x, width)]);
  }
  return stops;
}

// Places of the lattice's cells and what the split contract says there, from the exported metres alone.
class Expected {
 public:
  Expected(const Lattice& lattice, std::vector<double> stops) : lattice_(lattice), stops_(std::move(stops)) {}

  double at(std::int32_t x, std::int32_t z) const {
    if (lattice_.stops_x == 1 && x == 1) x = 0;  // a single stop is both sides of a cell without width
    if (lattice_.stops_z == 1 && z == 1) z = 0;
    const bool is_inside = x >= 0 && z >= 0 && x < lattice_.stops_x && z < lattice_.stops_z;
    return is_inside ? stops_[std::size_t(z) * std::size_t(lattice_.stops_x) + std::size_t(x)] : std::nan("");
  }
  bool has_lower(std::int32_t x, std::int32_t z) const {
    return !std::isnan(at(x, z)) && !std::isnan(at(x + 1, z)) && !std::isnan(at(x, z + 1));
  }
  bool has_upper(std::int32_t x, std::int32_t z) const {
    return !std::isnan(at(x + 1, z + 1)) && !std::isnan(at(x + 1, z)) && !std::isnan(at(x, z + 1));
  }
  // NaN where no closed triangle is.
  double stop(std::int32_t x, std::int32_t z) const {
    const bool is_ground = has_lower(x, z) || has_lower(x - 1, z) || has_lower(x, z - 1) || has_upper(x - 1, z - 1) ||
                           has_upper(x - 1, z) || has_upper(x, z - 1);
    return is_ground ? at(x, z) : std::nan("");
  }
  // `part` of the way from corner 01 to corner 10.
  double diagonal(std::int32_t x, std::int32_t z, double part) const {
    return has_lower(x, z) || has_upper(x, z) ? at(x, z + 1) + part * (at(x + 1, z) - at(x, z + 1)) : std::nan("");
  }
  // The middles of the edges from corner 00 along X and along Z.
  double edge_x(std::int32_t x, std::int32_t z) const {
    return has_lower(x, z) || has_upper(x, z - 1) ? (at(x, z) + at(x + 1, z)) / 2 : std::nan("");
  }
  double edge_z(std::int32_t x, std::int32_t z) const {
    return has_lower(x, z) || has_upper(x - 1, z) ? (at(x, z) + at(x, z + 1)) / 2 : std::nan("");
  }

 private:
  const Lattice& lattice_;
  std::vector<double> stops_;
};

struct Places {
  std::vector<double> x, z, y;  // y: what is expected, NaN for a hole
  void add(double x_m, double z_m, double y_m) {
    x.push_back(x_m);
    z.push_back(z_m);
    y.push_back(y_m);
  }
};

// Stops, edge middles, centres and diagonals of row z of cells; on the last row of stops, its rim alone.
Places row_places(const Lattice& lattice, const Expected& expected, std::int32_t z) {
  Places places;
  const double z0 = lattice.z_m(z), depth = z < lattice.last_stop_z() ? lattice.z_m(z + 1) - z0 : 0;
  for (std::int32_t x = 0; x < lattice.stops_x; ++x) {
    const double x0 = lattice.x_m(x), width = x < lattice.last_stop_x() ? lattice.x_m(x + 1) - x0 : 0;
    places.add(x0, z0, expected.stop(x, z));
    if (width > 0) places.add(x0 + width / 2, z0, expected.edge_x(x, z));
    if (depth > 0) places.add(x0, z0 + depth / 2, expected.edge_z(x, z));
    if (width > 0 && depth > 0) {
      for (const double part : {0.25, 0.5, 0.75}) {
        places.add(x0 + part * width, z0 + (1 - part) * depth, expected.diagonal(x, z, part));
      }
    }
  }
  return places;
}

using test::AllSplit;
using test::Corners;
using test::Place;

Corners from_least(Corners triangle) {
  std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
  return triangle;
}

// The triangles with area that the finest nodes draw, sorted.
std::vector<Corners> drawn_triangles(const TileStore& store) {
  const Lattice& lattice = store.lattice();
  const Ranges ranges = make_ranges(1e9, {});
  CutWorkspace workspace;
  Cut cut;
  cut_from_splits(lattice, ranges.node_quads, AllSplit(), workspace, cut);
  Bounds bounds = store.bounds();  // without local ranges, within which flat ground would be morphing already
  each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) { bounds.at(lod, x, z).kappa = 0; });
  bounds.finish();
  std::vector<Corners> drawn = test::drawn_triangles(store, bounds, {}, ranges, cut);
  std::sort(drawn.begin(), drawn.end());
  return drawn;
}

class RealFiles : public testing::TestWithParam<std::string> {};

TEST_P(RealFiles, MeshHeightRayTrianglesAndExportAgree) {
  const auto path = find_test_file(GetParam());
  if (!path) {
    GTEST_SKIP() << GetParam() << " is not part of the project; set ARETE_TEST_DATA to a folder that holds it";
  }
  const Scratch scratch;
  BakeOptions options;
  options.raster = options_for(GetParam());
  const auto baked = bake(*path, scratch / "field.arete", options);
  ASSERT_TRUE(baked) << baked.error().message;
  const auto store = *TileStore::open(scratch / "field.arete");
  const Lattice& lattice = store->lattice();
  const auto exported = export_raster(*store, store->info(), scratch / "field.tif");
  ASSERT_TRUE(exported) << exported.error().message;
  const Expected expected(lattice, exported_stops(*store, scratch / "field.tif"));

  PageCollider collider(*store, {.budget_bytes = std::size_t(256) << 20, .bounds = &store->bounds()});
  std::int64_t places_count = 0;
  for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
    const Places places = row_places(lattice, expected, z);
    const std::size_t count = places.x.size();
    std::vector<double> y(count);
    std::vector<Ground> ground(count);
    std::vector<Ray> rays;
    for (std::size_t i = 0; i < count; ++i) rays.push_back({{places.x[i], 1e5, places.z[i]}, {0, -1, 0}});
    std::vector<RayHit> hits(count);
    ASSERT_TRUE(collider.heights_at(places.x, places.z, y, ground));
    ASSERT_TRUE(collider.raycast(rays, hits));
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_hole = std::isnan(places.y[i]);
      ASSERT_EQ(ground[i], is_hole ? Ground::hole : Ground::surface) << places.x[i] << ' ' << places.z[i];
      ASSERT_EQ(hits[i].status, is_hole ? RayStatus::miss : RayStatus::surface) << places.x[i] << ' ' << places.z[i];
      if (!is_hole) {
        ASSERT_NEAR(y[i], places.y[i], 1e-9) << places.x[i] << ' ' << places.z[i];
        ASSERT_NEAR(hits[i].position_m[1], y[i], 1e-9) << places.x[i] << ' ' << places.z[i];
      }
    }
    places_count += std::int64_t(count);
  }
  EXPECT_GE(places_count, std::int64_t(lattice.stops_x) * lattice.stops_z);

  std::vector<Corners> collided;
  const auto absent = collider.triangles({{-1, -1e9, -1}, {1e9, 1e9, 1e9}}, [&](const Triangle& triangle) {
    EXPECT_TRUE(triangle.is_upper ? expected.has_upper(triangle.x_cell, triangle.z_cell)
                                  : expected.has_lower(triangle.x_cell, triangle.z_cell));
    Corners places;
    for (std::size_t k = 0; k < 3; ++k) {
      for (std::size_t axis = 0; axis < 3; ++axis) places[k][axis] = float(triangle.vertices_m[k][axis]);
    }
    collided.push_back(from_least(places));
    return true;
  });
  ASSERT_TRUE(absent) << absent.error().message;
  EXPECT_EQ(*absent, 0);
  std::sort(collided.begin(), collided.end());
  const std::vector<Corners> drawn = drawn_triangles(*store);
  EXPECT_EQ(drawn.size(), collided.size());
  const auto differing = std::mismatch(drawn.begin(), drawn.end(), collided.begin(), collided.end());
  EXPECT_TRUE(differing.first == drawn.end() && differing.second == collided.end())
      << "the drawn triangles are not the collider's, bit for bit: drawn "
      << (differing.first == drawn.end() ? "nothing" : testing::PrintToString(*differing.first)) << ", collided "
      << (differing.second == collided.end() ? "nothing" : testing::PrintToString(*differing.second));
}

std::string name_of(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(All, RealFiles, testing::ValuesIn(real_files()), name_of);

}  // namespace
}  // namespace arete::test
