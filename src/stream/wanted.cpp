// The walk, its closure and its order; see wanted.h.
#include "stream/wanted.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace arete::stream {
namespace {

// Ranges are widened by this before boxes are tested, so that rounding never wants less than the f32 test of the cut.
constexpr double kWiden = 1 + 1e-5;

struct Interval {
  double low, high;
};

double gap(Interval box, double at) { return std::max({0.0, box.low - at, at - box.high}); }

// Narrows [enter, leave], the times at which the path is inside, to one axis's slab.
void clip(Interval box, double at, double speed, double& enter, double& leave) {
  if (speed == 0) {
    if (at < box.low || at > box.high) {
      leave = -1;
    }
    return;
  }
  const double a = (box.low - at) / speed;
  const double b = (box.high - at) / speed;
  enter = std::max(enter, std::min(a, b));
  leave = std::min(leave, std::max(a, b));
}

// Eighths of octaves of range^2 / distance^2: how far the error on screen exceeds what is allowed.
Urgency now_urgency(double range_sq, double distance_sq) {
  const float ratio = float(range_sq / std::max(distance_sq, range_sq * 0x1p-100));
  const std::uint32_t eighths = std::bit_cast<std::uint32_t>(ratio) >> 20;
  constexpr std::uint32_t kOne = 127 << 3;
  return Urgency(std::clamp(kNow + 1 + eighths - kOne, std::uint32_t(kNow), std::uint32_t(kUrgencyEnd - 2)));
}

constexpr Urgency kPinned = kUrgencyEnd - 1;

}  // namespace

WantedPages::WantedPages(const Bounds& bounds, int pinned_lod, std::size_t capacity)
    : bounds_(bounds), pinned_lod_(pinned_lod), capacity_(capacity), table_(capacity), counts_(kUrgencyEnd + 1) {
  pages_.reserve(capacity);
  sorted_.resize(capacity);
  ranks_.resize(capacity);
  walk_.reserve(capacity);
}

std::size_t WantedPages::bytes(std::size_t capacity) {
  return PageTable::bytes(capacity) + capacity * (2 * sizeof(WantedPage) + 2 * sizeof(std::uint32_t)) +
         (kUrgencyEnd + 1) * sizeof(std::uint32_t);
}

void WantedPages::start() noexcept {
  pages_.clear();
  table_.clear();
  is_full_ = false;
  has_whole_nodes_ = false;
  const Lattice& lattice = bounds_.lattice();
  for (int lod = lattice.lods() - 1; lod >= pinned_lod_; --lod) {
    for (std::int32_t z = 0; z < lattice.pages_z(lod); ++z) {
      for (std::int32_t x = 0; x < lattice.pages_x(lod); ++x) {
        ensure({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)}, kPinned);
      }
    }
  }
}

void WantedPages::add(const Viewpoint& camera, const Motion& motion, double lookahead_s) noexcept {
  const int coarsest = bounds_.lattice().lods() - 1;
  has_whole_nodes_ = has_whole_nodes_ || camera.ranges.node_quads == kPageCells;
  walk_.clear();
  walk_.push_back(ensure({std::uint8_t(coarsest), 0, 0}, kPinned));
  for (std::size_t next = 0; next < walk_.size(); ++next) {
    if (pages_[walk_[next]].key.lod > 0) {
      expand(walk_[next], camera, motion, lookahead_s);
    }
  }
}

// Looks at the page's four quadrants: each, when near enough, wants the child page there. Nodes of a whole page split
// into one node of each child, so then the page's whole box decides for all four.
void WantedPages::expand(std::uint32_t index, const Viewpoint& camera, const Motion& motion,
                         double lookahead_s) noexcept {
  const Lattice& lattice = bounds_.lattice();
  const PageKey key = pages_[index].key;
  const int lod = key.lod;
  const std::int32_t x = std::int32_t(key.x);
  const std::int32_t z = std::int32_t(key.z);
  const bool is_whole = camera.ranges.node_quads == kPageCells;
  Urgency urgency = is_whole ? quadrant_urgency(camera, motion, lookahead_s, lod, x * 4, z * 4, 4) : Urgency(0);
  for (std::int32_t child = 0; child < 4; ++child) {
    const std::int32_t child_x = 2 * x + child % 2;
    const std::int32_t child_z = 2 * z + child / 2;
    if (child_x >= lattice.pages_x(lod - 1) || child_z >= lattice.pages_z(lod - 1)) {
      continue;
    }
    if (!is_whole) {
      urgency = quadrant_urgency(camera, motion, lookahead_s, lod, 2 * child_x, 2 * child_z, 2);
    }
    if (urgency == 0) {
      continue;
    }
    const std::uint32_t found =
        ensure({std::uint8_t(lod - 1), std::uint32_t(child_x), std::uint32_t(child_z)}, urgency);
    if (found == PageTable::kAbsent) {
      return;
    }
    walk_.push_back(found);
  }
}

// How much a split of the nodes of 32 quads (x..x+side-1, z..z+side-1) of `lod` is wanted; 0: not at all.
Urgency WantedPages::quadrant_urgency(const Viewpoint& camera, const Motion& motion, double lookahead_s, int lod,
                                      std::int32_t x, std::int32_t z, std::int32_t side) const noexcept {
  const Lattice& lattice = bounds_.lattice();
  const std::int32_t end_x = std::min(x + side, lattice.nodes_x(lod, kBoundsQuads));
  const std::int32_t end_z = std::min(z + side, lattice.nodes_z(lod, kBoundsQuads));
  const bool is_max = camera.ranges.plane == HeightPlane::max;
  std::uint16_t least = 0xffff, greatest = 0;
  int split = kernel::kKappaLimit;
  for (std::int32_t nz = z; nz < end_z; ++nz) {
    for (std::int32_t nx = x; nx < end_x; ++nx) {
      const NodeBounds& node = bounds_.at(lod, nx, nz);
      const std::uint16_t top = is_max ? std::max(node.max, node.top) : node.max;
      least = std::min(least, node.max == 0 ? bounds_.field_min : node.min);
      greatest = std::max(greatest, top == 0 ? bounds_.field_min : top);
      split = std::min(split, int(node.split));
    }
  }
  const double lag = camera.ranges.lag_m;
  const auto span = [&](std::int32_t first, std::int32_t end, std::int32_t last_stop, auto place) {
    const std::int64_t node = std::int64_t(kBoundsQuads) << lod;
    return Interval{place(std::int32_t(first * node)) - lag,
                    place(std::int32_t(std::min<std::int64_t>(end * node, last_stop))) + lag};
  };
  const Interval box_x = span(x, end_x, lattice.last_stop_x(), [&](std::int32_t stop) { return lattice.x_m(stop); });
  const Interval box_z = span(z, end_z, lattice.last_stop_z(), [&](std::int32_t stop) { return lattice.z_m(stop); });
  const Interval box_y{lattice.height_m(least) - lag, lattice.height_m(greatest) + lag};

  // Squared: (2^(lod - 1 - split/2) R_0)^2.
  const double range_sq = std::ldexp(double(camera.ranges.select_sq), 2 * lod - 2 - split) * kWiden;
  const double dx = gap(box_x, camera.x_m);
  const double dy = gap(box_y, camera.y_m);
  const double dz = gap(box_z, camera.z_m);
  const double distance_sq = dx * dx + dy * dy + dz * dz;
  if (distance_sq < range_sq) {
    return now_urgency(range_sq, distance_sq);
  }
  if (lookahead_s <= 0 || !motion.is_moving()) {
    return 0;
  }
  const double range = std::sqrt(range_sq);
  double enter = 0, leave = lookahead_s;
  clip({box_x.low - range, box_x.high + range}, camera.x_m, motion.x_m_s, enter, leave);
  clip({box_y.low - range, box_y.high + range}, camera.y_m, motion.y_m_s, enter, leave);
  clip({box_z.low - range, box_z.high + range}, camera.z_m, motion.z_m_s, enter, leave);
  if (enter > leave) {
    return 0;
  }
  return Urgency(1 + (1 - enter / lookahead_s) * (kNow - 2));
}

// The page's index; a page that was not in the list joins it with its ancestors. kAbsent when the list is full.
std::uint32_t WantedPages::ensure(PageKey key, Urgency urgency) noexcept {
  const std::uint32_t found = table_.find(key.packed());
  if (found != PageTable::kAbsent && pages_[found].urgency >= urgency) {
    return found;
  }
  if (key.lod + 1 < bounds_.lattice().lods()) {
    const PageKey parent{std::uint8_t(key.lod + 1), key.x / 2, key.z / 2};
    if (ensure(parent, urgency) == PageTable::kAbsent) {
      return PageTable::kAbsent;
    }
  }
  if (found != PageTable::kAbsent) {
    pages_[found].urgency = urgency;
    return found;
  }
  if (pages_.size() == capacity_) {
    is_full_ = true;
    return PageTable::kAbsent;
  }
  const std::uint32_t index = std::uint32_t(pages_.size());
  pages_.push_back({key, urgency, false, false});
  table_.insert(key.packed(), index);
  return index;
}

void WantedPages::finish() noexcept {
  const Lattice& lattice = bounds_.lattice();
  // A node needs its edge neighbours' parents. A page has two edge neighbours under the same parent; the other two's
  // parents may be missing. Pages that join are looked at in their turn.
  for (std::size_t index = 0; index < pages_.size(); ++index) {
    const PageKey key = pages_[index].key;
    if (key.lod + 1 >= lattice.lods()) {
      continue;
    }
    const std::int64_t out_x = key.x % 2 == 0 ? std::int64_t(key.x) - 1 : std::int64_t(key.x) + 1;
    const std::int64_t out_z = key.z % 2 == 0 ? std::int64_t(key.z) - 1 : std::int64_t(key.z) + 1;
    for (std::uint32_t sibling = 0; has_whole_nodes_ && sibling < 4; ++sibling) {
      const PageKey beside{key.lod, (key.x & ~1u) + sibling % 2, (key.z & ~1u) + sibling / 2};
      if (std::int32_t(beside.x) < lattice.pages_x(key.lod) && std::int32_t(beside.z) < lattice.pages_z(key.lod)) {
        ensure(beside, pages_[index].urgency);
      }
    }
    if (out_x >= 0 && out_x < lattice.pages_x(key.lod)) {
      ensure({std::uint8_t(key.lod + 1), std::uint32_t(out_x / 2), key.z / 2}, pages_[index].urgency);
    }
    if (out_z >= 0 && out_z < lattice.pages_z(key.lod)) {
      ensure({std::uint8_t(key.lod + 1), key.x / 2, std::uint32_t(out_z / 2)}, pages_[index].urgency);
    }
  }
  // A stable counting sort; a parent was found before its children and is at least as urgent.
  std::fill(counts_.begin(), counts_.end(), 0u);
  for (const WantedPage& page : pages_) {
    ++counts_[std::size_t(kUrgencyEnd - page.urgency)];
  }
  for (std::size_t i = 1; i < counts_.size(); ++i) {
    counts_[i] += counts_[i - 1];
  }
  for (std::size_t index = 0; index < pages_.size(); ++index) {
    const std::uint32_t rank = counts_[std::size_t(kUrgencyEnd - pages_[index].urgency) - 1]++;
    sorted_[rank] = pages_[index];
    ranks_[index] = rank;
  }
}

const WantedPage* WantedPages::find(PageKey key) const noexcept {
  const std::uint32_t index = table_.find(key.packed());
  return index == PageTable::kAbsent ? nullptr : &sorted_[ranks_[index]];
}

const WantedPage& WantedPages::parent(const WantedPage& page) const noexcept {
  return *find({std::uint8_t(page.key.lod + 1), page.key.x / 2, page.key.z / 2});
}

}  // namespace arete::stream
