// Invariants 8 and 10: the vertex function draws the parent's own vertex behind its band, so needless refinement
// changes no triangle; morph weights reach their ends exactly and are monotone between.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "kernel/vertex.h"
#include "src/mesh/page_samples.h"
#include "support/field.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

bool same_bits(const kernel::SurfaceVertex& a, const kernel::SurfaceVertex& b) {
  const auto bits = [](float value) { return std::bit_cast<std::uint32_t>(value); };
  return bits(a.x) == bits(b.x) && bits(a.y) == bits(b.y) && bits(a.z) == bits(b.z) &&
         bits(a.gradient.x) == bits(b.gradient.x) && bits(a.gradient.z) == bits(b.gradient.z) && a.is_hole == b.is_hole;
}

TEST(Cascade, ABehindItsBandVertexIsTheParentsOwn) {
  std::int64_t morphed = 0;
  std::int64_t resting = 0;
  std::int64_t between = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const Terrain terrain = kTerrains[random.below(5)];
    const Lattice lattice{.stops_x = 97 + random.below(400),
                          .stops_z = 1000 + random.below(1000),
                          .registration = Registration(random.below(2)),
                          .step_m = 1.0 / 64};
    const auto source = make_field(terrain, seed, lattice);
    Bounds& bounds = source->bounds();
    set_kappas(bounds, int(seed) % kKappaKinds, random);
    const Ranges ranges =
        make_ranges(random.between(4, 200), {.node_quads = 32, .plane = HeightPlane(random.below(2))});
    const kernel::FrameConstants frame = make_frame(bounds, random_view(bounds, random), ranges, {});
    mesh::PageSamples samples(*source, bounds);
    for (int i = 0; i < 3000; ++i) {
      const int lod = random.below(lattice.lods() - 1);
      const Node node{.lod = std::uint8_t(lod),
                      .x = std::uint32_t(random.below(lattice.nodes_x(lod, 32))),
                      .z = std::uint32_t(random.below(lattice.nodes_z(lod, 32)))};
      samples.begin(node, 32, ranges.plane);
      const int gx = (int(node.x) * 32 + random.below(33)) << lod;
      const int gz = (int(node.z) * 32 + random.below(33)) << lod;
      const kernel::Sample at = samples.fetch_sample(frame, lod, gx, gz);
      const float weight = kernel::sample_weight(frame, at, lod);
      const kernel::SurfaceVertex vertex = kernel::cascade_vertex(samples, frame, lod, gx, gz);
      const int up_x = kernel::lod_index(gx, lod + 1, frame.last_stop_x);
      const int up_z = kernel::lod_index(gz, lod + 1, frame.last_stop_z);
      if (weight >= 1) {
        ++morphed;
        ASSERT_TRUE(same_bits(vertex, kernel::cascade_vertex(samples, frame, lod + 1, up_x, up_z)))
            << "seed " << seed << " lod " << lod << " g " << gx << ' ' << gz;
      } else if (weight <= 0) {
        ++resting;
        ASSERT_TRUE(same_bits(vertex, kernel::rest_vertex(frame, at)));
      } else {
        ++between;
      }
      ASSERT_FALSE(samples.error());
    }
  }
  EXPECT_GT(morphed, 5000);
  EXPECT_GT(resting, 3000);
  EXPECT_GT(between, 1000);
}

// In its band a vertex rests if itself or its target is a hole: a hole keeps its shape until the merge.
TEST(Cascade, HolesKeepTheirShapeUntilTheMerge) {
  std::int64_t holes = 0;
  std::int64_t targets = 0;
  for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
    const Lattice lattice{.stops_x = 400, .stops_z = 300, .step_m = 1.0 / 1024};
    const auto source = make_field(Terrain::holes, 5, lattice);
    const Bounds& bounds = source->bounds();
    View view;
    view.eye_x_m = 200;
    view.eye_y_m = 30;
    view.eye_z_m = 150;
    const Ranges ranges = make_ranges(200, {.morph_fraction = 0.9, .plane = plane});
    const kernel::FrameConstants frame = make_frame(bounds, view, ranges, {});
    mesh::PageSamples samples(*source, bounds);
    for (int gz = 0; gz < lattice.stops_z; ++gz) {
      for (int gx = 0; gx < lattice.stops_x; ++gx) {
        Node node;
        node.x = std::uint32_t(gx / 32);
        node.z = std::uint32_t(gz / 32);
        samples.begin(node, 32, plane);
        const kernel::Sample at = samples.fetch_sample(frame, 0, gx, gz);
        const float weight = kernel::sample_weight(frame, at, 0);
        if (!(weight > 0 && weight < 1)) {
          continue;
        }
        const kernel::SurfaceVertex rest = kernel::rest_vertex(frame, at);
        const kernel::SurfaceVertex target =
            kernel::cascade_vertex(samples, frame, 1, kernel::lod_index(gx, 1, frame.last_stop_x),
                                   kernel::lod_index(gz, 1, frame.last_stop_z));
        if (rest.is_hole + target.is_hole > 0) {
          ASSERT_TRUE(same_bits(kernel::cascade_vertex(samples, frame, 0, gx, gz), rest)) << gx << ' ' << gz;
        }
        holes += rest.is_hole > target.is_hole ? 1 : 0;
        targets += target.is_hole > rest.is_hole ? 1 : 0;
      }
    }
  }
  EXPECT_GT(holes, 500);
  EXPECT_GT(targets, 100);
}

TEST(Cascade, NeedlessRefinementChangesNoTriangle) {
  std::int64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Terrain terrain = kTerrains[random.below(5)];
    const Lattice lattice{.stops_x = 97 + random.below(200),
                          .stops_z = 600 + random.below(500),
                          .registration = Registration(random.below(2)),
                          .step_m = 1.0 / 64};
    const auto source = make_field(terrain, seed, lattice);
    Bounds& bounds = source->bounds();
    set_kappas(bounds, int(seed) % kKappaKinds, random);
    const int quads = 8 << random.below(3);
    const Ranges ranges =
        make_ranges(quads * random.between(0.5, 4), {.node_quads = quads, .plane = HeightPlane(random.below(2))});
    const View view = random_view(bounds, random);
    CutWorkspace workspace;
    Cut cut;
    select_cut(bounds, view, ranges, workspace, cut);
    WorldMesher mesher(*source, bounds);
    const std::vector<Triangle> plain = mesher.sorted_triangles(view, ranges, {}, cut.nodes, false);
    // The edge rule repeats on valid cuts what the vertices do by themselves.
    ASSERT_EQ(plain, mesher.sorted_triangles(view, ranges, {}, cut.nodes, true))
        << describe(lattice, terrain, ranges, view, seed);
    const CutSplits valid(lattice, quads, cut.nodes);
    const RandomSplits finer(random.bits(), 0.3, &valid);
    ASSERT_EQ(plain, mesher.sorted_triangles(view, ranges, {}, bare_leaves(lattice, quads, finer), false))
        << describe(lattice, terrain, ranges, view, seed);
    Cut balanced;
    cut_from_splits(lattice, quads, finer, workspace, balanced);
    ASSERT_EQ(plain, mesher.sorted_triangles(view, ranges, {}, balanced.nodes, true))
        << describe(lattice, terrain, ranges, view, seed);
    compared += std::int64_t(plain.size());
  }
  EXPECT_GT(compared, 300'000);
}

TEST(MorphWeight, ReachesItsEndsAndIsMonotone) {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Random random(seed);
    const Ranges ranges =
        make_ranges(std::pow(10, random.between(-1, 6)), {.morph_fraction = random.between(0.01, 0.99)});
    Bounds bounds(Lattice{.stops_x = 4097, .stops_z = 4097});
    kernel::FrameConstants frame = make_frame(bounds, {}, ranges, {});
    const int kappa = random.below(61);
    const int lod = random.below(frame.coarsest_lod);
    // The weight of a squared distance, by the very expressions of morph_weight.
    const auto weight = [&](float scaled) {
      const float past = scaled - frame.morph_start_sq;
      return past * frame.morph_scale;
    };
    const float scale = kernel::power_of_two(2 * lod - kappa);
    EXPECT_GE(weight(kernel::scaled_distance_sq(ranges.select_sq * scale, kappa, lod)), 1.0f) << seed;
    EXPECT_GE(weight(ranges.morph_end_sq), 1.0f) << seed;
    EXPECT_LE(weight(ranges.morph_start_sq), 0.0f) << seed;
    float before = -std::numeric_limits<float>::infinity();
    const float step = (ranges.morph_end_sq - ranges.morph_start_sq) / 64;
    for (int i = -8; i <= 80; ++i) {
      float at = ranges.morph_start_sq + step * float(i);
      for (int ulp = 0; ulp < 4; ++ulp) {
        const float here = weight(at);
        ASSERT_GE(here, before) << seed;
        before = here;
        at = std::nextafter(at, std::numeric_limits<float>::infinity());
      }
    }
  }
}

TEST(MorphWeight, LocalRangesScaleWithoutRounding) {
  Random random(4);
  for (int i = 0; i < 200'000; ++i) {
    const float d2 = float(std::pow(10, random.between(-2, 10)));
    const int kappa = random.below(41);
    const int lod = random.below(12);
    const Ranges ranges = make_ranges(std::pow(10, random.between(0, 4)), {});
    // M and K scaled by a power of two instead of the distance give the same bits.
    const float scale = kernel::power_of_two(2 * lod - kappa);
    const float start = ranges.morph_start_sq * scale;
    const float slope = ranges.morph_scale * kernel::power_of_two(kappa - 2 * lod);
    const float scaled = kernel::scaled_distance_sq(d2, kappa, lod) - ranges.morph_start_sq;
    const float plain = d2 - start;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(scaled * ranges.morph_scale), std::bit_cast<std::uint32_t>(plain * slope));
  }
}

}  // namespace
}  // namespace arete::test
