// The parts of the mesher against their definitions: exact errors by clipping, border segments by their rule, strips.
#include <gtest/gtest.h>

#include <random>

#include "adaptive/border.h"
#include "adaptive/error_meter.h"
#include "adaptive/field_reader.h"
#include "adaptive/strip_fit.h"
#include "support/mesh_proof.h"
#include "support/terrain.h"

namespace arete::adaptive {
namespace {

SampleBlock block_of(const Lattice& lattice, const std::vector<std::uint16_t>& stops, std::int32_t x0, std::int32_t z0,
                     std::int32_t cells) {
  SampleBlock block;
  EXPECT_TRUE(FieldReader(lattice, stops).read(x0, z0, cells, block));
  return block;
}

// The greatest distance of a triangle to the field by clipping with every cell triangle.
double clipped_error(const Lattice& lattice, const std::vector<std::uint16_t>& stops, Place a, Place b, Place c) {
  const auto corner = [&](std::int32_t x, std::int32_t z) {
    return test::proof::Corner{{double(lattice.half_x(x)), double(lattice.half_z(z))},
                               double(stops[std::size_t(z) * std::size_t(lattice.stops_x) + std::size_t(x)])};
  };
  test::proof::Corners t{corner(a.x, a.z), corner(b.x, b.z), corner(c.x, c.z)};
  if (test::proof::doubled_area(t[0].at, t[1].at, t[2].at) < 0) {
    std::swap(t[1], t[2]);
  }
  double worst = 0;
  for (std::int32_t z = 0; z + 1 < lattice.stops_z; ++z) {
    for (std::int32_t x = 0; x + 1 < lattice.stops_x; ++x) {
      for (const auto& cell : {test::proof::Corners{corner(x, z), corner(x, z + 1), corner(x + 1, z)},
                               test::proof::Corners{corner(x + 1, z), corner(x, z + 1), corner(x + 1, z + 1)}}) {
        const auto part = test::proof::clip({t[0].at, t[1].at, t[2].at}, cell);
        if (test::proof::polygon_area(part) < 1e-9) continue;
        for (const auto p : part) {
          worst = std::max(worst, std::abs(test::proof::height_at(t, p) - test::proof::height_at(cell, p)));
        }
      }
    }
  }
  return worst;
}

TEST(ErrorMeter, EqualsClippingOnEvenAndUnevenLattices) {
  for (std::uint64_t seed = 1; seed <= 600; ++seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](std::int32_t last) { return std::uniform_int_distribution<std::int32_t>(0, last)(random); };
    const Lattice lattice{.stops_x = 3 + pick(17),
                          .stops_z = 3 + pick(17),
                          .registration = seed % 2 == 0 ? Registration::area : Registration::point};
    const auto stops = test::terrain_field(test::Terrain(seed % 3 == 0 ? 2 : 0), seed, lattice);
    const SampleBlock block = block_of(lattice, stops, 0, 0, 32);
    const ErrorMeter meter(block);
    const auto place = [&] { return Place{pick(lattice.last_stop_x()), pick(lattice.last_stop_z())}; };
    const Place a = place(), b = place(), c = place();
    const auto at = [&](Place p) {
      return test::proof::Point{double(lattice.half_x(p.x)), double(lattice.half_z(p.z))};
    };
    if (test::proof::doubled_area(at(a), at(b), at(c)) == 0) continue;
    ASSERT_NEAR(meter.triangle(a, b, c), clipped_error(lattice, stops, a, b, c), 1e-6) << "seed " << seed;
  }
}

TEST(ErrorMeter, ComparesWithItsLimitExactly) {
  // A peak of 1 over a flat triangle pair: the error is 1 at a sample, and 2/3 on a line through it.
  const Lattice lattice{.stops_x = 5, .stops_z = 5};
  std::vector<std::uint16_t> stops(25, 100);
  stops[2 * 5 + 2] = 101;
  const SampleBlock block = block_of(lattice, stops, 0, 0, 4);
  ErrorMeter meter(block);
  meter.set_limit(1);
  EXPECT_EQ(meter.triangle({0, 0}, {0, 4}, {4, 0}), 1);
  meter.set_limit(std::nextafter(1.0, 0.0));
  EXPECT_EQ(meter.triangle({0, 0}, {0, 4}, {4, 0}), kTooFar);
}

TEST(ErrorMeter, LargeTrianglesAreExact) {
  // Areas beyond the 32-bit path: a plane with one sample off by one.
  const Lattice lattice{.stops_x = 513, .stops_z = 513};
  std::vector<std::uint16_t> stops(513 * 513);
  for (std::int32_t z = 0; z < 513; ++z) {
    for (std::int32_t x = 0; x < 513; ++x) {
      stops[std::size_t(z) * 513 + std::size_t(x)] = std::uint16_t(1 + 60 * x + 67 * z);
    }
  }
  stops[100 * 513 + 90] += 1;
  const SampleBlock block = block_of(lattice, stops, 0, 0, 512);
  const ErrorMeter meter(block);
  EXPECT_EQ(meter.triangle({0, 0}, {0, 512}, {512, 0}), 1);
  EXPECT_EQ(meter.triangle({512, 512}, {0, 512}, {512, 0}), 0);
  EXPECT_EQ(meter.triangle({512, 0}, {0, 512}, {7, 3}), 1);
}

// Every segment obeys the rule, is dyadic and at most twice as long as its neighbours.
TEST(Border, SegmentsObeyTheirRule) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random(seed);
    const auto registration = seed % 2 == 0 ? Registration::area : Registration::point;
    const Lattice lattice{.stops_x = 400, .stops_z = 300, .registration = registration};
    const auto kind = seed % 3 == 0   ? test::Terrain::holes
                      : seed % 3 == 1 ? test::Terrain::fractal
                                      : test::Terrain::smooth;
    const auto stops = test::terrain_field(kind, seed, lattice);
    const double limit = 10.0 * double(1 + random() % 200);
    const ErrorGoal goal(lattice, limit, 0, {});
    const SampleBlock block = block_of(lattice, stops, 128, 128, 128);
    for (int which = 0; which < 4; ++which) {
      const Side side{Side::Which(which), 128};
      const Border border = subdivide_border(block, side, goal, 128, 128);
      const auto height = [&](std::int32_t t, std::int32_t depth) {
        const Place p = side.place(t, depth);
        return double(stops[std::size_t(128 + p.z) * 400 + std::size_t(128 + p.x)]);
      };
      std::int32_t before = 0;
      for (std::int32_t from = 0; from < 128;) {
        const std::int32_t to = border.end[std::size_t(from)], length = to - from;
        ASSERT_TRUE(border.is_vertex(from));
        ASSERT_TRUE((length & (length - 1)) == 0 && from % length == 0) << "seed " << seed;
        ASSERT_TRUE(before == 0 || (length <= 2 * before && before <= 2 * length)) << "seed " << seed;
        for (std::int32_t t = from; t < to; ++t) {
          ASSERT_EQ(border.start[std::size_t(t)], from);
        }
        for (const std::int32_t depth : {-1, 0, 1}) {
          double least = 1e9, greatest = -1e9;
          for (std::int32_t t = from; t <= to; ++t) {
            const double part = double(t - from) / length;
            const double chord = height(from, 0) + part * (height(to, 0) - height(from, 0));
            least = std::min(least, height(t, depth) - chord);
            greatest = std::max(greatest, height(t, depth) - chord);
            ASSERT_TRUE(length == 1 || height(t, depth) != kHole) << "seed " << seed;
          }
          if (length > 1) {
            ASSERT_LE(depth == 0 ? std::max(greatest, -least) : greatest - least, limit + 1e-6) << "seed " << seed;
          }
        }
        before = length;
        from = to;
      }
    }
  }
}

// Both sides of a border find the same segments.
TEST(Border, NeighboursAgree) {
  const Lattice lattice{.stops_x = 300, .stops_z = 300, .registration = Registration::area};
  const auto stops = test::terrain_field(test::Terrain::holes, 9, lattice);
  const ErrorGoal goal(lattice, 300, 0, std::vector<Focus>{{128, 128, 30, 20}});
  const auto borders = [&](std::int32_t x0, std::int32_t z0, Side::Which which) {
    return subdivide_border(block_of(lattice, stops, x0, z0, 128), Side{which, 128}, goal, x0, z0);
  };
  EXPECT_EQ(borders(0, 0, Side::plus_x).end, borders(128, 0, Side::minus_x).end);
  EXPECT_EQ(borders(0, 128, Side::plus_x).end, borders(128, 128, Side::minus_x).end);
  EXPECT_EQ(borders(0, 0, Side::plus_z).end, borders(0, 128, Side::minus_z).end);
  EXPECT_EQ(borders(256, 0, Side::plus_z).end, borders(256, 128, Side::minus_z).end);
}

TEST(Strip, CoversItsPolygonOnce) {
  const Lattice lattice{.stops_x = 33, .stops_z = 33};
  for (int round = 0; round < 40; ++round) {
    const auto stops = test::terrain_field(test::Terrain::random, std::uint64_t(round / 4), lattice);
    const SampleBlock block = block_of(lattice, stops, 0, 0, 32);
    const ErrorMeter meter(block);
    Strip strip;
    strip.left = {8, 0};
    strip.right = {24, 0};
    strip.chain = {{8, 4}, {12, 4}, {14, 4}, {16, 4}, {20, 4}, {24, 4}};
    strip.has_left_middle = (round & 1) != 0;
    strip.has_right_middle = (round & 2) != 0;
    strip.left_middle = {8, 2};
    strip.right_middle = {24, 2};
    StripFit fit;
    ASSERT_TRUE(fit_strip(meter, strip, fit));
    std::int64_t doubled = 0;
    double worst = 0;
    for (const auto& [a, b, c] : fit.triangles) {
      const std::int64_t area = std::int64_t(b.x - a.x) * (c.z - a.z) - std::int64_t(c.x - a.x) * (b.z - a.z);
      EXPECT_NE(area, 0);
      doubled += std::abs(area);
      worst = std::max(worst, meter.triangle(a, b, c));
    }
    EXPECT_EQ(doubled, 2 * 16 * 4);
    EXPECT_EQ(fit.triangles.size(), 6u + unsigned(strip.has_left_middle) + unsigned(strip.has_right_middle));
    EXPECT_EQ(fit.error, worst) << round;  // the ears beside the middles included
  }
}

}  // namespace
}  // namespace arete::adaptive
