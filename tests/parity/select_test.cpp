// The cut that a device selects is select_cut's, node by node with masks and corners: random cameras and frustums over
// made-up fields, every size of node, local ranges, holes, rims, several views at once, pages that are not at hand. And
// what it builds for its draws is NodeMesher's, word for word. ARETE_TEST_DEVICE names another device than the software
// one, without the validation layers.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>

#include "arete/cut.h"
#include "arete/mesh.h"
#include "arete/tiles.h"
#include "support/made_pages.h"
#include "support/terrain.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"

namespace arete::vulkan {
namespace {

Context& context() {
  static const std::unique_ptr<Context> opened = [] {
    const char* const device = std::getenv("ARETE_TEST_DEVICE");
    auto result = Context::open(
        {.device = device != nullptr ? device : "", .software = device == nullptr, .validation = device == nullptr});
    if (!result) {
      ADD_FAILURE() << result.error().message;
      std::abort();
    }
    return std::move(*result);
  }();
  return *opened;
}

struct Totals {
  std::int64_t cuts = 0, nodes = 0, drawn = 0, kept_more = 0, coarser = 0, words = 0, refused = 0;
} totals;

struct FieldShape {
  test::Terrain kind;
  std::int32_t stops_x, stops_z;
  Registration registration;
  int kappas;  // local ranges of 0 to so many half lods
};

std::unique_ptr<MemorySource> make_field(const FieldShape& shape, std::uint64_t seed) {
  Lattice lattice;
  lattice.stops_x = shape.stops_x;
  lattice.stops_z = shape.stops_z;
  lattice.registration = shape.registration;
  lattice.spacing_x_m = 7.3;
  lattice.spacing_z_m = 11.9;
  lattice.base_m = -512;
  lattice.step_m = 0.03125;
  auto source = MemorySource::build(lattice, test::terrain_field(shape.kind, seed, lattice));
  if (!source) {
    ADD_FAILURE() << source.error().message;
    std::abort();
  }
  Bounds& bounds = (*source)->bounds();
  test::each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
    const std::uint64_t h = test::hash(std::uint64_t(x), std::uint64_t(z), seed + std::uint64_t(lod));
    bounds.at(lod, x, z).kappa = std::uint8_t(h % std::uint64_t(shape.kappas + 1));
  });
  bounds.finish();
  return std::move(*source);
}

// Has only some of another source's pages, all ancestors of each among them.
class PartialSource final : public SampleSource, public Residency {
 public:
  PartialSource(const SampleSource& whole, int percent, int node_quads, std::uint64_t seed)
      : whole_(whole), percent_(percent), quads_(node_quads), seed_(seed) {}
  const Lattice& lattice() const noexcept override { return whole_.lattice(); }
  Result<std::shared_ptr<const Page>> page(PageKey key) const override {
    if (!has(key)) return std::shared_ptr<const Page>();
    return whole_.page(key);
  }
  bool is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
    return has({std::uint8_t(lod), std::uint32_t(std::uint64_t(x) * unsigned(quads_) / kPageCells),
                std::uint32_t(std::uint64_t(z) * unsigned(quads_) / kPageCells)});
  }

 private:
  bool has(PageKey key) const {
    for (; key.lod + 1 < lattice().lods(); key = {std::uint8_t(key.lod + 1), key.x >> 1, key.z >> 1}) {
      if (int(test::hash(key.packed(), 5, seed_) % 100) >= percent_) return false;
    }
    return true;
  }
  const SampleSource& whole_;
  int percent_;
  int quads_;
  std::uint64_t seed_;
};

struct Trial {
  const MemorySource& source;
  int quads;
  HeightPlane plane;
  std::uint64_t seed;
  int frames;
  std::uint32_t views;
  bool reads_words;
};

// A frustum of four sides through the eye, or of any planes whatever.
std::vector<Plane> random_frustum(const View& view, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(-1, 1);
  std::vector<Plane> planes;
  if (unit(random) > 0.3) {
    const double heading = 3.2 * unit(random);
    for (const double side : {-0.5, 0.5}) {
      const double angle = heading + side;
      const double x = -std::sin(angle) * (side < 0 ? 1 : -1), z = std::cos(angle) * (side < 0 ? 1 : -1);
      planes.push_back({x, 0, z, -(x * view.eye_x_m + z * view.eye_z_m)});
    }
    planes.push_back({std::cos(heading), -1, std::sin(heading),
                      -std::cos(heading) * view.eye_x_m + view.eye_y_m - std::sin(heading) * view.eye_z_m});
  } else if (unit(random) > 0) {
    planes.push_back({unit(random), unit(random), unit(random), 500 * unit(random)});
  }
  return planes;
}

class Bench {
 public:
  explicit Bench(const Trial& trial) : trial_(trial), random_(trial.seed) {}

  std::string first_difference() {
    const Gpu& gpu = context().gpu();
    TerrainMesherOptions options;
    options.layout = compact_layout();
    options.node_quads = trial_.quads;
    options.plane = trial_.plane;
    options.pool_nodes = trial_.quads == 128 ? 400 : trial_.quads == 64 ? 1500 : 6000;
    options.page_slots = options.page_uploads = 700;
    options.most_views = trial_.views;
    options.frames_in_flight = 2;
    auto mesher = TerrainMesher::create(context().borrowed(), trial_.source.bounds(), options);
    if (!mesher) return mesher.error().message;
    auto runner = CommandRunner::create(gpu);
    if (!runner) return runner.error().message;
    for (int frame = 0; frame < trial_.frames; ++frame) {
      const PartialSource partial(trial_.source, frame % 3 == 2 ? 80 : 100, trial_.quads, trial_.seed);
      std::vector<DeviceView> views;
      for (std::uint32_t i = 0; i < trial_.views; ++i) views.push_back(random_view());
      auto commands = runner->begin();
      if (!commands) return commands.error().message;
      auto selected = (*mesher)->select(*commands, partial, views);
      if (!selected && selected.error().message.find("span more") != std::string::npos) {
        ++totals.refused;
        continue;
      }
      if (!selected) return selected.error().message;
      Buffer cut_words, vertex_words;
      const auto read = [&](VkBuffer from, VkDeviceSize bytes) {
        auto to = Buffer::create(gpu, bytes, VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::readback, "selected");
        const VkBufferCopy copy{0, 0, bytes};
        gpu.functions.CmdCopyBuffer(*commands, from, to->handle(), 1, &copy);
        return std::move(*to);
      };
      const std::uint32_t most_leaves = 8 * selected->front().most_draws;
      cut_words = read((*selected)[0].selected, selected->back().leaves_offset + VkDeviceSize(16) * most_leaves);
      if (trial_.reads_words) vertex_words = read((*selected)[0].vertices, pool_bytes(options));
      memory_barrier(gpu, *commands, {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
                     {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
      const auto done = runner->submit_and_wait();
      if (!done) return done.error().message;
      for (std::uint32_t i = 0; i < trial_.views; ++i) {
        std::string problem =
            compare(views[i], (*selected)[i], partial, cut_words.mapped(), vertex_words.mapped_as<std::uint32_t>());
        if (!problem.empty()) {
          return "seed " + std::to_string(trial_.seed) + " frame " + std::to_string(frame) + " view " +
                 std::to_string(i) + ": " + problem;
        }
      }
    }
    return {};
  }

 private:
  VkDeviceSize pool_bytes(const TerrainMesherOptions& options) const {
    return VkDeviceSize(options.pool_nodes) * VkDeviceSize(node_slot_vertices(trial_.quads)) * 16;
  }

  DeviceView random_view() {
    const Bounds& bounds = trial_.source.bounds();
    const Lattice& lattice = bounds.lattice();
    std::uniform_real_distribution<double> unit(0, 1);
    DeviceView view;
    view.view.eye_x_m = (unit(random_) * 1.4 - 0.2) * lattice.width_m();
    view.view.eye_z_m = (unit(random_) * 1.4 - 0.2) * lattice.depth_m();
    const double low = lattice.height_m(bounds.field_min), high = lattice.height_m(bounds.field_max);
    view.view.eye_y_m = low + (1.5 * unit(random_) - 0.2) * (high - low);
    if (unit(random_) < 0.3) {  // on a corner of a node
      const int side = trial_.quads << int(unit(random_) * 3);
      view.view.eye_x_m = lattice.x_m(std::min(std::int32_t(unit(random_) * 9) * side, lattice.last_stop_x()));
      view.view.eye_z_m = lattice.z_m(std::min(std::int32_t(unit(random_) * 9) * side, lattice.last_stop_z()));
    }
    view.view.frustum = random_frustum(view.view, random_);
    RangeOptions options;
    options.node_quads = trial_.quads;
    options.plane = trial_.plane;
    options.camera_lag_m = unit(random_) < 0.2 ? 25 * unit(random_) : 0;
    view.ranges = make_ranges(trial_.quads * 7.3 * std::exp2(unit(random_) * 6.5 - 2), options);
    view.anchor = anchor_near(lattice, view.view.eye_x_m, view.view.eye_z_m);
    return view;
  }

  std::string compare(const DeviceView& view, const SelectedNodes& selected, const PartialSource& pages,
                      std::span<const std::byte> bytes, std::span<const std::uint32_t> vertices) {
    const Bounds& bounds = trial_.source.bounds();
    const auto at = [&](VkDeviceSize offset) { return reinterpret_cast<const std::uint32_t*>(bytes.data() + offset); };
    Cut cut;
    select_cut(bounds, view.view, view.ranges, workspace_, cut, &pages);
    ++totals.cuts;
    totals.nodes += std::int64_t(cut.nodes.size());
    const std::uint32_t leaves = *at(selected.leaf_count_offset), draws = *at(selected.draw_count_offset);
    if (leaves != cut.nodes.size()) {
      return "the cut has " + std::to_string(cut.nodes.size()) + " nodes, the device found " + std::to_string(leaves);
    }
    const auto* leaf = reinterpret_cast<const SelectedLeaf*>(at(selected.leaves_offset));
    const auto* draw = reinterpret_cast<const VkDrawIndexedIndirectCommand*>(at(selected.draws_offset));
    const auto slot_vertices = std::uint32_t(node_slot_vertices(trial_.quads));
    std::set<std::uint32_t> drawn(cut.drawn.begin(), cut.drawn.end());
    NodeMesher twin(trial_.source, bounds);
    const kernel::FrameConstants frame = make_frame(bounds, view.view, view.ranges, view.anchor);
    std::vector<std::uint32_t> expected(std::size_t(slot_vertices) * 4);
    std::uint32_t next_draw = 0;
    for (std::uint32_t i = 0; i < leaves; ++i) {
      const Node& node = cut.nodes[i];
      const std::uint32_t edges =
          node.lod | std::uint32_t(node.coarse_mask) << 8 | std::uint32_t(node.corner_lods) << 16;
      char line[200];
      if (leaf[i].x != node.x || leaf[i].z != node.z || leaf[i].lod_and_edges != edges) {
        std::snprintf(line, sizeof line, "node %u: expected %u,%u %06x, found %u,%u %06x", i, node.x, node.z, edges,
                      leaf[i].x, leaf[i].z, leaf[i].lod_and_edges);
        return line;
      }
      if (leaf[i].draw == 0xffffffffu) {
        if (drawn.count(i) != 0) return "node " + std::to_string(i) + " is culled on the device alone";
        continue;
      }
      totals.kept_more += drawn.count(i) == 0 ? 1 : 0;
      if (leaf[i].draw != next_draw) return "node " + std::to_string(i) + " is drawn out of order";
      const VkDrawIndexedIndirectCommand& command = draw[next_draw++];
      const NodeCells cells = node_cells(bounds.lattice(), node, trial_.quads);
      const bool is_whole = cells.x == trial_.quads && cells.z == trial_.quads;
      const auto indices = sew_indices(trial_.quads, is_whole ? node.coarse_mask : 0);
      if (command.indexCount != indices.size() || command.instanceCount != 1 ||
          command.vertexOffset % std::int32_t(slot_vertices) != 0) {
        return "draw " + std::to_string(next_draw - 1) + " is not the node's";
      }
      if (vertices.empty()) continue;
      std::fill(expected.begin(), expected.end(), 0u);
      const auto built = twin.build(frame, view.ranges, node, compact_layout(), expected);
      if (!built) return built.error().message;
      if (!std::equal(expected.begin(), expected.end(), vertices.begin() + std::ptrdiff_t(command.vertexOffset) * 4)) {
        return "the vertices of draw " + std::to_string(next_draw - 1) + " differ";
      }
      totals.words += std::int64_t(expected.size());
    }
    if (next_draw != draws) return "the count of draws is " + std::to_string(draws);
    for (std::uint32_t i = draws; i < selected.most_draws; ++i) {
      if (draw[i].indexCount != 0 || draw[i].instanceCount != 0) return "a draw behind the last draws something";
    }
    totals.drawn += draws;
    totals.coarser += selected.missing_pages > 0 ? 1 : 0;
    return {};
  }

  const Trial& trial_;
  std::mt19937_64 random_;
  CutWorkspace workspace_;
};

std::string first_difference(const Trial& trial) { return Bench(trial).first_difference(); }

constexpr FieldShape kShapes[] = {{test::Terrain::fractal, 2100, 1500, Registration::point, 0},
                                  {test::Terrain::holes, 1300, 2300, Registration::area, 0},
                                  {test::Terrain::smooth, 2049, 2049, Registration::point, 0},
                                  {test::Terrain::random, 900, 1100, Registration::area, 2},
                                  {test::Terrain::holes, 1800, 700, Registration::point, 5},
                                  {test::Terrain::cliff, 1500, 1500, Registration::area, 12}};

TEST(SelectParity, EveryFieldAndSizeOfNode) {
  std::uint64_t seed = 1;
  for (const FieldShape& shape : kShapes) {
    const auto source = make_field(shape, seed);
    // Every size with local ranges and without.
    for (const int quads : seed % 2 == 1 ? std::array{4, 16, 64} : std::array{8, 32, 128}) {
      const auto plane = quads % 3 == 1 ? HeightPlane::subsample : HeightPlane::max;
      EXPECT_EQ(first_difference({*source, quads, plane, seed, 12, 1, false}), "") << quads << " quads";
    }
    ++seed;
  }
}

TEST(SelectParity, SeveralViewsAtOnceAndTheirVertices) {
  std::uint64_t seed = 100;
  for (const FieldShape& shape : kShapes) {
    const auto source = make_field(shape, seed);
    const bool is_even = seed % 2 == 0;
    EXPECT_EQ(first_difference({*source, is_even ? 16 : 32, is_even ? HeightPlane::subsample : HeightPlane::max, seed,
                                4, is_even ? 3u : 2u, true}),
              "");
    ++seed;
  }
}

TEST(SelectParity, SmallAndOddFields) {
  for (const auto& [x, z, quads] :
       {std::tuple{1, 1, 32}, {2, 2, 4}, {3, 130, 4}, {129, 129, 128}, {130, 5, 64}, {258, 257, 8}}) {
    const auto source = make_field({test::Terrain::random, x, z, Registration::point, 0}, 3);
    EXPECT_EQ(first_difference({*source, quads, HeightPlane::subsample, 5, 4, 1, true}), "") << x << "x" << z;
  }
}

TEST(SelectParityCount, WasNotInVain) {
  std::printf(
      "%lld cuts of %lld nodes compared, %lld drawn, %lld of them kept by the device alone; %lld cuts with pages "
      "missing; %lld words; %lld refused\n",
      static_cast<long long>(totals.cuts), static_cast<long long>(totals.nodes), static_cast<long long>(totals.drawn),
      static_cast<long long>(totals.kept_more), static_cast<long long>(totals.coarser),
      static_cast<long long>(totals.words), static_cast<long long>(totals.refused));
  EXPECT_GE(totals.cuts, 250);
  EXPECT_GE(totals.nodes, 20000);
  EXPECT_LT(totals.kept_more * 100, totals.drawn);
  EXPECT_EQ(context().validation_messages(), 0);
}

}  // namespace
}  // namespace arete::vulkan
