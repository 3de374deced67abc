// Heights, normals and samples at single places: stops, edges, rims, holes. Names hold the rows of public reports that
// they stand for.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/field_pages.h"
#include "support/terrain.h"

namespace arete {
namespace {
using test::TestField;

Lattice point_lattice(std::int32_t x, std::int32_t z, double spacing = 1, double step = 1, double base = 0) {
  return {.stops_x = x, .stops_z = z, .spacing_x_m = spacing, .spacing_z_m = spacing, .base_m = base, .step_m = step};
}

TEST(Height, AStopGivesItsSamplesOwnBitsUpToTheFarEdges) {
  for (const Registration registration : {Registration::point, Registration::area}) {
    for (const double spacing : {1.0, 0.1, 30.87, 2.5}) {
      Lattice lattice{.stops_x = 37,
                      .stops_z = 20,
                      .registration = registration,
                      .spacing_x_m = spacing,
                      .spacing_z_m = 1.7 * spacing,
                      .base_m = -1234.5,
                      .step_m = 0.125};
      const TestField field(lattice, test::terrain_field(test::Terrain::random, 3, lattice));
      for (std::int32_t z = 0; z < 20; ++z) {
        for (std::int32_t x = 0; x < 37; ++x) {
          const HeightAnswer answer = height_at(field.view(), lattice.x_m(x), lattice.z_m(z));
          ASSERT_EQ(answer.ground, Ground::surface) << x << ' ' << z;
          ASSERT_EQ(answer.y_m, lattice.height_m(field.view().at(x, z))) << x << ' ' << z << ' ' << spacing;
        }
      }
    }
  }
}

TEST(Height, TheDiagonalRunsFromPlusZToPlusX_B12) {
  const TestField cell(point_lattice(2, 2), {1, 11, 11, 1});  // 0 10 / 10 0, a metre up
  EXPECT_EQ(height_at(cell.view(), 0.5, 0.5).y_m, 11);
  const TestField other(point_lattice(2, 2), {11, 1, 1, 11});
  EXPECT_EQ(height_at(other.view(), 0.5, 0.5).y_m, 1);
  // +-1 m at 4 m spacing: at cell centres the diagonal's own value, both triangles agreeing.
  const TestField board(point_lattice(9, 9, 4), [](int x, int z) { return (x + z) % 2 == 0 ? 12 : 10; });
  for (int z = 0; z < 8; ++z) {
    for (int x = 0; x < 8; ++x) {
      const double expected = (x + z) % 2 == 0 ? 10 : 12;
      EXPECT_EQ(height_at(board.view(), 4 * x + 2, 4 * z + 2).y_m, expected);
      const SurfaceSample sample = sample_at(board.view(), 4 * x + 2, 4 * z + 2);
      EXPECT_EQ(sample.x_cell, x);
      EXPECT_EQ(sample.z_cell, z);
      EXPECT_FALSE(sample.is_upper);
      EXPECT_EQ(sample.barycentrics, (std::array<double, 3>{0, 0.5, 0.5}));
    }
  }
}

TEST(Height, AreaRastersHaveHalfCellsAtTheirRim) {
  // Two texels of 10 m: stops at 0, 5, 15, 20 m.
  Lattice lattice{.stops_x = 4, .stops_z = 4, .registration = Registration::area, .spacing_x_m = 10, .spacing_z_m = 10};
  const TestField field(lattice, [](int x, int) { return 1 + std::array{0, 10, 30, 70}[std::size_t(x)]; });
  for (const auto& [x, y] : std::vector<std::pair<double, double>>{
           {0, 1}, {2.5, 6}, {5, 11}, {10, 21}, {12.5, 26}, {15, 31}, {17.5, 51}, {20, 71}}) {
    EXPECT_DOUBLE_EQ(height_at(field.view(), x, 3.3).y_m, y) << x;
  }
  EXPECT_EQ(sample_at(field.view(), 2.5, 5).x_cell, 0);
  EXPECT_DOUBLE_EQ(sample_at(field.view(), 2.5, 5).fx, 0.5);
  EXPECT_EQ(sample_at(field.view(), 17.5, 5).x_cell, 2);
  const auto normal = normal_at(field.view(), 17.5, 10).normal;  // 40 m on 5 m
  EXPECT_NEAR(normal[0] / normal[1], -8, 1e-12);
  EXPECT_EQ(height_at(field.view(), std::nextafter(20.0, 30.0), 3).ground, Ground::outside);
  EXPECT_EQ(height_at(field.view(), -1e-300, 3).ground, Ground::outside);
}

TEST(Height, OutsideIsSaidForEveryPlaceThatIsNotInTheField) {
  const TestField field(point_lattice(5, 4, 2), [](int, int) { return 7; });
  const double inf = std::numeric_limits<double>::infinity();
  for (const double bad : {-0.001, 8.001, 1e30, -1e30, inf, -inf, std::nan("")}) {
    EXPECT_EQ(height_at(field.view(), bad, 1).ground, Ground::outside) << bad;
    EXPECT_TRUE(std::isnan(height_at(field.view(), bad, 1).y_m));
    EXPECT_EQ(sample_at(field.view(), 1, bad).ground, Ground::outside);
    EXPECT_EQ(normal_at(field.view(), 1, bad).normal, (std::array<double, 3>{0, 0, 0}));
  }
  EXPECT_EQ(height_at(field.view(), 8, 6).y_m, 7);
  EXPECT_EQ(height_at(field.view(), 0, 6).y_m, 7);
}

TEST(Height, SingleRowsAndSamplesHaveGroundOnTheirLineAlone_B37) {
  const TestField one(point_lattice(1, 1, 3), {42});
  EXPECT_EQ(height_at(one.view(), 0, 0).y_m, 42);
  EXPECT_EQ(height_at(one.view(), 0.1, 0).ground, Ground::outside);
  const TestField row(point_lattice(1, 3, 2), {10, 20, 40});
  EXPECT_EQ(height_at(row.view(), 0, 3).y_m, 30);
  EXPECT_EQ(height_at(row.view(), 0, 4).y_m, 40);
  EXPECT_EQ(height_at(row.view(), 1, 3).ground, Ground::outside);
  const TestField two(point_lattice(2, 2, 10), {1, 2, 3, 4});  // four samples are one cell
  EXPECT_EQ(height_at(two.view(), 10, 10).y_m, 4);
  EXPECT_EQ(sample_at(two.view(), 10, 10).x_cell, 0);
  EXPECT_TRUE(sample_at(two.view(), 10, 10).is_upper);
  const TestField oblong(point_lattice(3, 5), [](int x, int z) { return 1 + x + 10 * z; });
  EXPECT_EQ(height_at(oblong.view(), 2, 4).y_m, 43);
  EXPECT_EQ(height_at(oblong.view(), 2.001, 4).ground, Ground::outside);
  for (const TestField* field : {&one, &row, &two, &oblong}) {
    const RayBounds bounds = field->bounds();
    const auto down = raycast(field->view(), bounds, {.origin_m = {0, 100, 0}, .direction = {0, -1, 0}});
    ASSERT_TRUE(down);
    EXPECT_EQ(down->status, RayStatus::surface);
    EXPECT_EQ(down->position_m[1], height_at(field->view(), 0, 0).y_m);
    const auto across = raycast(field->view(), bounds, {.origin_m = {-5, 60, -5}, .direction = {1, -0.9, 1.01}});
    ASSERT_TRUE(across);
  }
}

TEST(Height, NoValueLeavesTheValidCorners_B55) {
  const TestField lone(point_lattice(2, 2), {459, 0, 0, 0});
  const TestField three(point_lattice(2, 2), {459, 475, 497, 0});
  for (double z = 0; z <= 1; z += 0.0625) {
    for (double x = 0; x <= 1; x += 0.0625) {
      EXPECT_EQ(height_at(lone.view(), x, z).ground, Ground::hole);
      const HeightAnswer answer = height_at(three.view(), x, z);
      EXPECT_EQ(answer.ground, x + z <= 1 ? Ground::surface : Ground::hole) << x << ' ' << z;
      if (answer.ground == Ground::surface) {
        EXPECT_GE(answer.y_m, 459);
        EXPECT_LE(answer.y_m, 497);
      }
    }
  }
}

TEST(Height, MissingCornersAndRimsAreHolesAndNothingElse_B58) {
  TestField field(point_lattice(65, 65), [](int, int z) { return z == 64 ? 0 : 50; });
  field.at(0, 0) = field.at(64, 0) = 0;
  EXPECT_EQ(height_at(field.view(), 0, 0).ground, Ground::hole);
  EXPECT_EQ(height_at(field.view(), 64, 0).ground, Ground::hole);
  EXPECT_EQ(height_at(field.view(), 30.5, 63).y_m, 50);  // the last valid row is an edge of triangles
  EXPECT_EQ(height_at(field.view(), 30.5, 63.25).ground, Ground::hole);
  EXPECT_EQ(height_at(field.view(), 0.5, 0.5).y_m, 50);  // the diagonal bounds the upper triangle
  EXPECT_EQ(height_at(field.view(), 0.25, 0.5).ground, Ground::hole);
  const RayBounds bounds = field.bounds();
  std::int64_t seen = 0;
  triangles(field.view(), {{-1, 0, -1}, {70, 100, 70}}, [&](const Triangle& triangle) {
    ++seen;
    for (const auto& vertex : triangle.vertices_m) EXPECT_EQ(vertex[1], 50);
    return true;
  });
  EXPECT_EQ(seen,
            2 * 64 * 63 - 1 - 2);  // the north-west corner costs one triangle, the north-east one both of its cell
}

// Places on a tenth grid over and around a missing sample, against the closed triangles that are left.
TEST(Height, GroundExactlyWhereATriangleIs_B61) {
  TestField field(point_lattice(9, 9), [](int x, int z) { return 10 + x + z; });
  field.at(4, 4) = 0;
  std::vector<Triangle> drawn;
  triangles(field.view(), {{0, 0, 0}, {8, 100, 8}}, [&](const Triangle& triangle) {
    drawn.push_back(triangle);
    return true;
  });
  EXPECT_EQ(drawn.size(), 128u - 6u);
  for (int k = 20; k <= 60; ++k) {
    for (int i = 20; i <= 60; ++i) {
      const double x = i / 10.0, z = k / 10.0;
      bool is_covered = false;
      for (const Triangle& triangle : drawn) {
        const double fx = x - triangle.x_cell, fz = z - triangle.z_cell;
        is_covered = is_covered ||
                     (fx >= 0 && fz >= 0 && fx <= 1 && fz <= 1 && (triangle.is_upper ? fx + fz >= 1 : fx + fz <= 1));
      }
      EXPECT_EQ(height_at(field.view(), x, z).ground, is_covered ? Ground::surface : Ground::hole) << x << ' ' << z;
      const auto hit = raycast(field.view(), field.bounds(), {.origin_m = {x, 100, z}, .direction = {0, -1, 0}});
      EXPECT_EQ(hit->status == RayStatus::surface, is_covered) << x << ' ' << z;
    }
  }
}

TEST(Height, NothingNonFiniteComesFromAMissingSample_B62) {
  TestField field(point_lattice(5, 5), [](int x, int z) { return 20 + x * z; });
  field.at(2, 2) = 0;
  const RayBounds bounds = field.bounds();
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(0.5, 3.5), part(-1, 1);
  for (int i = 0; i < 5000; ++i) {
    const SurfaceSample sample = sample_at(field.view(), place(random), place(random));
    if (sample.ground == Ground::surface) {
      EXPECT_TRUE(std::isfinite(sample.y_m) && sample.normal[1] > 0);
    }
    const auto hit =
        raycast(field.view(), bounds,
                {.origin_m = {place(random), 40, place(random)}, .direction = {part(random), -10, part(random)}});
    if (hit->status == RayStatus::surface) {
      for (std::size_t k = 0; k < 3; ++k)
        EXPECT_TRUE(std::isfinite(hit->position_m[k]) && std::isfinite(hit->normal[k]));
    }
  }
  triangles(field.view(), {{1, 0, 1}, {3, 100, 3}}, [&](const Triangle& triangle) {
    for (const auto& vertex : triangle.vertices_m) EXPECT_GE(vertex[1], 20);
    return true;
  });
}

TEST(Height, FlatFieldsAreFlat_B29) {
  for (const double base : {0.0, -401.0}) {
    const Lattice lattice = point_lattice(65, 65, 1, 1, base);
    const TestField field(lattice, [](int, int) { return 1; });
    const auto normal = normal_at(field.view(), 31.25, 60.5);
    EXPECT_EQ(normal.normal, (std::array<double, 3>{0, 1, 0}));
    EXPECT_FALSE(std::signbit(normal.normal[0]));
    for (const Ray& ray : {Ray{{3, base + 100, 3}, {0.3, -1, 0.2}}, Ray{{3, 100, 3}, {0, -1, 0}},
                           Ray{{-50, base + 51, 20}, {1, -1, 0}}}) {
      const auto hit = raycast(field.view(), field.bounds(), ray);
      EXPECT_EQ(hit->status, RayStatus::surface);
      EXPECT_NEAR(hit->position_m[1], base + 1, 1e-12);
      EXPECT_EQ(hit->normal, (std::array<double, 3>{0, 1, 0}));
    }
  }
}

TEST(Height, ArraysAnswerLikeSingleCalls) {
  std::mt19937_64 random(11);
  for (const auto terrain : {test::Terrain::random, test::Terrain::holes}) {
    for (const Registration registration : {Registration::point, Registration::area}) {
      for (const auto& [stops_x, stops_z] : {std::pair{300, 211}, {3, 3}, {4, 1000}, {1, 7}, {2, 2}}) {
        if (registration == Registration::area && stops_x < 3) continue;
        const Lattice lattice{.stops_x = stops_x,
                              .stops_z = stops_z,
                              .registration = registration,
                              .spacing_x_m = 0.3,
                              .spacing_z_m = 7,
                              .base_m = -100,
                              .step_m = 0.0625};
        const TestField field(lattice, test::terrain_field(terrain, 4, lattice));
        std::uniform_real_distribution<double> unit(-0.02, 1.02);
        std::vector<double> x, z;
        for (int i = 0; i < 5003; ++i) {
          x.push_back(unit(random) * lattice.width_m());
          z.push_back(unit(random) * lattice.depth_m());
          if (i % 3 == 0) x.back() = lattice.x_m(std::int32_t(random() % std::uint64_t(stops_x)));
          if (i % 5 < 2) z.back() = lattice.z_m(std::int32_t(random() % std::uint64_t(stops_z)));
          if (i % 97 == 0) x.back() = std::nan("");
          if (i % 89 == 0) z.back() = -std::numeric_limits<double>::infinity();
        }
        std::vector<double> y(x.size());
        std::vector<Ground> ground(x.size());
        std::vector<SurfaceSample> samples(x.size());
        std::vector<NormalAnswer> normals(x.size());
        heights_at(field.view(), x, z, y, ground);
        samples_at(field.view(), x, z, samples);
        normals_at(field.view(), x, z, normals);
        for (std::size_t i = 0; i < x.size(); ++i) {
          const HeightAnswer answer = height_at(field.view(), x[i], z[i]);
          ASSERT_EQ(ground[i], answer.ground) << i;
          ASSERT_EQ(std::bit_cast<std::uint64_t>(y[i]), std::bit_cast<std::uint64_t>(answer.y_m)) << i;
          ASSERT_EQ(samples[i].ground, answer.ground);
          ASSERT_EQ(std::bit_cast<std::uint64_t>(samples[i].y_m), std::bit_cast<std::uint64_t>(answer.y_m)) << i;
          ASSERT_EQ(normals[i].normal, samples[i].normal);
        }
      }
    }
  }
}

}  // namespace
}  // namespace arete
