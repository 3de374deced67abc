// Single rays: where they start, how long they are, what they cost, and the bounds that they pass over.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/field_pages.h"
#include "support/terrain.h"

namespace arete {
namespace {
using test::TestField;

Lattice point_lattice(std::int32_t x, std::int32_t z, double spacing = 1, double step = 1) {
  return {.stops_x = x, .stops_z = z, .spacing_x_m = spacing, .spacing_z_m = spacing, .step_m = step};
}

RayHit cast(const TestField& field, const Ray& ray) {
  const auto hit = raycast(field.view(), field.bounds(), ray);
  EXPECT_TRUE(hit) << hit.error().message;
  const auto any = raycast_any(field.view(), field.bounds(), ray);
  EXPECT_EQ(*any, hit->status == RayStatus::surface);
  return *hit;
}

TEST(Ray, DownOnLinesDiagonalsAndCorners_B21) {
  const Lattice lattice = point_lattice(21, 21, 5, 0x1p-10);
  const TestField field(lattice,
                        [](int x, int z) { return 1 + int(test::hash(std::uint64_t(x), std::uint64_t(z), 1) % 1024); });
  const RayBounds bounds = field.bounds();
  const auto expect_ground = [&](double x, double z) {
    for (const double lean : {0.0, x < 50 ? -1e-3 : 1e-3}) {
      const auto hit = raycast(field.view(), bounds, {.origin_m = {x - lean * 50, 50, z}, .direction = {lean, -1, 0}});
      const HeightAnswer exact = height_at(field.view(), x, z);
      ASSERT_EQ(hit->status, RayStatus::surface) << x << ' ' << z;
      ASSERT_NEAR(hit->position_m[1], exact.y_m, lean == 0 ? 1e-13 : 2e-3) << x << ' ' << z;
    }
  };
  for (int k = 0; k <= 20; ++k) {
    for (int i = 0; i <= 20000; i += 7) {
      expect_ground(5 * k, std::min(100.0, i * 0.005));
      expect_ground(std::min(100.0, i * 0.005), 5 * k);
    }
    for (int i = 0; i <= 1000; ++i) {
      const double x = std::min(5.0 * k, 5 * k * i / 1000.0);
      expect_ground(x, 5 * k - x);
    }
  }
}

TEST(Ray, StartsAnywhereAndEndsAnywhere_B25) {
  const TestField bowl(point_lattice(65, 65), [](int x, int z) {
    return 1 + int(std::lround(std::min(100.0, ((x - 32) * (x - 32) + (z - 32) * (z - 32)) / 10.0)));
  });
  const double inf = std::numeric_limits<double>::infinity();
  for (const double length : {10.0, 1e9, 1e30, inf}) {
    const RayHit level = cast(bowl, {.origin_m = {32, 41, 32}, .direction = {1, 0, 0}, .max_t = length});
    EXPECT_EQ(level.status, length == 10 ? RayStatus::miss : RayStatus::surface);
    const RayHit down = cast(bowl, {.origin_m = {32, 41, 32}, .direction = {0.001, -1, 0}, .max_t = length});
    EXPECT_EQ(down.status, length == 10 ? RayStatus::miss : RayStatus::surface);
    const RayHit up = cast(bowl, {.origin_m = {32, 41, 32}, .direction = {0.1, 1, 0}, .max_t = length});
    EXPECT_EQ(up.status, RayStatus::miss);
    RayCost cost;
    ASSERT_TRUE(raycast(bowl.view(), bowl.bounds(),
                        {.origin_m = {-1e6, 5, 3.3}, .direction = {1, 0, 0}, .max_t = length}, &cost));
    EXPECT_LT(cost.bounds + cost.cells, 4 * 130);
  }
  const RayBounds bounds = bowl.bounds();
  const auto refused = [&](const Ray& ray, const char* word) {
    const auto hit = raycast(bowl.view(), bounds, ray);
    ASSERT_FALSE(hit);
    EXPECT_EQ(hit.error().kind, Error::Kind::usage);
    EXPECT_NE(hit.error().message.find(word), std::string::npos) << hit.error().message;
    EXPECT_FALSE(raycast_any(bowl.view(), bounds, ray));
  };
  refused({{1, 1, 1}, {0, 0, 0}}, "direction");
  refused({{1, 1, 1}, {inf, 0, 0}}, "direction");
  refused({{1, 1, 1}, {0, std::nan(""), 1}}, "direction");
  refused({{1, -inf, 1}, {0, 1, 1}}, "origin");
  refused({.origin_m = {1, 1, 1}, .direction = {0, 1, 0}, .max_t = std::nan("")}, "length");
  refused({.origin_m = {1, 1, 1}, .direction = {0, 1, 0}, .max_t = -1}, "length");
}

TEST(Ray, AnyLengthOfDirectionGivesTheSamePoint) {
  const Lattice lattice = point_lattice(129, 129, 3);
  const TestField field(lattice, test::terrain_field(test::Terrain::smooth, 1, lattice));
  const Ray unit{{10, 9000, 20}, {0.03, -1, 0.02}};
  const RayHit expected = cast(field, unit);
  ASSERT_EQ(expected.status, RayStatus::surface);
  for (const double scale : {0x1p-900, 0x1p-40, 0x1p30, 0x1p900}) {
    Ray ray = unit;
    for (double& component : ray.direction) component *= scale;
    const RayHit hit = cast(field, ray);
    EXPECT_EQ(hit.position_m, expected.position_m);
    EXPECT_EQ(hit.t * scale, expected.t);
  }
  // Places that no field can hold are misses, not accidents.
  for (const double far : {1e100, 1e300, -1e308}) {
    cast(field, {{far, 1e200, far}, {-1, -1e-3, -1}});
    cast(field, {{0, far, 0}, {1e-300, -1, 1e-310}});
    cast(field, {{far, 0, 3}, {-1, 0, 0}});
  }
}

TEST(Ray, SidesAreTheSurfacesOwn) {
  const TestField ridge(point_lattice(9, 9), [](int x, int) { return 10 + 10 * (4 - std::abs(x - 4)); });
  const Ray through{{-1, 25, 4.3}, {1, 0, 0}};  // enters the ridge from the west, leaves it in the east
  Ray both = through, front = through;
  front.sides = Sides::front;
  EXPECT_NEAR(cast(ridge, both).t, 2.5, 1e-14);
  EXPECT_FALSE(cast(ridge, both).from_below);
  both.origin_m[0] = front.origin_m[0] = 4;
  EXPECT_NEAR(cast(ridge, both).t, 2.5, 1e-14);
  EXPECT_TRUE(cast(ridge, both).from_below);
  EXPECT_EQ(cast(ridge, front).status, RayStatus::miss);
  // On the surface: both meet it at once, the front only when not rising.
  const HeightAnswer ground = height_at(ridge.view(), 2.5, 3);
  for (const double rise : {-1.0, 0.0, 30.0}) {
    Ray ray{{2.5, ground.y_m, 3}, {-1, rise - 10, 0}};  // the slope falls by 10 a metre westwards
    EXPECT_EQ(cast(ridge, ray).t, 0) << rise;
    ray.sides = Sides::front;
    const RayHit hit = cast(ridge, ray);
    EXPECT_EQ(hit.status, rise > 0 ? RayStatus::miss : RayStatus::surface) << rise;
  }
  // Straight up and down.
  EXPECT_EQ(cast(ridge, {.origin_m = {4, 0, 4}, .direction = {0, 2, 0}}).t, 25);
  EXPECT_EQ(cast(ridge, {.origin_m = {4, 0, 4}, .direction = {0, 2, 0}, .sides = Sides::front}).status,
            RayStatus::miss);
  EXPECT_EQ(cast(ridge, {.origin_m = {4, 90, 4}, .direction = {0, -2, 0}, .max_t = 20}).t, 20);
  EXPECT_EQ(cast(ridge, {.origin_m = {4, 90, 4}, .direction = {0, -2, 0}, .max_t = 19.999}).status, RayStatus::miss);
}

TEST(Ray, SaysWhichTriangleAndWhereInIt) {
  const Lattice lattice{.stops_x = 33,
                        .stops_z = 40,
                        .registration = Registration::area,
                        .spacing_x_m = 2.5,
                        .spacing_z_m = 4,
                        .base_m = -64,
                        .step_m = 0.25};
  const TestField field(lattice, test::terrain_field(test::Terrain::smooth, 1, lattice));
  const RayBounds bounds = field.bounds();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 20000; ++i) {
    const Ray ray{{unit(random) * 77.5, 3000, unit(random) * 152}, {unit(random) - 0.5, -20, unit(random) - 0.5}};
    const auto hit = raycast(field.view(), bounds, ray);
    if (hit->status != RayStatus::surface) continue;
    const SurfaceSample sample = sample_at(field.view(), hit->position_m[0], hit->position_m[2]);
    ASSERT_NEAR(hit->position_m[1], sample.y_m, 1e-9);
    const double sum = hit->barycentrics[0] + hit->barycentrics[1] + hit->barycentrics[2];
    ASSERT_NEAR(sum, 1, 1e-12);
    if (*std::min_element(sample.barycentrics.begin(), sample.barycentrics.end()) > 1e-9) {
      ASSERT_EQ(hit->x_cell, sample.x_cell);
      ASSERT_EQ(hit->z_cell, sample.z_cell);
      ASSERT_EQ(hit->is_upper, sample.is_upper);
      ASSERT_EQ(hit->normal, sample.normal);
      for (std::size_t k = 0; k < 3; ++k) ASSERT_NEAR(hit->barycentrics[k], sample.barycentrics[k], 1e-9);
    }
  }
}

TEST(Ray, LongRaysPassOverEmptySpace_B26) {
  const Lattice lattice = point_lattice(1025, 1025, 1, 0x1p-6);
  const TestField field(lattice,
                        [](int x, int z) { return 1 + int(test::hash(std::uint64_t(x), std::uint64_t(z), 2) % 3201); });
  const RayBounds bounds = field.bounds();
  RayCost over, into;
  const auto miss = raycast(field.view(), bounds, {.origin_m = {0, 50.05, 0}, .direction = {1, 0, 1}}, &over);
  EXPECT_EQ(miss->status, RayStatus::miss);
  EXPECT_LE(over.bounds + over.cells, 4);
  const auto hit = raycast(field.view(), bounds, {.origin_m = {0, 49.9, 0.25}, .direction = {1, 0, 1}}, &into);
  EXPECT_LT(into.cells, 4 * (1024 + 1024));
  EXPECT_LT(into.bounds, 4 * (1024 + 1024));
  static_cast<void>(hit);
}

TEST(RayBounds, FollowTheDataAndItsEdits_B15) {
  std::mt19937 random(9);
  for (const auto& [stops_x, stops_z] : {std::pair{65, 65}, {37, 20}, {2, 2}, {1, 9}, {130, 6}, {200, 300}}) {
    const Lattice lattice = point_lattice(stops_x, stops_z);
    TestField field(lattice, test::terrain_field(test::Terrain::holes, 3, lattice));
    RayBounds bounds = field.bounds();
    for (int edit = 0; edit < 20; ++edit) {
      const std::int32_t x = std::int32_t(random() % unsigned(stops_x)), z = std::int32_t(random() % unsigned(stops_z));
      field.at(x, z) = std::uint16_t(edit % 3 == 0 ? 0 : edit % 3 == 1 ? 1 : 65535);
      bounds.update(field.view(), z, z + 1);
      for (std::int32_t k = 0; k < stops_z; ++k) {
        for (std::int32_t i = 0; i < stops_x; ++i) {
          const int here = field.at(i, k);
          const int east = i + 1 < stops_x ? field.at(i + 1, k) : 0, south = k + 1 < stops_z ? field.at(i, k + 1) : 0;
          ASSERT_TRUE(here == 0 || east == 0 || std::abs(here - east) <= bounds.steepest());
          ASSERT_TRUE(here == 0 || south == 0 || std::abs(here - south) <= bounds.steepest());
        }
      }
      for (int level = 2; level <= bounds.top_level(); ++level) {
        for (std::int32_t bz = 0; bz < bounds.blocks_z(level); ++bz) {
          for (std::int32_t bx = 0; bx < bounds.blocks_x(level); ++bx) {
            std::uint32_t greatest = 0, least = 65535;
            for (std::int32_t k = bz << level; k <= std::min((bz + 1) << level, stops_z - 1); ++k) {
              for (std::int32_t i = bx << level; i <= std::min((bx + 1) << level, stops_x - 1); ++i) {
                greatest = std::max<std::uint32_t>(greatest, field.at(i, k));
                least = std::min<std::uint32_t>(least, field.at(i, k));
              }
            }
            ASSERT_EQ(bounds.level(level)[bz * bounds.blocks_x(level) + bx], greatest | least << 16);
          }
        }
      }
    }
  }
  TestField field(point_lattice(65, 65), [](int x, int z) { return 51 + (x * z) % 400; });
  RayBounds bounds = field.bounds();
  field.at(30, 30) = 960;
  const Ray ray{{30, 900, 0}, {0, 0, 1}};
  bounds.update(field.view(), 30, 31);
  const auto hit = raycast(field.view(), bounds, ray);
  ASSERT_EQ(hit->status, RayStatus::surface);
  EXPECT_EQ(hit->position_m[1], 900);
  EXPECT_LE(double(bounds.bytes()), 0.4 * 65 * 65);
}

TEST(Ray, ABallRestsOnOnePlane_B16) {
  const TestField flat(point_lattice(2, 2, 10), {1, 1, 1, 1});
  const double radius = 0.1;
  for (const auto& [x, z] : {std::pair{5.0, 5.0}, {0.0, 5.0}, {10.0, 5.0}, {5.0, 0.0}, {5.0, 10.0}, {4.0, 6.0}}) {
    const std::array<double, 3> centre{x, 1.05, z};
    int touched = 0;
    triangles(
        flat.view(), {{x - radius, 0.95, z - radius}, {x + radius, 1.15, z + radius}}, [&](const Triangle& triangle) {
          const auto& v = triangle.vertices_m;
          const std::array<double, 3> a{v[1][0] - v[0][0], v[1][1] - v[0][1], v[1][2] - v[0][2]};
          const std::array<double, 3> b{v[2][0] - v[0][0], v[2][1] - v[0][1], v[2][2] - v[0][2]};
          const double nx = a[1] * b[2] - a[2] * b[1], ny = a[2] * b[0] - a[0] * b[2], nz = a[0] * b[1] - a[1] * b[0];
          EXPECT_EQ(nx, 0);
          EXPECT_GT(ny, 0);
          EXPECT_EQ(nz, 0);
          EXPECT_NEAR(radius - (centre[1] - v[0][1]), 0.05, 1e-15);
          ++touched;
          return true;
        });
    EXPECT_GE(touched, 1);
    EXPECT_LE(touched, 2);
    EXPECT_EQ(sample_at(flat.view(), x, z).normal, (std::array<double, 3>{0, 1, 0}));
  }
}

}  // namespace
}  // namespace arete
