// Views to the device, and the dispatch that selects their cuts.
#include "vulkan/device_cut.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <tuple>

namespace arete::vulkan {
namespace {

const std::uint32_t kShader[] = {
#include "select_cut.comp.spv.inc"
};
const std::uint32_t kShaderNearest[] = {
#include "select_cut.comp.nearest.spv.inc"
};

// Mirrors View of shaders/select_cut.comp.
struct ViewRecord {
  kernel::FrameConstants frame;
  float lag_m;
  float select_sq;
  std::uint32_t first_slot;
  std::uint32_t most_drawn;
  std::uint32_t most_leaves;
  std::int32_t block_shift;
  std::uint32_t planes;
  std::uint32_t field_steps;
  VkDeviceAddress windows;
  VkDeviceAddress directory;
  VkDeviceAddress frustum;
  VkDeviceAddress leaves;
  VkDeviceAddress nodes;
  VkDeviceAddress draws;
  VkDeviceAddress counts;
  VkDeviceAddress status;
};
static_assert(sizeof(ViewRecord) == sizeof(kernel::FrameConstants) + 32 + 64);

// Mirrors the block `Select`.
struct SelectConstants {
  VkDeviceAddress views;
  VkDeviceAddress ranges;
  VkDeviceAddress kappas;
  VkDeviceAddress first_indices;
  VkDeviceAddress pages;
  std::uint32_t slot_vertices;
  std::uint32_t groups_a_node;
  std::uint32_t are_pages_missing;
  std::uint32_t padding;
};
static_assert(sizeof(SelectConstants) == 56);

constexpr std::uint32_t kNoPage = 0xffffffffu;
constexpr std::size_t kLeafBytes = 16;
constexpr std::uint32_t kLeavesADraw = 8;  // room for leaves that the frustum drops

constexpr VkDeviceSize aligned(VkDeviceSize bytes) { return (bytes + 63) / 64 * 64; }

// Where the parts of a view's outputs lie, from its own beginning.
struct OutputPlan {
  VkDeviceSize draws, leaves, nodes, bytes;
  explicit OutputPlan(std::uint32_t most_drawn) {
    draws = aligned(sizeof(CutCounts));
    leaves = aligned(draws + most_drawn * sizeof(VkDrawIndexedIndirectCommand));
    nodes = aligned(leaves + VkDeviceSize(most_drawn) * kLeavesADraw * kLeafBytes);
    bytes = aligned(nodes + most_drawn * sizeof(NodeEntry));
  }
};

// Planes in metres from the frame's own camera.
std::vector<float> planes_from_camera(const View& view, const kernel::FrameConstants& frame) {
  const double x = double(frame.camera_half_x) * frame.half_x_m + frame.camera_rest_x;
  const double z = double(frame.camera_half_z) * frame.half_z_m + frame.camera_rest_z;
  std::vector<float> planes;
  for (const Plane& plane : view.frustum) {
    const double distance = plane.x * x + plane.y * double(frame.camera_y) + plane.z * z + plane.d;
    for (const double value : {plane.x, plane.y, plane.z, distance}) planes.push_back(static_cast<float>(value));
  }
  return planes;
}

}  // namespace

DeviceCut::DeviceCut(const Gpu& gpu, const Bounds& bounds, const TerrainMesherOptions& options,
                     std::uint32_t groups_a_node)
    : gpu_(gpu), bounds_(bounds), options_(options), groups_a_node_(groups_a_node), reach_(bounds, options.node_quads) {
  // One dispatch builds all of a view's nodes.
  options_.pool_nodes = std::min(options.pool_nodes, gpu.limits.maxComputeWorkGroupCount[0] / groups_a_node);
}

Result<void> DeviceCut::create() {
  ARETE_TRY(create_pipeline());
  ARETE_TRY(create_ranges());
  auto outputs = Buffer::create(gpu_, OutputPlan(options_.pool_nodes).bytes + options_.most_views * OutputPlan(1).bytes,
                                VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                    VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                MemoryKind::device, "selected nodes");
  if (!outputs) return Unexpected{outputs.error()};
  outputs_ = std::move(*outputs);
  for (int i = 0; i < options_.frames_in_flight; ++i) {
    InFlight made;
    auto status = Buffer::create(gpu_, options_.most_views * sizeof(CutCounts),
                                 VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT,
                                 MemoryKind::readback, "counts of cuts");
    if (!status) return Unexpected{status.error()};
    made.status = std::move(*status);
    in_flight_.push_back(std::move(made));
  }
  return {};
}

Result<void> DeviceCut::create_pipeline() {
  const VkPhysicalDeviceLimits& limits = gpu_.limits;
  const std::uint32_t threads =
      std::bit_floor(std::min({1024u, limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]}));
  const int lods = bounds_.lattice().lods();
  // The widest window whose bits fit beside the sums and the windows themselves.
  const auto shared_bytes = [&](int side) {
    return std::size_t(lods) * (std::size_t(side) * std::size_t(side) / 8 + sizeof(LodWindow)) + threads * 5 + 256;
  };
  most_side_ = 128;
  while (most_side_ > 32 && shared_bytes(most_side_) > limits.maxComputeSharedMemorySize) most_side_ /= 2;
  const auto word = [](int value) { return static_cast<std::uint32_t>(value); };
  const auto log2 = [](int value) { return std::countr_zero(unsigned(value)); };
  const std::uint32_t constants[] = {threads,
                                     word(options_.node_quads),
                                     options_.plane == HeightPlane::max ? 1u : 0u,
                                     bounds_.is_uniform() ? 0u : 1u,
                                     word(lods),
                                     word(most_side_),
                                     word(std::max(0, log2(kBoundsQuads) - log2(options_.node_quads))),
                                     word(log2(kPageCells) - log2(options_.node_quads))};
  auto pipeline =
      ExactCompute::create(gpu_, {kShader, kShaderNearest}, sizeof(SelectConstants), constants, "select_cut.comp");
  if (!pipeline) return Unexpected{pipeline.error()};
  pipeline_ = std::move(*pipeline);
  return {};
}

Result<void> DeviceCut::create_ranges() {
  const Lattice& lattice = bounds_.lattice();
  const cut::NodeGrid grid(lattice, std::max(options_.node_quads, kBoundsQuads));
  const cut::NodeRanges ranges(bounds_, grid);
  std::vector<std::uint32_t> words;
  for (int lod = 0; lod < grid.lods; ++lod) {
    const cut::Place size = grid.sizes[std::size_t(lod)];
    ranges_first_.push_back(std::int32_t(words.size() / 2));
    ranges_width_.push_back(size.x);
    for (std::int32_t z = 0; lod > 0 && z < size.z; ++z) {
      for (std::int32_t x = 0; x < size.x; ++x) {
        const cut::NodeRange range = ranges.at(lod, {x, z});
        words.push_back(range.min | std::uint32_t(range.max) << 16);
        words.push_back(range.top | std::uint32_t(range.split) << 16);
      }
    }
  }
  words.resize(std::max<std::size_t>(words.size(), 2));
  auto made = FixedWords::create(gpu_, words, 0, "node bounds");
  if (!made) return Unexpected{made.error()};
  ranges_ = std::move(*made);
  return {};
}

Result<void> DeviceCut::check_earlier(const InFlight& with) const {
  const auto counts = with.status.mapped_as<const CutCounts>();
  for (std::size_t view = 0; view < with.views; ++view) {
    if (counts[view].wanted > counts[view].drawn) {
      return gpu_error("vulkan: the cut of an earlier frame draws " + std::to_string(counts[view].wanted) +
                       " nodes, but the vertex pool holds " + std::to_string(counts[view].drawn) +
                       " a view; raise pool_nodes or the pixel error");
    }
    const std::uint32_t most_leaves = options_.pool_nodes / std::uint32_t(with.views) * kLeavesADraw;
    if (counts[view].nodes > most_leaves) {
      return gpu_error("vulkan: the cut of an earlier frame has " + std::to_string(counts[view].nodes) +
                       " nodes, but there is room for " + std::to_string(most_leaves) +
                       " a view; raise pool_nodes or the pixel error");
    }
  }
  return {};
}

Result<std::span<const PageKey>> DeviceCut::plan(std::span<const DeviceView> views) {
  if (views.empty() || views.size() > options_.most_views) {
    return usage_error("vulkan: " + std::to_string(views.size()) + " views; expected 1 to most_views, " +
                       std::to_string(options_.most_views));
  }
  InFlight& with = in_flight_[next_];
  const Result<void> earlier = check_earlier(with);
  with.views = 0;  // said once
  if (!earlier) return Unexpected{earlier.error()};
  const OutputPlan outputs(options_.pool_nodes / std::uint32_t(views.size()));
  planned_.assign(views.begin(), views.end());
  views_.clear();
  windows_.resize(views.size());
  view_pages_.resize(views.size());
  block_shifts_.clear();
  pages_.clear();
  for (std::size_t i = 0; i < views.size(); ++i) {
    const DeviceView& view = views[i];
    if (view.ranges.node_quads != options_.node_quads || view.ranges.plane != options_.plane) {
      return usage_error(
          "vulkan: a view's ranges are for other nodes or another height plane than the mesher's options");
    }
    const kernel::FrameConstants frame = make_frame(bounds_, view.view, view.ranges, view.anchor);
    block_shifts_.push_back(reach_.windows(view.ranges, frame, windows_[i]));
    if (2 << block_shifts_[i] > most_side_) {
      return gpu_error(
          "vulkan: a view's ranges span more than the " + std::to_string(most_side_ / 2) +
          " nodes that the device selects from; raise the pixel error, or select on the host and record()");
    }
    view_pages_[i].clear();
    reach_.pages(view.ranges, frame, view_pages_[i]);
    pages_.insert(pages_.end(), view_pages_[i].begin(), view_pages_[i].end());
    const VkDeviceSize first = i * outputs.bytes;
    views_.push_back({.frame = frame,
                      .nodes = outputs_.address() + first + outputs.nodes,
                      .leaves_offset = first + outputs.leaves,
                      .draws_offset = first + outputs.draws,
                      .counts_offset = first,
                      .most_drawn = options_.pool_nodes / std::uint32_t(views.size())});
  }
  const auto in_order = [](PageKey key) { return std::tuple(-int(key.lod), key.x, key.z); };
  std::sort(pages_.begin(), pages_.end(), [&](PageKey a, PageKey b) { return in_order(a) < in_order(b); });
  pages_.erase(std::unique(pages_.begin(), pages_.end()), pages_.end());
  return std::span<const PageKey>(pages_);
}

Result<void> DeviceCut::fit_inputs(InFlight& with) {
  if (with.inputs.bytes() >= input_bytes_) return {};
  auto upload = Buffer::create(gpu_, input_bytes_ + input_bytes_ / 2, VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                               MemoryKind::upload, "views (staging)");
  if (!upload) return Unexpected{upload.error()};
  auto inputs = Buffer::create(
      gpu_, upload->bytes(),
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT,
      MemoryKind::device, "views");
  if (!inputs) return Unexpected{inputs.error()};
  with.upload = std::move(*upload);
  with.inputs = std::move(*inputs);
  return {};
}

Result<void> DeviceCut::write(const FrameGatherer& gatherer) {
  InFlight& with = in_flight_[next_];
  // Views first, then for each its windows, planes and directories.
  std::vector<std::vector<std::uint32_t>> directories(views_.size());
  std::vector<std::vector<float>> planes(views_.size());
  input_bytes_ = aligned(views_.size() * sizeof(ViewRecord));
  for (std::size_t i = 0; i < views_.size(); ++i) {
    std::vector<std::uint32_t>& directory = directories[i];
    std::vector<LodWindow>& windows = windows_[i];
    for (std::size_t lod = 0; lod < windows.size(); ++lod) {
      windows[lod].ranges_first = ranges_first_[lod];
      windows[lod].ranges_w = ranges_width_[lod];
    }
    // Pages of a lod stand together.
    for (auto first = view_pages_[i].begin(); first != view_pages_[i].end();) {
      const auto end = std::find_if(first, view_pages_[i].end(), [&](PageKey key) { return key.lod != first->lod; });
      LodWindow& window = windows[first->lod];
      std::int32_t last_x = 0, last_z = 0;
      window.pages_x = window.pages_z = INT32_MAX;
      for (auto page = first; page != end; ++page) {
        window.pages_x = std::min(window.pages_x, std::int32_t(page->x));
        window.pages_z = std::min(window.pages_z, std::int32_t(page->z));
        last_x = std::max(last_x, std::int32_t(page->x));
        last_z = std::max(last_z, std::int32_t(page->z));
      }
      window.pages_w = last_x - window.pages_x + 1;
      window.pages_d = last_z - window.pages_z + 1;
      window.pages_first = std::int32_t(directory.size());
      directory.resize(directory.size() + std::size_t(window.pages_w) * std::size_t(window.pages_d), kNoPage);
      for (auto page = first; page != end; ++page) {
        const auto row = std::size_t(std::int32_t(page->z) - window.pages_z);
        const auto column = std::size_t(std::int32_t(page->x) - window.pages_x);
        directory[std::size_t(window.pages_first) + row * std::size_t(window.pages_w) + column] =
            gatherer.entry(*page).value_or(kNoPage);
      }
      first = end;
    }
    planes[i] = planes_from_camera(planned_[i].view, views_[i].frame);
    input_bytes_ +=
        aligned(windows.size() * sizeof(LodWindow)) + aligned(planes[i].size() * 4) + aligned(directory.size() * 4);
  }
  ARETE_TRY(fit_inputs(with));

  std::byte* const out = with.upload.mapped().data();
  VkDeviceSize at = aligned(views_.size() * sizeof(ViewRecord));
  const auto put = [&](const void* data, std::size_t size) {
    if (size > 0) std::memcpy(out + at, data, size);
    const VkDeviceAddress address = with.inputs.address() + at;
    at += aligned(size);
    return address;
  };
  const VkDeviceAddress outputs = outputs_.address();
  for (std::size_t i = 0; i < views_.size(); ++i) {
    const ViewBuffers& view = views_[i];
    const ViewRecord record{
        .frame = view.frame,
        .lag_m = planned_[i].ranges.lag_m,
        .select_sq = planned_[i].ranges.select_sq,
        .first_slot = std::uint32_t(i) * view.most_drawn,
        .most_drawn = view.most_drawn,
        .most_leaves = view.most_drawn * kLeavesADraw,
        .block_shift = block_shifts_[i],
        .planes = std::uint32_t(planes[i].size() / 4),
        .field_steps = bounds_.field_min | std::uint32_t(bounds_.field_max) << 16,
        .windows = put(windows_[i].data(), windows_[i].size() * sizeof(LodWindow)),
        .directory = put(directories[i].data(), directories[i].size() * 4),
        .frustum = put(planes[i].data(), planes[i].size() * 4),
        .leaves = outputs + view.leaves_offset,
        .nodes = view.nodes,
        .draws = outputs + view.draws_offset,
        .counts = outputs + view.counts_offset,
        .status = with.status.address() + i * sizeof(CutCounts),
    };
    std::memcpy(out + i * sizeof record, &record, sizeof record);
  }
  return {};
}

void DeviceCut::record_copies(VkCommandBuffer commands) {
  const InFlight& with = in_flight_[next_];
  const VkBufferCopy copy{0, 0, input_bytes_};
  gpu_.functions.CmdCopyBuffer(commands, with.upload.handle(), with.inputs.handle(), 1, &copy);
  ranges_.record_copy(gpu_, commands);
}

void DeviceCut::record(VkCommandBuffer commands, const CutInputs& inputs) {
  InFlight& with = in_flight_[next_];
  const SelectConstants constants{with.inputs.address(),
                                  ranges_.address(),
                                  inputs.kappas,
                                  inputs.first_indices,
                                  inputs.pages,
                                  std::uint32_t(node_slot_vertices(options_.node_quads)),
                                  groups_a_node_,
                                  inputs.are_pages_missing ? 1u : 0u,
                                  0};
  pipeline_.bind(gpu_, commands);
  pipeline_.push(gpu_, commands, constants);
  gpu_.functions.CmdDispatch(commands, std::uint32_t(views_.size()), 1, 1);
  with.views = views_.size();
  next_ = (next_ + 1) % in_flight_.size();
}

}  // namespace arete::vulkan
