// The device's node vertices beside the CPU's, for random and adversarial cuts of any field.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <random>

#include "arete/cut.h"
#include "core/workers.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"
#include "vulkan/mesher_frame.h"

namespace arete::vulkan {
namespace {

constexpr std::uint32_t kPoolNodes = 512;
constexpr std::uint64_t kDigestStart = 1469598103934665603ull;
constexpr std::uint64_t kDigestPrime = 1099511628211ull;

// Uniform in [0, 1), the same on every standard library.
double unit(std::mt19937_64& random) { return double(random() >> 11) * 0x1p-53; }

// Splits two nodes in three, by a hash of the node: cuts that no camera would choose.
class ArbitrarySplits final : public SplitPredicate {
 public:
  explicit ArbitrarySplits(std::uint64_t seed) : seed_(seed) {}
  bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
    std::uint64_t h = seed_ ^ (morton(x, z) * 0x9e3779b97f4a7c15ull + std::uint64_t(lod));
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9ull;
    return (h >> 33) % 3 != 0;
  }

 private:
  std::uint64_t seed_;
};

// A camera over or beside the field and a first range from less than a node to more than the field; every third camera
// stands on a stop.
struct Sight {
  View view;
  Ranges ranges;
};
Sight random_sight(const Bounds& bounds, const MesherComparisonOptions& options, std::mt19937_64& random, int index) {
  const Lattice& lattice = bounds.lattice();
  const double low = lattice.height_m(bounds.field_min), high = lattice.height_m(bounds.field_max);
  Sight sight;
  sight.view.eye_x_m = (1.4 * unit(random) - 0.2) * lattice.width_m();
  sight.view.eye_z_m = (1.4 * unit(random) - 0.2) * lattice.depth_m();
  sight.view.eye_y_m = low + 1.2 * unit(random) * (high - low);
  if (index % 3 == 0) {
    sight.view.eye_x_m = lattice.x_m(std::int32_t(unit(random) * lattice.stops_x));
    sight.view.eye_z_m = lattice.z_m(std::int32_t(unit(random) * lattice.stops_z));
  }
  RangeOptions ranges;
  ranges.node_quads = options.node_quads;
  ranges.plane = options.plane;
  const double shortest = std::max(lattice.spacing_x_m, lattice.spacing_z_m) * options.node_quads / 4;
  const double longest = std::max(2 * std::hypot(lattice.width_m(), lattice.depth_m()), 2 * shortest);
  sight.ranges = make_ranges(shortest * std::pow(longest / shortest, unit(random)), ranges);
  return sight;
}

// One node's words: how many differ, the first of them, and the digest of what the device wrote.
struct NodeResult {
  std::int64_t differing = 0;
  std::size_t first = 0;
  std::uint32_t expected = 0, found = 0;
  std::uint64_t digest = kDigestStart;
};

NodeResult compare_words(std::span<const std::uint32_t> expected, std::span<const std::uint32_t> found) {
  NodeResult result;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    result.digest = (result.digest ^ found[i]) * kDigestPrime;
    if (expected[i] != found[i] && result.differing++ == 0) {
      result.first = i;
      result.expected = expected[i];
      result.found = found[i];
    }
  }
  return result;
}

class Comparison {
 public:
  Comparison(const SampleSource& source, const Bounds& bounds, const MesherComparisonOptions& options)
      : source_(source), bounds_(bounds), options_(options) {}

  Result<void> open();
  Result<void> compare_cut(const Sight& sight, Cut& cut, int index);
  MesherComparison report;

 private:
  Result<std::vector<NodeResult>> compare_nodes(const Sight& sight, const Cut& cut,
                                                const kernel::FrameConstants& frame) const;

  const SampleSource& source_;
  const Bounds& bounds_;
  const MesherComparisonOptions& options_;
  std::unique_ptr<Context> context_;
  std::unique_ptr<TerrainMesher> mesher_;
  CommandRunner runner_;
  Buffer words_;
  std::size_t slot_words_ = 0;
};

Result<void> Comparison::open() {
  auto context = Context::open(options_.device);
  if (!context) return Unexpected{context.error()};
  context_ = std::move(*context);
  const Gpu& gpu = context_->gpu();
  report.device = context_->device_name();
  report.is_rounding_fixed = gpu.has_round_to_nearest;
  report.digest = kDigestStart;
  TerrainMesherOptions mesher_options;
  mesher_options.layout = options_.layout;
  mesher_options.node_quads = options_.node_quads;
  mesher_options.plane = options_.plane;
  mesher_options.pool_nodes = kPoolNodes;
  mesher_options.page_slots = most_pages(bounds_.lattice(), kPoolNodes);
  mesher_options.page_uploads = mesher_options.page_slots;
  mesher_options.frames_in_flight = 1;
  auto mesher = TerrainMesher::create(context_->borrowed(), bounds_, mesher_options);
  if (!mesher) return Unexpected{mesher.error()};
  mesher_ = std::move(*mesher);
  auto runner = CommandRunner::create(gpu);
  if (!runner) return Unexpected{runner.error()};
  runner_ = std::move(*runner);
  slot_words_ = std::size_t(node_slot_vertices(options_.node_quads)) * std::size_t(options_.layout.stride_words);
  auto words = Buffer::create(gpu, kPoolNodes * slot_words_ * 4, VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::readback,
                              "vertices to compare");
  if (!words) return Unexpected{words.error()};
  words_ = std::move(*words);
  return {};
}

Result<std::vector<NodeResult>> Comparison::compare_nodes(const Sight& sight, const Cut& cut,
                                                          const kernel::FrameConstants& frame) const {
  std::vector<NodeResult> results(cut.drawn.size());
  const auto found = words_.mapped_as<const std::uint32_t>();
  std::atomic<std::size_t> next = 0;
  const auto work = [&](const std::atomic<bool>& has_failed) -> Result<void> {
    NodeMesher twin(source_, bounds_);
    std::vector<std::uint32_t> expected(slot_words_, 0);
    for (std::size_t i = next++; i < results.size() && !has_failed; i = next++) {
      ARETE_TRY(twin.build(frame, sight.ranges, cut.nodes[cut.drawn[i]], options_.layout, expected));
      results[i] = compare_words(expected, found.subspan(i * slot_words_, slot_words_));
    }
    return {};
  };
  ARETE_TRY(run_workers(worker_count(0), work));
  return results;
}

Result<void> Comparison::compare_cut(const Sight& sight, Cut& cut, int index) {
  const Gpu& gpu = context_->gpu();
  const Anchor anchor = anchor_near(bounds_.lattice(), sight.view.eye_x_m, sight.view.eye_z_m);
  const kernel::FrameConstants frame = make_frame(bounds_, sight.view, sight.ranges, anchor);
  auto commands = runner_.begin();
  if (!commands) return Unexpected{commands.error()};
  auto meshed = mesher_->record(*commands, source_, cut, frame);
  if (!meshed) return Unexpected{meshed.error()};
  std::vector<VkBufferCopy> copies;
  for (std::size_t i = 0; i < meshed->slots.size(); ++i) {
    copies.push_back({slot_words_ * 4 * meshed->slots[i], slot_words_ * 4 * i, slot_words_ * 4});
  }
  if (!copies.empty()) {
    gpu.functions.CmdCopyBuffer(*commands, meshed->vertices, words_.handle(), std::uint32_t(copies.size()),
                                copies.data());
  }
  memory_barrier(gpu, *commands, {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
                 {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});
  ARETE_TRY(runner_.submit_and_wait());
  auto results = compare_nodes(sight, cut, frame);
  if (!results) return Unexpected{results.error()};
  const auto stride = std::size_t(options_.layout.stride_words);
  for (std::size_t i = 0; i < results->size(); ++i) {
    const NodeResult& result = (*results)[i];
    report.digest = (report.digest ^ result.digest) * kDigestPrime;
    report.differing_words += result.differing;
    if (result.differing > 0 && report.first_difference.empty()) {
      const Node& node = cut.nodes[cut.drawn[i]];
      char line[256];
      std::snprintf(
          line, sizeof line,
          "cut %d, node %u,%u of lod %d (coarse edges %d, corners %d), vertex %zu, word %zu: the CPU wrote %08x, "
          "the device %08x",
          index, node.x, node.z, node.lod, node.coarse_mask, node.corner_lods, result.first / stride,
          result.first % stride, result.expected, result.found);
      report.first_difference = line;
    }
  }
  const auto nodes = static_cast<std::int64_t>(cut.drawn.size());
  report.cuts += 1;
  report.nodes += nodes;
  report.vertices += nodes * node_vertices(options_.node_quads);
  report.words += nodes * node_vertices(options_.node_quads) * options_.layout.stride_words;
  return {};
}

}  // namespace

Result<MesherComparison> compare_meshers(const SampleSource& source, const Bounds& bounds,
                                         const MesherComparisonOptions& options) {
  Comparison comparison(source, bounds, options);
  ARETE_TRY(comparison.open());
  std::mt19937_64 random(options.seed);
  CutWorkspace workspace;
  Cut cut;
  for (int index = 0; comparison.report.vertices < options.vertices; ++index) {
    const Sight sight = random_sight(bounds, options, random, index);
    if (index % 2 == 0) {
      select_cut(bounds, sight.view, sight.ranges, workspace, cut);
    } else {
      cut_from_splits(bounds.lattice(), options.node_quads, ArbitrarySplits(random()), workspace, cut);
    }
    // A random part of what does not fit the pool: every node has its turn.
    for (std::size_t i = 0; cut.drawn.size() > kPoolNodes && i < kPoolNodes; ++i) {
      std::swap(cut.drawn[i], cut.drawn[i + std::size_t(unit(random) * double(cut.drawn.size() - i))]);
    }
    cut.drawn.resize(std::min<std::size_t>(cut.drawn.size(), kPoolNodes));
    ARETE_TRY(comparison.compare_cut(sight, cut, index));
  }
  return std::move(comparison.report);
}

}  // namespace arete::vulkan
