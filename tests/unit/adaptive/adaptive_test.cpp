// adapt() on fields at the edges of what there is, its budgets and its refusals; measure() on shapes known by hand.
#include "arete/adaptive.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/mesh_proof.h"
#include "support/terrain.h"

namespace arete {
namespace {

AdaptOptions within(double error_m) {
  AdaptOptions options;
  options.max_error_m = error_m;
  options.jobs = 1;
  return options;
}

struct Proved {
  std::size_t triangles;
  double error_m;
};

Proved prove(const Lattice& lattice, const std::vector<std::uint16_t>& stops, const AdaptOptions& options) {
  const auto adapted = adapt(lattice, stops, options);
  EXPECT_TRUE(adapted) << adapted.error().message;
  const test::MeshProof proof = test::prove_mesh(lattice, stops, adapted->mesh);
  EXPECT_EQ(proof.fault, "");
  EXPECT_NEAR(proof.error_steps * lattice.step_m, adapted->error_m, 1e-6);
  EXPECT_LE(adapted->error_m, options.max_error_m);
  return {adapted->mesh.triangles.size(), adapted->error_m};
}

TEST(Adapt, TinyFields) {
  EXPECT_EQ(prove({.stops_x = 2, .stops_z = 2}, {1, 50, 9, 700}, within(0)).triangles, 2u);
  // One sample by area registration: four half cells, all of one height.
  const Lattice single{.stops_x = 3, .stops_z = 3, .registration = Registration::area};
  EXPECT_EQ(prove(single, std::vector<std::uint16_t>(9, 7), within(0)).triangles, 2u);
  // 1 x 4 samples by area registration: a strip.
  const Lattice strip{.stops_x = 3, .stops_z = 6, .registration = Registration::area};
  std::vector<std::uint16_t> stops;
  for (const std::uint16_t height : {10, 10, 60, 20, 500, 500}) {
    stops.insert(stops.end(), 3, height);
  }
  prove(strip, stops, within(0));
  prove({.stops_x = 3, .stops_z = 5}, {1, 2, 3, 9, 8, 7, 1, 2, 3, 4, 5, 6, 7, 7, 7}, within(1));
}

TEST(Adapt, FieldsWithoutAreaAreRefusedInWords) {
  for (const Lattice& line : {Lattice{.stops_x = 1, .stops_z = 1}, Lattice{.stops_x = 1, .stops_z = 9},
                              Lattice{.stops_x = 9, .stops_z = 1}}) {
    const auto adapted =
        adapt(line, std::vector<std::uint16_t>(std::size_t(line.stops_x) * std::size_t(line.stops_z), 5), within(1));
    ASSERT_FALSE(adapted);
    EXPECT_NE(adapted.error().message.find("spans no area"), std::string::npos);
  }
}

TEST(Adapt, HolesAloneAreRefusedInWords) {
  const Lattice lattice{.stops_x = 40, .stops_z = 30};
  std::vector<std::uint16_t> stops(1200, 0);
  EXPECT_NE(adapt(lattice, stops, within(1)).error().message.find("hole"), std::string::npos);
  // Valid samples that make no triangle: every other column.
  for (std::size_t i = 0; i < stops.size(); i += 2) {
    stops[i] = 9;
  }
  EXPECT_FALSE(adapt(lattice, stops, within(1)));
}

TEST(Adapt, CornersAndEdgesWithoutData) {
  const Lattice lattice{.stops_x = 65, .stops_z = 65};
  std::vector<std::uint16_t> stops(65 * 65, 50);
  for (std::size_t i = 0; i < 65; ++i) {
    stops[i] = 0;
  }
  stops[64 * 65] = stops[65 * 65 - 1] = 0;
  EXPECT_LT(prove(lattice, stops, within(0)).triangles, 700u);
  stops[32 * 65 + 32] = 0;
  prove(lattice, stops, within(0));
}

TEST(Adapt, ConstantFieldsAreTwoTrianglesAPiece) {
  for (const auto& [w, h] : {std::pair{257, 257}, std::pair{300, 211}, std::pair{513, 100}}) {
    const Lattice lattice{.stops_x = w, .stops_z = h, .base_m = -900};
    EXPECT_EQ(prove(lattice, std::vector<std::uint16_t>(std::size_t(w) * std::size_t(h), 500), within(0)).triangles,
              2u);
  }
}

TEST(Adapt, AFiftyKilometreCliffAndGroundBelowZero) {
  Lattice lattice{.stops_x = 129, .stops_z = 97, .spacing_x_m = 30, .spacing_z_m = 30, .base_m = -11000, .step_m = 1};
  std::vector<std::uint16_t> stops;
  for (std::int32_t z = 0; z < 97; ++z) {
    for (std::int32_t x = 0; x < 129; ++x) {
      stops.push_back(x < 64 ? 1 : 50001);
    }
  }
  prove(lattice, stops, within(0));
  prove(lattice, stops, within(10));
  const auto adapted = adapt(lattice, stops, within(10));
  for (const MeshVertex& v : adapted->mesh.vertices) {
    EXPECT_TRUE(v.y_m == -10999 || v.y_m == 39001);
  }
}

TEST(Adapt, ErrorCountsQuantisation) {
  Lattice lattice{.stops_x = 80, .stops_z = 80, .step_m = 0.5};
  const auto stops = test::terrain_field(test::Terrain::smooth, 1, lattice);
  AdaptOptions options = within(10);
  options.quantisation_error_m = 4;
  const auto adapted = adapt(lattice, stops, options);
  ASSERT_TRUE(adapted);
  EXPECT_LE(adapted->error_m, 6);
  options.max_error_m = 3;
  EXPECT_NE(adapt(lattice, stops, options).error().message.find("quantisation"), std::string::npos);
}

TEST(Adapt, TriangleBudgetsAreKeptAndUsed) {
  const Lattice lattice{.stops_x = 200, .stops_z = 170};
  const auto stops = test::terrain_field(test::Terrain::fractal, 4, lattice);
  double last_error = std::numeric_limits<double>::infinity();
  for (const std::int64_t budget : {20, 300, 3000, 20000, 10000000}) {
    AdaptOptions options = within(0);
    options.max_triangles = budget;
    const auto adapted = adapt(lattice, stops, options);
    ASSERT_TRUE(adapted) << adapted.error().message;
    const auto count = std::int64_t(adapted->mesh.triangles.size());
    EXPECT_LE(count, budget);
    EXPECT_GE(count, std::min<std::int64_t>(budget, 60000) * 8 / 10) << budget;
    EXPECT_LE(adapted->error_m, last_error);
    last_error = adapted->error_m;
    EXPECT_EQ(test::prove_mesh(lattice, stops, adapted->mesh).fault, "");
  }
  EXPECT_EQ(last_error, 0);
  AdaptOptions options = within(0);
  options.max_triangles = 1;
  EXPECT_NE(adapt(lattice, stops, options).error().message.find("need at least"), std::string::npos);
}

TEST(Adapt, RefusesBoundsThatAreNone) {
  const Lattice lattice{.stops_x = 9, .stops_z = 9};
  const std::vector<std::uint16_t> stops(81, 4);
  for (const double bound : {-1.0, std::nan("")}) {
    EXPECT_FALSE(adapt(lattice, stops, within(bound)));
  }
  AdaptOptions options = within(1);
  options.piece_cells = 48;
  EXPECT_NE(adapt(lattice, stops, options).error().message.find("power of two"), std::string::npos);
  options = within(1);
  options.focus = {{0, 0, -1, 1}};
  EXPECT_FALSE(adapt(lattice, stops, options));
  options.focus = {{0, 0, 1, std::nan("")}};
  EXPECT_FALSE(adapt(lattice, stops, options));
  EXPECT_TRUE(adapt(lattice, stops, within(std::numeric_limits<double>::infinity())));
}

TEST(Adapt, SpacingAndPlaceChangeNoTriangle) {
  Lattice lattice{.stops_x = 100, .stops_z = 90};
  const auto stops = test::terrain_field(test::Terrain::fractal, 6, lattice);
  const auto plain = adapt(lattice, stops, within(200));
  lattice.spacing_x_m = 24.4;
  lattice.spacing_z_m = 30.9;
  lattice.base_m = -1000;
  const auto stretched = adapt(lattice, stops, within(200));
  EXPECT_EQ(plain->mesh.triangles, stretched->mesh.triangles);
}

class FailingSource final : public SampleSource {
 public:
  const Lattice& lattice() const noexcept override { return lattice_; }
  Result<std::shared_ptr<const Page>> page(PageKey) const override { return io_error("page 7 is damaged"); }

 private:
  Lattice lattice_{.stops_x = 3000, .stops_z = 2000};
};

TEST(Adapt, AFailingSourceIsReported) {
  AdaptOptions options = within(1);
  options.jobs = 4;
  EXPECT_EQ(adapt(FailingSource(), options).error().message, "page 7 is damaged");
}

TEST(Measure, AreasVolumeAndRim) {
  const Lattice lattice{.stops_x = 3, .stops_z = 2, .spacing_x_m = 3, .spacing_z_m = 4};
  LatticeMesh mesh;
  mesh.vertices = {{0, 0, 5}, {2, 0, 5}, {0, 1, 5}, {2, 1, 11}};
  mesh.triangles = {{0, 2, 1}, {1, 2, 3}};
  const MeshMeasures measures = measure(lattice, mesh, 2);
  EXPECT_DOUBLE_EQ(measures.plan_area_m2, 24);
  EXPECT_DOUBLE_EQ(measures.volume_m3, 12 * 3 + 12 * 5);
  EXPECT_EQ(measures.rim_edges, 4);
  EXPECT_EQ(measures.open_edges, 0);
  EXPECT_EQ(measures.max_m, (std::array<double, 3>{6, 11, 4}));
  // Without the lower triangle's neighbour, and with a vertex in its long edge: a crack.
  mesh.vertices.push_back({1, 0, 5});
  mesh.vertices.push_back({1, 1, 5});
  mesh.triangles = {{0, 2, 1}, {4, 5, 3}};
  EXPECT_EQ(measure(lattice, mesh, 0).open_edges, 1);
}

}  // namespace
}  // namespace arete
