// What the atlas knows of its resident pages, and the only operations that change them.
//
// Invariants (property/stream_test): a resident page's parent is resident; a page stands before its descendants in the
// order of use, so the least recently used page that is not pinned has no resident child.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arete/stream.h"
#include "stream/page_table.h"
#include "stream/plane_pool.h"

namespace arete::stream {

inline PageKey parent_key(PageKey key) { return {std::uint8_t(key.lod + 1), key.x / 2, key.z / 2}; }

}  // namespace arete::stream

namespace arete {

struct Atlas::State {
  static constexpr std::uint32_t kNone = stream::PageTable::kAbsent;

  struct Resident {
    std::shared_ptr<const Page> page;
    PageSlots slots;
    std::uint32_t newer = kNone;  // in the order of use; pinned pages stand outside it
    std::uint32_t older = kNone;
    std::uint64_t used = 0;     // the update that last wanted it
    std::uint8_t children = 0;  // resident ones
    bool is_pinned = false;
    bool is_stale = false;  // edited since; a replacement is awaited
  };

  State(const Lattice& its_lattice, std::uint32_t planes, int its_frames_in_flight);
  static std::size_t bytes_per_plane();

  // Starts an update: frees what no frame in flight and no reader holds any more.
  void begin_update() noexcept;
  std::uint32_t find(PageKey key) const noexcept { return table.find(key); }
  // True when the page's parent is resident, or it has none.
  bool has_parent(PageKey key) const noexcept;
  // Makes the box's page resident; has_parent() must hold and the page be absent.
  void place(stream::PageBox* box, bool is_pinned) noexcept;
  // Puts the box's page in the place of the resident one with its key.
  void replace(std::uint32_t index, stream::PageBox* box) noexcept;
  // Marks a page as the most recently used; its ancestors must be marked after it.
  void touch(std::uint32_t index) noexcept;
  // Evicts the least recently used page unless this update wants it; false when there is none.
  bool evict_oldest() noexcept;
  // Evicts a page that is not pinned with all its descendants; returns how many.
  int evict_subtree(PageKey key) noexcept;
  // Planes that are free now, and with those that wait for readers and frames in flight.
  std::uint32_t free_planes() const noexcept { return pool->free_planes(); }
  std::uint32_t coming_planes() const noexcept { return pool->free_planes() + retired_planes; }

  Lattice lattice;
  int frames_in_flight;
  std::shared_ptr<stream::PlanePool> pool;
  stream::PageTable table;
  std::vector<Resident> residents;
  std::vector<std::uint32_t> free_entries;
  std::uint64_t update = 0;
  std::uint64_t evicted = 0;
  std::vector<SlotUpload> uploads;
  std::vector<std::uint32_t> upload_of_slot;  // index into uploads, or kNone

 private:
  struct Retired {
    std::shared_ptr<const Page> page;
    std::uint64_t update = 0;
    std::uint32_t planes = 0;
  };
  void link_newest(std::uint32_t index) noexcept;
  void unlink(std::uint32_t index) noexcept;
  void evict(std::uint32_t index) noexcept;
  void retire(Resident& resident) noexcept;
  void add_uploads(const Resident& resident) noexcept;
  void drop_upload(std::uint32_t slot) noexcept;

  std::uint32_t newest = kNone;
  std::uint32_t oldest = kNone;
  std::vector<Retired> retired;  // a ring
  std::size_t retired_first = 0;
  std::size_t retired_count = 0;
  std::uint32_t retired_planes = 0;
};

}  // namespace arete
