// Invariant 9: the drawn surface is the same, bit for bit, just before and just after any merge or split.
#include <gtest/gtest.h>

#include "support/field.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

struct Change {
  View before, after;
  Cut cut_before, cut_after;
};

// Bisects the way between two cameras to neighbouring doubles whose cuts differ.
bool find_change(const Bounds& bounds, const Ranges& ranges, const View& from, const View& to, Change& change) {
  CutWorkspace workspace;
  const auto at = [&](double t) {
    View view;
    view.eye_x_m = from.eye_x_m + (to.eye_x_m - from.eye_x_m) * t;
    view.eye_y_m = from.eye_y_m + (to.eye_y_m - from.eye_y_m) * t;
    view.eye_z_m = from.eye_z_m + (to.eye_z_m - from.eye_z_m) * t;
    return view;
  };
  double low = 0;
  double high = 1;
  Cut first;
  select_cut(bounds, at(0), ranges, workspace, first);
  select_cut(bounds, at(1), ranges, workspace, change.cut_after);
  if (change.cut_after.nodes == first.nodes) {
    return false;
  }
  for (int step = 0; step < 54; ++step) {
    const double middle = (low + high) / 2;
    if (middle <= low || middle >= high) {
      break;
    }
    Cut cut;
    select_cut(bounds, at(middle), ranges, workspace, cut);
    (cut.nodes == first.nodes ? low : high) = middle;
  }
  change.before = at(low);
  change.after = at(high);
  select_cut(bounds, change.before, ranges, workspace, change.cut_before);
  select_cut(bounds, change.after, ranges, workspace, change.cut_after);
  return !(change.cut_before.nodes == change.cut_after.nodes);
}

TEST(Merge, MovesNothing) {
  int changes = 0;
  for (std::uint64_t seed = 1; seed <= 120; ++seed) {
    Random random(seed);
    const Terrain terrain = kTerrains[random.below(5)];
    const Lattice lattice{.stops_x = 97 + random.below(200),
                          .stops_z = 500 + random.below(400),
                          .registration = Registration(random.below(2)),
                          .step_m = 1.0 / 64};
    const auto source = make_field(terrain, seed, lattice);
    Bounds& bounds = source->bounds();
    set_kappas(bounds, int(seed) % kKappaKinds, random);
    const int quads = 8 << random.below(3);
    const Ranges ranges = make_ranges(
        quads * random.between(0.5, 4),
        {.morph_fraction = random.between(0.02, 0.9), .node_quads = quads, .plane = HeightPlane(random.below(2))});
    Change change;
    if (!find_change(bounds, ranges, random_view(bounds, random), random_view(bounds, random), change)) {
      continue;
    }
    ++changes;
    WorldMesher mesher(*source, bounds);
    for (const bool is_stitched : {false, true}) {
      ASSERT_EQ(mesher.sorted_triangles(change.before, ranges, {}, change.cut_before.nodes, is_stitched),
                mesher.sorted_triangles(change.before, ranges, {}, change.cut_after.nodes, is_stitched))
          << describe(lattice, terrain, ranges, change.before, seed) << (is_stitched ? " stitched" : " unstitched");
    }
  }
  EXPECT_GT(changes, 60);
}

// The selection may trail the camera by the lag without any node merging too early.
TEST(Merge, ALaggingSelectionStaysValid) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Lattice lattice{.stops_x = 300, .stops_z = 500, .step_m = 1.0 / 64};
    const auto source = make_field(Terrain::fractal, seed, lattice);
    Bounds& bounds = source->bounds();
    set_kappas(bounds, int(seed) % kKappaKinds, random);
    const double lag = random.between(0.1, 5);
    const Ranges ranges = make_ranges(random.between(20, 90), {.camera_lag_m = lag, .node_quads = 16});
    const View selected = random_view(bounds, random);
    View drawn = selected;
    const double angle = random.between(0, 6.28);
    drawn.eye_x_m += 0.999 * lag * std::cos(angle);
    drawn.eye_z_m += 0.999 * lag * std::sin(angle);
    CutWorkspace workspace;
    Cut trailing, current;
    select_cut(bounds, selected, ranges, workspace, trailing);
    Ranges tight = ranges;
    tight.lag_m = 0;
    select_cut(bounds, drawn, tight, workspace, current);
    WorldMesher mesher(*source, bounds);
    ASSERT_EQ(mesher.sorted_triangles(drawn, ranges, {}, trailing.nodes, false),
              mesher.sorted_triangles(drawn, ranges, {}, current.nodes, false))
        << describe(lattice, Terrain::fractal, ranges, drawn, seed);
  }
}

// B76: a visible jump when a level changes. Wherever a step of a tenth of a metre changes the cut, the picture is the
// same, to the bit, on both sides of the change, and every vertex that two nodes share is one place in both.
TEST(Merge, B76_ATenthOfAMetreOverALodChange) {
  const Lattice lattice{.stops_x = 129 * 3, .stops_z = 129, .step_m = 1.0 / 1024};
  const auto source = make_field(Terrain::random, 76, lattice);
  const Bounds& bounds = source->bounds();
  const Ranges ranges = make_ranges(50, {.node_quads = 8});
  WorldMesher mesher(*source, bounds);
  int changes = 0;
  View from{.eye_x_m = 20, .eye_y_m = 30, .eye_z_m = 61.7, .pixels_per_radian = 1000, .frustum = {}};
  for (; from.eye_x_m < 130; from.eye_x_m += 0.1) {
    View to = from;
    to.eye_x_m += 0.1;
    Change change;
    if (!find_change(bounds, ranges, from, to, change)) {
      continue;
    }
    ++changes;
    ASSERT_EQ(mesher.sorted_triangles(change.before, ranges, {}, change.cut_before.nodes, true),
              mesher.sorted_triangles(change.before, ranges, {}, change.cut_after.nodes, true))
        << "camera x " << change.before.eye_x_m;
    for (const bool is_before : {true, false}) {
      EdgeCounter edges(lattice, {});
      mesher.each_triangle(is_before ? change.before : change.after, ranges, {},
                           (is_before ? change.cut_before : change.cut_after).nodes, true,
                           [&](const Corner& a, const Corner& b, const Corner& c) { edges.add(a, b, c); });
      ASSERT_EQ(edges.report().cracks, 0) << edges.report().first;
    }
  }
  EXPECT_GT(changes, 20);
}

}  // namespace
}  // namespace arete::test
