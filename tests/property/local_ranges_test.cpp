// Local ranges: each node's kappa is the greatest that covers its error, so what rests is drawn within the wanted
// error.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/drawn_error.h"
#include "support/field.h"
#include "support/made_pages.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

// Rough ground in the west that grows flat towards the east, and a lake without any error in the middle.
std::vector<std::uint16_t> mixed_field(const Lattice& lattice, std::uint64_t seed) {
  std::vector<std::uint16_t> stops = terrain_field(Terrain::fractal, seed, lattice);
  for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
    for (std::int32_t x = 0; x < lattice.stops_x; ++x) {
      std::uint16_t& steps = stops[std::size_t(z) * std::size_t(lattice.stops_x) + std::size_t(x)];
      const double calm = std::exp2(-12.0 * x / lattice.stops_x);
      steps = std::uint16_t(2000 + (steps - 1) * calm);
      if (std::abs(x - lattice.stops_x / 2) < lattice.stops_x / 5 && z < lattice.stops_z / 2) {
        steps = 1500;
      }
    }
  }
  return stops;
}

// Twice an error in steps, squared; an error of 0 counts as half a step.
double doubled_sq(std::uint16_t error) { return error == 0 ? 1 : 4.0 * error * error; }

// Every power of two times a square below 2^34 is exact.
void expect_right(const Bounds& bounds) {
  const Lattice& lattice = bounds.lattice();
  double roughest[2] = {0, 0};
  each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
    const NodeBounds& node = bounds.at(lod, x, z);
    roughest[0] = std::max(roughest[0], std::ldexp(doubled_sq(node.error), -2 * lod));
    roughest[1] = std::max(roughest[1], std::ldexp(doubled_sq(node.error_max), -2 * lod));
  });
  each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
    const NodeBounds& node = bounds.at(lod, x, z);
    const auto covers = [&](int kappa) {
      return std::ldexp(doubled_sq(node.error), kappa - 2 * lod) <= roughest[0] &&
             std::ldexp(doubled_sq(node.error_max), kappa - 2 * lod) <= roughest[1];
    };
    int kappa = 0;
    while (kappa < kernel::kKappaLimit && covers(kappa + 1)) {
      ++kappa;
    }
    ASSERT_TRUE(covers(0));
    ASSERT_EQ(int(node.kappa), kappa) << "node " << lod << ' ' << x << ' ' << z << " errors " << node.error << ' '
                                      << node.error_max;
  });
}

TEST(LocalRanges, EveryKappaIsTheGreatestThatCoversBothErrors) {
  for (const Terrain terrain : kTerrains) {
    for (const Registration registration : {Registration::point, Registration::area}) {
      const Lattice lattice{.stops_x = 300, .stops_z = 700, .registration = registration, .step_m = 1.0 / 64};
      expect_right(make_field(terrain, 3, lattice)->bounds());
      expect_right(make_field(lattice, mixed_field(lattice, 3))->bounds());
    }
  }
  for (const Lattice& lattice : {Lattice{.stops_x = 1, .stops_z = 300}, Lattice{.stops_x = 700, .stops_z = 2}}) {
    expect_right(make_field(Terrain::random, 4, lattice)->bounds());
  }
}

TEST(LocalRanges, FlatGroundTakesHalfAStep) {
  const Lattice lattice{.stops_x = 513, .stops_z = 513};
  std::vector<std::uint16_t> stops(std::size_t(513) * 513, 1000);
  stops[std::size_t(20) * 513 + 21] = 1256;  // one peak: 256 steps off at lod 1, the field's roughest place
  const auto source = make_field(lattice, stops);
  const Bounds& bounds = source->bounds();
  ASSERT_EQ(bounds.at(1, 0, 0).error, 256);
  EXPECT_EQ(bounds.at(1, 0, 0).kappa, 0);
  EXPECT_EQ(bounds.at(1, 4, 3).kappa, 18);  // 256 / 2^(18/2) = 1/2
  EXPECT_EQ(bounds.at(2, 2, 2).kappa, 20);
  // A border vertex takes the shorter range, and a node's split range is the greatest of its own and its children's.
  EXPECT_EQ(bounds.kappa_at(0, 63, 10), 0);
  EXPECT_EQ(bounds.kappa_at(0, 64, 10), 18);
  EXPECT_EQ(bounds.kappa_at(0, 64, 64), 18);
  EXPECT_EQ(bounds.at(1, 1, 0).split, 18);
  EXPECT_EQ(bounds.at(2, 0, 0).split, 2);
  // One height everywhere: no place is rougher than another, and every range is the global one of lod 0.
  const auto flat = make_field(Terrain::flat, 1, lattice);
  each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
    ASSERT_EQ(flat->bounds().at(lod, x, z).kappa, 2 * (lod - 1));
  });
}

// An editor that raises the errors of what it touches and chooses again gets ranges that cover them.
TEST(LocalRanges, GreaterErrorsGiveLongerRanges) {
  const Lattice lattice{.stops_x = 400, .stops_z = 600, .step_m = 1.0 / 64};
  const auto source = make_field(lattice, mixed_field(lattice, 9));
  Bounds& bounds = source->bounds();
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Random random(seed);
    const int lod = 1 + random.below(lattice.lods() - 1);
    const std::int32_t x = random.below(lattice.nodes_x(lod, kBoundsQuads));
    const std::int32_t z = random.below(lattice.nodes_z(lod, kBoundsQuads));
    NodeBounds& node = bounds.at(lod, x, z);
    const NodeBounds before = node;
    const auto raise = [&](std::uint16_t error, HeightPlane plane) {
      return std::uint16_t(std::min(error + random.below(50), int(bounds.lod_error(lod, plane))));
    };
    node.error = raise(node.error, HeightPlane::subsample);
    node.error_max = raise(node.error_max, HeightPlane::max);
    choose_local_ranges(bounds);
    ASSERT_LE(node.kappa, before.kappa);
    ASSERT_LE(node.split, before.split);
    expect_right(bounds);
  }
}

// What a cut leaves whole lies so far away that its error, were nothing to morph, is at most the wanted one.
TEST(LocalRanges, LeavesLieBehindTheirOwnError) {
  std::int64_t coarse = 0;
  std::int64_t near_limit = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Lattice lattice{.stops_x = 200 + random.below(400),
                          .stops_z = 500 + random.below(500),
                          .registration = Registration(random.below(2)),
                          .spacing_z_m = 1 + random.unit(),
                          .step_m = 1.0 / 64};
    const auto source = make_field(lattice, mixed_field(lattice, seed));
    const Bounds& bounds = source->bounds();
    RangeOptions options{.max_error_px = random.between(0.5, 6), .node_quads = 8 << random.below(5)};
    options.plane = HeightPlane(random.below(2));
    View view = random_view(bounds, random);
    view.pixels_per_radian = random.between(100, 1000);
    CutWorkspace workspace;
    Cut cut;
    select_cut(bounds, view, make_ranges(bounds, view.pixels_per_radian, options), workspace, cut);
    for (const Node& node : cut.nodes) {
      if (node.lod == 0) {
        continue;
      }
      const NodeBox box = node_box(bounds, options.node_quads, node.lod, node.x, node.z, HeightPlane::subsample);
      const auto away = [](double low, double high, double eye) { return std::max({low - eye, 0.0, eye - high}); };
      const double distance =
          std::hypot(away(box.min_x_m, box.max_x_m, view.eye_x_m), away(box.min_y_m, box.max_y_m, view.eye_y_m),
                     away(box.min_z_m, box.max_z_m, view.eye_z_m));
      const int scale = std::max(kBoundsQuads / options.node_quads, 1);
      const int block = std::max(options.node_quads / kBoundsQuads, 1);
      int error = 0;
      for (int k = 0; k < block; ++k) {
        for (int i = 0; i < block; ++i) {
          const int x = int(node.x) * block / scale + i, z = int(node.z) * block / scale + k;
          if (x < lattice.nodes_x(node.lod, kBoundsQuads) && z < lattice.nodes_z(node.lod, kBoundsQuads)) {
            const NodeBounds& part = bounds.at(node.lod, x, z);
            error = std::max(error, int(options.plane == HeightPlane::max ? part.error_max : part.error));
          }
        }
      }
      const double wanted = options.max_error_px * distance * (1 + 1e-5);
      ASSERT_LE(error * lattice.step_m * view.pixels_per_radian, wanted) << "seed " << seed << " lod " << int(node.lod);
      ++coarse;
      near_limit += error * lattice.step_m * view.pixels_per_radian > wanted / 3 ? 1 : 0;
    }
  }
  EXPECT_GT(coarse, 2000);
  EXPECT_GT(near_limit, 100);
}

// Morphing ground included, every sample is drawn within 1.3 of the wanted error where kappas jump as well.
TEST(LocalRanges, DrawnErrorStaysNearTheWantedOne) {
  DrawnError total;
  std::int64_t nodes = 0;
  std::int64_t global_nodes = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    Random random(seed);
    const Lattice lattice{
        .stops_x = 250, .stops_z = 300, .registration = Registration(random.below(2)), .step_m = 1.0 / 128};
    std::vector<std::uint16_t> stops = mixed_field(lattice, seed);
    for (int hole = 0; hole < 40; ++hole) {
      stops[std::size_t(random.below(int(stops.size())))] = kHole;
    }
    const auto source = make_field(lattice, stops);
    Bounds& bounds = source->bounds();
    const double max_error_px = random.between(4, 16);
    View view = random_view(bounds, random);
    view.eye_y_m += 40;
    const RangeOptions options{.max_error_px = max_error_px, .node_quads = 16};
    const Ranges ranges = make_ranges(bounds, view.pixels_per_radian, options);
    CutWorkspace workspace;
    Cut cut;
    select_cut(bounds, view, ranges, workspace, cut);
    nodes += std::int64_t(cut.nodes.size());
    WorldMesher mesher(*source, bounds);
    DrawnErrorJudge judge(lattice, stops);
    judge.begin(view);
    const auto place = [&](const Corner& corner) {
      return DrawnCorner{double(real(corner.x)) / double(lattice.half_x_m()), double(real(corner.y)),
                         double(real(corner.z)) / double(lattice.half_z_m())};
    };
    mesher.each_triangle(view, ranges, {}, cut.nodes, true, [&](const Corner& a, const Corner& b, const Corner& c) {
      if (a.hole + b.hole + c.hole == 0) {
        judge.add(place(a), place(b), place(c));
      }
    });
    DrawnError error;
    judge.end(1.3 * max_error_px, error);
    EXPECT_EQ(error.above, 0) << "seed " << seed << ": " << error.greatest_px << " px where " << max_error_px
                              << " were asked";
    total.greatest_px = std::max(total.greatest_px, error.greatest_px / max_error_px);
    total.samples += error.samples;
    total.undrawn += error.undrawn;
    set_kappas(bounds, 0, random);
    select_cut(bounds, view, ranges, workspace, cut);
    global_nodes += std::int64_t(cut.nodes.size());
  }
  // The judge sees the ground, the errors come near the limit, and the ranges do save nodes.
  EXPECT_LT(total.undrawn, total.samples / 20);
  EXPECT_GT(total.greatest_px, 0.8);
  EXPECT_LT(nodes * 3, global_nodes * 2);
}

}  // namespace
}  // namespace arete::test
