// Queries over pages: the same answers as over the whole field, "not loaded" where a page is missing, edits, and the
// budget.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/field_pages.h"
#include "support/terrain.h"

namespace arete {
namespace {
using test::FieldPages;
using test::TestField;

Lattice wide_lattice(Registration registration) {
  return {.stops_x = 300,
          .stops_z = 400,
          .registration = registration,
          .spacing_x_m = 2.5,
          .spacing_z_m = 4,
          .base_m = -64,
          .step_m = 0.03125};
}

std::vector<Ray> random_rays(const Lattice& lattice, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const double top = lattice.height_m(65535), bottom = lattice.height_m(1);
  std::vector<Ray> rays;
  for (int i = 0; i < count; ++i) {
    Ray ray{
        {unit(random) * lattice.width_m(), bottom + (top - bottom) * unit(random), unit(random) * lattice.depth_m()},
        {unit(random) - 0.5, unit(random) - 0.6, unit(random) - 0.5}};
    if (i % 4 == 0) ray.direction[1] *= 0.1;
    if (i % 7 == 0) ray.origin_m[0] = lattice.x_m(128), ray.direction[0] = 0;  // along the border of pages
    if (i % 11 == 0) ray.origin_m[2] = lattice.z_m(256), ray.direction[2] = 0;
    if (i % 13 == 0) ray.max_t = unit(random) * 500;
    ray.sides = i % 2 == 0 ? Sides::both : Sides::front;
    rays.push_back(ray);
  }
  return rays;
}

TEST(Pages, AnswerLikeTheWholeField) {
  for (const Registration registration : {Registration::point, Registration::area}) {
    for (const auto terrain : {test::Terrain::fractal, test::Terrain::holes, test::Terrain::random}) {
      const Lattice lattice = wide_lattice(registration);
      const TestField field(lattice, test::terrain_field(terrain, 8, lattice));
      const FieldPages pages(field);
      PageCollider collider(pages, {.budget_bytes = 1});  // the least number of pages: they come and go
      const RayBounds bounds = field.bounds();
      std::mt19937_64 random(1);
      std::uniform_real_distribution<double> unit(-0.01, 1.01);
      std::vector<double> xs, zs;
      for (int i = 0; i < 1500; ++i) {
        double x = unit(random) * lattice.width_m(), z = unit(random) * lattice.depth_m();
        if (i % 3 == 0) x = lattice.x_m(std::int32_t(random() % 300));
        if (i % 4 == 0) z = lattice.z_m(std::int32_t(random() % 400));
        if (i % 9 == 0) x = lattice.x_m(std::int32_t(128 * (random() % 3)));
        xs.push_back(x);
        zs.push_back(z);
        const SurfaceSample expected = sample_at(field.view(), x, z);
        const auto sample = collider.sample_at(x, z);
        ASSERT_TRUE(sample);
        ASSERT_EQ(sample->ground, expected.ground);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(sample->y_m), std::bit_cast<std::uint64_t>(expected.y_m));
        ASSERT_EQ(sample->normal, expected.normal);
        ASSERT_EQ(sample->x_cell, expected.x_cell);
        const auto direct = height_at(pages, x, z);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(direct->y_m), std::bit_cast<std::uint64_t>(expected.y_m));
        ASSERT_EQ(normal_at(pages, x, z)->normal, expected.normal);
      }
      std::vector<double> ys(xs.size());
      std::vector<Ground> grounds(xs.size());
      ASSERT_TRUE(collider.heights_at(xs, zs, ys, grounds));
      for (std::size_t i = 0; i < xs.size(); ++i) {
        const HeightAnswer expected = height_at(field.view(), xs[i], zs[i]);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(ys[i]), std::bit_cast<std::uint64_t>(expected.y_m)) << i;
        ASSERT_EQ(grounds[i], expected.ground);
      }
      const std::vector<Ray> rays = random_rays(lattice, 1500, 2);
      std::vector<RayHit> hits(rays.size());
      ASSERT_TRUE(collider.raycast(rays, hits));
      for (std::size_t i = 0; i < rays.size(); ++i) {
        const auto expected = raycast(field.view(), bounds, rays[i]);
        const auto hit = collider.raycast(rays[i]);
        ASSERT_EQ(hit->status, expected->status) << i;
        ASSERT_EQ(hit->t, expected->t) << i;
        ASSERT_EQ(hit->x_cell, expected->x_cell) << i;
        ASSERT_EQ(hit->is_upper, expected->is_upper) << i;
        ASSERT_EQ(hit->normal, expected->normal) << i;
        ASSERT_EQ(hits[i].status, expected->status) << i;
        ASSERT_EQ(hits[i].t, expected->t) << i;
      }
    }
  }
}

TEST(Pages, SayNotLoadedInsteadOfGuessing_B19) {
  const Lattice lattice{.stops_x = 257, .stops_z = 257};
  TestField field(lattice, [](int, int) { return 1; });
  field.at(200, 60) = 1001;
  FieldPages pages(field);
  pages.absent = {PageKey{0, 1, 0}.packed()};
  PageCollider collider(pages);
  for (const double x : {200.0, 200.5, 128.0, 256.0}) {
    EXPECT_EQ(collider.height_at(x, 60)->ground, Ground::not_loaded) << x;
    EXPECT_EQ(height_at(pages, x, 60)->ground, Ground::not_loaded) << x;
  }
  EXPECT_EQ(collider.height_at(127.75, 60)->y_m, 1);
  EXPECT_EQ(collider.height_at(300, 60)->ground, Ground::outside);
  // A ray stops at the page that is missing, unless it meets ground before.
  const auto stopped = collider.raycast({{10, 500, 60}, {1, 0, 0}});
  EXPECT_EQ(stopped->status, RayStatus::not_loaded);
  EXPECT_EQ(stopped->t, 118);
  EXPECT_EQ(collider.raycast_any({{10, 500, 60}, {1, 0, 0}}).value(), RayStatus::not_loaded);
  EXPECT_EQ(collider.raycast({{10, 50, 60}, {1, -1, 0}})->status, RayStatus::surface);
  EXPECT_EQ(collider.raycast({{200, 5000, 60}, {0, -1, 0}})->status, RayStatus::not_loaded);
  std::int64_t seen = 0;
  const auto absent = collider.triangles({{0, 0, 0}, {256, 2000, 256}}, [&](const Triangle&) { return ++seen > 0; });
  EXPECT_EQ(*absent, 1);
  EXPECT_EQ(seen, 3 * 2 * 128 * 128);
  // In batches as well.
  const std::vector<Ray> rays = random_rays(lattice, 2000, 3);
  std::vector<RayHit> hits(rays.size());
  std::vector<RayStatus> statuses(rays.size());
  ASSERT_TRUE(collider.raycast(rays, hits));
  ASSERT_TRUE(collider.raycast_any(rays, statuses));
  std::vector<double> xs, zs, ys(rays.size());
  std::vector<Ground> grounds(rays.size());
  for (const Ray& ray : rays) xs.push_back(ray.origin_m[0]), zs.push_back(ray.origin_m[2]);
  ASSERT_TRUE(collider.heights_at(xs, zs, ys, grounds));
  int stops = 0;
  for (std::size_t i = 0; i < rays.size(); ++i) {
    const auto single = collider.raycast(rays[i]);
    ASSERT_EQ(hits[i].status, single->status) << i;
    ASSERT_EQ(statuses[i], single->status) << i;
    ASSERT_EQ(hits[i].t, single->t) << i;
    ASSERT_EQ(grounds[i], collider.height_at(xs[i], zs[i])->ground) << i;
    stops += single->status == RayStatus::not_loaded ? 1 : 0;
  }
  EXPECT_GT(stops, 100);
  // Once it is there, it answers.
  pages.absent.clear();
  EXPECT_EQ(collider.height_at(200, 60)->y_m, 1001);
  EXPECT_EQ(collider.height_at(200.5, 60)->y_m, 501);
  EXPECT_EQ(collider.raycast({{10, 500, 60}, {1, 0, 0}})->status, RayStatus::surface);
}

TEST(Pages, DamageIsAnErrorAndStaysOne) {
  const Lattice lattice{.stops_x = 257, .stops_z = 257};
  const TestField field(lattice, [](int, int) { return 5; });
  FieldPages pages(field);
  pages.damaged = {PageKey{0, 0, 1}.packed()};
  PageCollider collider(pages);
  EXPECT_FALSE(collider.height_at(3, 200));
  EXPECT_FALSE(collider.raycast({{3, 100, 200}, {0.1, -1, 0}}));
  EXPECT_TRUE(collider.height_at(3, 20));
  std::vector<double> x{3, 3}, z{20, 200}, y(2);
  std::vector<Ground> ground(2);
  EXPECT_FALSE(collider.heights_at(x, z, y, ground));
  EXPECT_FALSE(collider.triangles({{0, 0, 0}, {256, 9, 256}}, [](const Triangle&) { return true; }));
  EXPECT_FALSE(height_at(pages, 3, 200));
}

TEST(Pages, EditsShowOnceForgotten_B15) {
  const Lattice lattice{.stops_x = 200, .stops_z = 200};
  TestField field(lattice, [](int, int) { return 10; });
  const FieldPages pages(field);
  PageCollider collider(pages);
  const Ray level{{60, 500, 0}, {0, 0, 1}};
  EXPECT_EQ(collider.raycast(level)->status, RayStatus::miss);
  field.at(60, 60) = 900;
  collider.forget({0, 0, 0});
  EXPECT_EQ(collider.height_at(60, 60)->y_m, 900);
  EXPECT_EQ(collider.raycast(level)->status, RayStatus::surface);
  field.at(60, 60) = 10;
  collider.forget_all();
  EXPECT_EQ(collider.resident_pages(), 0u);
  EXPECT_EQ(collider.raycast(level)->status, RayStatus::miss);
}

TEST(Pages, DeclaredBoundsAreUsedAndChecked_B15) {
  const Lattice lattice{.stops_x = 1025, .stops_z = 1025};
  TestField field(lattice, [](int x, int z) { return 100 + (x + z) % 50; });
  const FieldPages pages(field);
  const Bounds bounds = test::wide_bounds(lattice, 100, 149);
  PageCollider collider(pages, {.bounds = &bounds});
  EXPECT_EQ(collider.raycast({{3, 149.5, 4}, {1, 0, 0.9}})->status, RayStatus::miss);
  EXPECT_EQ(pages.loads, 0);  // passed over without a page
  const auto hit = collider.raycast({{3, 1200, 4}, {1, -1.2, 0.9}});
  EXPECT_EQ(hit->status, RayStatus::surface);
  EXPECT_LE(pages.loads, 2);
  EXPECT_EQ(hit->t, raycast(field.view(), field.bounds(), {{3, 1200, 4}, {1, -1.2, 0.9}})->t);
  field.at(700, 700) = 900;
  const auto wrong = collider.height_at(700, 700);
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().message.find("900"), std::string::npos) << wrong.error().message;
  field.at(300, 300) = 50;
  const auto low = collider.height_at(300, 300);
  ASSERT_FALSE(low);
  EXPECT_NE(low.error().message.find("50 to 149"), std::string::npos) << low.error().message;
}

TEST(Pages, StayWithinTheBudget) {
  const Lattice lattice{.stops_x = 1281, .stops_z = 1281};
  const TestField field(lattice, [](int x, int) { return 1 + x; });
  const FieldPages pages(field);
  PageCollider collider(pages, {.budget_bytes = 12 * 40000});
  std::mt19937 random(2);
  for (int i = 0; i < 5000; ++i) {
    const double x = double(random() % 12800) / 10, z = double(random() % 12800) / 10;
    ASSERT_NEAR(collider.height_at(x, z)->y_m, 1 + x, 1e-9);
    ASSERT_LE(collider.resident_bytes(), 12u * 40000u);
  }
  EXPECT_GT(collider.resident_pages(), 4u);
}

TEST(Triangles, ComeRowByRowWithTheirIdsAndWindings) {
  const Lattice lattice = wide_lattice(Registration::area);
  const TestField field(lattice, test::terrain_field(test::Terrain::holes, 4, lattice));
  const FieldPages pages(field);
  PageCollider collider(pages);
  std::mt19937 random(4);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 60; ++i) {
    Box box;
    const double x = unit(random) * 700, z = unit(random) * 1500, y = unit(random) * 1500;
    box.min_m = {x, y, z};
    box.max_m = {x + unit(random) * 90, y + unit(random) * 400, z + unit(random) * 90};
    if (i == 0) box = {{-1e30, -1e30, -1e30}, {1e30, 1e30, 1e30}};
    if (i == 1) box = {{lattice.x_m(5), -1e9, lattice.z_m(7)}, {lattice.x_m(5), 1e9, lattice.z_m(7)}};
    std::vector<Triangle> seen;
    triangles(field.view(), box, [&](const Triangle& triangle) {
      seen.push_back(triangle);
      return true;
    });
    std::size_t next = 0;
    ASSERT_TRUE(collider.triangles(box, [&](const Triangle& triangle) {
      EXPECT_LT(next, seen.size());
      EXPECT_EQ(triangle.id, seen[next].id);
      EXPECT_EQ(triangle.vertices_m, seen[next].vertices_m);
      return ++next > 0;
    }));
    ASSERT_EQ(next, seen.size());
    // Every triangle of the field, tested against the box by its own.
    std::size_t expected = 0;
    for (std::int32_t cz = 0; cz < 399; ++cz) {
      for (std::int32_t cx = 0; cx < 299; ++cx) {
        for (const int upper : {0, 1}) {
          const std::array<std::array<int, 2>, 3> corners =
              upper == 1 ? std::array<std::array<int, 2>, 3>{{{cx + 1, cz + 1}, {cx + 1, cz}, {cx, cz + 1}}}
                         : std::array<std::array<int, 2>, 3>{{{cx, cz}, {cx, cz + 1}, {cx + 1, cz}}};
          std::array<double, 3> least{1e300, 1e300, 1e300}, greatest{-1e300, -1e300, -1e300};
          bool is_valid = true;
          for (const auto& [sx, sz] : corners) {
            const std::uint16_t steps = field.view().at(sx, sz);
            is_valid = is_valid && steps != 0;
            const std::array<double, 3> place{lattice.x_m(sx), lattice.height_m(steps), lattice.z_m(sz)};
            for (std::size_t k = 0; k < 3; ++k) {
              least[k] = std::min(least[k], place[k]);
              greatest[k] = std::max(greatest[k], place[k]);
            }
          }
          for (std::size_t k = 0; k < 3; ++k)
            is_valid = is_valid && least[k] <= box.max_m[k] && greatest[k] >= box.min_m[k];
          if (!is_valid) continue;
          ASSERT_LT(expected, seen.size());
          ASSERT_EQ(seen[expected].id, 2u * std::uint64_t(cz * 299 + cx) + unsigned(upper));
          const auto& v = seen[expected].vertices_m;
          const double up = (v[1][2] - v[0][2]) * (v[2][0] - v[0][0]) - (v[1][0] - v[0][0]) * (v[2][2] - v[0][2]);
          ASSERT_GT(up, 0);  // counter-clockwise from above
          ++expected;
        }
      }
    }
    ASSERT_EQ(expected, seen.size()) << i;
  }
  int calls = 0;
  triangles(field.view(), {{0, -1e9, 0}, {100, 1e9, 100}}, [&](const Triangle&) { return ++calls < 3; });
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace arete
