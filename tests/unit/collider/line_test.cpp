// Profiles and lines of sight: every bend of the ground under a line, and nothing between them.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "support/field_pages.h"
#include "support/terrain.h"

namespace arete {
namespace {
using test::FieldPages;
using test::TestField;

std::vector<ProfilePoint> points_of(const HeightfieldView& view, std::array<double, 2> from, std::array<double, 2> to) {
  std::vector<ProfilePoint> points;
  EXPECT_TRUE(profile(view, from, to, [&](const ProfilePoint& point) {
    points.push_back(point);
    return true;
  }));
  return points;
}

TEST(Profile, HoldsEveryBendOfOneCell) {
  const TestField field(Lattice{.stops_x = 2, .stops_z = 2, .spacing_x_m = 10, .spacing_z_m = 10},
                        std::vector<std::uint16_t>{1, 11, 21, 91});
  const auto points = points_of(field.view(), {-10, 0}, {20, 10});
  // Enters at x = 0 (z 3.33), meets the diagonal, leaves at x = 10 (z 6.67).
  ASSERT_EQ(points.size(), 5u);
  EXPECT_EQ(points[0].ground, Ground::outside);
  EXPECT_EQ(points[0].onward, Ground::outside);
  EXPECT_EQ(points[1].x_m, 0);
  EXPECT_EQ(points[1].onward, Ground::surface);
  EXPECT_NEAR(points[1].y_m, 1 + 20 / 3.0, 1e-12);
  EXPECT_NEAR(points[2].x_m, 5, 1e-12);
  EXPECT_NEAR(points[2].z_m, 5, 1e-12);
  EXPECT_NEAR(points[2].y_m, 16, 1e-12);
  EXPECT_EQ(points[3].x_m, 10);
  EXPECT_NEAR(points[3].y_m, 11 + 80 * 2 / 3.0, 1e-12);
  EXPECT_EQ(points[3].onward, Ground::outside);
  EXPECT_EQ(points[4].part, 1);
  EXPECT_EQ(points[4].x_m, 20);
}

TEST(Profile, IsStraightBetweenItsPoints) {
  std::mt19937_64 random(3);
  for (const Registration registration : {Registration::point, Registration::area}) {
    for (const auto terrain : {test::Terrain::random, test::Terrain::holes}) {
      const Lattice lattice{.stops_x = 200,
                            .stops_z = 150,
                            .registration = registration,
                            .spacing_x_m = 2.5,
                            .spacing_z_m = 4,
                            .base_m = -64,
                            .step_m = 0.0078125};
      const TestField field(lattice, test::terrain_field(terrain, 8, lattice));
      const FieldPages pages(field);
      PageCollider collider(pages);
      std::uniform_real_distribution<double> unit(-0.1, 1.1);
      for (int i = 0; i < 60; ++i) {
        std::array<double, 2> from{unit(random) * lattice.width_m(), unit(random) * lattice.depth_m()};
        std::array<double, 2> to{unit(random) * lattice.width_m(), unit(random) * lattice.depth_m()};
        if (i % 5 == 0) from[0] = to[0] = lattice.x_m(17);
        if (i % 7 == 0) to[1] = from[1];
        const std::vector<ProfilePoint> points = points_of(field.view(), from, to);
        ASSERT_EQ(points.front().part, 0);
        ASSERT_EQ(points.back().part, 1);
        for (std::size_t k = 0; k + 1 < points.size(); ++k) {
          const ProfilePoint &a = points[k], &b = points[k + 1];
          ASSERT_LE(a.part, b.part);
          if (!(b.part - a.part > 1e-9)) continue;
          for (const double f : {0.1, 0.5, 0.9}) {
            const HeightAnswer between =
                height_at(field.view(), a.x_m + (b.x_m - a.x_m) * f, a.z_m + (b.z_m - a.z_m) * f);
            ASSERT_EQ(between.ground, a.onward) << i << ' ' << k << ' ' << f;
            if (a.onward == Ground::surface) {
              ASSERT_EQ(a.ground, Ground::surface);
              ASSERT_EQ(b.ground, Ground::surface);
              ASSERT_NEAR(between.y_m, a.y_m + (b.y_m - a.y_m) * f, 1e-7) << i << ' ' << k << ' ' << f;
            }
          }
        }
        std::size_t next = 0;
        ASSERT_TRUE(collider.profile(from, to, [&](const ProfilePoint& point) {
          EXPECT_EQ(point.part, points[next].part);
          EXPECT_EQ(point.onward, points[next].onward);
          EXPECT_EQ(std::bit_cast<std::uint64_t>(point.y_m), std::bit_cast<std::uint64_t>(points[next].y_m));
          return ++next > 0;
        }));
        ASSERT_EQ(next, points.size());
      }
      int calls = 0;
      ASSERT_TRUE(profile(field.view(), {0, 0}, {100, 100}, [&](const ProfilePoint&) { return ++calls < 4; }));
      EXPECT_EQ(calls, 4);
    }
  }
}

TEST(Profile, SaysWhereNothingIsLoaded) {
  const TestField field(Lattice{.stops_x = 257, .stops_z = 129}, [](int x, int) { return 1 + x; });
  FieldPages pages(field);
  pages.absent = {PageKey{0, 1, 0}.packed()};
  PageCollider collider(pages);
  std::vector<ProfilePoint> points;
  ASSERT_TRUE(collider.profile({126, 3.5}, {131, 3.5}, [&](const ProfilePoint& point) {
    points.push_back(point);
    return true;
  }));
  EXPECT_EQ(points.front().y_m, 127);
  EXPECT_EQ(points.back().ground, Ground::not_loaded);
  pages.damaged = pages.absent;
  EXPECT_FALSE(collider.profile({126, 3.5}, {131, 3.5}, [](const ProfilePoint&) { return true; }));
  EXPECT_FALSE(profile(field.view(), {0, std::nan("")}, {1, 1}, [](const ProfilePoint&) { return true; }));
}

// A line is clear when it stands under no ground at any bend of the ground below it.
TEST(Sight, IsBlockedExactlyWhereGroundStandsOverTheLine) {
  std::mt19937_64 random(5);
  for (const auto terrain : {test::Terrain::fractal, test::Terrain::holes}) {
    const Lattice lattice{.stops_x = 300, .stops_z = 280, .spacing_x_m = 10, .spacing_z_m = 10, .step_m = 0.03125};
    const TestField field(lattice, test::terrain_field(terrain, 21, lattice));
    const RayBounds bounds = field.bounds();
    const FieldPages pages(field);
    PageCollider collider(pages);
    std::uniform_real_distribution<double> unit(0, 1);
    int blocked = 0;
    for (int i = 0; i < 3000; ++i) {
      std::array<double, 3> from{}, to{};
      for (auto* end : {&from, &to}) {
        (*end)[0] = unit(random) * lattice.width_m();
        (*end)[2] = unit(random) * lattice.depth_m();
        const HeightAnswer ground = height_at(field.view(), (*end)[0], (*end)[2]);
        (*end)[1] = (ground.ground == Ground::surface ? ground.y_m : 900) + (i % 3 == 0 ? 0 : unit(random) * 300 - 20);
      }
      double least = 1e300, where = 1;
      ASSERT_TRUE(profile(field.view(), {from[0], from[2]}, {to[0], to[2]}, [&](const ProfilePoint& point) {
        if (point.ground == Ground::surface) {
          const double over = from[1] + (to[1] - from[1]) * point.part - point.y_m;
          if (least >= -kSightSlack_m && over < -kSightSlack_m) where = point.part;
          least = std::min(least, over);
        }
        return true;
      }));
      if (std::abs(least + kSightSlack_m) < 1e-9) continue;  // too close to call in double
      const auto seen = sight(field.view(), bounds, from, to);
      ASSERT_EQ(seen->status, least < -kSightSlack_m ? SightStatus::blocked : SightStatus::clear) << i << ' ' << least;
      blocked += seen->status == SightStatus::blocked ? 1 : 0;
      ASSERT_LE(seen->part, where + 1e-9);
      const auto paged = collider.sight(from, to);
      ASSERT_EQ(paged->status, seen->status);
      ASSERT_EQ(paged->part, seen->part);
    }
    EXPECT_GT(blocked, 300);
    EXPECT_LT(blocked, 2900);
  }
}

TEST(Sight, SeesAlongGroundThroughHolesAndNotFromUnderIt) {
  TestField field(Lattice{.stops_x = 20, .stops_z = 20}, [](int, int) { return 10; });
  RayBounds bounds = field.bounds();
  const auto status = [&](std::array<double, 3> from, std::array<double, 3> to) {
    return sight(field.view(), bounds, from, to)->status;
  };
  EXPECT_EQ(status({1, 10, 1}, {18, 10, 17}), SightStatus::clear);  // touching
  EXPECT_EQ(status({1, 9.9, 1}, {18, 30, 17}), SightStatus::blocked);
  EXPECT_EQ(sight(field.view(), bounds, {1, 9.9, 1}, {18, 30, 17})->part, 0);
  EXPECT_EQ(status({5, 5, 5}, {5, 5, 5}), SightStatus::blocked);
  EXPECT_EQ(status({5, 15, 5}, {5, 15, 5}), SightStatus::clear);
  EXPECT_EQ(status({5, 15, 5}, {5, 9, 5}), SightStatus::blocked);
  EXPECT_EQ(status({5, 5, 5}, {5, 90, 5}), SightStatus::blocked);
  for (int z = 0; z < 20; ++z) {
    for (int x = 8; x < 12; ++x) field.at(x, z) = 0;
  }
  bounds = field.bounds();
  EXPECT_EQ(status({9, 2, 5}, {10, 30, 5}), SightStatus::clear);   // up through the hole
  EXPECT_EQ(status({9, 2, 5}, {15, 9, 5}), SightStatus::blocked);  // into the ground beside it
  EXPECT_FALSE(sight(field.view(), bounds, {0, 0, 0}, {1, std::numeric_limits<double>::infinity(), 1}));
}

}  // namespace
}  // namespace arete
