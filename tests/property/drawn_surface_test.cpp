// Drawn heights against every drawn triangle, for plain, over-refined and coarse cuts; and against the collider where
// nothing morphs.
#include "arete/drawn.h"

#include <gtest/gtest.h>

#include <cmath>

#include "arete/collider.h"
#include "support/drawn_triangles.h"
#include "support/field.h"

namespace arete {
namespace {
using test::Terrain;

struct DrawnTriangle {
  std::array<std::array<double, 3>, 3> places;
  bool is_valid;
};

std::vector<DrawnTriangle> all_triangles(const MemorySource& source, const kernel::FrameConstants& frame,
                                         const Ranges& ranges, const Cut& cut) {
  const kernel::VertexLayout layout = engine_layout();
  NodeMesher mesher(source, source.bounds());
  const std::vector<std::uint32_t> indices = node_indices(ranges.node_quads);
  std::vector<std::uint32_t> words(std::size_t(node_vertices(ranges.node_quads)) * std::size_t(layout.stride_words));
  const double anchor_x = double(frame.anchor_half_x) * double(frame.half_x_m);
  const double anchor_z = double(frame.anchor_half_z) * double(frame.half_z_m);
  std::vector<DrawnTriangle> triangles;
  for (const Node& node : cut.nodes) {
    EXPECT_TRUE(mesher.build(frame, ranges, node, layout, words));
    for (std::size_t i = 0; i < indices.size(); i += 3) {
      DrawnTriangle triangle{{}, true};
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t* word = words.data() + std::size_t(indices[i + k]) * std::size_t(layout.stride_words);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          triangle.places[k][axis] = double(std::bit_cast<float>(word[std::size_t(layout.position) + axis]));
        }
        triangle.places[k][0] += anchor_x;
        triangle.places[k][2] += anchor_z;
        triangle.is_valid = triangle.is_valid && word[layout.colour] >> 24 != 0;
      }
      triangles.push_back(triangle);
    }
  }
  return triangles;
}

// The height of a triangle at (x, z), if it covers the place with `room` to spare.
std::optional<double> height_on(const DrawnTriangle& triangle, double x, double z, double room) {
  const auto& [a, b, c] = triangle.places;
  const double area = (b[0] - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (b[2] - a[2]);
  if (area == 0) return std::nullopt;
  const double v = ((x - a[0]) * (c[2] - a[2]) - (c[0] - a[0]) * (z - a[2])) / area;
  const double w = ((b[0] - a[0]) * (z - a[2]) - (x - a[0]) * (b[2] - a[2])) / area;
  if (v < -room || w < -room || v + w > 1 + room) return std::nullopt;
  return a[1] + v * (b[1] - a[1]) + w * (c[1] - a[1]);
}

TEST(DrawnSurface, AnswersWithADrawnTriangle) {
  test::Random random(17);
  int surfaces = 0, holes = 0, coarse = 0;
  for (const Terrain terrain : {Terrain::fractal, Terrain::holes, Terrain::cliff}) {
    for (const Registration registration : {Registration::point, Registration::area}) {
      const Lattice lattice{.stops_x = 300,
                            .stops_z = 261,
                            .registration = registration,
                            .spacing_x_m = 10,
                            .spacing_z_m = 8,
                            .step_m = 0.0078125};
      const auto source = test::make_field(terrain, 5, lattice);
      for (int round = 0; round < 6; ++round) {
        const View view = test::random_view(source->bounds(), random);
        const Ranges ranges = make_ranges(random.between(300, 900), {.node_quads = 16});
        CutWorkspace workspace;
        Cut cut;
        if (round % 3 == 0) {
          cut_from_splits(lattice, 16, test::RandomSplits(random.bits(), 0.5), workspace, cut);
        } else {
          select_cut(source->bounds(), view, ranges, workspace, cut);
        }
        const kernel::FrameConstants frame =
            make_frame(source->bounds(), view, ranges, anchor_near(lattice, view.eye_x_m, view.eye_z_m));
        const std::vector<DrawnTriangle> drawn = all_triangles(*source, frame, ranges, cut);
        DrawnSurface surface(*source, source->bounds());
        surface.begin(cut, frame, ranges);
        for (int i = 0; i < 60; ++i) {
          const double x = random.unit() * lattice.width_m(), z = random.unit() * lattice.depth_m();
          const auto answer = surface.height_at(x, z);
          ASSERT_TRUE(answer);
          bool is_one_of_them = false, is_covered = false;
          for (const DrawnTriangle& triangle : drawn) {
            if (!triangle.is_valid) continue;
            if (const auto y = height_on(triangle, x, z, 1e-8)) {
              is_one_of_them = is_one_of_them || std::abs(*y - answer->y_m) < 1e-6;
            }
            is_covered = is_covered || height_on(triangle, x, z, -1e-8).has_value();
          }
          const std::string where = std::string(test::name(terrain)) + " round " + std::to_string(round) + " place " +
                                    std::to_string(x) + ' ' + std::to_string(z);
          ASSERT_NE(answer->ground, DrawnGround::outside) << where;
          if (answer->ground == DrawnGround::surface) {
            ASSERT_TRUE(is_one_of_them) << where;
          } else {
            ASSERT_FALSE(is_covered) << where;
          }
          surfaces += answer->ground == DrawnGround::surface ? 1 : 0;
          holes += answer->ground == DrawnGround::hole ? 1 : 0;
          coarse += answer->lod > 0 ? 1 : 0;
        }
        EXPECT_EQ(surface.height_at(-0.5, 3)->ground, DrawnGround::outside);
        EXPECT_NE(surface.height_at(lattice.width_m(), lattice.depth_m())->ground, DrawnGround::outside);
        EXPECT_NE(surface.height_at(0, lattice.depth_m())->ground, DrawnGround::outside);
      }
    }
  }
  EXPECT_GT(surfaces, 1500);
  EXPECT_GT(holes, 10);
  EXPECT_GT(coarse, 500);
}

TEST(DrawnSurface, IsTheCollidersWhereNothingMorphs) {
  const Lattice lattice{.stops_x = 300, .stops_z = 200, .spacing_x_m = 2, .spacing_z_m = 2, .step_m = 0.0625};
  const auto source = test::make_field(Terrain::holes, 6, lattice);
  CutWorkspace workspace;
  Cut cut;
  cut_from_splits(lattice, 32, test::AllSplit(), workspace, cut);
  const Ranges ranges = make_ranges(1e7, {});
  PageCollider collider(*source);
  test::Random random(3);
  for (int i = 0; i < 300; ++i) {
    const double x = random.unit() * lattice.width_m(), z = random.unit() * lattice.depth_m();
    const auto drawn = drawn_height_at(*source, source->bounds(), cut, {}, ranges, x, z);
    const auto collided = collider.height_at(x, z);
    ASSERT_EQ(drawn->ground == DrawnGround::surface, collided->ground == Ground::surface) << x << ' ' << z;
    if (collided->ground == Ground::surface) {
      ASSERT_NEAR(drawn->y_m, collided->y_m, 1e-4);
    }
  }
}

}  // namespace
}  // namespace arete
