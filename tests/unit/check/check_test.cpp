// The checker finds nothing on right fields and finds each planted fault by its own counter.
#include "arete/check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <tuple>

#include "arete/mesh.h"
#include "arete/tiles.h"
#include "support/field.h"
#include "support/terrain.h"

namespace arete {
namespace {
using test::Terrain;

std::unique_ptr<MemorySource> make_source(Terrain terrain, const Lattice& lattice, std::uint64_t seed = 5) {
  return *MemorySource::build(lattice, test::terrain_field(terrain, seed, lattice));
}

Lattice small_lattice(std::int32_t stops_x, std::int32_t stops_z, Registration registration = Registration::point) {
  return {.stops_x = stops_x,
          .stops_z = stops_z,
          .registration = registration,
          .spacing_x_m = 30,
          .spacing_z_m = 20,
          .base_m = -64,
          .step_m = 0.0625};
}

CheckReport check(const SampleSource& source, const Bounds& bounds, const CheckOptions& options,
                  const CheckHooks& hooks = {}) {
  Result<CheckReport> report = check_field(source, bounds, options, {}, hooks);
  EXPECT_TRUE(report.has_value()) << (report ? "" : report.error().message);
  return report ? *report : CheckReport{};
}

std::string lines(const CheckReport& report) {
  std::string all;
  for (const std::string& line : report.first_failures) {
    all += line + "\n";
  }
  return all;
}

// ---- Right fields ---------------------------------------------------------------------------------------------------

class RightField : public testing::TestWithParam<std::tuple<Terrain, Lattice, int>> {};

TEST_P(RightField, HasNoFailure) {
  const auto& [terrain, lattice, quads] = GetParam();
  const auto source = make_source(terrain, lattice);
  const CheckReport report = check(*source, source->bounds(), {.views = 24, .seed = 11, .node_quads = quads});
  EXPECT_EQ(report.failures(), 0) << lines(report);
  EXPECT_EQ(report.views, 24);
  EXPECT_GT(report.triangles, 0);
  EXPECT_GT(report.collider_nodes, 0);
  EXPECT_GT(report.pages, 0);
}

INSTANTIATE_TEST_SUITE_P(PointTerrains, RightField,
                         testing::Combine(testing::Values(Terrain::random, Terrain::cliff, Terrain::fractal,
                                                          Terrain::smooth, Terrain::holes, Terrain::flat,
                                                          Terrain::checkerboard),
                                          testing::Values(small_lattice(300, 211)), testing::Values(32)));
INSTANTIATE_TEST_SUITE_P(AreaTerrains, RightField,
                         testing::Combine(testing::Values(Terrain::random, Terrain::fractal, Terrain::holes),
                                          testing::Values(small_lattice(259, 258, Registration::area)),
                                          testing::Values(32)));
INSTANTIATE_TEST_SUITE_P(Sizes, RightField,
                         testing::Combine(testing::Values(Terrain::random, Terrain::holes),
                                          testing::Values(small_lattice(257, 129), small_lattice(161, 33),
                                                          small_lattice(2, 2),
                                                          small_lattice(4, 130, Registration::area)),
                                          testing::Values(4, 128)));

TEST(Check, AFieldWithoutCellsHasNothingToDraw) {
  for (const Lattice& lattice : {small_lattice(1, 1), small_lattice(1, 257), small_lattice(257, 1)}) {
    const auto source = make_source(Terrain::random, lattice);
    const CheckReport report = check(*source, source->bounds(), {.views = 24});
    EXPECT_EQ(report.failures(), 0) << lines(report);
    EXPECT_EQ(report.triangles, 0);
  }
}

TEST(Check, AFieldOfHolesAloneDrawsNothing) {
  const Lattice lattice = small_lattice(300, 140);
  const std::vector<std::uint16_t> nothing(300 * 140, kHole);
  const auto source = *MemorySource::build(lattice, nothing);
  const CheckReport report = check(*source, source->bounds(), {.views = 24});
  EXPECT_EQ(report.failures(), 0) << lines(report);
  EXPECT_EQ(report.triangles, 0);
}

// A page of holes alone is made of zeros, its aprons too, where its neighbours' aprons hold the ground around it.
TEST(Check, GroundAroundAPageOfHolesIsNoFault) {
  const Lattice lattice = small_lattice(400, 400);
  std::vector<std::uint16_t> steps = test::terrain_field(Terrain::fractal, 5, lattice);
  for (std::size_t z = 128; z <= 256; ++z) {
    std::fill_n(steps.begin() + std::ptrdiff_t(z * 400 + 128), 129, kHole);
  }
  const auto source = *MemorySource::build(lattice, steps);
  const CheckReport report = check(*source, source->bounds(), {.views = 24});
  EXPECT_EQ(report.failures(), 0) << lines(report);
}

TEST(Check, LocalRangesOfAnyShapeStayClosed) {
  const Lattice lattice = small_lattice(400, 300);
  for (int kind = 0; kind < test::kKappaKinds; ++kind) {
    const auto source = make_source(kind % 2 == 0 ? Terrain::fractal : Terrain::holes, lattice);
    test::Random random(std::uint64_t(kind) + 1);
    test::set_kappas(source->bounds(), kind, random);
    const CheckReport report = check(*source, source->bounds(), {.views = 24});
    EXPECT_EQ(report.failures(), 0) << "kind " << kind << ": " << lines(report);
  }
}

TEST(Check, CountsDependOnTheSeedAlone) {
  const auto source = make_source(Terrain::fractal, small_lattice(200, 150));
  CheckOptions options{.views = 24, .seed = 3, .jobs = 1};
  const CheckReport one = check(*source, source->bounds(), options);
  options.jobs = 3;
  const CheckReport three = check(*source, source->bounds(), options);
  EXPECT_EQ(one.triangles, three.triangles);
  EXPECT_EQ(one.nodes, three.nodes);
  EXPECT_EQ(one.changes_bisected, three.changes_bisected);
  EXPECT_GT(one.changes_bisected, 0);
  options.seed = 4;
  EXPECT_NE(check(*source, source->bounds(), options).triangles, one.triangles);
}

// ---- Planted faults -------------------------------------------------------------------------------------------------

class PlantedFault : public testing::Test {
 protected:
  CheckReport run(const CheckHooks& hooks) { return check(*source_, source_->bounds(), options_, hooks); }

  std::unique_ptr<MemorySource> source_ = make_source(Terrain::fractal, small_lattice(400, 300));
  CheckOptions options_{.views = 24, .seed = 2};
};

TEST_F(PlantedFault, BrokenMaskIsATJunction) {
  const CheckReport report = run({.alter_cut = [](Cut& cut) {
    for (Node& node : cut.nodes) {
      node.coarse_mask = 0;
    }
  }});
  EXPECT_GT(report.t_junctions, 0);
  EXPECT_EQ(report.uncovered, 0);
  EXPECT_EQ(report.balance_violations, 0);
  EXPECT_EQ(report.collider_mismatches, 0);
}

TEST_F(PlantedFault, BrokenCornerRuleIsACrack) {
  const CheckReport report = run({.alter_cut = [](Cut& cut) {
    for (Node& node : cut.nodes) {
      node.corner_lods = 0;
    }
  }});
  EXPECT_GT(report.cracks, 0);
  EXPECT_EQ(report.uncovered, 0);
}

TEST_F(PlantedFault, CornerTwoLodsCoarserTakenForOneIsACrack) {
  Lattice lattice = small_lattice(700, 600);
  lattice.step_m = 0x1p-10;  // low enough for cameras to come within the ranges
  source_ = make_source(Terrain::random, lattice);
  options_.views = 96;
  options_.node_quads = 8;
  options_.pixels_per_radian = 120;
  std::atomic<int> corners = 0;
  const CheckReport report = run({.alter_cut = [&](Cut& cut) {
    for (Node& node : cut.nodes) {  // a leaf two lods coarser over a corner is taken for one
      corners += std::popcount(unsigned(node.corner_lods & 0xaa));
      node.corner_lods = static_cast<std::uint8_t>((node.corner_lods & 0x55) | (node.corner_lods & 0xaa) >> 1);
    }
  }});
  EXPECT_GT(corners, 0);
  EXPECT_GT(report.cracks, 0);
  EXPECT_EQ(report.collider_mismatches, 0);
}

TEST_F(PlantedFault, WeightThatDoesNotReachOneMovesAtMerges) {
  const CheckReport report = run({.alter_frame = [](kernel::FrameConstants& frame) { frame.morph_scale *= 0.5f; }});
  EXPECT_GT(report.merge_moves, 0);
  EXPECT_EQ(report.collider_mismatches, 0);
}

TEST_F(PlantedFault, NodeLeftOutIsUncovered) {
  const CheckReport report = run({.alter_cut = [](Cut& cut) { cut.nodes.pop_back(); }});
  EXPECT_GT(report.uncovered, 0);
}

TEST_F(PlantedFault, NodeDrawnTwiceIsUncovered) {
  const CheckReport report = run({.alter_cut = [](Cut& cut) { cut.nodes.push_back(cut.nodes.front()); }});
  EXPECT_GT(report.uncovered, 0);
}

TEST_F(PlantedFault, SplitWithoutNeighboursBreaksBalance) {
  const Lattice lattice = source_->lattice();
  const CheckReport report = run({.alter_cut = [&](Cut& cut) {
    for (int times = 0; times < 2; ++times) {  // the coarsest node and then a quarter of it, into those over ground
      const Node node = cut.nodes.back();
      if (node.lod == 0) {
        return;
      }
      cut.nodes.pop_back();
      const int lod = node.lod - 1;
      for (std::uint32_t child = 0; child < 4; ++child) {
        const std::uint32_t x = 2 * node.x + child % 2, z = 2 * node.z + child / 2;
        if (x * options_.node_quads << lod < std::uint32_t(lattice.stops_x - 1) &&
            z * options_.node_quads << lod < std::uint32_t(lattice.stops_z - 1)) {
          cut.nodes.push_back({static_cast<std::uint8_t>(lod), 0, 0, x, z});
        }
      }
    }
  }});
  EXPECT_GT(report.balance_violations, 0);
}

TEST_F(PlantedFault, FlippedDiagonalIsNotTheCollider) {
  const CheckReport report = run({.alter_indices = [](std::vector<std::uint32_t>& indices) {
    // The cell whose corners are 300, 301 and the row below: (00,10,01)(10,11,01) becomes (00,10,11)(00,11,01).
    const std::uint32_t h00 = 300, h10 = h00 + 1, h01 = h00 + 33, h11 = h01 + 1;
    for (auto triangle = indices.begin(); triangle != indices.end(); triangle += 3) {
      const auto has = [&](std::uint32_t vertex) { return std::find(triangle, triangle + 3, vertex) != triangle + 3; };
      if (has(h00) && has(h10) && has(h01)) {
        *std::find(triangle, triangle + 3, h01) = h11;
      } else if (has(h10) && has(h11) && has(h01)) {
        *std::find(triangle, triangle + 3, h10) = h00;
      }
    }
  }});
  EXPECT_GT(report.collider_mismatches, 0);
}

TEST_F(PlantedFault, MovedVertexIsNotTheCollider) {
  for (const int axis : {0, 1, 2}) {
    const CheckReport report = run({.alter_vertex = [axis](const Node& node, int vertex, std::uint32_t* words) {
      words[axis] ^= node.lod == 0 && vertex == 100 ? 1u : 0u;
    }});
    EXPECT_GT(report.collider_mismatches, 0) << axis;
    EXPECT_EQ(report.cracks, 0) << axis;
    EXPECT_EQ(report.t_junctions, 0) << axis;
  }
}

TEST_F(PlantedFault, MovedBorderVertexIsACrack) {
  const CheckReport report = run({.alter_vertex = [](const Node& node, int vertex, std::uint32_t* words) {
    words[1] ^= node.x == 1 && vertex == 3 * 33 ? 1u : 0u;
  }});
  EXPECT_GT(report.cracks, 0);
}

TEST_F(PlantedFault, OtherNormalOnOneSideOfABorder) {
  const CheckReport report = run({.alter_vertex = [](const Node& node, int vertex, std::uint32_t* words) {
    words[3] ^= node.x == 1 && vertex == 3 * 33 ? 1u : 0u;
  }});
  EXPECT_GT(report.normal_mismatches, 0);
  EXPECT_EQ(report.cracks, 0);
}

TEST_F(PlantedFault, MissingTriangleIsACrack) {
  const CheckReport report = run({.alter_indices = [](std::vector<std::uint32_t>& indices) {
    if (indices.size() >= 303) {  // lists of nodes on the rim may be shorter
      indices.erase(indices.begin() + 300, indices.begin() + 303);
    }
  }});
  EXPECT_GT(report.cracks, 0);
}

TEST_F(PlantedFault, HoleFlagOnGround) {
  const CheckReport report = run({.alter_vertex = [](const Node& node, int vertex, std::uint32_t* words) {
    words[engine_layout().colour] &= node.x == 1 && vertex == 200 ? 0x00ffffffu : ~0u;
  }});
  EXPECT_GT(report.hole_mismatches, 0);
  EXPECT_EQ(report.cracks, 0);
}

TEST_F(PlantedFault, GroundOverAHole) {
  source_ = make_source(Terrain::holes, small_lattice(300, 300));
  for (const bool is_coarse : {false, true}) {
    const CheckReport report = run({.alter_vertex = [&](const Node& node, int, std::uint32_t* words) {
      words[engine_layout().colour] |= (node.lod > 0) == is_coarse ? 0xff000000u : 0u;
    }});
    EXPECT_GT(report.hole_mismatches, 0) << is_coarse;
  }
}

class PlantedSample : public PlantedFault, public testing::WithParamInterface<int> {
 protected:
  // Adds one step to a sample of page (lod, 0, 0), the only copy that changes.
  CheckReport run_with_sample(int lod, HeightPlane plane, int i, int k) {
    return run_with_sample({static_cast<std::uint8_t>(lod), 0, 0}, plane, i, k);
  }
  CheckReport run_with_sample(PageKey key, HeightPlane plane, int i, int k) {
    auto page = std::make_shared<Page>(**source_->page(key));
    std::vector<std::uint16_t>& samples = plane == HeightPlane::max && key.lod > 0 ? page->max : page->subsample;
    ++samples[Page::index(i, k)];
    source_->replace(page);
    options_.views = 0;
    return run({});
  }
};

TEST_P(PlantedSample, OnABorderIsABorderMismatch) {
  const int lod = GetParam();
  EXPECT_GT(run_with_sample(lod, HeightPlane::max, kPageCells, 20).border_mismatches, 0);
}
TEST_P(PlantedSample, OnAnApronIsANormalMismatch) {
  const int lod = GetParam();
  const CheckReport report = run_with_sample(lod, HeightPlane::max, kPageCells + 1, 20);
  EXPECT_GT(report.normal_mismatches, 0);
  EXPECT_EQ(report.border_mismatches, 0);
}
INSTANTIATE_TEST_SUITE_P(Lods, PlantedSample, testing::Values(0, 1));

TEST_F(PlantedSample, OnAnySideOfAPageIsFound) {
  for (const int at : {-1, 0, kPageCells, kPageCells + 1}) {
    const bool is_apron = at < 0 || at > kPageCells;
    for (const auto& [i, k] : {std::pair{at, 20}, std::pair{20, at}}) {
      source_ = make_source(Terrain::fractal, small_lattice(400, 300));
      const CheckReport report = run_with_sample({0, 1, 1}, HeightPlane::subsample, i, k);
      EXPECT_EQ(report.normal_mismatches > 0, is_apron) << i << ' ' << k;
      EXPECT_EQ(report.border_mismatches > 0, !is_apron) << i << ' ' << k;
    }
  }
}

TEST_F(PlantedSample, BeyondTheRimIsABorderMismatch) {
  EXPECT_GT(run_with_sample({0, 3, 0}, HeightPlane::subsample, 61, 21).border_mismatches, 0);
}

TEST_F(PlantedSample, InACoarseSubsampleIsABorderMismatch) {
  EXPECT_GT(run_with_sample(2, HeightPlane::subsample, 40, 40).border_mismatches, 0);
}

TEST(Check, ReportsASourceThatFails) {
  class Failing final : public SampleSource {
   public:
    explicit Failing(const Lattice& lattice) : lattice_(lattice) {}
    const Lattice& lattice() const noexcept override { return lattice_; }
    Result<std::shared_ptr<const Page>> page(PageKey) const override { return io_error("disk on fire"); }

   private:
    Lattice lattice_;
  };
  const Failing source(small_lattice(300, 300));
  const Result<CheckReport> report = check_field(source, Bounds(source.lattice()), {.views = 4});
  ASSERT_FALSE(report.has_value());
  EXPECT_EQ(report.error().message, "disk on fire");
}

}  // namespace
}  // namespace arete
