// Batches of rays on every instruction set: the bits of single casts, over a field in memory and over its pages.
#include <gtest/gtest.h>

#include "support/field_pages.h"
#include "support/instruction_sets.h"
#include "support/ray_kinds.h"
#include "support/terrain.h"

namespace arete {
namespace {

void expect_same(const RayHit& a, const RayHit& b, const std::string& where) {
  ASSERT_EQ(a.status, b.status) << where;
  ASSERT_EQ(a.is_upper, b.is_upper) << where;
  ASSERT_EQ(a.from_below, b.from_below) << where;
  ASSERT_EQ(a.x_cell, b.x_cell) << where;
  ASSERT_EQ(a.z_cell, b.z_cell) << where;
  const auto bits = [](const RayHit& hit) {
    std::vector<std::uint64_t> words{std::bit_cast<std::uint64_t>(hit.t)};
    for (const auto& numbers : {hit.position_m, hit.barycentrics, hit.normal}) {
      for (const double number : numbers) words.push_back(std::bit_cast<std::uint64_t>(number));
    }
    return words;
  };
  ASSERT_EQ(bits(a), bits(b)) << where;
}

TEST(RayBatch, EqualsSingleCasts) {
  for (const test::Terrain terrain : {test::Terrain::fractal, test::Terrain::holes, test::Terrain::smooth}) {
    for (const Registration registration : {Registration::point, Registration::area}) {
      const Lattice lattice{.stops_x = 150,
                            .stops_z = 139,
                            .registration = registration,
                            .spacing_x_m = 4,
                            .spacing_z_m = 2,
                            .base_m = -16,
                            .step_m = 0.25};
      const test::TestField field(lattice, test::terrain_field(terrain, 3, lattice));
      const RayBounds bounds = field.bounds();
      const test::FieldPages pages(field);
      test::RayMaker maker({lattice.stops_x, lattice.stops_z, field.stops.data()}, 5);
      std::vector<Ray> rays;
      for (int kind = 0; kind < int(test::RayKind::count); ++kind) {
        for (int i = 0; i < 300; ++i) {
          rays.push_back(test::ray_in_metres(maker.make(test::RayKind(kind)), lattice));
        }
      }
      // Numbers for which lanes are not made: straight up and down, tiny and huge directions, starts beyond all fields.
      for (int i = 0; i < 40; ++i) {
        Ray ray = rays[std::size_t(i) * 7];
        const double factor = i % 3 == 0 ? 0x1p-1000 : i % 3 == 1 ? 0x1p1000 : 1;
        for (double& number : ray.direction) number *= factor;
        if (i % 4 == 0) ray.direction[0] = ray.direction[2] = 0, ray.direction[1] = i % 8 == 0 ? -1 : 1;
        if (i % 5 == 0) ray.origin_m[1] = 1e18, ray.direction[1] = -1e15;
        rays.push_back(ray);
      }
      std::vector<RayHit> expected;
      expected.reserve(rays.size());
      for (const Ray& ray : rays) expected.push_back(*raycast(field.view(), bounds, ray));
      test::on_every_target([&](const char* target) {
        std::vector<RayHit> hits(rays.size()), page_hits(rays.size());
        std::vector<std::uint8_t> is_hit(rays.size());
        PageCollider collider(pages);
        ASSERT_TRUE(raycast(field.view(), bounds, rays, hits));
        ASSERT_TRUE(raycast_any(field.view(), bounds, rays, is_hit));
        ASSERT_TRUE(collider.raycast(rays, page_hits));
        for (std::size_t i = 0; i < rays.size(); ++i) {
          const std::string where =
              std::string(target) + ", " + ": terrain " + std::to_string(int(terrain)) + ", ray " + std::to_string(i);
          ASSERT_NO_FATAL_FAILURE(expect_same(hits[i], expected[i], where));
          ASSERT_NO_FATAL_FAILURE(expect_same(page_hits[i], expected[i], where + " over pages"));
          ASSERT_EQ(is_hit[i] != 0, expected[i].status == RayStatus::surface) << where;
        }
      });
    }
  }
}

}  // namespace
}  // namespace arete
