// What the cut promises beside its laws: small fields, no allocation, visited nodes.
#include <gtest/gtest.h>

#include <algorithm>

#include "arete/cut.h"
#include "support/allocations.h"
#include "support/made_pages.h"

namespace arete {
namespace {

View above(double x_m, double y_m, double z_m) {
  View view;
  view.eye_x_m = x_m;
  view.eye_y_m = y_m;
  view.eye_z_m = z_m;
  return view;
}

TEST(SelectCut, FieldsOfOnePageAreTheirRoots) {
  for (const auto& [stops_x, stops_z, quads, expected] : {std::tuple{1, 1, 32, 1},
                                                          {2, 2, 32, 1},
                                                          {129, 129, 32, 16},
                                                          {129, 129, 128, 1},
                                                          {129, 34, 32, 8},
                                                          {129, 129, 4, 1024}}) {
    const Bounds bounds = test::wide_bounds({.stops_x = stops_x, .stops_z = stops_z}, 1, 2);
    CutWorkspace workspace;
    Cut cut;
    select_cut(bounds, above(0, 0, 0), make_ranges(100, {.node_quads = quads}), workspace, cut);
    EXPECT_EQ(cut.nodes.size(), std::size_t(expected)) << stops_x << ' ' << stops_z << ' ' << quads;
    EXPECT_EQ(cut.drawn.size(), cut.nodes.size());
    for (const Node& node : cut.nodes) {
      EXPECT_EQ(node.coarse_mask, 0);
      EXPECT_EQ(node.corner_lods, 0);
    }
  }
}

TEST(SelectCut, AThresholdIsStrictAndMeasuredToTheBox) {
  // One root of 257 stops: 256 m wide, heights 10 to 20 m. R of lod 0 is 50 m.
  const Bounds bounds = test::wide_bounds({.stops_x = 257, .stops_z = 257}, 10, 20);
  const Ranges ranges = make_ranges(50, {.node_quads = 128});
  CutWorkspace workspace;
  Cut cut;
  const auto leaves = [&](double x, double y, double z) {
    select_cut(bounds, above(x, y, z), ranges, workspace, cut);
    return cut.nodes.size();
  };
  EXPECT_EQ(leaves(100, 69.75, 100), 4u);
  EXPECT_EQ(leaves(100, 70, 100), 1u);
  EXPECT_EQ(leaves(-49.75, 15, 100), 4u);
  EXPECT_EQ(leaves(-50, 15, 100), 1u);
  EXPECT_EQ(leaves(256 + 49.75, 15, 100), 4u);
  EXPECT_EQ(leaves(256 + 30, 20 + 40, 100), 1u) << "30-40-50";
  EXPECT_EQ(leaves(256 + 30, 20 + 39.5, 100), 4u);
  EXPECT_EQ(leaves(100, -39.75, 100), 4u);
  EXPECT_EQ(leaves(100, -40, 100), 1u);
}

TEST(SelectCut, ASteadyCameraAllocatesNothing) {
  const Bounds bounds = test::wide_bounds({.stops_x = 16385, .stops_z = 16385}, 100, 400);
  const Ranges ranges = make_ranges(400, {.node_quads = 32});
  CutWorkspace workspace;
  Cut cut;
  std::size_t most = 0;
  const auto fly = [&] {
    for (int step = 0; step < 50; ++step) {
      View view = above(8000 + 10 * step, 300, 8000 - 7 * step);
      select_cut(bounds, view, ranges, workspace, cut);
      most = std::max(most, cut.nodes.size());
    }
  };
  fly();
  const std::uint64_t before = test::thread_allocations();
  fly();
  EXPECT_EQ(test::thread_allocations(), before);
  EXPECT_GT(most, 100u);
  EXPECT_GE(workspace.visited_nodes(), cut.nodes.size());
  EXPECT_LT(workspace.visited_nodes(), 2 * cut.nodes.size());
}

// Splits the nodes that hold the field's first or last stop.
class BothCorners final : public SplitPredicate {
 public:
  explicit BothCorners(const Lattice& lattice) : lattice_(lattice) {}
  bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
    const auto last = std::uint32_t(lattice_.nodes_x(lod, 32)) - 1;
    return lod > 0 && x == z && (x == 0 || x == last);
  }

 private:
  const Lattice& lattice_;
};

TEST(CutFromSplits, CornersFarApartAreCutAlike) {
  const Lattice lattice{.stops_x = (1 << 20) + 1, .stops_z = (1 << 20) + 1};
  CutWorkspace workspace;
  Cut cut;
  cut_from_splits(lattice, 32, BothCorners(lattice), workspace, cut);
  const auto half_turn = [&](const Node& node) {
    const auto last = std::uint32_t(lattice.nodes_x(node.lod, 32)) - 1;
    const int mask = node.coarse_mask, corners = node.corner_lods;
    Node turned{node.lod, 0, 0, last - node.x, last - node.z};
    turned.coarse_mask = std::uint8_t((mask << 2 | mask >> 2) & 15);
    turned.corner_lods = std::uint8_t(corners << 4 | corners >> 4);
    return turned;
  };
  std::int64_t cells = 0;
  int finest = 0;
  for (const Node& node : cut.nodes) {
    cells += std::int64_t(1) << (2 * (node.lod + 5));
    finest += node.lod == 0 ? 1 : 0;
    EXPECT_NE(std::find(cut.nodes.begin(), cut.nodes.end(), half_turn(node)), cut.nodes.end())
        << int(node.lod) << ' ' << node.x << ' ' << node.z;
  }
  EXPECT_EQ(cells, std::int64_t(1) << 40);
  EXPECT_EQ(finest, 8);
}

TEST(SelectCut, ABareHorizonOfHolesStaysWhole) {
  // Holes alone: 0 and 0 in the bounds, taken at the field's least height.
  const Lattice lattice{.stops_x = 1025, .stops_z = 129};
  Bounds bounds = test::wide_bounds(lattice, 0, 0);
  bounds.field_min = 500;
  bounds.field_max = 600;
  CutWorkspace workspace;
  Cut cut;
  const Ranges ranges = make_ranges(40, {.node_quads = 32});
  select_cut(bounds, above(500, 0, 60), ranges, workspace, cut);
  EXPECT_EQ(cut.nodes.size(), std::size_t(4 * 1)) << "500 m below the ground that holes stand for";
  select_cut(bounds, above(500, 510, 60), ranges, workspace, cut);
  EXPECT_EQ(cut.nodes.front().lod, 0);
}

TEST(SelectCut, TheFrustumDropsFromDrawnAlone) {
  const Bounds bounds = test::wide_bounds({.stops_x = 513, .stops_z = 513}, 10, 20);
  const Ranges ranges = make_ranges(60, {.node_quads = 32});
  CutWorkspace workspace;
  Cut cut;
  View view = above(256, 30, 256);
  select_cut(bounds, view, ranges, workspace, cut);
  const std::vector<Node> all = cut.nodes;
  view.frustum = {{1, 0, 0, -300}};  // x >= 300
  select_cut(bounds, view, ranges, workspace, cut);
  EXPECT_EQ(cut.nodes, all);
  EXPECT_LT(cut.drawn.size(), all.size());
  for (std::uint32_t i = 0, next = 0; i < all.size(); ++i) {
    const NodeBox box = node_box(bounds, 32, all[i].lod, all[i].x, all[i].z, HeightPlane::subsample);
    const bool is_drawn = next < cut.drawn.size() && cut.drawn[next] == i;
    next += is_drawn ? 1 : 0;
    EXPECT_EQ(is_drawn, box.max_x_m >= 300);
  }
  view.frustum = {{0, 1, 0, -1000}};
  select_cut(bounds, view, ranges, workspace, cut);
  EXPECT_TRUE(cut.drawn.empty());
}

TEST(NodeBox, IsTheHullOfItsStops) {
  const Lattice lattice{.stops_x = 302,
                        .stops_z = 202,
                        .registration = Registration::area,
                        .spacing_x_m = 2,
                        .spacing_z_m = 3,
                        .base_m = -100,
                        .step_m = 0.5};
  const Bounds bounds = test::wide_bounds(lattice, 10, 20);
  const NodeBox first = node_box(bounds, 32, 0, 0, 0, HeightPlane::subsample);
  EXPECT_EQ(first.min_x_m, 0);
  EXPECT_EQ(first.max_x_m, 63);  // stop 32 of an area axis: half texel 63 of 1 m
  EXPECT_EQ(first.max_z_m, 94.5);
  EXPECT_EQ(first.min_y_m, -95);
  EXPECT_EQ(first.max_y_m, -90);
  const NodeBox last = node_box(bounds, 32, 1, 4, 3, HeightPlane::subsample);
  EXPECT_EQ(last.max_x_m, 600);
  EXPECT_EQ(last.max_z_m, 600);
}

}  // namespace
}  // namespace arete
