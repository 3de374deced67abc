// Invariant 11: snapped and sewn index buffers close for every mask and size, turn nothing over, and draw one surface.
#include <gtest/gtest.h>

#include <map>

#include "support/field.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

struct Point {
  int i, k;
  friend auto operator<=>(const Point&, const Point&) = default;  // NOLINT(modernize-use-nullptr): not ours
};

TEST(SewnIndices, CloseForEveryMaskAndTurnNothingOver) {
  for (const int quads : {4, 8, 16, 32, 64, 128}) {
    for (int mask = 0; mask < 16; ++mask) {
      const std::vector<std::uint32_t> indices = sew_indices(quads, mask);
      ASSERT_EQ(indices.size(), std::size_t(6 * quads * quads - 3 * quads / 2 * std::popcount(unsigned(mask))));
      std::map<std::pair<Point, Point>, int> edges;
      int area = 0;
      for (std::size_t t = 0; t < indices.size(); t += 3) {
        Point p[3];
        for (std::size_t c = 0; c < 3; ++c) {
          p[c] = {int(indices[t + c]) % (quads + 1), int(indices[t + c]) / (quads + 1)};
        }
        const int twice = (p[1].k - p[0].k) * (p[2].i - p[0].i) - (p[1].i - p[0].i) * (p[2].k - p[0].k);
        // A corner between two stitched edges leaves one upright triangle on neither side; nothing turns over.
        ASSERT_GE(twice, 0) << "quads " << quads << " mask " << mask;
        area += twice;
        for (std::size_t c = 0; c < 3; ++c) {
          const Point a = p[c], b = p[(c + 1) % 3];
          edges[a < b ? std::pair(a, b) : std::pair(b, a)] += a < b ? 1 : -1;
        }
      }
      EXPECT_EQ(area, 2 * quads * quads);
      for (const auto& [edge, balance] : edges) {
        if (balance == 0) {
          continue;
        }
        const auto [a, b] = edge;
        const auto on = [&](int bit, bool is_on) { return is_on && (mask & bit) != 0; };
        const bool is_outer = (a.i == b.i && (a.i == 0 || a.i == quads)) || (a.k == b.k && (a.k == 0 || a.k == quads));
        ASSERT_TRUE(is_outer) << "quads " << quads << " mask " << mask;
        const bool is_stitched =
            on(kernel::kEdgeMinusX, a.i == 0 && b.i == 0) || on(kernel::kEdgePlusX, a.i == quads && b.i == quads) ||
            on(kernel::kEdgeMinusZ, a.k == 0 && b.k == 0) || on(kernel::kEdgePlusZ, a.k == quads && b.k == quads);
        ASSERT_EQ(b.i - a.i + b.k - a.k, is_stitched ? 2 : 1) << "the neighbour's own segments";
      }
    }
  }
}

TEST(SewnIndices, DrawTheSurfaceOfThePlainBuffer) {
  const kernel::VertexLayout layout = corner_layout();
  std::int64_t stitched = 0;
  std::int64_t rims = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const int quads = 8 << random.below(3);
    const Lattice lattice{.stops_x = 200 + random.below(200), .stops_z = 300 + random.below(300), .step_m = 1.0 / 64};
    const Terrain terrain = kTerrains[random.below(5)];
    const auto source = make_field(terrain, seed, lattice);
    Bounds& bounds = source->bounds();
    set_kappas(bounds, int(seed) % kKappaKinds, random);
    const Ranges ranges = make_ranges(quads * random.between(0.5, 3), {.node_quads = quads});
    const View view = random_view(bounds, random);
    CutWorkspace workspace;
    Cut cut;
    if (seed % 2 == 0) {
      select_cut(bounds, view, ranges, workspace, cut);
    } else {
      cut_from_splits(lattice, quads, RandomSplits(seed, 0.6), workspace, cut);
    }
    const kernel::FrameConstants frame = make_frame(bounds, view, ranges, {});
    NodeMesher mesher(*source, bounds);
    std::vector<std::uint32_t> words(std::size_t(node_vertices(quads)) * 4);
    const auto triangles = [&](const std::vector<std::uint32_t>& indices) {
      std::vector<Triangle> result;
      for (std::size_t i = 0; i < indices.size(); i += 3) {
        Triangle triangle;
        for (std::size_t c = 0; c < 3; ++c) {
          const std::uint32_t* at = words.data() + 4 * std::size_t(indices[i + c]);
          triangle[c] = {at[0], at[1], at[2], at[3]};
        }
        if (triangle[0] != triangle[1] && triangle[1] != triangle[2] && triangle[2] != triangle[0]) {
          std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
          result.push_back(triangle);
        }
      }
      std::sort(result.begin(), result.end());
      return result;
    };
    for (const Node& node : cut.nodes) {
      ASSERT_TRUE(mesher.build(frame, ranges, node, layout, words));
      const NodeCells cells = node_cells(lattice, node, quads);
      const std::vector<std::uint32_t> sewn = sew_indices(quads, node.coarse_mask, cells);
      ASSERT_EQ(triangles(sewn), triangles(node_indices(quads)))
          << describe(lattice, terrain, ranges, view, seed) << " node " << int(node.lod) << ' ' << node.x << ' '
          << node.z << " mask " << int(node.coarse_mask);
      stitched += node.coarse_mask != 0 ? 1 : 0;
      rims += cells.x % 2 + cells.z % 2;
      if (cells.x == quads && cells.z == quads) {
        ASSERT_EQ(sewn, sew_indices(quads, node.coarse_mask));
      }
    }
  }
  EXPECT_GT(stitched, 300);
  EXPECT_GT(rims, 100);
}

}  // namespace
}  // namespace arete::test
