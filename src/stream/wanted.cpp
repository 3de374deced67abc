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

double gap(double low, double high, double at) { return std::max({0.0, low - at, at - high}); }

double power_of_two(int exponent) { return std::bit_cast<double>(std::uint64_t(1023 + exponent) << 52); }

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
    : bounds_(bounds),
      ranges_(bounds),
      lods_(bounds.lattice().lods()),
      pinned_lod_(pinned_lod),
      capacity_(capacity),
      places_(std::bit_ceil(2 * capacity + 2)),
      counts_(kUrgencyEnd + 1) {
  pages_.reserve(capacity);
  parents_.reserve(capacity);
  sorted_.resize(capacity);
  ranks_.resize(capacity);
  walk_.reserve(capacity);
}

std::size_t WantedPages::bytes(const Lattice& lattice, std::size_t capacity) {
  return PageRanges::bytes(lattice) + std::bit_ceil(2 * capacity + 2) * sizeof(std::uint32_t) +
         capacity * (2 * sizeof(WantedPage) + 3 * sizeof(std::uint32_t)) + (kUrgencyEnd + 1) * sizeof(std::uint32_t);
}

void WantedPages::start() noexcept {
  pages_.clear();
  parents_.clear();
  std::fill(places_.begin(), places_.end(), 0u);
  is_full_ = false;
  has_whole_nodes_ = false;
  const Lattice& lattice = bounds_.lattice();
  for (int lod = lods_ - 1; lod >= pinned_lod_; --lod) {
    for (std::int32_t z = 0; z < lattice.pages_z(lod); ++z) {
      for (std::int32_t x = 0; x < lattice.pages_x(lod); ++x) {
        ensure({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)}, kPinned);
      }
    }
  }
}

void WantedPages::add(const Viewpoint& camera, const Motion& motion, double lookahead_s) noexcept {
  const Look look{camera.x_m,
                  camera.y_m,
                  camera.z_m,
                  motion,
                  motion.is_moving() ? lookahead_s : 0,
                  camera.ranges.lag_m,
                  double(camera.ranges.select_sq) * kWiden,
                  std::sqrt(double(camera.ranges.select_sq) * kWiden) * kWiden,
                  std::hypot(motion.x_m_s, motion.y_m_s, motion.z_m_s) * std::max(lookahead_s, 0.0),
                  camera.ranges.plane == HeightPlane::max,
                  camera.ranges.node_quads == kPageCells};
  has_whole_nodes_ = has_whole_nodes_ || look.has_whole_nodes;
  walk_.clear();
  walk_.push_back(ensure({std::uint8_t(lods_ - 1), 0, 0}, kPinned));
  for (std::size_t next = 0; next < walk_.size(); ++next) {
    if (pages_[walk_[next]].key.lod > 0) {
      expand(walk_[next], look);
    }
  }
}

// Looks at the page's four quadrants: each, when near enough, wants the child page there. Nodes of a whole page split
// into one node of each child, so then the page's whole box decides for all four.
void WantedPages::expand(std::uint32_t index, const Look& look) noexcept {
  const Lattice& lattice = bounds_.lattice();
  const PageKey key = pages_[index].key;
  const int lod = key.lod;
  double line_x[3], line_z[3];  // where the quadrants begin and end
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t half = std::int64_t(kPageCells / 2) << lod;
    line_x[i] = lattice.x_m(std::int32_t(std::min<std::int64_t>((2 * key.x + i) * half, lattice.last_stop_x())));
    line_z[i] = lattice.z_m(std::int32_t(std::min<std::int64_t>((2 * key.z + i) * half, lattice.last_stop_z())));
  }
  const std::int32_t pages_x = lattice.pages_x(lod - 1);
  const std::int32_t pages_z = lattice.pages_z(lod - 1);
  const PageQuarters& quarters = ranges_.at(lod, key.x, key.z);
  Urgency urgency = 0;
  if (look.has_whole_nodes) {
    QuarterRange whole;
    for (const QuarterRange& quarter : quarters) {
      whole.join(quarter);
    }
    urgency = split_urgency(look, lod, whole, {line_x[0], line_x[2]}, {line_z[0], line_z[2]});
  }
  for (std::int32_t child = 0; child < 4; ++child) {
    const std::int32_t x = std::int32_t(2 * key.x) + child % 2;
    const std::int32_t z = std::int32_t(2 * key.z) + child / 2;
    if (x >= pages_x || z >= pages_z) {
      continue;
    }
    if (!look.has_whole_nodes) {
      urgency = split_urgency(look, lod, quarters[std::size_t(child)], {line_x[child % 2], line_x[child % 2 + 1]},
                              {line_z[child / 2], line_z[child / 2 + 1]});
    }
    if (urgency == 0) {
      continue;
    }
    const std::uint32_t found = add({std::uint8_t(lod - 1), std::uint32_t(x), std::uint32_t(z)}, urgency, index);
    if (found == PageTable::kAbsent) {
      return;
    }
    walk_.push_back(found);
  }
}

// How much a split of the nodes of `lod` in a box is wanted; 0: not at all.
Urgency WantedPages::split_urgency(const Look& look, int lod, const QuarterRange& node, Interval box_x,
                                   Interval box_z) const noexcept {
  const Lattice& lattice = bounds_.lattice();
  const double dx = gap(box_x.low - look.lag_m, box_x.high + look.lag_m, look.x_m);
  const double dz = gap(box_z.low - look.lag_m, box_z.high + look.lag_m, look.z_m);
  const double plan_sq = dx * dx + dz * dz;
  // Beyond the greatest range that a node of this lod can have, and the way that the camera makes.
  const double greatest_reach = look.range_0_m * power_of_two(lod - 1) + look.way_m;
  if (plan_sq >= greatest_reach * greatest_reach) {
    return 0;
  }
  // Squared: (2^(lod - 1 - split/2) R_0)^2.
  const double range_sq = look.range_0_sq * power_of_two(2 * lod - 2 - node.split);
  const double low_y = lattice.height_m(node.min) - look.lag_m;
  const double high_y = lattice.height_m(look.is_max ? node.top : node.max) + look.lag_m;
  const double dy = gap(low_y, high_y, look.y_m);
  const double distance_sq = plan_sq + dy * dy;
  if (distance_sq < range_sq) {
    return now_urgency(range_sq, distance_sq);
  }
  if (look.lookahead_s <= 0) {
    return 0;
  }
  const double reach = std::sqrt(range_sq) + look.lag_m;
  double enter = 0, leave = look.lookahead_s;
  clip({box_x.low - reach, box_x.high + reach}, look.x_m, look.motion.x_m_s, enter, leave);
  clip({low_y - reach, high_y + reach}, look.y_m, look.motion.y_m_s, enter, leave);
  clip({box_z.low - reach, box_z.high + reach}, look.z_m, look.motion.z_m_s, enter, leave);
  if (enter > leave) {
    return 0;
  }
  return Urgency(1 + (1 - enter / look.lookahead_s) * (kNow - 2));
}

// Narrows [enter, leave], the times at which the path is inside, to one axis's slab.
void WantedPages::clip(Interval box, double at, double speed, double& enter, double& leave) {
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

std::size_t WantedPages::home(PageKey key) const noexcept {
  return std::size_t(PageTable::pack(key) * 0x9e3779b97f4a7c15ull >> 32) & (places_.size() - 1);
}

std::uint32_t WantedPages::find_index(PageKey key) const noexcept {
  for (std::size_t at = home(key); places_[at] != 0; at = (at + 1) & (places_.size() - 1)) {
    if (pages_[places_[at] - 1].key == key) {
      return places_[at] - 1;
    }
  }
  return PageTable::kAbsent;
}

// The page's index; a page that was not in the list joins it with its ancestors. kAbsent when the list is full.
std::uint32_t WantedPages::ensure(PageKey key, Urgency urgency) noexcept {
  const std::uint32_t found = find_index(key);
  if (found != PageTable::kAbsent) {
    raise(found, urgency);
    return found;
  }
  std::uint32_t parent = PageTable::kAbsent;
  if (key.lod + 1 < lods_) {
    parent = ensure({std::uint8_t(key.lod + 1), key.x / 2, key.z / 2}, urgency);
    if (parent == PageTable::kAbsent) {
      return PageTable::kAbsent;
    }
  }
  return add(key, urgency, parent);
}

std::uint32_t WantedPages::add(PageKey key, Urgency urgency, std::uint32_t parent) noexcept {
  const std::uint32_t found = find_index(key);
  if (found != PageTable::kAbsent) {
    raise(found, urgency);
    return found;
  }
  if (pages_.size() == capacity_) {
    is_full_ = true;
    return PageTable::kAbsent;
  }
  const std::uint32_t index = std::uint32_t(pages_.size());
  pages_.push_back({key, urgency});
  parents_.push_back(parent);
  std::size_t at = home(key);
  while (places_[at] != 0) {
    at = (at + 1) & (places_.size() - 1);
  }
  places_[at] = index + 1;
  if (parent != PageTable::kAbsent) {
    raise(parent, urgency);
  }
  return index;
}

// No page is less urgent than its children.
void WantedPages::raise(std::uint32_t index, Urgency urgency) noexcept {
  while (index != PageTable::kAbsent && pages_[index].urgency < urgency) {
    pages_[index].urgency = urgency;
    index = parents_[index];
  }
}

void WantedPages::finish() noexcept {
  const Lattice& lattice = bounds_.lattice();
  // A node needs its edge neighbours' parents. A page has two edge neighbours under the same parent; the other two's
  // parents may be missing. Pages that join are looked at in their turn.
  for (std::size_t index = 0; index < pages_.size(); ++index) {
    const PageKey key = pages_[index].key;
    if (key.lod + 1 >= lods_) {
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
  const std::uint32_t index = find_index(key);
  return index == PageTable::kAbsent ? nullptr : &sorted_[ranks_[index]];
}

const WantedPage& WantedPages::parent(const WantedPage& page) const noexcept {
  return *find({std::uint8_t(page.key.lod + 1), page.key.x / 2, page.key.z / 2});
}

}  // namespace arete::stream
