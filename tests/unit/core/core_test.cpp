// Lattices, Morton keys, split ranges and the f32 rounding of ranges.
#include "arete/core.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
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

// R_0 is the greatest of two sides of a node, twice the lag, and what each lod's error asks for.
TEST(Ranges, AreTheGreatestOfSpacingLagAndErrors) {
  Bounds bounds(Lattice{.stops_x = 1201, .stops_z = 700, .spacing_x_m = 3, .spacing_z_m = 7, .step_m = 0.25});
  const auto range_0 = [&](const RangeOptions& options) {
    return std::sqrt(make_ranges(bounds, 600, options).select_sq);
  };
  bounds.finish();
  EXPECT_FLOAT_EQ(range_0({.node_quads = 16}), 2 * 16 * 7);
  EXPECT_FLOAT_EQ(range_0({.camera_lag_m = 500, .node_quads = 16}), 1000);
  EXPECT_FLOAT_EQ(range_0({.scale = 1.5, .node_quads = 16}), 1.5F * 2 * 16 * 7);
  bounds.at(1, 0, 0).error = 12;      // 3 m at 2 px: from 900 m on
  bounds.at(3, 1, 1).error = 80;      // 20 m: from 6,000 m = 4 R_0 on
  bounds.at(2, 1, 0).error_max = 40;  // 10 m: from 3,000 m = 2 R_0 on
  bounds.finish();
  EXPECT_FLOAT_EQ(range_0({.max_error_px = 2, .node_quads = 16}), 1500);
  EXPECT_FLOAT_EQ(range_0({.max_error_px = 6, .node_quads = 4}), 500);
  EXPECT_FLOAT_EQ(range_0({.max_error_px = 1, .node_quads = 4, .plane = HeightPlane::max}), 3000);
  bounds.at(3, 1, 1).error = 0;
  bounds.finish();
  EXPECT_FLOAT_EQ(range_0({.max_error_px = 2, .node_quads = 16}), 900);
  // No error and no field of view is too small to ask for: ranges end where f32 does.
  EXPECT_FLOAT_EQ(range_0({.max_error_px = 1e-300, .node_quads = 16}), 1e18F);
  EXPECT_FLOAT_EQ(range_0({.scale = 1e-300, .node_quads = 16}), 1e-15F);
}

// However far away the camera is, it is measured from a place whose distance to every stop f32 holds exactly.
TEST(Frame, ClampsTheCamerasPlaceNearTheField) {
  const Lattice lattice{.stops_x = 1201, .stops_z = 700, .spacing_x_m = 3, .spacing_z_m = 7};
  const Bounds bounds(lattice);
  const Ranges ranges = make_ranges(100, {});
  constexpr std::int64_t kReach = std::int64_t(1) << 24;
  for (const double far : {1e6, 1e9, 1e18, 1e300}) {
    for (const double side : {-1.0, 1.0}) {
      const View view{.eye_x_m = side * far, .eye_y_m = 100, .eye_z_m = side * far, .frustum = {}};
      const kernel::FrameConstants frame = make_frame(bounds, view, ranges, {});
      for (const std::int64_t place : {frame.camera_half_x, frame.camera_half_z}) {
        EXPECT_GE(place, -kReach);
        EXPECT_LE(place, kReach + 2 * 1200);
      }
      const double x_m = double(frame.camera_half_x) * 1.5 + double(frame.camera_rest_x);
      EXPECT_TRUE(x_m == view.eye_x_m || std::abs(x_m / view.eye_x_m - 1) < 1e-6 || far > 1e38) << far;
    }
  }
}

// In f32, as vertices and boxes are measured: rounding takes no vertex before the band into it, nor one behind it out.
TEST(Ranges, MeasuredDistancesKeepToTheirSideOfTheBand) {
  std::mt19937 random(4);
  std::uniform_real_distribution<double> exponent(-15, 18), bits(-14, 0), component(-1, 1);
  for (int i = 0; i < 100000; ++i) {
    const double range_0 = std::pow(10, exponent(random)), fraction = std::min(std::exp2(bits(random)), 0.999);
    const Ranges ranges = make_ranges(range_0, {.morph_fraction = fraction});
    const double start = range_0 * (1 - fraction);
    const double x = component(random), y = component(random), z = component(random);
    const double length = std::hypot(x, y, z);
    const auto weight = [&](double distance) {
      const double scale = distance / length;
      const float d2 = kernel::distance_sq(float(x * scale), float(y * scale), float(z * scale));
      return (d2 - ranges.morph_start_sq) * ranges.morph_scale;
    };
    ASSERT_LE(weight(start), 0) << range_0 << ' ' << fraction;
    ASSERT_GE(weight(range_0), 1) << range_0 << ' ' << fraction;
    ASSERT_GT(weight(start * 1.00001), 0) << range_0 << ' ' << fraction;
  }
}

// Bands that f32 cannot hold, and cameras that are nowhere, are the caller's mistakes: nothing is drawn from them.
TEST(ContractDeathTest, RangesAndCamerasOutOfReach) {
  EXPECT_DEATH(make_ranges(100, {.morph_fraction = 1e-6}), "contract broken: options.morph_fraction");
  EXPECT_DEATH(make_ranges(1e-20, {}), "contract broken: range_0_m");
  EXPECT_DEATH(make_ranges(1e20, {}), "contract broken: range_0_m");
  const Bounds bounds(Lattice{.stops_x = 9, .stops_z = 9});
  const View view{.eye_z_m = std::nan(""), .frustum = {}};
  EXPECT_DEATH(make_frame(bounds, view, make_ranges(100, {}), {}), "contract broken: std::isfinite");
}

TEST(ContractDeathTest, TheHandlerIsReplaceable) {
  const auto replaced = [](const char*, int, const char* expression) {
    std::fprintf(stderr, "replaced: %s", expression);
    std::_Exit(7);
  };
  EXPECT_EXIT((set_assert_handler(replaced), make_ranges(1e-20, {})), testing::ExitedWithCode(7),
              "replaced: range_0_m");
  const auto restored = [&] { set_assert_handler(replaced), set_assert_handler(nullptr), make_ranges(1e-20, {}); };
  EXPECT_DEATH(restored(), "contract broken: range_0_m");
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
