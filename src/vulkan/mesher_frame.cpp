// Gathers a frame's nodes and pages. Every page brings its ancestors, for the cascade may climb to any of them.
#include "vulkan/mesher_frame.h"

#include <algorithm>
#include <bit>
#include <string>
#include <unordered_set>

namespace arete::vulkan {
namespace {

// Nodes to pages: a shift of their indices.
int page_shift(int node_quads) {
  return std::countr_zero(unsigned(kPageCells)) - std::countr_zero(unsigned(node_quads));
}

}  // namespace

FrameGatherer::FrameGatherer(const TerrainMesherOptions& options, const Bounds& bounds, std::uint32_t slot_words)
    : options_(options),
      lods_(bounds.lattice().lods()),
      slot_words_(slot_words),
      rest_(bounds, options.node_quads),
      slots_(options.page_slots),
      pool_(options.pool_nodes) {}

void FrameGatherer::begin() {
  frame_.slots.clear();
  frame_.nodes.clear();
  frame_.pages.clear();
  revisions_.clear();
  frame_.uploads.clear();
  frame_.missing_pages = 0;
  entries_.clear();
  slots_.begin_frame();
}

void FrameGatherer::give_up() {
  for (const PageUpload& upload : frame_.uploads) {
    slots_.release(upload.page->key);
  }
  pool_.forget();
}

Result<const MesherFrame*> FrameGatherer::gather(const SampleSource& pages, const Cut& cut,
                                                 const kernel::FrameConstants& frame) {
  begin();
  pool_.begin(frame);
  const auto gathered = gather_nodes(pages, cut, frame);
  if (!gathered) {
    give_up();
    return Unexpected{gathered.error()};
  }
  return &frame_;
}

Result<const MesherFrame*> FrameGatherer::gather_pages(const SampleSource& pages, std::span<const PageKey> wanted) {
  begin();
  pool_.forget();  // the device fills the pool as it finds
  for (const PageKey key : wanted) {
    std::optional<std::uint32_t> parent = 0;
    if (key.lod + 1 < lods_) parent = entry({std::uint8_t(key.lod + 1), key.x >> 1, key.z >> 1});
    bool is_placed = false;
    if (parent) {
      auto page = pages.page(key);
      if (!page) {
        give_up();
        return Unexpected{page.error()};
      }
      is_placed = *page != nullptr && place(std::move(*page), *parent) == Placed::yes;
    }
    if (!is_placed && key.lod + 1 == lods_) {
      give_up();
      return data_error("vulkan: the coarsest page is not resident; it must always be");
    }
    frame_.missing_pages += is_placed ? 0 : 1;
  }
  return &frame_;
}

std::optional<std::uint32_t> FrameGatherer::entry(PageKey key) const {
  const auto found = entries_.find(key.packed());
  return found != entries_.end() ? std::optional(found->second) : std::nullopt;
}

FrameGatherer::Placed FrameGatherer::place(std::shared_ptr<const Page> page, std::uint32_t parent) {
  const PageKey key = page->key;
  const std::uint64_t revision = page->revision;
  const auto claim = slots_.claim(key, revision);
  if (!claim) return Placed::no_slot;
  if (claim->must_upload) {
    if (frame_.uploads.size() >= options_.page_uploads) {
      slots_.release(key);
      return Placed::no_upload;
    }
    frame_.uploads.push_back({claim->slot, std::move(page)});
  }
  entries_.emplace(key.packed(), std::uint32_t(frame_.pages.size()));
  frame_.pages.push_back({claim->slot * slot_words_, parent});
  revisions_.push_back(revision);
  return Placed::yes;
}

Result<void> FrameGatherer::gather_nodes(const SampleSource& pages, const Cut& cut,
                                         const kernel::FrameConstants& frame) {
  if (cut.drawn.size() > options_.pool_nodes) {
    return gpu_error("vulkan: the cut draws " + std::to_string(cut.drawn.size()) +
                     " nodes, but the vertex pool holds " + std::to_string(options_.pool_nodes) +
                     "; raise pool_nodes or the pixel error");
  }
  const int shift = page_shift(options_.node_quads);
  for (const std::uint32_t index : cut.drawn) {
    const Node& node = cut.nodes[index];
    auto entry = entry_of(pages, {node.lod, node.x >> shift, node.z >> shift});
    if (!entry) return Unexpected{entry.error()};
    const PageEntry& page = frame_.pages[*entry];
    const mesh::PoolSlots::Claim claim = pool_.claim(
        node,
        {.is_at_rest = rest_.is_at_rest(frame, node),
         .revisions = {revisions_[*entry], revisions_[page.parent], revisions_[frame_.pages[page.parent].parent]}});
    frame_.slots.push_back(claim.slot);
    if (claim.is_built && !options_.rebuilds_all) continue;
    frame_.nodes.push_back(
        {.x = node.x,
         .z = node.z,
         .lod_and_edges = node.lod | std::uint32_t(node.coarse_mask) << 8 | std::uint32_t(node.corner_lods) << 16,
         .pool_slot = claim.slot,
         .first_word = page.first_word,
         .parent_first_word = frame_.pages[page.parent].first_word,
         .parent = page.parent,
         .padding = 0});
  }
  return {};
}

Result<std::uint32_t> FrameGatherer::entry_of(const SampleSource& pages, PageKey key) {
  const auto found = entries_.find(key.packed());
  if (found != entries_.end()) return found->second;
  std::uint32_t parent = 0;
  if (key.lod + 1 < lods_) {
    auto entry = entry_of(pages, {std::uint8_t(key.lod + 1), key.x >> 1, key.z >> 1});
    if (!entry) return entry;
    parent = *entry;
  }
  auto page = pages.require_page(key);
  if (!page) return Unexpected{page.error()};
  switch (place(std::move(*page), parent)) {
    case Placed::yes:
      break;
    case Placed::no_slot:
      return gpu_error("vulkan: the cut reads more than the " + std::to_string(options_.page_slots) +
                       " pages that the device holds; raise page_slots");
    case Placed::no_upload:
      return gpu_error("vulkan: the frame needs more than " + std::to_string(options_.page_uploads) +
                       " pages that the device lacks; raise page_uploads or stream them in over several frames");
  }
  return static_cast<std::uint32_t>(frame_.pages.size() - 1);
}

std::uint32_t count_pages(const Cut& cut, int node_quads, int lods) {
  std::unordered_set<std::uint64_t> seen;
  const int shift = page_shift(node_quads);
  for (const std::uint32_t index : cut.drawn) {
    const Node& node = cut.nodes[index];
    PageKey key{node.lod, node.x >> shift, node.z >> shift};
    while (key.lod < lods && seen.insert(key.packed()).second) {
      key = {std::uint8_t(key.lod + 1), key.x >> 1, key.z >> 1};
    }
  }
  return std::uint32_t(seen.size());
}

std::uint32_t most_pages(const Lattice& lattice, std::uint32_t nodes) {
  std::uint64_t pages = 0;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    pages += std::min(std::uint64_t(lattice.pages_x(lod)) * std::uint64_t(lattice.pages_z(lod)), std::uint64_t(nodes));
  }
  return std::uint32_t(std::min<std::uint64_t>(pages, UINT32_MAX));
}

}  // namespace arete::vulkan
