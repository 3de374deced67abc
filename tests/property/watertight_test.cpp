// Invariant 7: meshes are closed by the exact bits of positions, for valid cuts without stitching and for any
// restricted cut with the coarse rule, in both height planes, over steep and random ground, holes, and sizes that
// nothing divides.
#include "support/watertight.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "kernel/vertex.h"
#include "support/field.h"

namespace arete::test {
namespace {

// Meshes one cut and expects it closed, covering the field's area once.
class Watertight : public ::testing::Test {
 protected:
  std::int64_t triangles_ = 0;
  std::int64_t meshes_ = 0;

  void expect_closed(WorldMesher& mesher, const Bounds& bounds, const View& view, const Ranges& ranges,
                     const std::vector<Node>& nodes, bool is_stitched, const std::string& what) {
    const Lattice& lattice = bounds.lattice();
    const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
    EdgeCounter edges(lattice, anchor);
    mesher.each_triangle(view, ranges, anchor, nodes, is_stitched,
                         [&](const Corner& a, const Corner& b, const Corner& c) { edges.add(a, b, c); });
    const EdgeCounter::Report report = edges.report();
    const double area = lattice.width_m() * lattice.depth_m();
    ASSERT_EQ(report.cracks, 0) << what << (is_stitched ? " stitched: " : " unstitched: ") << report.first;
    ASSERT_NEAR(edges.area(), area, 1e-6 * area) << what << (is_stitched ? " stitched" : " unstitched");
    triangles_ += edges.triangles;
    ++meshes_;
  }
};

struct Size {
  int x, z;
};

TEST_F(Watertight, AnyTerrainSizeRegistrationPlaneAndLocalRange) {
  // Thin fields have many lods for few samples; 97 and 4,100 make lods whose nodes end before their parents' rim.
  constexpr Size kSizes[] = {{300, 200}, {97, 2000}, {40, 4100}, {259, 1030}, {520, 420}, {2, 700}, {1, 300}};
  std::map<int, int> lods_seen;
  for (const Size size : kSizes) {
    for (const Terrain terrain : kTerrains) {
      const std::uint64_t seed = std::uint64_t(size.x * 1000 + int(terrain));
      Random random(seed);
      const Registration registration = random.below(2) == 0 ? Registration::point : Registration::area;
      const Lattice lattice{.stops_x = size.x + (registration == Registration::area ? 2 : 0),
                            .stops_z = size.z,
                            .registration = registration,
                            .spacing_x_m = 1.0,
                            .spacing_z_m = random.below(2) == 0 ? 1.0 : 1.7,
                            .base_m = -64,
                            .step_m = 1.0 / 64};
      const auto source = make_field(terrain, seed, lattice);
      Bounds& bounds = source->bounds();
      WorldMesher mesher(*source, bounds);
      CutWorkspace workspace;
      Cut cut;
      for (int round = 0; round < 4; ++round) {
        set_kappas(bounds, round % 2 == 0 ? 0 : 1 + random.below(kKappaKinds - 1), random);
        const int quads = 8 << random.below(4);
        const Ranges ranges = make_ranges(
            quads * random.between(0.3, 4.3),
            {.morph_fraction = random.between(0.05, 0.9), .node_quads = quads, .plane = HeightPlane(round / 2)});
        const View view = random_view(bounds, random);
        const std::string what = describe(lattice, terrain, ranges, view, seed) + " round " + std::to_string(round);
        select_cut(bounds, view, ranges, workspace, cut);
        lods_seen[cut.nodes.back().lod - cut.nodes.front().lod]++;
        expect_closed(mesher, bounds, view, ranges, cut.nodes, false, what);
        expect_closed(mesher, bounds, view, ranges, cut.nodes, true, what);
        // Splits that no camera asked for, unbalanced: every leaf still lies behind all finer bands.
        const CutSplits valid(lattice, quads, cut.nodes);
        const RandomSplits finer(random.bits(), 0.2, &valid);
        expect_closed(mesher, bounds, view, ranges, bare_leaves(lattice, quads, finer), false, what + " refined");
        // Splits that ignore the camera: the coarse rule alone keeps them closed.
        cut_from_splits(lattice, quads, RandomSplits(random.bits(), random.between(0.2, 0.8)), workspace, cut);
        expect_closed(mesher, bounds, view, ranges, cut.nodes, true, what + " arbitrary");
        if (HasFatalFailure()) {
          return;
        }
      }
    }
  }
  // The test means something only if cuts span several lods.
  int wide = 0;
  for (const auto& [span, count] : lods_seen) {
    wide += span >= 2 ? count : 0;
  }
  EXPECT_GT(wide, 50);
  EXPECT_GT(triangles_, 1'000'000);
  std::printf("%lld meshes, %lld triangles, no crack\n", static_cast<long long>(meshes_),
              static_cast<long long>(triangles_));
}

// Where a leaf touches a stitched edge's end over the corner alone and is two lods coarser, that corner and the odd
// vertex beside it, which stands on it, take its place. Fields of few nodes, so that most have such a corner.
TEST_F(Watertight, CornersOfLeavesTwoLodsCoarser) {
  int corners = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const Lattice lattice{.stops_x = 129 + random.below(20), .stops_z = 260, .step_m = 1.0 / 64};
    const auto source = make_field(random.below(2) == 0 ? Terrain::random : Terrain::fractal, seed, lattice);
    const Bounds& bounds = source->bounds();
    WorldMesher mesher(*source, bounds);
    const int quads = 4 << random.below(3);
    const Ranges ranges = make_ranges(quads * random.between(0.3, 4), {.node_quads = quads, .plane = HeightPlane::max});
    const View view = random_view(bounds, random);
    CutWorkspace workspace;
    Cut cut;
    cut_from_splits(lattice, quads, RandomSplits(seed, random.between(0.3, 0.8)), workspace, cut);
    for (const Node& node : cut.nodes) {
      for (int corner = 0; corner < 4; ++corner) {
        corners += kernel::corner_lod(node.corner_lods, corner) == 2 ? 1 : 0;
      }
    }
    expect_closed(mesher, bounds, view, ranges, cut.nodes, true,
                  describe(lattice, Terrain::random, ranges, view, seed));
    if (HasFatalFailure()) {
      return;
    }
  }
  EXPECT_GT(corners, 500);
}

TEST_F(Watertight, PagesThatAreNotResident) {
  class RandomResidency final : public Residency {
   public:
    RandomResidency(std::uint64_t seed, double chance, int lods) : splits_(seed, chance), lods_(lods) {}
    bool is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
      for (; lod < lods_ - 1; ++lod, x >>= 1, z >>= 1) {
        if (!splits_.is_split(lod, x, z)) {
          return false;
        }
      }
      return true;
    }

   private:
    RandomSplits splits_;
    int lods_;
  };
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Terrain terrain = kTerrains[random.below(5)];
    const Lattice lattice{.stops_x = 500 + random.below(60), .stops_z = 700, .step_m = 1.0 / 32};
    const auto source = make_field(terrain, seed, lattice);
    const Bounds& bounds = source->bounds();
    WorldMesher mesher(*source, bounds);
    const int quads = 8 << random.below(3);
    const Ranges ranges =
        make_ranges(quads * random.between(1, 6), {.node_quads = quads, .plane = HeightPlane(random.below(2))});
    const View view = random_view(bounds, random);
    CutWorkspace workspace;
    Cut cut;
    const RandomResidency residency(seed, random.between(0.5, 0.98), lattice.lods());
    select_cut(bounds, view, ranges, workspace, cut, &residency);
    expect_closed(mesher, bounds, view, ranges, cut.nodes, true, describe(lattice, terrain, ranges, view, seed));
    if (HasFatalFailure()) {
      return;
    }
  }
}

// B01: slits between detail rings where the ground is steep. The camera passes the cliff in quarter metres.
TEST_F(Watertight, B01_LodBordersOverACliff) {
  for (const int side : {129, 513}) {
    const Lattice lattice{.stops_x = side, .stops_z = 129};
    std::vector<std::uint16_t> stops;
    for (int z = 0; z < lattice.stops_z; ++z) {
      for (int x = 0; x < side; ++x) {
        stops.push_back(std::uint16_t(x < side / 2 ? 1 : 1001));
      }
    }
    const auto source = make_field(lattice, stops);
    const Bounds& bounds = source->bounds();
    WorldMesher mesher(*source, bounds);
    CutWorkspace workspace;
    Cut cut;
    const Ranges ranges = make_ranges(24, {.node_quads = 8});
    const int middle = side / 2, stride = side == 129 ? 16 : 1;  // quarters of a metre
    for (int step = -160; step <= 160; step += stride) {
      const double x_m = middle + 0.25 * step;
      const View view{.eye_x_m = x_m, .eye_y_m = 500, .eye_z_m = 60.3, .pixels_per_radian = 1000, .frustum = {}};
      select_cut(bounds, view, ranges, workspace, cut);
      const Anchor anchor{};
      EdgeCounter edges(lattice, anchor);
      mesher.each_triangle(view, ranges, anchor, cut.nodes, true,
                           [&](const Corner& a, const Corner& b, const Corner& c) { edges.add(a, b, c); });
      const EdgeCounter::Report report = edges.report();
      ASSERT_EQ(report.cracks, 0) << "camera x " << x_m << ": " << report.first;
      ASSERT_EQ(report.crowded, 0) << "camera x " << x_m;
      ASSERT_EQ(report.misplaced, 0) << "camera x " << x_m;
    }
  }
}

// B02: a hill at a corner seen from above it, so that the finest and coarsest lods lie close together.
TEST_F(Watertight, B02_LodsFarApartStayRestricted) {
  const Lattice lattice{.stops_x = 513, .stops_z = 513};
  std::vector<std::uint16_t> stops;
  for (int z = 0; z < 513; ++z) {
    for (int x = 0; x < 513; ++x) {
      stops.push_back(std::uint16_t(1 + std::lround(300 * std::exp(-(x * x + z * z) / 800.0))));
    }
  }
  const auto source = make_field(lattice, stops);
  const Bounds& bounds = source->bounds();
  WorldMesher mesher(*source, bounds);
  CutWorkspace workspace;
  Cut cut;
  for (const int quads : {4, 8, 16, 32}) {
    for (const double range_0 : {3.0, 8.0, 30.0}) {
      const Ranges ranges = make_ranges(range_0, {.node_quads = quads});
      const View view{.eye_x_m = 0, .eye_y_m = 303, .eye_z_m = 0, .pixels_per_radian = 1000, .frustum = {}};
      select_cut(bounds, view, ranges, workspace, cut);
      EXPECT_EQ(cut.nodes.front().lod, 0);
      const CutSplits splits(lattice, quads, cut.nodes);
      for (const Node& node : cut.nodes) {
        for (const auto& [dx, dz] : {std::pair{0, -1}, {1, 0}, {0, 1}, {-1, 0}}) {
          const int x = int(node.x) + dx, z = int(node.z) + dz;
          if (x >= 0 && z >= 0 && x < lattice.nodes_x(node.lod, quads) && z < lattice.nodes_z(node.lod, quads) &&
              node.lod + 2 < lattice.lods()) {
            EXPECT_TRUE(splits.is_split(node.lod + 2, std::uint32_t(x) >> 2, std::uint32_t(z) >> 2));
          }
        }
      }
      expect_closed(mesher, bounds, view, ranges, cut.nodes, true, "B02");
      expect_closed(mesher, bounds, view, ranges, cut.nodes, false, "B02");
    }
  }
}

// B08: seams appear only when the mesh uses every 2nd, 4th, ... 32nd sample. One uniform lod after the other.
TEST_F(Watertight, B08_EveryStepKeepsTheRim) {
  const Lattice lattice{.stops_x = 4097, .stops_z = 257};
  ASSERT_EQ(lattice.lods(), 6);
  std::vector<std::uint16_t> stops;
  for (int z = 0; z < 257; ++z) {
    for (int x = 0; x < 4097; ++x) {
      stops.push_back(std::uint16_t(100 + 5000 / (1 + std::abs(x % 1024 - 512 - z / 8))));
    }
  }
  const auto source = make_field(lattice, stops);
  Bounds& bounds = source->bounds();
  Random random(8);
  set_kappas(bounds, 0, random);
  WorldMesher mesher(*source, bounds);
  class DownTo final : public SplitPredicate {
   public:
    explicit DownTo(int lod) : lod_(lod) {}
    bool is_split(int lod, std::uint32_t, std::uint32_t) const noexcept override { return lod > lod_; }

   private:
    int lod_;
  };
  CutWorkspace workspace;
  Cut cut;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
      cut_from_splits(lattice, 32, DownTo(lod), workspace, cut);
      ASSERT_EQ(cut.nodes.size(), std::size_t(lattice.nodes_x(lod, 32) * lattice.nodes_z(lod, 32)));
      // A range so great that nothing morphs: each vertex stands on a sample of its own lod.
      const Ranges ranges = make_ranges(1e6, {.node_quads = 32, .plane = plane});
      const View view{};
      expect_closed(mesher, bounds, view, ranges, cut.nodes, true, "B08 lod " + std::to_string(lod));
      std::int64_t triangles = 0;
      bool has_last = false;
      mesher.each_triangle(view, ranges, {}, cut.nodes, true, [&](const Corner& a, const Corner& b, const Corner& c) {
        ++triangles;
        for (const Corner& corner : {a, b, c}) {
          has_last = has_last || (real(corner.x) == 4096 && real(corner.z) == 256);
        }
      });
      EXPECT_TRUE(has_last);
      EXPECT_EQ(triangles, std::int64_t(2) * (4096 >> lod) * (256 >> lod));
    }
  }
}

// B05: vertices off the sample grid where tiles do not divide the raster.
TEST_F(Watertight, B05_UnmorphedVerticesStandOnStops) {
  for (const Registration registration : {Registration::point, Registration::area}) {
    const int rim = registration == Registration::area ? 2 : 0;
    const Lattice lattice{.stops_x = 300 + rim, .stops_z = 200 + rim, .registration = registration};
    const auto source = make_field(Terrain::random, 5, lattice);
    const Bounds& bounds = source->bounds();
    WorldMesher mesher(*source, bounds);
    CutWorkspace workspace;
    Cut cut;
    const Ranges ranges = make_ranges(1e6, {.node_quads = 64});
    const View view{};
    select_cut(bounds, view, ranges, workspace, cut);
    double smallest = 1e9;
    float greatest_x = 0, greatest_z = 0;
    mesher.each_triangle(view, ranges, {}, cut.nodes, true, [&](const Corner& a, const Corner& b, const Corner& c) {
      const Corner* corners[3] = {&a, &b, &c};
      for (int i = 0; i < 3; ++i) {
        const float x = real(corners[i]->x), z = real(corners[i]->z);
        ASSERT_EQ(x * 2, std::floor(x * 2));
        ASSERT_EQ(z * 2, std::floor(z * 2));
        if (registration == Registration::point) {
          ASSERT_EQ(x, std::floor(x));
          ASSERT_EQ(z, std::floor(z));
        } else {
          ASSERT_TRUE(x == 0 || x == 300 || x != std::floor(x));
          ASSERT_TRUE(z == 0 || z == 200 || z != std::floor(z));
        }
        greatest_x = std::max(greatest_x, x);
        greatest_z = std::max(greatest_z, z);
        const Corner& next = *corners[(i + 1) % 3];
        smallest = std::min(smallest, std::hypot(double(x) - real(next.x), double(z) - real(next.z)));
      }
    });
    EXPECT_EQ(smallest, registration == Registration::area ? 0.5 : 1.0);
    EXPECT_EQ(greatest_x, registration == Registration::area ? 300 : 299);
    EXPECT_EQ(greatest_z, registration == Registration::area ? 200 : 199);
    expect_closed(mesher, bounds, view, ranges, cut.nodes, true, "B05");
  }
}

// The counter must see what it is there for.
TEST(EdgeCounter, FindsAMovedVertexAMissingTriangleAndATurnedOne) {
  const Lattice lattice{.stops_x = 300, .stops_z = 300};
  const auto source = make_field(Terrain::fractal, 9, lattice);
  WorldMesher mesher(*source, source->bounds());
  const Ranges ranges = make_ranges(40, {.node_quads = 16});
  const View view{.eye_x_m = 100, .eye_y_m = 20000, .eye_z_m = 90, .pixels_per_radian = 1000, .frustum = {}};
  CutWorkspace workspace;
  Cut cut;
  select_cut(source->bounds(), view, ranges, workspace, cut);
  for (int fault = 0; fault < 4; ++fault) {
    EdgeCounter edges(lattice, {});
    std::int64_t count = 0;
    mesher.each_triangle(view, ranges, {}, cut.nodes, true, [&](Corner a, Corner b, Corner c) {
      const bool is_here = count++ == 1234;
      if (fault == 1 && is_here) {
        ++a.y;
      }
      if (fault == 2 && is_here) {
        return;
      }
      if (fault == 3 && is_here) {
        std::swap(a, b);
      }
      edges.add(a, b, c);
    });
    EXPECT_EQ(edges.report().cracks > 0, fault != 0) << fault;
  }
}

}  // namespace
}  // namespace arete::test
