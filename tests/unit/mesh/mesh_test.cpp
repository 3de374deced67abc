// Layout words, index buffers, normals and failures of node meshing.
#include "arete/mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "kernel/attributes.h"
#include "mesh/page_samples.h"
#include "mesh/write_vertex.h"
#include "support/made_pages.h"
#include "support/terrain.h"

namespace arete {
namespace {

float real(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// A field of one page at lod 0, without the machinery that builds pages.
class OnePage final : public SampleSource {
 public:
  OnePage(const Lattice& lattice, const std::vector<std::uint16_t>& stops) : lattice_(lattice) {
    page_ = test::made_page(
        lattice, {}, [&](std::int32_t x, std::int32_t z) { return stops[std::size_t(z * lattice.stops_x + x)]; });
  }
  const Lattice& lattice() const noexcept override { return lattice_; }
  Result<std::shared_ptr<const Page>> page(PageKey key) const override {
    if (is_broken) {
      return data_error("page " + std::to_string(key.packed()) + " is damaged");
    }
    return is_resident ? page_ : nullptr;
  }
  bool is_broken = false;
  bool is_resident = true;

 private:
  Lattice lattice_;
  std::shared_ptr<const Page> page_;
};

Bounds flat_bounds(const Lattice& lattice) {
  Bounds bounds(lattice);
  bounds.field_min = 1;
  bounds.field_max = 65535;
  return bounds;
}

TEST(Layouts, AttributesTileTheirVertices) {
  const kernel::VertexLayout engine = engine_layout();
  EXPECT_EQ(engine.stride_words, 23);
  EXPECT_EQ(engine.weights + 4, 23);
  EXPECT_EQ(compact_layout().stride_words, 4);
  EXPECT_EQ(node_slot_vertices(32), 1092);
  EXPECT_EQ(node_vertices(32), 1089);
}

TEST(Layouts, EveryWordIsTheKernels) {
  const Lattice lattice{
      .stops_x = 70, .stops_z = 60, .spacing_x_m = 1.5, .spacing_z_m = 2.5, .base_m = -8, .step_m = 0.125};
  const OnePage source(lattice, test::terrain_field(test::Terrain::holes, 3, lattice));
  const Bounds bounds = flat_bounds(lattice);
  const Ranges ranges = make_ranges(1e6, {.node_quads = 16});
  const kernel::FrameConstants frame = make_frame(bounds, {}, ranges, {.half_x = 32, .half_z = -8192});
  NodeMesher mesher(source, bounds);
  mesh::PageSamples samples(source, bounds);
  kernel::VertexLayout mixed = engine_layout();
  mixed.stride_words = 32;
  mixed.position = 20;
  mixed.normal = -1;
  mixed.packed_normal = 3;
  mixed.tangent = 8;
  mixed.uv0 = 0;
  mixed.uv1 = -1;
  mixed.colour = 31;
  mixed.joints = mixed.weights = -1;
  kernel::VertexLayout thin = compact_layout();  // thinner than what is written at a time
  thin.stride_words = 3;
  thin.packed_normal = -1;
  kernel::VertexLayout bare = thin;
  bare.stride_words = 1;
  bare.position = -1;
  bare.packed_normal = 0;
  int holes = 0;
  for (const kernel::VertexLayout& layout : {engine_layout(), compact_layout(), mixed, thin, bare}) {
    std::vector<std::uint32_t> words(std::size_t(node_vertices(16) * layout.stride_words), 0xdeadbeef);
    for (std::uint32_t z = 0; z < 4; ++z) {
      for (std::uint32_t x = 0; x < 5; ++x) {
        const Node node{.x = x, .z = z};
        ASSERT_TRUE(mesher.build(frame, ranges, node, layout, words));
        samples.begin(node, 16, HeightPlane::subsample);
        for (int i = 0; i < node_vertices(16); ++i) {
          const kernel::SurfaceVertex vertex =
              kernel::node_vertex(samples, frame, node_record(node, 16), i % 17, i / 17);
          const kernel::SurfaceFrame axes = kernel::surface_frame(vertex.gradient);
          holes += vertex.is_hole;
          for (int word = 0; word < layout.stride_words; ++word) {
            ASSERT_EQ(words[std::size_t(i * layout.stride_words + word)],
                      kernel::attribute_word(frame, layout, vertex, axes, word))
                << "word " << word << " vertex " << i;
          }
        }
      }
    }
  }
  EXPECT_GT(holes, 50);
}

// Whatever the frame's anchor: positions are metres from it, uv0 spans the field, uv1 counts texels from it.
TEST(Vertices, TheAnchorMovesPlacesAlone) {
  const Lattice lattice{
      .stops_x = 70, .stops_z = 60, .spacing_x_m = 1.5, .spacing_z_m = 2.5, .base_m = -8, .step_m = 0.125};
  const OnePage source(lattice, test::terrain_field(test::Terrain::fractal, 3, lattice));
  const Bounds bounds = flat_bounds(lattice);
  const Ranges ranges = make_ranges(70, {.node_quads = 16});
  const View view{.eye_x_m = 20, .eye_y_m = 30, .eye_z_m = 40, .frustum = {}};
  const kernel::VertexLayout layout = engine_layout();
  const auto build = [&](Anchor anchor) {
    NodeMesher mesher(source, bounds);
    std::vector<std::uint32_t> words(std::size_t(node_vertices(16) * layout.stride_words));
    const Node node{.x = 1, .z = 2};
    EXPECT_TRUE(mesher.build(make_frame(bounds, view, ranges, anchor), ranges, node, layout, words));
    return words;
  };
  const Anchor anchor{.half_x = 38, .half_z = -8192};
  const std::vector<std::uint32_t> here = build({}), there = build(anchor);
  for (std::size_t at = 0; at < here.size(); at += std::size_t(layout.stride_words)) {
    for (int word = 0; word < layout.stride_words; ++word) {
      const float a = real(here[at + std::size_t(word)]), b = real(there[at + std::size_t(word)]);
      if (word == layout.position) {
        ASSERT_EQ(a, b + 38 * 0.75f);
        ASSERT_NEAR(real(here[at + std::size_t(layout.uv0)]), a / lattice.width_m(), 1e-6);
      } else if (word == layout.position + 2) {
        ASSERT_EQ(a, b - 8192 * 1.25f);
        ASSERT_NEAR(real(here[at + std::size_t(layout.uv0) + 1]), a / lattice.depth_m(), 1e-6);
      } else if (word == layout.uv0 || word == layout.uv0 + 1) {
        ASSERT_NEAR(a, b, 1e-5);
      } else if (word == layout.uv1 || word == layout.uv1 + 1) {
        ASSERT_NEAR(a, b + (word == layout.uv1 ? 19 : -4096), 1e-3);
      } else {
        ASSERT_EQ(here[at + std::size_t(word)], there[at + std::size_t(word)]) << "word " << word;
      }
    }
  }
}

TEST(MesherDeathTest, NodesThatAreNone) {
  const Lattice lattice{.stops_x = 70, .stops_z = 60};
  const OnePage source(lattice, test::terrain_field(test::Terrain::fractal, 3, lattice));
  const Bounds bounds = flat_bounds(lattice);
  const Ranges ranges = make_ranges(70, {.node_quads = 16});
  const auto build = [&](const Node& node, int quads, std::size_t words) {
    Ranges of_quads = ranges;
    of_quads.node_quads = quads;
    NodeMesher mesher(source, bounds);
    std::vector<std::uint32_t> room(words);
    return mesher.build(make_frame(bounds, {}, ranges, {}), of_quads, node, compact_layout(), room).has_value();
  };
  const std::size_t enough = std::size_t(node_vertices(16)) * 4;
  EXPECT_TRUE(build({.x = 4, .z = 3}, 16, enough));
  EXPECT_DEATH(build({}, 16, enough - 1), "contract broken: words.size");
  EXPECT_DEATH(build({}, 12, enough), "contract broken: is_node_size");
  EXPECT_DEATH(build({}, 256, std::size_t(node_vertices(256)) * 4), "contract broken: is_node_size");
  EXPECT_DEATH(build({.lod = 1}, 16, enough), "contract broken: node.lod");
  EXPECT_DEATH(build({.x = 5}, 16, enough), "contract broken: std::int64_t.node.x");
  EXPECT_DEATH(build({.z = 0xffffffff}, 16, enough), "contract broken: std::int64_t.node.z");
}

TEST(Vertices, APlaneHasItsNormalAndTangentEverywhere) {
  // y = 0.5 x + 0.25 z, on an area lattice whose rim cells are half as wide.
  const Lattice lattice{.stops_x = 34,
                        .stops_z = 34,
                        .registration = Registration::area,
                        .spacing_x_m = 2,
                        .spacing_z_m = 4,
                        .base_m = 0,
                        .step_m = 0.25};
  std::vector<std::uint16_t> stops;
  for (int z = 0; z < 34; ++z) {
    for (int x = 0; x < 34; ++x) {
      stops.push_back(std::uint16_t(8 + 2 * lattice.half_x(x) + 2 * lattice.half_z(z)));
    }
  }
  const OnePage source(lattice, stops);
  const Bounds bounds = flat_bounds(lattice);
  const Ranges ranges = make_ranges(1e6, {.node_quads = 32});
  const kernel::FrameConstants frame = make_frame(bounds, {}, ranges, {});
  NodeMesher mesher(source, bounds);
  const kernel::VertexLayout layout = engine_layout();
  std::vector<std::uint32_t> words(std::size_t(node_vertices(32) * layout.stride_words));
  const double length = std::sqrt(0.25 + 1 + 0.0625), along = std::sqrt(1.25);
  for (std::uint32_t z = 0; z < 2; ++z) {
    for (std::uint32_t x = 0; x < 2; ++x) {
      ASSERT_TRUE(mesher.build(frame, ranges, {.x = x, .z = z}, layout, words));
      for (int i = 0; i < node_vertices(32); ++i) {
        const std::uint32_t* at = words.data() + i * 23;
        ASSERT_NEAR(real(at[1]), 2 + 0.5 * real(at[0]) + 0.25 * real(at[2]), 1e-5);
        ASSERT_NEAR(real(at[3]), -0.5 / length, 1e-6);
        ASSERT_NEAR(real(at[4]), 1 / length, 1e-6);
        ASSERT_NEAR(real(at[5]), -0.25 / length, 1e-6);
        ASSERT_NEAR(real(at[6]), 1 / along, 1e-6);
        ASSERT_NEAR(real(at[7]), 0.5 / along, 1e-6);
        ASSERT_EQ(real(at[8]), 0);
        // cross(normal, tangent) x handedness points along +Z.
        const double bitangent = (double(real(at[3])) * real(at[7]) - double(real(at[4])) * real(at[6])) * real(at[9]);
        ASSERT_GT(bitangent, 0.5);
        ASSERT_NEAR(real(at[10]), real(at[0]) / 64, 1e-6);
        ASSERT_NEAR(real(at[11]), real(at[2]) / 128, 1e-6);
        ASSERT_NEAR(real(at[12]), real(at[0]) / 2, 1e-5);
        ASSERT_NEAR(real(at[13]), real(at[2]) / 4, 1e-5);
        ASSERT_EQ(at[14], 0xffffffffu);
        for (int word = 15; word < 23; ++word) {
          ASSERT_EQ(at[word], 0u);
        }
      }
    }
  }
}

TEST(Vertices, BesideAHoleTheGradientIsOneSided) {
  const Lattice lattice{.stops_x = 5, .stops_z = 5, .step_m = 1};
  std::vector<std::uint16_t> stops(25);
  for (int i = 0; i < 25; ++i) {
    stops[std::size_t(i)] = std::uint16_t(10 + (i % 5) * (i % 5));
  }
  stops[12] = 0;  // (2, 2)
  const OnePage source(lattice, stops);
  const Bounds bounds = flat_bounds(lattice);
  const Ranges ranges = make_ranges(1e6, {.node_quads = 4});
  const kernel::FrameConstants frame = make_frame(bounds, {}, ranges, {});
  mesh::PageSamples samples(source, bounds);
  samples.begin({}, 4, HeightPlane::subsample);
  EXPECT_FLOAT_EQ(samples.fetch_sample(frame, 0, 1, 2).gradient.x, 1);  // 11 - 10: the hole lies east
  EXPECT_FLOAT_EQ(samples.fetch_sample(frame, 0, 3, 2).gradient.x, 7);  // 26 - 19: the hole lies west
  EXPECT_FLOAT_EQ(samples.fetch_sample(frame, 0, 2, 2).gradient.x, 0);
  EXPECT_FLOAT_EQ(samples.fetch_sample(frame, 0, 1, 1).gradient.x, 2);  // (14 - 10) / 2
  EXPECT_FLOAT_EQ(samples.fetch_sample(frame, 0, 0, 1).gradient.x, 1);
  EXPECT_FLOAT_EQ(samples.fetch_sample(frame, 0, 4, 1).gradient.x, 7);
  NodeMesher mesher(source, bounds);
  std::vector<std::uint32_t> words(25 * 4);
  ASSERT_TRUE(mesher.build(frame, ranges, {}, compact_layout(), words));
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(words[std::size_t(4 * i + 3)] == kernel::kPackedHole, i == 12) << i;
  }
}

TEST(Vertices, APackedNormalIsTheNearestOrBesideIt) {
  std::mt19937_64 random(11);
  const auto unit = [&] { return double(random() >> 11) * 0x1p-53; };
  const auto packed = [](float x, float z) {
    const std::uint32_t word = kernel::packed_normal_word({0, 0, 0, {x, z}, 0});
    return std::pair(int(std::int16_t(word & 0xffff)), int(std::int16_t(word >> 16)));
  };
  EXPECT_EQ(packed(0.0f, -0.0f), std::pair(0, 0));
  double worst = 0;
  for (int trial = 0; trial < 2000000; ++trial) {
    const double steep = std::exp2(30 * unit() - 14), turn = 6.283185307179586 * unit();
    const float x = float(steep * std::cos(turn)), z = float(steep * std::sin(turn));
    const double units = 32767 / std::sqrt(double(x) * x + double(z) * z + 1);
    const auto [of_x, of_z] = packed(x, z);
    worst = std::max({worst, std::abs(of_x + x * units), std::abs(of_z + z * units)});
  }
  EXPECT_LT(worst, 0.66);
  // Walls: never -32,768, which a hole has.
  for (const float steep : {1e4f, 1e6f, 1e9f}) {
    EXPECT_EQ(packed(steep, 0), std::pair(-32767, 0));
    EXPECT_EQ(packed(0, -steep), std::pair(0, 32767));
  }
}

TEST(NodeMesher, AFailingSourceIsTheNodesErrorAndNoLaterOnes) {
  const Lattice lattice{.stops_x = 33, .stops_z = 33};
  OnePage source(lattice, test::terrain_field(test::Terrain::fractal, 1, lattice));
  const Bounds bounds = flat_bounds(lattice);
  const Ranges ranges = make_ranges(1e6, {.node_quads = 32});
  const kernel::FrameConstants frame = make_frame(bounds, {}, ranges, {});
  NodeMesher mesher(source, bounds);
  std::vector<std::uint32_t> words(std::size_t(node_vertices(32)) * 4);
  source.is_broken = true;
  const Result<void> built = mesher.build(frame, ranges, {}, compact_layout(), words);
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().message, "page 0 is damaged");
  source.is_broken = false;
  EXPECT_TRUE(mesher.build(frame, ranges, {}, compact_layout(), words));
  source.is_broken = true;
  EXPECT_TRUE(mesher.build(frame, ranges, {}, compact_layout(), words)) << "the page is at hand";
  mesher.clear();
  EXPECT_FALSE(mesher.build(frame, ranges, {}, compact_layout(), words));
  source.is_broken = source.is_resident = false;
  const Result<void> absent = mesher.build(frame, ranges, {}, compact_layout(), words);
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message,
            "page (0, 0) of lod 0 is not resident; load it first, or select the cut with a residency");
}

TEST(Indices, FollowTheSplitContract) {
  const std::vector<std::uint32_t> expected = {0, 3, 1, 1, 3, 4, 1, 4, 2, 2, 4, 5, 3, 6, 4, 4, 6, 7, 4, 7, 5, 5, 7, 8};
  EXPECT_EQ(node_indices(2), expected);
}

// The even vertex before a node's first odd one is the corner, except where the odd one is the rim itself.
TEST(DrawnIndex, AnOddRimVertexIsItsOwnEdgesNotTheCorners) {
  kernel::NodeRecord node{.lod = 1, .x = 2, .z = 3, .quads = 4, .coarse_mask = 0, .corner_lods = 0};
  node.corner_lods =
      2 << (2 * kernel::kCornerNorthWest) | 1 << (2 * kernel::kCornerNorthEast) | 1 << (2 * kernel::kCornerSouthWest);
  const int west = 2 * 4 << 1, north = 3 * 4 << 1;
  kernel::FrameConstants frame{};
  for (const int cells : {2, 3, 4}) {  // lod-0 cells of the field under the node: the first odd vertex stands at 2
    frame.last_stop_x = west + cells;
    frame.last_stop_z = north + cells;
    const int expected = 1 + (cells > 2 ? 2 : 1);
    node.coarse_mask = kernel::kEdgeMinusZ;
    EXPECT_EQ(kernel::drawn_index(frame, node, 1, 0).lod, expected) << cells;
    EXPECT_EQ(kernel::drawn_index(frame, node, 0, 0).lod, 3) << cells;
    node.coarse_mask = kernel::kEdgeMinusX;
    EXPECT_EQ(kernel::drawn_index(frame, node, 0, 1).lod, expected) << cells;
  }
}

TEST(Indices, CellsOfRimNodes) {
  const Lattice lattice{.stops_x = 76, .stops_z = 33};
  EXPECT_EQ(node_cells(lattice, {.x = 0}, 32).x, 32);
  EXPECT_EQ(node_cells(lattice, {.x = 2}, 32).x, 11);
  EXPECT_EQ(node_cells(lattice, {.x = 2}, 32).z, 32);
  EXPECT_EQ(sew_indices(32, 0, {11, 32}).size(), 6u * 11 * 32);
  // An odd rim stays where it is on a stitched edge; the five odd vertices before it are left out.
  EXPECT_EQ(sew_indices(32, kernel::kEdgeMinusZ, {11, 32}).size(), 6u * 11 * 32 - 3 * 5);
}

}  // namespace
}  // namespace arete
