// What one frame of the mesher brings to the device: the nodes with their pages and draws, gathered before anything is
// recorded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "arete/vulkan.h"
#include "cut/node_rest.h"
#include "mesh/pool_slots.h"
#include "vulkan/atlas_slots.h"

namespace arete::vulkan {

// Words of a plane of 131 x 131 steps in the atlas, two a word.
inline constexpr std::uint32_t kPlaneWords = kPlaneSamples / 2 + 1;

// Mirrors of shaders/node_vertices.comp.
struct NodeEntry {
  std::uint32_t x;
  std::uint32_t z;
  std::uint32_t lod_and_edges;  // lod, coarse edges from bit 8 on, corner lods from bit 16 on
  std::uint32_t pool_slot;
  std::uint32_t first_word;
  std::uint32_t parent_first_word;
  std::uint32_t parent;
  std::uint32_t padding;
};
static_assert(sizeof(NodeEntry) == 32);

struct PageEntry {
  std::uint32_t first_word;
  std::uint32_t parent;
};
static_assert(sizeof(PageEntry) == 8);

struct PageUpload {
  std::uint32_t slot;
  std::shared_ptr<const Page> page;
};

struct MesherFrame {
  std::vector<std::uint32_t> slots;  // of the drawn nodes
  std::vector<NodeEntry> nodes;      // of these, what must be built
  std::vector<PageEntry> pages;
  std::vector<PageUpload> uploads;
  std::uint32_t missing_pages = 0;
};

// Reads the pages that a cut's drawn nodes need and finds slots for them. Keeps its memory between frames.
class FrameGatherer {
 public:
  // `bounds` must outlive it.
  FrameGatherer(const TerrainMesherOptions& options, const Bounds& bounds, std::uint32_t slot_words);

  // Errors as TerrainMesher::record's; the atlas is then as before.
  Result<const MesherFrame*> gather(const SampleSource& pages, const Cut& cut, const kernel::FrameConstants& frame);

  // The same for pages alone, the coarsest first, without nodes: what `pages` has not, what its parent lacks, and what
  // finds no room is left out and counted as missing, except the coarsest page, which is an error.
  Result<const MesherFrame*> gather_pages(const SampleSource& pages, std::span<const PageKey> wanted);
  // The entry of a page that was gathered.
  std::optional<std::uint32_t> entry(PageKey key) const;

 private:
  void begin();
  void give_up();
  enum class Placed { yes, no_slot, no_upload };
  Placed place(std::shared_ptr<const Page> page, std::uint32_t parent);
  Result<std::uint32_t> entry_of(const SampleSource& pages, PageKey key);
  Result<void> gather_nodes(const SampleSource& pages, const Cut& cut, const kernel::FrameConstants& frame);

  TerrainMesherOptions options_;
  int lods_;
  std::uint32_t slot_words_;
  cut::NodeRest rest_;
  AtlasSlots slots_;
  mesh::PoolSlots pool_;
  std::vector<std::uint64_t> revisions_;  // of frame_.pages
  MesherFrame frame_;
  std::unordered_map<std::uint64_t, std::uint32_t> entries_;
};

// Pages that a cut's drawn nodes read, ancestors included.
std::uint32_t count_pages(const Cut& cut, int node_quads, int lods);

// The most pages that `nodes` drawn nodes can read.
std::uint32_t most_pages(const Lattice& lattice, std::uint32_t nodes);

}  // namespace arete::vulkan
