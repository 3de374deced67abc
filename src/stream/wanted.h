// Which pages the cameras' cuts ask for now and soon, in the order in which they matter.
//
// A page of lod l is wanted when some node over it of lod l + 1 is split: its box is nearer to the camera than its
// range, the test of select_cut taken over whole quadrants of pages and rounded towards wanting. Soon means that the
// box, grown by its range, is entered on the camera's straight path within the lookahead. The list is closed under
// parents and under the parents of edge neighbours, so that the balanced cut finds what it splits. Boxes and ranges
// nest, so a walk from the root finds all.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "arete/stream.h"
#include "stream/page_ranges.h"
#include "stream/page_table.h"

namespace arete::stream {

// Greater comes first. From kNow on the page belongs to a cut of now; below, to one on the path.
using Urgency = std::uint16_t;
inline constexpr Urgency kNow = 1024;
inline constexpr Urgency kUrgencyEnd = 2048;

struct WantedPage {
  PageKey key;
  Urgency urgency = 0;
  bool is_admitted = false;                     // within the budget
  bool is_coming = false;                       // resident, or its load is under way
  std::uint32_t resident = PageTable::kAbsent;  // index in the atlas; kept by the streamer within an update
};

struct Motion {
  double x_m_s = 0, y_m_s = 0, z_m_s = 0;
  bool is_moving() const { return x_m_s != 0 || y_m_s != 0 || z_m_s != 0; }
};

class WantedPages {
 public:
  WantedPages(const Bounds& bounds, int pinned_lod, std::size_t capacity);
  static std::size_t bytes(const Lattice& lattice, std::size_t capacity);

  // The bounds have changed.
  void read_bounds() noexcept { ranges_.refill(); }
  // Empties the list but for the pinned pages (all of lods >= pinned_lod), which are the most urgent.
  void start() noexcept;
  // Adds what one camera asks for. A full list drops the rest, finer pages first, and sets is_full().
  void add(const Viewpoint& camera, const Motion& motion, double lookahead_s) noexcept;
  // Closes the list under balance and sorts it: parents before children, the urgent before the less urgent.
  void finish() noexcept;

  bool is_full() const noexcept { return is_full_; }
  // In order of urgency, after finish().
  std::span<WantedPage> pages() noexcept { return {sorted_.data(), pages_.size()}; }
  // The page in the list, or nullptr; after finish() until the next start().
  const WantedPage* find(PageKey key) const noexcept;
  WantedPage* find(PageKey key) noexcept { return const_cast<WantedPage*>(std::as_const(*this).find(key)); }
  // The entry of a page's parent; the page must be in the list and not be the root.
  const WantedPage& parent(const WantedPage& page) const noexcept;

 private:
  // One camera's look, with what all pages share.
  struct Look {
    double x_m, y_m, z_m;
    Motion motion;
    double lookahead_s;
    double lag_m;
    double range_0_sq;
    double range_0_m;
    double way_m;  // within the lookahead
    bool is_max;
    bool has_whole_nodes;  // nodes as large as pages
  };
  struct Interval {
    double low, high;
  };
  static void clip(Interval box, double at, double speed, double& enter, double& leave);

  std::size_t home(PageKey key) const noexcept;
  std::uint32_t find_index(PageKey key) const noexcept;
  std::uint32_t ensure(PageKey key, Urgency urgency) noexcept;
  std::uint32_t add(PageKey key, Urgency urgency, std::uint32_t parent) noexcept;
  void raise(std::uint32_t index, Urgency urgency) noexcept;
  Urgency split_urgency(const Look& look, int lod, const QuarterRange& node, Interval box_x,
                        Interval box_z) const noexcept;
  void expand(std::uint32_t index, const Look& look) noexcept;

  const Bounds& bounds_;
  PageRanges ranges_;
  int lods_;
  int pinned_lod_;
  std::size_t capacity_;
  // A hash table of indices in pages_ plus one, cleared by each start(): a small block that the clearing brings to the
  // processor, where keys beside the values would be fetched line by line.
  std::vector<std::uint32_t> places_;
  std::vector<WantedPage> pages_;       // in the order in which they were found
  std::vector<std::uint32_t> parents_;  // indices in pages_; the root has none
  std::vector<WantedPage> sorted_;
  std::vector<std::uint32_t> ranks_;   // index in pages_ to index in sorted_
  std::vector<std::uint32_t> walk_;    // indices still to be looked into, coarse lods first
  std::vector<std::uint32_t> counts_;  // of the sort
  bool is_full_ = false;
  bool has_whole_nodes_ = false;  // some camera draws nodes as large as pages: siblings come together
};

}  // namespace arete::stream
