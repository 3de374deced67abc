// Lattices, Morton keys, split ranges and the f32 rounding of ranges.
#include "arete/core.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <random>

#include "kernel/page_gradient.h"
#include "kernel/vertex.h"

namespace arete {
namespace {

TEST(Lattice, CountsStopsCellsPagesAndLods) {
  Lattice point{.stops_x = 1201, .stops_z = 1201};
  EXPECT_EQ(point.cells_x(0), 1200);
  EXPECT_EQ(point.pages_x(0), 10);
  EXPECT_EQ(point.lods(), 5);
  EXPECT_EQ(point.pages_x(4), 1);
  EXPECT_EQ(point.nodes_x(4, 32), 3);
  EXPECT_DOUBLE_EQ(point.width_m(), 1200);
  Lattice area{.stops_x = 202, .stops_z = 3, .registration = Registration::area, .spacing_x_m = 30, .spacing_z_m = 30};
  EXPECT_EQ(area.half_x(0), 0);
  EXPECT_EQ(area.half_x(1), 1);
  EXPECT_EQ(area.half_x(200), 399);
  EXPECT_EQ(area.half_x(201), 400);
  EXPECT_DOUBLE_EQ(area.width_m(), 6000);
  Lattice single{.stops_x = 1, .stops_z = 1};
  EXPECT_EQ(single.lods(), 1);
  EXPECT_EQ(single.pages_x(0), 1);
}

TEST(PageKey, PacksAndUnpacks) {
  std::mt19937 random(1);
  for (int i = 0; i < 10000; ++i) {
    PageKey key{std::uint8_t(random() % 30), std::uint32_t(random() & 0x1fffffff),
                std::uint32_t(random() & 0x1fffffff)};
    EXPECT_EQ(PageKey::unpack(key.packed()), key);
  }
  EXPECT_LT((PageKey{0, 5, 5}).packed(), (PageKey{1, 0, 0}).packed());
}

TEST(Ranges, AVertexBehindTheRangeIsFullyMorphed) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> exponent(-2, 6);
  for (int i = 0; i < 100000; ++i) {
    const Ranges ranges = make_ranges(std::pow(10, exponent(random)), {});
    ASSERT_LE(ranges.morph_end_sq, ranges.select_sq);
    ASSERT_GE((ranges.select_sq - ranges.morph_start_sq) * ranges.morph_scale, 1.0f);
    ASSERT_GE((ranges.morph_end_sq - ranges.morph_start_sq) * ranges.morph_scale, 1.0f);
    ASSERT_LE((std::nextafter(ranges.morph_start_sq, 0.0f) - ranges.morph_start_sq) * ranges.morph_scale, 0.0f);
  }
}

TEST(Bounds, SplitRangesCoverTheClosedNode) {
  Bounds bounds(Lattice{.stops_x = 1201, .stops_z = 700});
  std::mt19937 random(3);
  const Lattice& lattice = bounds.lattice();
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (int z = 0; z < lattice.nodes_z(lod, 32); ++z) {
      for (int x = 0; x < lattice.nodes_x(lod, 32); ++x) {
        bounds.at(lod, x, z).kappa = std::uint8_t(random() % 9);
      }
    }
  }
  bounds.finish();
  EXPECT_FALSE(bounds.is_uniform());
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    const int side = 32 << lod;
    for (int z = 0; z < lattice.nodes_z(lod, 32); ++z) {
      for (int x = 0; x < lattice.nodes_x(lod, 32); ++x) {
        int greatest = -1000;  // half lods
        for (int finer = 0; finer < lod; ++finer) {
          for (int gz = z * side; gz <= std::min((z + 1) * side, lattice.last_stop_z()); gz += 1 << finer) {
            for (int gx = x * side; gx <= std::min((x + 1) * side, lattice.last_stop_x()); gx += 1 << finer) {
              greatest = std::max(greatest, 2 * finer - bounds.kappa_at(finer, gx, gz));
            }
          }
        }
        ASSERT_EQ(2 * (lod - 1) - bounds.at(lod, x, z).split, greatest) << lod << ' ' << x << ' ' << z;
      }
    }
  }
}

TEST(Kernel, ReciprocalsStayWithinTheirBounds) {
  double worst_reciprocal = 0;
  double worst_root = 0;
  for (std::uint32_t bits = std::bit_cast<std::uint32_t>(1.0f); bits < std::bit_cast<std::uint32_t>(4.0f); bits += 7) {
    const float value = std::bit_cast<float>(bits);
    worst_reciprocal = std::max(worst_reciprocal, std::abs(double(kernel::exact_reciprocal(value)) * value - 1));
    worst_root = std::max(worst_root, std::abs(double(kernel::exact_rsqrt(value)) * std::sqrt(double(value)) - 1));
  }
  EXPECT_LT(worst_reciprocal, 1.2e-7);
  EXPECT_LT(worst_root, 1.3e-7);
}

// Every float of [1, 4), for four times the value have half the root, bit for bit.
TEST(Kernel, PackedRootsStayWithinTheirBounds) {
  double low = 0, high = 0;
  for (std::uint32_t bits = std::bit_cast<std::uint32_t>(1.0f); bits < std::bit_cast<std::uint32_t>(4.0f); ++bits) {
    const float value = std::bit_cast<float>(bits);
    const float root = kernel::packed_rsqrt(value);
    const double error = double(root) * std::sqrt(double(value)) / 32767 - 1;
    low = std::min(low, error);
    high = std::max(high, error);
    if (bits % 4099 == 0) {
      ASSERT_EQ(kernel::packed_rsqrt(0x1p60f * value), 0x1p-30f * root);
    }
  }
  EXPECT_GT(low, -4.8e-6);
  EXPECT_LT(high, 1.7e-7);
}

// Inside the rim places and gradients take shorter ways; they must come to the bits of the plain definitions.
TEST(Kernel, InsideTheRimNothingChanges) {
  std::mt19937_64 random(5);
  const auto number = [&](int count) { return int(random() % std::uint64_t(count)); };
  const auto unit = [&] { return double(random() >> 11) * 0x1p-53; };
  const auto steps = [&] { return number(4) == 0 ? 0u : std::uint32_t(1 + number(65535)); };
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  int inside = 0;
  for (int trial = 0; trial < 200000; ++trial) {
    const float half_m = float(0.001 + unit() * (trial % 2 == 0 ? 1 : 90000));
    const kernel::FrameAxis axis{.last_stop = 1 + number(5000),
                                 .is_area = number(2),
                                 .camera_half = number(12000) - 1000,
                                 .camera_rest = float(unit() * half_m),
                                 .anchor_half = number(3) * 8192 - 8192,
                                 .half_m = half_m,
                                 .inverse_half = kernel::exact_reciprocal(half_m)};
    const int lod = number(9);
    const int g = number(axis.last_stop + (2 << lod));
    if (kernel::is_inside(axis, lod, g, g) == 0) {
      continue;
    }
    ++inside;
    const float step_m = kernel::power_of_two(number(12) - 9);
    const std::uint32_t below = steps(), here = steps(), above = steps();
    for (const int at_lod : {lod, lod + 1}) {
      const kernel::AxisPlace plain = kernel::axis_place(axis, at_lod, g),
                              quick = kernel::inside_place(axis, at_lod, g);
      ASSERT_EQ(plain.index, quick.index) << trial;
      ASSERT_EQ(bits(plain.emitted), bits(quick.emitted)) << trial;
      ASSERT_EQ(bits(plain.camera_sq), bits(quick.camera_sq)) << trial;
      const int at = plain.index << at_lod;
      ASSERT_EQ(bits(kernel::page_axis_gradient(axis, at_lod, at, below, here, above, step_m)),
                bits(kernel::inside_gradient(axis, at_lod, below, here, above, step_m)))
          << "trial " << trial << ": g " << g << " of " << axis.last_stop << ", lod " << at_lod << ", steps " << below
          << ' ' << here << ' ' << above;
    }
  }
  EXPECT_GT(inside, 50000);
}

// g++ 12 drops both roundings when its SLP vectoriser takes them together; the build turns it off.
TEST(Lattice, RoundsSpacingsToFloatsInPairs) {
  volatile double spacing_m = 0.1;  // not known to the compiler
  const Lattice lattice{.stops_x = 9, .stops_z = 9, .spacing_x_m = spacing_m, .spacing_z_m = 3 * spacing_m};
  const std::array<double, 2> pair{3 * double(lattice.half_x_m()), 7 * double(lattice.half_z_m())};
  volatile float x = static_cast<float>(lattice.spacing_x_m / 2), z = static_cast<float>(lattice.spacing_z_m / 2);
  EXPECT_EQ(pair[0], 3 * double(x));
  EXPECT_EQ(pair[1], 7 * double(z));
}

}  // namespace
}  // namespace arete
