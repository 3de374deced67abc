// Public bug reports about rims, borders and fields of a sample or two, as laws of this one: each test bears the number
// of its report.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "arete/check.h"
#include "arete/collider.h"
#include "support/field.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

// Every drawn corner of a cut from each of some cameras.
template <class Judge>
void each_drawn_corner(const SampleSource& source, const Bounds& bounds, const Judge& judge) {
  const Lattice& lattice = bounds.lattice();
  CutWorkspace workspace;
  Cut cut;
  WorldMesher mesher(source, bounds);
  for (const double range_m : {1.0, 200.0, 4000.0}) {
    for (const double part : {0.0, 0.4, 1.0}) {
      const View view{
          .eye_x_m = part * lattice.width_m(), .eye_y_m = 20, .eye_z_m = part * lattice.depth_m(), .frustum = {}};
      const Ranges ranges = make_ranges(range_m, {});
      select_cut(bounds, view, ranges, workspace, cut);
      mesher.each_triangle(view, ranges, {}, cut.nodes, true, [&](const Corner& a, const Corner& b, const Corner& c) {
        if (a.hole + b.hole + c.hole == 0) {
          for (const Corner& corner : {a, b, c}) {
            judge(real(corner.x), real(corner.y), real(corner.z));
          }
        }
      });
    }
  }
}

// B03 (rtxpy#79): tiles that were cut as half-open slices left a strip of one sample without ground.
TEST(Reports, B03_RaysAlongTheBorderOfPagesMeetThePlane) {
  const Lattice lattice{.stops_x = 257, .stops_z = 257};
  std::vector<std::uint16_t> stops;
  for (int row = 0; row < 257; ++row) {
    for (int column = 0; column < 257; ++column) {
      stops.push_back(std::uint16_t(1 + row + 2 * column));
    }
  }
  const auto source = make_field(lattice, stops);
  ASSERT_EQ(lattice.pages_x(0), 2);
  ASSERT_EQ(lattice.pages_z(0), 2);
  for (int k = 0; k <= kPageCells; ++k) {  // sample 128 is in both pages
    const auto west = *source->page({0, 0, 0}), east = *source->page({0, 1, 0}), south = *source->page({0, 0, 1});
    ASSERT_EQ(west->at(HeightPlane::subsample, 128, k), 1 + k + 256);
    ASSERT_EQ(east->at(HeightPlane::subsample, 0, k), 1 + k + 256);
    ASSERT_EQ(south->at(HeightPlane::subsample, k, 0), 1 + 128 + 2 * k);
  }
  PageCollider collider(*source);
  for (const double at : {127.5, 128.0, 128.5}) {
    for (double along = 0; along <= 256; along += 0.25) {
      for (const auto& [x, z] : {std::array{at, along}, {along, at}}) {
        const double plane = 1 + z + 2 * x;
        const auto hit = collider.raycast({.origin_m = {x, 5000, z}, .direction = {0, -1, 0}});
        ASSERT_TRUE(hit);
        ASSERT_EQ(hit->status, RayStatus::surface) << x << ' ' << z;
        ASSERT_NEAR(hit->position_m[1], plane, 1e-12 * 1024) << x << ' ' << z;
        ASSERT_EQ(collider.height_at(x, z)->y_m, plane) << x << ' ' << z;
      }
    }
  }
}

// B09 (Terrain3D#552): vertices on the far rims stood at height 0.
TEST(Reports, B09_TheFarRimsOfAConstantFieldAreNotZero) {
  for (const auto& [width, height] : {std::array{257, 257}, {300, 211}}) {
    for (const Registration registration : {Registration::point, Registration::area}) {
      const Lattice lattice{.stops_x = width, .stops_z = height, .registration = registration, .step_m = 0.5};
      const auto source = make_field(lattice, std::vector<std::uint16_t>(std::size_t(width * height), 1000));
      std::int64_t corners = 0;
      each_drawn_corner(*source, source->bounds(), [&](float, float y, float) {
        ++corners;
        ASSERT_EQ(y, 500);
      });
      EXPECT_GT(corners, 1000);
      for (int part = 0; part <= 100; ++part) {
        const double x = lattice.width_m() * part / 100, z = lattice.depth_m() * part / 100;
        for (const auto& [at_x, at_z] :
             {std::array{x, 0.0}, {x, lattice.depth_m()}, {0.0, z}, {lattice.width_m(), z}}) {
          ASSERT_EQ(height_at(*source, at_x, at_z)->y_m, 500) << at_x << ' ' << at_z;
          const auto hit = raycast(*source, {.origin_m = {at_x, 900, at_z}, .direction = {0, -1, 0}});
          ASSERT_EQ(hit->position_m[1], 500) << at_x << ' ' << at_z;
        }
      }
    }
  }
}

// B46 (gz-common#321): a field that is not square was padded with 0, a cliff where all land lies below.
TEST(Reports, B46_BeyondTheRimThereIsNothing) {
  const Lattice lattice{.stops_x = 53, .stops_z = 75, .spacing_x_m = 10, .spacing_z_m = 20, .base_m = -2048};
  std::vector<std::uint16_t> stops;
  for (int i = 0; i < 53 * 75; ++i) {
    stops.push_back(std::uint16_t(48 + i % 1901));  // -2,000 to -100 m
  }
  for (const int hole : {0, 52, 1000, 2222, 3974}) {
    stops[std::size_t(hole)] = kHole;
  }
  const auto source = make_field(lattice, stops);
  EXPECT_EQ(lattice.height_m(source->bounds().field_min), -2000);
  EXPECT_EQ(lattice.height_m(source->bounds().field_max), -100);
  each_drawn_corner(*source, source->bounds(), [&](float x, float y, float z) {
    ASSERT_TRUE(y >= -2000 && y <= -100) << y;
    ASSERT_TRUE(x >= 0 && x <= lattice.width_m() && z >= 0 && z <= lattice.depth_m()) << x << ' ' << z;
  });
  for (double x = -100; x <= lattice.width_m() + 800; x += 7) {
    for (double z = -100; z <= lattice.depth_m() + 1200; z += 11) {
      const bool is_inside = x >= 0 && x <= lattice.width_m() && z >= 0 && z <= lattice.depth_m();
      const HeightAnswer answer = *height_at(*source, x, z);
      ASSERT_EQ(answer.ground == Ground::outside, !is_inside) << x << ' ' << z;
      const auto hit = raycast(*source, {.origin_m = {x, 100, z}, .direction = {0, -1, 0}});
      ASSERT_EQ(hit->status == RayStatus::surface, answer.ground == Ground::surface) << x << ' ' << z;
    }
  }
}

// B47 (geotiff2pmtiles#42): rows were placed, and slopes taken, with the spacing of the columns.
TEST(Reports, B47_SlopesGoByBothSpacings) {
  const Lattice lattice{.stops_x = 65, .stops_z = 65, .spacing_x_m = 150.923, .spacing_z_m = 216, .step_m = 4};
  std::vector<std::uint16_t> stops;
  for (int z = 0; z < 65; ++z) {
    for (int x = 0; x < 65; ++x) {
      stops.push_back(std::uint16_t(1 + 7 * x + 11 * z));
    }
  }
  const auto source = make_field(lattice, stops);
  const double slope_x = 7 * 4 / 150.923, slope_z = 11 * 4 / 216.0;
  const double length = std::sqrt(slope_x * slope_x + slope_z * slope_z + 1);
  const std::array<double, 3> normal{-slope_x / length, 1 / length, -slope_z / length};
  const auto collided = normal_at(*source, 5000, 5000);
  const kernel::FrameConstants frame = make_frame(source->bounds(), {}, make_ranges(1e6, {}), {});
  const kernel::VertexLayout layout = engine_layout();
  std::vector<std::uint32_t> words(std::size_t(node_vertices(32)) * layout.stride_words);
  NodeMesher mesher(*source, source->bounds());
  ASSERT_TRUE(mesher.build(frame, make_ranges(1e6, {}), {}, layout, words));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    EXPECT_NEAR(collided->normal[axis], normal[axis], 1e-6) << axis;
    for (std::size_t at = std::size_t(layout.normal); at < words.size(); at += layout.stride_words) {
      ASSERT_NEAR(real(words[at + axis]), normal[axis], 1e-6) << axis;
    }
  }
}

// B52 (gdal#10830, gdal#9432): a raster of one sample looped for ever, a window came out -1 high.
TEST(Reports, B52_FieldsOfASampleOrTwoAreWhole) {
  for (const auto& [width, height] : {std::array{1, 1}, {1, 257}, {257, 1}, {2, 2}, {3, 3}, {2, 257}, {4097, 1}}) {
    for (const Registration registration : {Registration::point, Registration::area}) {
      const int rims = registration == Registration::area ? 2 : 0;
      const Lattice lattice{.stops_x = width + rims, .stops_z = height + rims, .registration = registration};
      const auto source = make_field(
          lattice, std::vector<std::uint16_t>(std::size_t(lattice.stops_x) * std::size_t(lattice.stops_z), 7));
      EXPECT_EQ(lattice.pages_x(lattice.lods() - 1) * lattice.pages_z(lattice.lods() - 1), 1);
      const auto report = check_field(*source, source->bounds(), {.views = 12});
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_EQ(report->failures(), 0) << width << " x " << height;
      // One sample has a line of ground by point registration, and a square texel by area registration.
      const bool has_area = rims > 0 || (width > 1 && height > 1);
      EXPECT_EQ(report->triangles > 0, has_area) << width << " x " << height;
      EXPECT_EQ(lattice.width_m(), rims > 0 ? width : width - 1);
      EXPECT_EQ(height_at(*source, 0, 0)->y_m, 7);
      EXPECT_EQ(height_at(*source, lattice.width_m(), lattice.depth_m())->y_m, 7);
      EXPECT_EQ(height_at(*source, lattice.width_m() + 0.01, 0)->ground, Ground::outside);
    }
  }
}

}  // namespace
}  // namespace arete::test
