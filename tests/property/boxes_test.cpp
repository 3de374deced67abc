// Invariant 5 as the cut uses it: boxes hold what is drawn, culling drops nothing that is, and no leaf's vertex lies
// within a finer lod's range.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "arete/cut.h"
#include "kernel/axis.h"
#include "support/field.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

TEST(Cut, NoVertexOfALeafIsNearerThanAFinerLodsRange) {
  std::int64_t vertices = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Terrain terrain = kTerrains[random.below(5)];
    const Lattice lattice{.stops_x = 97 + random.below(200),
                          .stops_z = 900,
                          .registration = Registration(random.below(2)),
                          .step_m = 1.0 / 64};
    const std::vector<std::uint16_t> stops = terrain_field(terrain, seed, lattice);
    const auto source = make_field(lattice, stops);
    Bounds& bounds = source->bounds();
    set_kappas(bounds, int(seed) % kKappaKinds, random);
    const int quads = 8 << random.below(4);
    const Ranges ranges = make_ranges(quads * random.between(0.5, 4), {.node_quads = quads});
    const View view = random_view(bounds, random);
    const kernel::FrameConstants frame = make_frame(bounds, view, ranges, {});
    CutWorkspace workspace;
    Cut cut;
    select_cut(bounds, view, ranges, workspace, cut);
    for (const Node& node : cut.nodes) {
      for (int i = 0; i < 40 && node.lod > 0; ++i) {
        const int finer = random.below(node.lod);
        const int side = quads << node.lod;
        const int gx = kernel::lod_index(int(node.x) * side + (random.below(side + 1) >> finer << finer), finer,
                                         lattice.last_stop_x());
        const int gz = kernel::lod_index(int(node.z) * side + (random.below(side + 1) >> finer << finer), finer,
                                         lattice.last_stop_z());
        const int x = kernel::stop_of(gx, lattice.last_stop_x()), z = kernel::stop_of(gz, lattice.last_stop_z());
        const float weight =
            kernel::morph_weight(frame, kernel::axis_place(kernel::frame_axis_x(frame), finer, gx).camera_sq,
                                 kernel::axis_place(kernel::frame_axis_z(frame), finer, gz).camera_sq,
                                 stops[std::size_t(z) * std::size_t(lattice.stops_x) + std::size_t(x)],
                                 bounds.kappa_at(finer, gx, gz), finer);
        ASSERT_GE(weight, 1.0f) << describe(lattice, terrain, ranges, view, seed) << " lod " << int(node.lod)
                                << " finer " << finer;
        ++vertices;
      }
    }
  }
  EXPECT_GT(vertices, 20'000);
}

View looking(const Bounds& bounds, Random& random) {
  View view = random_view(bounds, random);
  const double angle = random.between(0, 6.283);
  const double width = random.between(0.2, 1.2);
  for (const double side : {-1.0, 1.0}) {
    const double nx = -side * std::sin(angle + side * width / 2), nz = side * std::cos(angle + side * width / 2);
    // The field of view lies on the inner side of both planes.
    const double along = -(nx * std::cos(angle) + nz * std::sin(angle));
    const double flip = along > 0 ? -1 : 1;
    view.frustum.push_back({flip * nx, 0, flip * nz, -flip * (nx * view.eye_x_m + nz * view.eye_z_m)});
  }
  view.frustum.push_back({0, random.below(2) == 0 ? 1.0 : -1.0, 0, random.between(-100, 1500)});
  return view;
}

TEST(Cut, CullingChangesNoMaskAndDropsNothingThatIsDrawn) {
  std::int64_t dropped = 0;
  std::int64_t kept = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const Terrain terrain = kTerrains[random.below(5)];
    const Lattice lattice{.stops_x = 97 + random.below(200), .stops_z = 900, .step_m = 1.0 / 64};
    const auto source = make_field(terrain, seed, lattice);
    Bounds& bounds = source->bounds();
    set_kappas(bounds, int(seed) % kKappaKinds, random);
    const int quads = 4 << random.below(4);
    const Ranges ranges =
        make_ranges(quads * random.between(0.5, 4), {.node_quads = quads, .plane = HeightPlane(random.below(2))});
    const View view = looking(bounds, random);
    View open = view;
    open.frustum.clear();
    CutWorkspace workspace;
    Cut culled, whole;
    select_cut(bounds, view, ranges, workspace, culled);
    select_cut(bounds, open, ranges, workspace, whole);
    ASSERT_EQ(culled.nodes, whole.nodes);
    ASSERT_TRUE(std::is_sorted(culled.drawn.begin(), culled.drawn.end()));
    kept += std::int64_t(culled.drawn.size());
    WorldMesher mesher(*source, bounds);
    std::size_t next = 0;
    for (std::uint32_t i = 0; i < culled.nodes.size(); ++i) {
      if (next < culled.drawn.size() && culled.drawn[next] == i) {
        ++next;
        continue;
      }
      ++dropped;
      mesher.each_triangle(
          view, ranges, {}, {culled.nodes[i]}, true, [&](const Corner& a, const Corner& b, const Corner& c) {
            bool is_out = false;
            for (const Plane& plane : view.frustum) {
              bool all = true;
              for (const Corner& corner : {a, b, c}) {
                all = all &&
                      plane.x * real(corner.x) + plane.y * real(corner.y) + plane.z * real(corner.z) + plane.d < 1e-6;
              }
              is_out = is_out || all;
            }
            ASSERT_TRUE(is_out) << describe(lattice, terrain, ranges, view, seed) << " node "
                                << int(culled.nodes[i].lod) << ' ' << culled.nodes[i].x << ' ' << culled.nodes[i].z;
          });
      if (HasFatalFailure()) {
        return;
      }
    }
  }
  EXPECT_GT(dropped, 1000);
  EXPECT_GT(kept, 1000);
}

// A node's max-plane vertices stand as high as a peak beside the node: it is culled by its top, not by its samples.
TEST(Cut, CullingInMaxModeKeepsWhatStandsOverTheSamples) {
  const Lattice lattice{.stops_x = 257, .stops_z = 257};
  std::vector<std::uint16_t> stops(257 * 257, 1);
  stops[33 * 257 + 65] = 801;  // one stop east of node (0, 0) of lod 1
  const auto source = make_field(lattice, stops);
  View view{.eye_x_m = 0, .eye_y_m = 1e6, .eye_z_m = 0, .frustum = {}};
  view.frustum.push_back({0, 1, 0, -100});
  CutWorkspace workspace;
  Cut cut;
  for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
    select_cut(source->bounds(), view, make_ranges(100, {.plane = plane}), workspace, cut);
    ASSERT_EQ(cut.nodes.size(), 16u);
    ASSERT_EQ(cut.nodes[0].lod, 1);
    // The peak's own node, and in max mode the one to the west, whose border it raises.
    EXPECT_EQ(cut.drawn,
              plane == HeightPlane::max ? (std::vector<std::uint32_t>{0, 1}) : std::vector<std::uint32_t>{1});
  }
}

// B27: a peak that a sparse grid of samples misses. Boxes of every lod hold each vertex that is drawn, at any morph
// weight.
TEST(Cut, B27_BoxesHoldASinglePeakAndAllThatIsDrawn) {
  const std::pair<int, int> peaks[] = {{37, 91},  {0, 0},    {256, 0},   {0, 256}, {256, 256},
                                       {128, 40}, {40, 128}, {128, 128}, {0, 128}, {128, 256}};
  for (const std::pair<int, int>& peak : peaks) {
    const int peak_x = peak.first, peak_z = peak.second;
    const Lattice lattice{.stops_x = 257, .stops_z = 257};
    std::vector<std::uint16_t> stops(257 * 257, 1);
    stops[std::size_t(peak_z) * 257 + std::size_t(peak_x)] = 801;
    const auto source = make_field(lattice, stops);
    const Bounds& bounds = source->bounds();
    for (int lod = 0; lod < lattice.lods(); ++lod) {
      for (int z = 0; z < lattice.nodes_z(lod, 32); ++z) {
        for (int x = 0; x < lattice.nodes_x(lod, 32); ++x) {
          const int side = 32 << lod;
          const bool holds =
              peak_x >= x * side && peak_x <= (x + 1) * side && peak_z >= z * side && peak_z <= (z + 1) * side;
          for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
            const NodeBox box = node_box(bounds, 32, lod, std::uint32_t(x), std::uint32_t(z), plane);
            ASSERT_EQ(box.min_y_m, 1);
            if (holds) {
              ASSERT_EQ(box.max_y_m, 801) << "lod " << lod << " node " << x << ' ' << z;
            }
          }
        }
      }
    }
    WorldMesher mesher(*source, bounds);
    Random random(std::uint64_t(peak_x * 1000 + peak_z));
    for (int round = 0; round < 12; ++round) {
      const Ranges ranges = make_ranges(random.between(20, 400), {.node_quads = 32, .plane = HeightPlane(round % 2)});
      const View view = random_view(bounds, random);
      CutWorkspace workspace;
      Cut cut;
      select_cut(bounds, view, ranges, workspace, cut);
      for (const Node& node : cut.nodes) {
        const NodeBox box = node_box(bounds, 32, node.lod, node.x, node.z, ranges.plane);
        mesher.each_triangle(view, ranges, {}, {node}, true, [&](const Corner& a, const Corner& b, const Corner& c) {
          for (const Corner& corner : {a, b, c}) {
            ASSERT_GE(real(corner.x), box.min_x_m);
            ASSERT_LE(real(corner.x), box.max_x_m);
            ASSERT_GE(real(corner.y), box.min_y_m);
            ASSERT_LE(real(corner.y), box.max_y_m) << "peak " << peak_x << ' ' << peak_z;
            ASSERT_GE(real(corner.z), box.min_z_m);
            ASSERT_LE(real(corner.z), box.max_z_m);
          }
        });
      }
    }
  }
}

}  // namespace
}  // namespace arete::test
