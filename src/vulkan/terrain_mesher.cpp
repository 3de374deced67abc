// Node vertices on the caller's device: records page uploads, one dispatch for all nodes, and the barriers around them.
//
// Buffers: the atlas of pages, the vertex pool and the indices live on the device; each frame in flight has a staging
// buffer for pages and one block of records, copied to the device as a whole.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "vulkan/commands.h"
#include "vulkan/device_cut.h"
#include "vulkan/fixed_words.h"
#include "vulkan/memory.h"
#include "vulkan/mesher_frame.h"
#include "vulkan/mesher_tables.h"
#include "vulkan/node_build.h"

namespace arete::vulkan {
namespace {

constexpr std::uint32_t kDrawBytes = sizeof(VkDrawIndexedIndirectCommand);
constexpr int kIndexLists = 16;  // one for each mask of coarse edges

constexpr VkDeviceSize aligned(VkDeviceSize bytes) { return (bytes + 63) / 64 * 64; }

// Where the parts of a frame's records lie; sized for the most that the options allow.
struct RecordsPlan {
  VkDeviceSize nodes, pages, draws, bytes;
  RecordsPlan(const TerrainMesherOptions& options) {
    nodes = aligned(options.most_views * sizeof(BuffersBlock));
    pages = aligned(nodes + options.pool_nodes * sizeof(NodeEntry));
    draws = aligned(pages + options.page_slots * sizeof(PageEntry));
    bytes = aligned(draws + options.pool_nodes * sizeof(VkDrawIndexedIndirectCommand));
  }
};

}  // namespace

struct TerrainMesher::State {
  State(const Gpu& device, const Bounds& of_bounds, const TerrainMesherOptions& with, std::uint32_t words_of_slot)
      : gpu(device),
        bounds(of_bounds),
        options(with),
        plan(with),
        slot_words(words_of_slot),
        gatherer(with, of_bounds, words_of_slot) {}

  struct InFlight {
    Buffer staging;  // pages
    Buffer upload;   // records, on the host
    Buffer records;  // the same on the device
  };

  Gpu gpu;
  const Bounds& bounds;
  TerrainMesherOptions options;
  RecordsPlan plan;
  std::uint32_t slot_words;
  FrameGatherer gatherer;
  NodeBuild build;
  Buffer atlas, pool;
  FixedWords tables;
  VkDeviceSize first_indices_offset = 0, kappas_offset = 0;  // in `tables`, behind the indices
  std::array<std::uint32_t, kIndexLists + 1> first_index{};
  std::vector<InFlight> in_flight;
  std::size_t next = 0;
  std::unique_ptr<DeviceCut> selector;  // once select() is called

  Result<void> create_build();
  Result<void> create_tables();
  Result<void> create_buffers();
  void write_block(std::size_t place, VkDeviceAddress nodes, const InFlight& with) const;
  void write_nodes(const MesherFrame& gathered, const Cut& cut, const InFlight& with) const;
  void write_pages(const MesherFrame& gathered, const InFlight& with) const;
  void record_copies(VkCommandBuffer commands, const MesherFrame& gathered, const InFlight& with);
  void record_copied(VkCommandBuffer commands) const;
  void record_selected_builds(VkCommandBuffer commands, const InFlight& with) const;
  void record_built(VkCommandBuffer commands, Stage also) const;
  void bind(VkCommandBuffer commands) const;
  void draw_each(VkCommandBuffer commands, VkBuffer draws, VkDeviceSize first, std::uint32_t count) const;
};

Result<void> TerrainMesher::State::create_build() {
  auto made = NodeBuild::create(gpu, bounds, options);
  if (!made) return Unexpected{made.error()};
  build = std::move(*made);
  return {};
}

Result<void> TerrainMesher::State::create_tables() {
  std::vector<std::uint32_t> words;
  for (int mask = 0; mask < kIndexLists; ++mask) {
    first_index[std::size_t(mask)] = std::uint32_t(words.size());
    const auto list = sew_indices(options.node_quads, mask);
    words.insert(words.end(), list.begin(), list.end());
  }
  first_index[kIndexLists] = std::uint32_t(words.size());
  words.resize((words.size() + 15) / 16 * 16);
  first_indices_offset = words.size() * 4;
  words.insert(words.end(), first_index.begin(), first_index.end());
  words.resize((words.size() + 15) / 16 * 16);
  kappas_offset = words.size() * 4;
  const auto kappas = kappa_words(bounds);
  words.insert(words.end(), kappas.begin(), kappas.end());
  auto made = FixedWords::create(gpu, words, VK_BUFFER_USAGE_INDEX_BUFFER_BIT, "index lists and local ranges");
  if (!made) return Unexpected{made.error()};
  tables = std::move(*made);
  return {};
}

Result<void> TerrainMesher::State::create_buffers() {
  constexpr VkBufferUsageFlags kRead =
      VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  auto made_atlas = Buffer::create(gpu, VkDeviceSize(4) * options.page_slots * slot_words, kRead, MemoryKind::device,
                                   "the atlas of pages");
  if (!made_atlas) return Unexpected{made_atlas.error()};
  atlas = std::move(*made_atlas);
  const VkDeviceSize slot_bytes = VkDeviceSize(4) * VkDeviceSize(node_slot_vertices(options.node_quads)) *
                                  VkDeviceSize(options.layout.stride_words);
  auto made_pool = Buffer::create(gpu, options.pool_nodes * slot_bytes,
                                  VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT |
                                      VK_BUFFER_USAGE_VERTEX_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT,
                                  MemoryKind::device, "the vertex pool");
  if (!made_pool) return Unexpected{made_pool.error()};
  pool = std::move(*made_pool);
  for (int i = 0; i < options.frames_in_flight; ++i) {
    InFlight made;
    auto staging = Buffer::create(gpu, VkDeviceSize(4) * options.page_uploads * slot_words,
                                  VK_BUFFER_USAGE_TRANSFER_SRC_BIT, MemoryKind::upload, "pages (staging)");
    if (!staging) return Unexpected{staging.error()};
    made.staging = std::move(*staging);
    auto upload =
        Buffer::create(gpu, plan.bytes, VK_BUFFER_USAGE_TRANSFER_SRC_BIT, MemoryKind::upload, "node records (staging)");
    if (!upload) return Unexpected{upload.error()};
    made.upload = std::move(*upload);
    auto records = Buffer::create(gpu, plan.bytes, kRead | VK_BUFFER_USAGE_INDIRECT_BUFFER_BIT, MemoryKind::device,
                                  "node records");
    if (!records) return Unexpected{records.error()};
    made.records = std::move(*records);
    in_flight.push_back(std::move(made));
  }
  return {};
}

void TerrainMesher::State::write_block(std::size_t place, VkDeviceAddress nodes, const InFlight& with) const {
  const BuffersBlock block{atlas.address(), tables.address() + kappas_offset, nodes,
                           with.records.address() + plan.pages, pool.address()};
  std::memcpy(with.upload.mapped().data() + place * sizeof block, &block, sizeof block);
}

void TerrainMesher::State::write_nodes(const MesherFrame& gathered, const Cut& cut, const InFlight& with) const {
  std::byte* const out = with.upload.mapped().data();
  std::memcpy(out + plan.nodes, gathered.nodes.data(), gathered.nodes.size() * sizeof(NodeEntry));
  const auto slot_vertices = std::int32_t(node_slot_vertices(options.node_quads));
  for (std::size_t i = 0; i < gathered.slots.size(); ++i) {
    const Node& node = cut.nodes[cut.drawn[i]];
    const NodeCells cells = node_cells(bounds.lattice(), node, options.node_quads);
    // On the rim every list but the plain one may leave out what is drawn.
    const bool is_whole = cells.x == options.node_quads && cells.z == options.node_quads;
    const std::size_t mask = is_whole ? node.coarse_mask : 0;
    const VkDrawIndexedIndirectCommand draw{first_index[mask + 1] - first_index[mask], 1, first_index[mask],
                                            std::int32_t(gathered.slots[i]) * slot_vertices, 0};
    std::memcpy(out + plan.draws + i * sizeof draw, &draw, sizeof draw);
  }
}

void TerrainMesher::State::write_pages(const MesherFrame& gathered, const InFlight& with) const {
  std::memcpy(with.upload.mapped().data() + plan.pages, gathered.pages.data(),
              gathered.pages.size() * sizeof(PageEntry));
  const std::size_t plane_bytes = kPlaneSamples * sizeof(std::uint16_t);
  for (std::size_t i = 0; i < gathered.uploads.size(); ++i) {
    const Page& page = *gathered.uploads[i].page;
    std::byte* const slot = with.staging.mapped().data() + i * slot_words * 4;
    std::memcpy(slot, page.subsample.data(), plane_bytes);
    if (options.plane == HeightPlane::max) {
      std::memcpy(slot + kPlaneWords * 4, page.plane(HeightPlane::max).data(), plane_bytes);
    }
  }
}

void TerrainMesher::State::record_copies(VkCommandBuffer commands, const MesherFrame& gathered, const InFlight& with) {
  // Earlier frames still read what is overwritten here.
  memory_barrier(gpu, commands, {VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, VK_ACCESS_2_MEMORY_READ_BIT},
                 {VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT,
                  VK_ACCESS_2_TRANSFER_WRITE_BIT | VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT});
  std::vector<VkBufferCopy> copies;
  for (std::size_t i = 0; i < gathered.uploads.size(); ++i) {
    copies.push_back({VkDeviceSize(4) * i * slot_words, VkDeviceSize(4) * gathered.uploads[i].slot * slot_words,
                      VkDeviceSize(4) * slot_words});
  }
  if (!copies.empty()) {
    gpu.functions.CmdCopyBuffer(commands, with.staging.handle(), atlas.handle(), std::uint32_t(copies.size()),
                                copies.data());
  }
  const VkBufferCopy parts[] = {
      {0, 0, plan.nodes + gathered.nodes.size() * sizeof(NodeEntry)},
      {plan.pages, plan.pages, std::max<std::size_t>(gathered.pages.size(), 1) * sizeof(PageEntry)},
      {plan.draws, plan.draws, std::max<std::size_t>(gathered.slots.size(), 1) * sizeof(VkDrawIndexedIndirectCommand)}};
  gpu.functions.CmdCopyBuffer(commands, with.upload.handle(), with.records.handle(), 3, parts);
  tables.record_copy(gpu, commands);
}

void TerrainMesher::State::record_copied(VkCommandBuffer commands) const {
  memory_barrier(
      gpu, commands, {VK_PIPELINE_STAGE_2_COPY_BIT, VK_ACCESS_2_TRANSFER_WRITE_BIT},
      {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT |
           VK_PIPELINE_STAGE_2_INDEX_INPUT_BIT,
       VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_INDEX_READ_BIT});
}

// The cuts have been selected: their nodes are built by as many workgroups as the selection says.
void TerrainMesher::State::record_selected_builds(VkCommandBuffer commands, const InFlight& with) const {
  memory_barrier(
      gpu, commands, {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT},
      {VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT |
           VK_PIPELINE_STAGE_2_DRAW_INDIRECT_BIT | VK_PIPELINE_STAGE_2_COPY_BIT,
       VK_ACCESS_2_SHADER_STORAGE_READ_BIT | VK_ACCESS_2_INDIRECT_COMMAND_READ_BIT | VK_ACCESS_2_TRANSFER_READ_BIT});
  for (std::size_t i = 0; i < selector->views().size(); ++i) {
    const DeviceCut::ViewBuffers& view = selector->views()[i];
    build.record_indirect(gpu, commands, view.frame, with.records.address() + i * sizeof(BuffersBlock),
                          selector->outputs(), view.counts_offset + offsetof(CutCounts, groups));
  }
}

void TerrainMesher::State::record_built(VkCommandBuffer commands, Stage also) const {
  memory_barrier(gpu, commands, {VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT, VK_ACCESS_2_SHADER_STORAGE_WRITE_BIT},
                 {also.stage | VK_PIPELINE_STAGE_2_VERTEX_ATTRIBUTE_INPUT_BIT | VK_PIPELINE_STAGE_2_ALL_GRAPHICS_BIT |
                      VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_2_COPY_BIT,
                  also.access | VK_ACCESS_2_VERTEX_ATTRIBUTE_READ_BIT | VK_ACCESS_2_SHADER_STORAGE_READ_BIT |
                      VK_ACCESS_2_TRANSFER_READ_BIT});
}

TerrainMesher::TerrainMesher() = default;
TerrainMesher::~TerrainMesher() = default;

Result<std::unique_ptr<TerrainMesher>> TerrainMesher::create(const BorrowedDevice& device, const Bounds& bounds,
                                                             const TerrainMesherOptions& options) {
  ARETE_TRY(check_options(options));
  auto gpu = borrow_device(device);
  if (!gpu) return Unexpected{gpu.error()};
  const std::uint32_t slot_words = kPlaneWords * (options.plane == HeightPlane::max ? 2 : 1);
  std::unique_ptr<TerrainMesher> mesher(new TerrainMesher);
  mesher->state_ = std::make_unique<State>(*gpu, bounds, options, slot_words);
  ARETE_TRY(mesher->state_->create_build());
  ARETE_TRY(mesher->state_->create_tables());
  ARETE_TRY(mesher->state_->create_buffers());
  return mesher;
}

Result<MeshedNodes> TerrainMesher::record(VkCommandBuffer commands, const SampleSource& pages, const Cut& cut,
                                          const kernel::FrameConstants& frame) {
  State& state = *state_;
  auto gathered = state.gatherer.gather(pages, cut, frame);
  if (!gathered) return Unexpected{gathered.error()};
  const State::InFlight& with = state.in_flight[state.next];
  state.next = (state.next + 1) % state.in_flight.size();
  state.write_block(0, with.records.address() + state.plan.nodes, with);
  state.write_nodes(**gathered, cut, with);
  state.write_pages(**gathered, with);
  state.record_copies(commands, **gathered, with);
  state.record_copied(commands);
  state.build.record(state.gpu, commands, frame, with.records.address(), (*gathered)->nodes.size());
  state.record_built(commands, {});
  return MeshedNodes{.vertices = state.pool.handle(),
                     .vertices_address = state.pool.address(),
                     .indices = state.tables.handle(),
                     .draws = with.records.handle(),
                     .draws_offset = state.plan.draws,
                     .draw_count = static_cast<std::uint32_t>((*gathered)->slots.size()),
                     .slots = (*gathered)->slots,
                     .built_nodes = static_cast<std::uint32_t>((*gathered)->nodes.size()),
                     .uploaded_pages = static_cast<std::uint32_t>((*gathered)->uploads.size())};
}

Result<std::vector<SelectedNodes>> TerrainMesher::select(VkCommandBuffer commands, const SampleSource& pages,
                                                         std::span<const DeviceView> views) {
  State& state = *state_;
  if (state.selector == nullptr) {
    auto made = std::make_unique<DeviceCut>(state.gpu, state.bounds, state.options, state.build.parts());
    ARETE_TRY(made->create());
    state.selector = std::move(made);
  }
  auto wanted = state.selector->plan(views);
  if (!wanted) return Unexpected{wanted.error()};
  auto gathered = state.gatherer.gather_pages(pages, *wanted);
  if (!gathered) return Unexpected{gathered.error()};
  ARETE_TRY(state.selector->write(state.gatherer));
  const State::InFlight& with = state.in_flight[state.next];
  state.next = (state.next + 1) % state.in_flight.size();
  for (std::size_t i = 0; i < views.size(); ++i) {
    state.write_block(i, state.selector->views()[i].nodes, with);
  }
  state.write_pages(**gathered, with);
  state.record_copies(commands, **gathered, with);
  state.selector->record_copies(commands);
  state.record_copied(commands);
  state.selector->record(commands, {.kappas = state.tables.address() + state.kappas_offset,
                                    .first_indices = state.tables.address() + state.first_indices_offset,
                                    .pages = with.records.address() + state.plan.pages,
                                    .are_pages_missing = (*gathered)->missing_pages > 0});
  state.record_selected_builds(commands, with);
  state.record_built(commands, {VK_PIPELINE_STAGE_2_HOST_BIT, VK_ACCESS_2_HOST_READ_BIT});  // the counts
  std::vector<SelectedNodes> selected;
  for (const DeviceCut::ViewBuffers& view : state.selector->views()) {
    selected.push_back({.vertices = state.pool.handle(),
                        .vertices_address = state.pool.address(),
                        .indices = state.tables.handle(),
                        .selected = state.selector->outputs(),
                        .draws_offset = view.draws_offset,
                        .draw_count_offset = view.counts_offset + offsetof(CutCounts, drawn),
                        .leaves_offset = view.leaves_offset,
                        .leaf_count_offset = view.counts_offset + offsetof(CutCounts, nodes),
                        .most_draws = view.most_drawn,
                        .missing_pages = (*gathered)->missing_pages,
                        .uploaded_pages = static_cast<std::uint32_t>((*gathered)->uploads.size())});
  }
  return selected;
}

void TerrainMesher::State::bind(VkCommandBuffer commands) const {
  const VkBuffer vertices = pool.handle();
  const VkDeviceSize offset = 0;
  gpu.functions.CmdBindVertexBuffers(commands, 0, 1, &vertices, &offset);
  gpu.functions.CmdBindIndexBuffer(commands, tables.handle(), 0, VK_INDEX_TYPE_UINT32);
}

// One call a node: multiDrawIndirect is a feature that the caller may not have enabled.
void TerrainMesher::State::draw_each(VkCommandBuffer commands, VkBuffer draws, VkDeviceSize first,
                                     std::uint32_t count) const {
  for (std::uint32_t i = 0; i < count; ++i) {
    gpu.functions.CmdDrawIndexedIndirect(commands, draws, first + i * kDrawBytes, 1, kDrawBytes);
  }
}

void TerrainMesher::record_draws(VkCommandBuffer commands, const MeshedNodes& nodes) const {
  state_->bind(commands);
  state_->draw_each(commands, nodes.draws, nodes.draws_offset, nodes.draw_count);
}

void TerrainMesher::record_draws(VkCommandBuffer commands, const SelectedNodes& nodes) const {
  const Gpu& gpu = state_->gpu;
  state_->bind(commands);
  if (gpu.has_draw_indirect_count) {
    gpu.functions.CmdDrawIndexedIndirectCount(commands, nodes.selected, nodes.draws_offset, nodes.selected,
                                              nodes.draw_count_offset, nodes.most_draws, kDrawBytes);
  } else {
    state_->draw_each(commands, nodes.selected, nodes.draws_offset, nodes.most_draws);
  }
}

}  // namespace arete::vulkan
