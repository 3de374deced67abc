// The GPU's node vertices are NodeMesher's, word for word: random and adversarial cameras over made-up fields, valid
// and arbitrary cuts, both height planes, local ranges, holes, rims, every size of node and several layouts. The first
// difference is named.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>

#include "arete/cut.h"
#include "arete/mesh.h"
#include "arete/tiles.h"
#include "support/made_pages.h"
#include "support/terrain.h"
#include "support/wide_layout.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"

namespace arete::vulkan {
namespace {

Context& context() {
  static const std::unique_ptr<Context> opened = [] {
    auto result = Context::open({.device = "", .software = true, .validation = true});
    if (!result) {
      ADD_FAILURE() << result.error().message;
      std::abort();
    }
    return std::move(*result);
  }();
  return *opened;
}

std::uint64_t compared_vertices = 0;

// Splits at random: whatever the cut, both sides draw it alike.
class RandomSplits final : public SplitPredicate {
 public:
  explicit RandomSplits(std::uint64_t seed) : seed_(seed) {}
  bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
    return test::hash(x + (std::uint64_t(lod) << 32), z, seed_) % 100 < 70;
  }

 private:
  std::uint64_t seed_;
};

std::unique_ptr<MemorySource> make_field(test::Terrain kind, std::int32_t stops_x, std::int32_t stops_z,
                                         Registration registration, std::uint64_t seed, bool has_local_ranges) {
  Lattice lattice;
  lattice.stops_x = stops_x;
  lattice.stops_z = stops_z;
  lattice.registration = registration;
  lattice.spacing_x_m = 7.3;
  lattice.spacing_z_m = 11.9;
  lattice.base_m = -512;
  lattice.step_m = 0.03125;
  auto source = MemorySource::build(lattice, test::terrain_field(kind, seed, lattice));
  if (!source) {
    ADD_FAILURE() << source.error().message;
    std::abort();
  }
  if (has_local_ranges) {
    Bounds& bounds = (*source)->bounds();
    test::each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
      bounds.at(lod, x, z).kappa =
          std::uint8_t(test::hash(std::uint64_t(x), std::uint64_t(z), seed + std::uint64_t(lod)) % 6);
    });
    bounds.finish();
  }
  return std::move(*source);
}

struct Trial {
  const MemorySource& source;
  TerrainMesherOptions options;
  std::uint64_t seed;
  int cuts;
};

// Meshes random cuts on both sides and returns the first difference.
std::string first_difference(const Trial& trial) {
  const Bounds& bounds = trial.source.bounds();
  const Lattice& lattice = bounds.lattice();
  const Gpu& gpu = context().gpu();
  auto mesher = TerrainMesher::create(context().borrowed(), bounds, trial.options);
  if (!mesher) return mesher.error().message;
  auto runner = CommandRunner::create(gpu);
  if (!runner) return runner.error().message;
  const std::size_t slot_vertices = std::size_t(node_slot_vertices(trial.options.node_quads));
  const std::size_t slot_words = slot_vertices * std::size_t(trial.options.layout.stride_words);
  auto read_back = Buffer::create(gpu, trial.options.pool_nodes * slot_words * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                                  MemoryKind::readback, "vertices");
  if (!read_back) return read_back.error().message;

  std::mt19937_64 random(trial.seed);
  std::uniform_real_distribution<double> unit(0, 1);
  NodeMesher twin(trial.source, bounds);
  std::vector<std::uint32_t> expected(slot_words);
  CutWorkspace workspace;
  Cut cut;
  for (int i = 0; i < trial.cuts; ++i) {
    View view;
    view.eye_x_m = (unit(random) * 1.4 - 0.2) * lattice.width_m();
    view.eye_z_m = (unit(random) * 1.4 - 0.2) * lattice.depth_m();
    view.eye_y_m = lattice.height_m(bounds.field_min) +
                   unit(random) * (lattice.height_m(bounds.field_max) - lattice.height_m(bounds.field_min));
    if (i % 3 == 0) {  // on a stop
      view.eye_x_m = lattice.x_m(std::int32_t(unit(random) * lattice.last_stop_x()));
      view.eye_z_m = lattice.z_m(std::int32_t(unit(random) * lattice.last_stop_z()));
    }
    RangeOptions range_options;
    range_options.node_quads = trial.options.node_quads;
    range_options.plane = trial.options.plane;
    // From ranges shorter than a node, so that all weights are 1, to longer than the field.
    const Ranges ranges = make_ranges(std::exp2(unit(random) * 9 + 3), range_options);
    if (i % 2 == 0) {
      select_cut(bounds, view, ranges, workspace, cut);
    } else {
      cut_from_splits(lattice, trial.options.node_quads, RandomSplits(random()), workspace, cut);
    }
    std::shuffle(cut.drawn.begin(), cut.drawn.end(), random);
    cut.drawn.resize(std::min<std::size_t>(cut.drawn.size(), trial.options.pool_nodes));
    const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
    const kernel::FrameConstants frame = make_frame(bounds, view, ranges, anchor);

    auto commands = runner->begin();
    if (!commands) return commands.error().message;
    auto meshed = (*mesher)->record(*commands, trial.source, cut, frame);
    if (!meshed) return meshed.error().message;
    if (meshed->draw_count != cut.drawn.size()) return "a node was left out";
    if (meshed->draw_count > 0) {
      std::vector<VkBufferCopy> copies;
      for (std::size_t n = 0; n < meshed->slots.size(); ++n) {
        copies.push_back({slot_words * 4 * meshed->slots[n], slot_words * 4 * n, slot_words * 4});
      }
      gpu.functions.CmdCopyBuffer(*commands, meshed->vertices, read_back->handle(), std::uint32_t(copies.size()),
                                  copies.data());
    }
    memory_barrier(gpu, *commands, {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
                   {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
    const auto done = runner->submit_and_wait();
    if (!done) return done.error().message;

    const auto found = read_back->mapped_as<std::uint32_t>();
    for (std::size_t n = 0; n < cut.drawn.size(); ++n) {
      const Node& node = cut.nodes[cut.drawn[n]];
      std::fill(expected.begin(), expected.end(), 0u);
      const auto built = twin.build(frame, ranges, node, trial.options.layout, expected);
      if (!built) return built.error().message;
      const auto slot = found.subspan(n * slot_words, slot_words);
      const auto [wanted, got] = std::mismatch(expected.begin(), expected.end(), slot.begin());
      if (wanted != expected.end()) {
        const auto word = std::size_t(wanted - expected.begin());
        const auto stride = std::size_t(trial.options.layout.stride_words);
        char line[256];
        std::snprintf(
            line, sizeof line,
            "seed %llu cut %d: node lod %d at %u,%u mask %d corners %d, vertex %zu word %zu: expected %08x, found "
            "%08x",
            static_cast<unsigned long long>(trial.seed), i, node.lod, node.x, node.z, node.coarse_mask,
            node.corner_lods, word / stride, word % stride, *wanted, *got);
        return line;
      }
      compared_vertices += std::uint64_t(node_vertices(trial.options.node_quads));
    }
  }
  return {};
}

TerrainMesherOptions options_of(int quads, const kernel::VertexLayout& layout, HeightPlane plane) {
  TerrainMesherOptions options;
  options.layout = layout;
  options.node_quads = quads;
  options.plane = plane;
  options.page_slots = 96;
  options.page_uploads = 96;
  options.pool_nodes = quads >= 64 ? 16 : (quads >= 32 ? 40 : 200);
  return options;
}

TEST(MesherParity, EngineLayoutOverEveryTerrain) {
  std::uint64_t seed = 100;
  for (const auto kind : {test::Terrain::random, test::Terrain::cliff, test::Terrain::fractal, test::Terrain::smooth,
                          test::Terrain::holes, test::Terrain::flat, test::Terrain::checkerboard}) {
    const auto source =
        make_field(kind, 700, 530, seed % 2 == 0 ? Registration::area : Registration::point, seed, seed % 3 == 0);
    EXPECT_EQ(first_difference({*source, options_of(32, engine_layout(), HeightPlane::subsample), seed, 8}), "");
    EXPECT_EQ(first_difference({*source, options_of(32, engine_layout(), HeightPlane::max), seed + 50, 8}), "");
    ++seed;
  }
}

TEST(MesherParity, EverySizeOfNodeAndLayout) {
  const auto source = make_field(test::Terrain::holes, 531, 413, Registration::area, 9, true);
  const kernel::VertexLayout layouts[] = {engine_layout(), compact_layout(), test::wide_layout()};
  std::size_t turn = 0;
  for (const int quads : {4, 8, 16, 32, 64, 128}) {
    for (const auto plane : {HeightPlane::subsample, HeightPlane::max}) {
      const kernel::VertexLayout& layout = layouts[turn++ % 3];
      EXPECT_EQ(first_difference({*source, options_of(quads, layout, plane), std::uint64_t(quads), 3}), "")
          << quads << " quads, " << layout.stride_words << " words";
    }
  }
}

TEST(MesherParity, SmallAndOddFields) {
  for (const auto& [x, z] : {std::pair{1, 1}, {2, 2}, {3, 130}, {129, 129}, {130, 5}, {258, 257}}) {
    const auto source = make_field(test::Terrain::random, x, z, Registration::point, 3, false);
    EXPECT_EQ(first_difference({*source, options_of(32, engine_layout(), HeightPlane::max), 5, 4}), "")
        << x << "x" << z;
  }
}

TEST(MesherParity, DirectStoresWriteTheSameWords) {
  const auto source = make_field(test::Terrain::fractal, 400, 300, Registration::point, 4, true);
  TerrainMesherOptions options = options_of(32, engine_layout(), HeightPlane::subsample);
  options.stores_directly = true;
  EXPECT_EQ(first_difference({*source, options, 6, 3}), "");
}

// Fewer slots than the field has pages: pages give way and come back.
TEST(MesherParity, PagesComeAndGo) {
  const auto source = make_field(test::Terrain::fractal, 1500, 1500, Registration::point, 8, false);
  TerrainMesherOptions options = options_of(32, engine_layout(), HeightPlane::subsample);
  options.pool_nodes = 12;
  options.page_slots = 40;
  options.page_uploads = 40;
  EXPECT_EQ(first_difference({*source, options, 11, 25}), "");
}

// An edited page is copied again because its revision differs.
TEST(MesherParity, EditedPagesAreSeen) {
  const auto source = make_field(test::Terrain::smooth, 129, 129, Registration::point, 8, false);
  const Bounds& bounds = source->bounds();
  const TerrainMesherOptions options = options_of(32, compact_layout(), HeightPlane::subsample);
  auto mesher = TerrainMesher::create(context().borrowed(), bounds, options);
  ASSERT_TRUE(mesher) << mesher.error().message;
  auto runner = CommandRunner::create(context().gpu());
  ASSERT_TRUE(runner);
  Cut cut;
  CutWorkspace workspace;
  const View view{.eye_x_m = 100, .eye_y_m = 100, .eye_z_m = 100, .pixels_per_radian = 1000, .frustum = {}};
  const Ranges ranges = make_ranges(bounds, 1000, {});
  select_cut(bounds, view, ranges, workspace, cut);
  const auto frame = make_frame(bounds, view, ranges, {});
  const auto uploads = [&] {
    auto commands = runner->begin();
    const auto meshed = (*mesher)->record(*commands, *source, cut, frame);
    EXPECT_TRUE(meshed);
    EXPECT_TRUE(runner->submit_and_wait());
    return meshed ? meshed->uploaded_pages : 99u;
  };
  EXPECT_EQ(uploads(), 1u);
  EXPECT_EQ(uploads(), 0u);
  auto edited = std::make_shared<Page>(**source->page({0, 0, 0}));
  ++edited->revision;
  edited->subsample[5000] += 7;
  source->replace(std::move(edited));
  EXPECT_EQ(uploads(), 1u);
  EXPECT_EQ(uploads(), 0u);
}

// A flight of small steps: nodes whose vertices stand at rest are built once, all while the camera does, and still
// every slot holds the words of the frame, after an edit and a change of the anchor too.
TEST(MesherParity, WhatCannotHaveChangedIsNotBuiltAgain) {
  for (const bool has_local_ranges : {false, true}) {
    const auto source = make_field(has_local_ranges ? test::Terrain::holes : test::Terrain::smooth, 900, 800,
                                   Registration::area, 21, has_local_ranges);
    const Bounds& bounds = source->bounds();
    const Lattice& lattice = bounds.lattice();
    TerrainMesherOptions options = options_of(8, compact_layout(), HeightPlane::max);
    options.pool_nodes = 2500;
    auto mesher = TerrainMesher::create(context().borrowed(), bounds, options);
    ASSERT_TRUE(mesher) << mesher.error().message;
    const Gpu& gpu = context().gpu();
    auto runner = CommandRunner::create(gpu);
    ASSERT_TRUE(runner);
    const std::size_t slot_words = std::size_t(node_slot_vertices(8)) * 4;
    auto pool = Buffer::create(gpu, options.pool_nodes * slot_words * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
                               MemoryKind::readback, "the pool");
    ASSERT_TRUE(pool);
    RangeOptions range_options;
    range_options.node_quads = 8;
    range_options.plane = HeightPlane::max;
    const Ranges ranges = make_ranges(900, range_options);
    CutWorkspace workspace;
    Cut cut;
    std::vector<std::uint32_t> expected(slot_words);
    std::size_t drawn = 0, built = 0;
    for (int frame_index = 0; frame_index < 20; ++frame_index) {
      const int step = frame_index < 12 ? frame_index : frame_index - 1;  // frame 12 stands still
      const View view{.eye_x_m = 900 + 40.0 * step,
                      .eye_y_m = lattice.height_m(bounds.field_max) + 10,
                      .eye_z_m = 4000 + 9.0 * step,
                      .pixels_per_radian = 1000,
                      .frustum = {}};
      select_cut(bounds, view, ranges, workspace, cut);
      ASSERT_LE(cut.drawn.size(), options.pool_nodes);
      const Anchor anchor{frame_index < 16 ? 0 : 8192, 0};
      const kernel::FrameConstants frame = make_frame(bounds, view, ranges, anchor);
      if (frame_index == 8) {
        auto edited = std::make_shared<Page>(**source->page({0, 1, 2}));
        ++edited->revision;
        edited->subsample[5000] += 7;
        source->replace(std::move(edited));
      }
      auto commands = runner->begin();
      ASSERT_TRUE(commands);
      const auto meshed = (*mesher)->record(*commands, *source, cut, frame);
      ASSERT_TRUE(meshed) << meshed.error().message;
      const VkBufferCopy copy{0, 0, pool->bytes()};
      gpu.functions.CmdCopyBuffer(*commands, meshed->vertices, pool->handle(), 1, &copy);
      memory_barrier(gpu, *commands, {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
                     {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
      ASSERT_TRUE(runner->submit_and_wait());
      ASSERT_EQ(meshed->slots.size(), cut.drawn.size());
      NodeMesher twin(*source, bounds);
      for (std::size_t i = 0; i < cut.drawn.size(); ++i) {
        const Node& node = cut.nodes[cut.drawn[i]];
        std::fill(expected.begin(), expected.end(), 0u);
        ASSERT_TRUE(twin.build(frame, ranges, node, options.layout, expected));
        const auto slot = pool->mapped_as<std::uint32_t>().subspan(meshed->slots[i] * slot_words, slot_words);
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), slot.begin()))
            << "frame " << frame_index << ", node " << node.x << "," << node.z << " of lod " << int(node.lod);
      }
      if (frame_index == 12) {
        EXPECT_EQ(meshed->built_nodes, 0u);
      } else if (frame_index != 0 && frame_index != 16) {  // then all are built
        drawn += cut.drawn.size();
        built += meshed->built_nodes;
      } else {
        EXPECT_EQ(meshed->built_nodes, meshed->draw_count);
      }
    }
    std::printf("%zu of %zu nodes were built again\n", built, drawn);
    EXPECT_LT(built, drawn * (has_local_ranges ? 95 : 85) / 100);
    EXPECT_GT(built, 0u);
  }
}

TEST(MesherParity, WhatDoesNotFitIsRefusedInOneLine) {
  const auto source = make_field(test::Terrain::flat, 700, 700, Registration::point, 8, false);
  const auto refusal = [&](auto change) {
    TerrainMesherOptions options;
    change(options);
    const auto mesher = TerrainMesher::create(context().borrowed(), source->bounds(), options);
    return mesher ? std::string() : mesher.error().message;
  };
  EXPECT_NE(refusal([](auto& options) { options.node_quads = 33; }).find("node_quads is 33"), std::string::npos);
  EXPECT_NE(refusal([](auto& options) { options.layout.uv0 = 1; }).find("overlap"), std::string::npos);
  EXPECT_NE(refusal([](auto& options) { options.pool_nodes = 1u << 30; }).find("8 GiB"), std::string::npos);
  EXPECT_NE(refusal([](auto& options) { options.frames_in_flight = 9; }).find("frames_in_flight"), std::string::npos);

  TerrainMesherOptions options;
  options.pool_nodes = 4;
  options.page_slots = 2;
  auto mesher = TerrainMesher::create(context().borrowed(), source->bounds(), options);
  ASSERT_TRUE(mesher) << mesher.error().message;
  auto runner = CommandRunner::create(context().gpu());
  ASSERT_TRUE(runner);
  auto commands = runner->begin();
  ASSERT_TRUE(commands);
  Cut cut;
  CutWorkspace workspace;
  cut_from_splits(source->lattice(), 32, RandomSplits(1), workspace, cut);
  const auto message = [&] {
    const auto meshed = (*mesher)->record(*commands, *source, cut, {});
    return meshed ? std::string() : meshed.error().message;
  };
  EXPECT_NE(message().find("the vertex pool holds 4"), std::string::npos);
  cut.drawn.resize(1);
  cut.drawn[0] = 0;
  EXPECT_NE(message().find("more than the 2 pages"), std::string::npos);
  EXPECT_TRUE(runner->submit_and_wait());
}

TEST(MesherParityCount, AMillionVerticesWereComparedInSilence) {
  std::printf("%llu vertices compared on %s\n", static_cast<unsigned long long>(compared_vertices),
              context().device_name().c_str());
  EXPECT_GE(compared_vertices, 1000000u);
  EXPECT_EQ(context().validation_messages(), 0);
}

}  // namespace
}  // namespace arete::vulkan
