// Which pages the cameras' cuts ask for now and soon, in the order in which they matter, up to what the slots hold.
//
// Boxes and ranges nest (look.h), so no page is less urgent than those below it: a walk from the root that always takes
// the most urgent page found so far
// (Dijkstra, A note on two problems in connexion with graphs, 1959, with a queue of buckets) gives the list in its
// order and ends where the budget does. A page that is taken brings the parents of its edge neighbours, so that the
// balanced cut finds what it splits.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arete/stream.h"
#include "stream/look.h"
#include "stream/page_ranges.h"
#include "stream/page_table.h"

namespace arete::stream {

struct WantedPage {
  PageKey key;
  Urgency urgency = 0;
  bool is_coming = false;                       // resident, or its load is under way
  std::uint32_t parent = PageTable::kAbsent;    // in the list; the root has none
  std::uint32_t resident = PageTable::kAbsent;  // index in the atlas; kept by the streamer within an update
};

class WantedPages {
 public:
  static constexpr std::size_t kCameras = 64;  // more than these make the list allocate

  // `planes`: the slots that the list may take; a page of lod >= 1 takes `coarse_planes`, one of lod 0 takes one.
  // All pages of lods >= pinned_lod are the most urgent.
  WantedPages(const Bounds& bounds, int pinned_lod, std::size_t planes, std::size_t coarse_planes);
  static std::size_t bytes(const Lattice& lattice, std::size_t planes);

  // The bounds have changed.
  void read_bounds() noexcept { ranges_.refill(); }
  // Forgets the cameras and the list.
  void start() noexcept;
  void add(const Viewpoint& camera, const Motion& motion, double lookahead_s) noexcept;
  // Makes the list of what the cameras added since start() want.
  void finish() noexcept;

  // The list after finish(): parents before children, the urgent before the less urgent.
  std::span<WantedPage> pages() noexcept { return list_; }
  // Pages of cuts of now for which no slots were left; what lies below them is not counted.
  std::int64_t refused() const noexcept { return refused_; }
  // The page in the list, or nullptr; after finish() until the next start().
  const WantedPage* find(PageKey key) const noexcept;
  WantedPage* find(PageKey key) noexcept { return const_cast<WantedPage*>(std::as_const(*this).find(key)); }
  // The entry of a page's parent; the page must be of this list and not be the root.
  const WantedPage& parent(const WantedPage& page) const noexcept { return list_[page.parent]; }

 private:
  static constexpr std::uint32_t kNone = PageTable::kAbsent;

  // A page that has been found; it waits in the queue of its urgency until it is taken into the list.
  struct Found {
    PageKey key;
    Urgency urgency = 0;
    std::uint32_t parent = kNone;
    std::array<std::uint32_t, 4> children{kNone, kNone, kNone,
                                          kNone};  // north-west, north-east, south-west, south-east
    std::uint32_t before = kNone, after = kNone;   // in its queue
    std::uint32_t rank = kNone;                    // in the list
    std::uint64_t cameras = 0;                     // a bit for each camera that wants it itself
  };
  struct Queue {
    std::uint32_t first = kNone, last = kNone;
  };
  bool is_in_field(PageKey key) const noexcept {
    return key.x < sizes_[key.lod].first && key.z < sizes_[key.lod].second;
  }
  bool take(std::uint32_t index) noexcept;
  void take_needs(std::uint32_t index) noexcept;
  void expand(std::uint32_t index) noexcept;
  // The child of a page that was found; it is found now if need be, and at least as urgent as said. kNone: no room.
  std::uint32_t find_child(std::uint32_t parent, unsigned place, Urgency urgency, std::uint64_t cameras) noexcept;
  // The page beside one that was found, likewise, with its ancestors. kNone: no room, or beyond the field.
  std::uint32_t find_beside(std::uint32_t index, int dx, int dz, Urgency urgency) noexcept;
  void enqueue(std::uint32_t index) noexcept;
  void dequeue(std::uint32_t index) noexcept;

  const Bounds& bounds_;
  PageRanges ranges_;
  int lods_;
  int pinned_lod_;
  std::size_t planes_;
  std::size_t coarse_planes_;
  std::array<std::pair<std::uint32_t, std::uint32_t>, 32> sizes_{};  // of the lods, in pages
  std::vector<Look> looks_;
  std::vector<Found> found_;   // the root first
  std::vector<Queue> queues_;  // by urgency
  std::vector<WantedPage> list_;
  std::size_t taken_planes_ = 0;
  std::int64_t refused_ = 0;
  bool has_whole_nodes_ = false;  // some camera draws nodes as large as pages: siblings come together
};

}  // namespace arete::stream
