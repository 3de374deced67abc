// The walk, its queues and the needs of what it takes; see wanted.h.
#include "stream/wanted.h"

#include <algorithm>

namespace arete::stream {
namespace {

// Pages that may be found before the planes are taken; what finds no room is refused.
std::size_t found_capacity(std::size_t planes) { return 2 * planes + 64; }

PageKey child_key(PageKey key, unsigned place) {
  return {std::uint8_t(key.lod - 1), 2 * key.x + place % 2, 2 * key.z + place / 2};
}

}  // namespace

WantedPages::WantedPages(const Bounds& bounds, int pinned_lod, std::size_t planes, std::size_t coarse_planes)
    : bounds_(bounds),
      ranges_(bounds),
      lods_(bounds.lattice().lods()),
      pinned_lod_(pinned_lod),
      planes_(planes),
      coarse_planes_(coarse_planes),
      queues_(kUrgencyEnd) {
  for (int lod = 0; lod < lods_; ++lod) {
    sizes_[std::size_t(lod)] = {std::uint32_t(bounds.lattice().pages_x(lod)),
                                std::uint32_t(bounds.lattice().pages_z(lod))};
  }
  looks_.reserve(kCameras);
  found_.reserve(found_capacity(planes));
  list_.reserve(planes);
}

std::size_t WantedPages::bytes(const Lattice& lattice, std::size_t planes) {
  return PageRanges::bytes(lattice) + found_capacity(planes) * sizeof(Found) + planes * sizeof(WantedPage) +
         kCameras * sizeof(Look) + kUrgencyEnd * sizeof(Queue);
}

void WantedPages::start() noexcept {
  looks_.clear();
  found_.clear();
  list_.clear();
  std::fill(queues_.begin(), queues_.end(), Queue{});
  taken_planes_ = 0;
  refused_ = 0;
  has_whole_nodes_ = false;
}

void WantedPages::add(const Viewpoint& camera, const Motion& motion, double lookahead_s) noexcept {
  looks_.emplace_back(camera, motion, lookahead_s, bounds_.lattice());
  has_whole_nodes_ = has_whole_nodes_ || looks_.back().has_whole_nodes();
}

void WantedPages::finish() noexcept {
  constexpr std::uint64_t kEveryCamera = ~std::uint64_t(0);
  Found root;
  root.key.lod = std::uint8_t(lods_ - 1);
  root.urgency = kPinned;
  root.cameras = kEveryCamera;
  found_.push_back(root);
  enqueue(0);
  for (std::uint32_t index = 0; index < found_.size() && found_[index].key.lod > pinned_lod_; ++index) {
    for (unsigned place = 0; place < 4; ++place) {
      find_child(index, place, kPinned, kEveryCamera);
    }
  }
  // What is found is at most as urgent as the page that it was found from.
  for (std::size_t urgency = kUrgencyEnd; urgency-- > 0;) {
    while (queues_[urgency].first != kNone) {
      if (!take(queues_[urgency].first)) {
        refused_ += std::count_if(found_.begin(), found_.end(),
                                  [](const Found& page) { return page.rank == kNone && page.urgency >= kNow; });
        return;
      }
    }
  }
}

// Moves the first page of a queue to the list and finds what it asks for; false when no planes are left for it.
bool WantedPages::take(std::uint32_t index) noexcept {
  Found& page = found_[index];
  const std::size_t planes = page.key.lod > 0 ? coarse_planes_ : 1;
  if (taken_planes_ + planes > planes_) {
    return false;
  }
  taken_planes_ += planes;
  dequeue(index);
  page.rank = std::uint32_t(list_.size());
  const std::uint32_t parent = page.parent == kNone ? kNone : found_[page.parent].rank;
  list_.push_back({page.key, page.urgency, false, parent});
  take_needs(index);
  expand(index);
  return true;
}

// A node needs its edge neighbours' parents. A page has two edge neighbours under its own parent; those of the other
// two may be missing.
void WantedPages::take_needs(std::uint32_t index) noexcept {
  const Found& page = found_[index];
  if (page.parent == kNone) {
    return;
  }
  for (unsigned place = 0; has_whole_nodes_ && place < 4; ++place) {
    find_child(page.parent, place, page.urgency, 0);
  }
  find_beside(page.parent, page.key.x % 2 == 0 ? -1 : 1, 0, page.urgency);
  find_beside(page.parent, 0, page.key.z % 2 == 0 ? -1 : 1, page.urgency);
}

// Finds the children that the page's cameras want.
void WantedPages::expand(std::uint32_t index) noexcept {
  const Found& page = found_[index];
  if (page.key.lod == 0 || page.cameras == 0) {
    return;
  }
  const Lattice& lattice = bounds_.lattice();
  Look::Lines x, z;
  for (std::int64_t i = 0; i < 3; ++i) {
    const std::int64_t half = std::int64_t(kPageCells / 2) << page.key.lod;
    x[std::size_t(i)] =
        lattice.x_m(std::int32_t(std::min<std::int64_t>((2 * page.key.x + i) * half, lattice.last_stop_x())));
    z[std::size_t(i)] =
        lattice.z_m(std::int32_t(std::min<std::int64_t>((2 * page.key.z + i) * half, lattice.last_stop_z())));
  }
  const PageQuarters& quarters = ranges_.at(page.key.lod, page.key.x, page.key.z);
  std::array<Urgency, 4> greatest{};
  std::array<std::uint64_t, 4> cameras{};
  for (std::size_t camera = 0; camera < looks_.size(); ++camera) {
    const std::uint64_t bit = std::uint64_t(1) << camera % 64;
    if ((page.cameras & bit) == 0) {
      continue;
    }
    const std::array<Urgency, 4> urgencies = looks_[camera].urgencies(page.key.lod, quarters, x, z);
    for (std::size_t place = 0; place < 4; ++place) {
      greatest[place] = std::max(greatest[place], urgencies[place]);
      cameras[place] |= urgencies[place] > 0 ? bit : 0;
    }
  }
  for (unsigned place = 0; place < 4; ++place) {
    if (greatest[place] > 0) {
      find_child(index, place, std::min(greatest[place], page.urgency), cameras[place]);
    }
  }
}

std::uint32_t WantedPages::find_child(std::uint32_t parent, unsigned place, Urgency urgency,
                                      std::uint64_t cameras) noexcept {
  const std::uint32_t known = found_[parent].children[place];
  if (known != kNone) {
    Found& page = found_[known];
    page.cameras |= cameras;
    if (page.rank == kNone && page.urgency < urgency) {
      dequeue(known);
      page.urgency = urgency;
      enqueue(known);
    }
    return known;
  }
  Found page;
  page.key = child_key(found_[parent].key, place);
  if (!is_in_field(page.key)) {
    return kNone;
  }
  if (found_.size() == found_.capacity()) {
    refused_ += urgency >= kNow ? 1 : 0;
    return kNone;
  }
  page.urgency = urgency;
  page.parent = parent;
  page.cameras = cameras;
  const std::uint32_t index = std::uint32_t(found_.size());
  found_.push_back(page);
  found_[parent].children[place] = index;
  enqueue(index);
  return index;
}

std::uint32_t WantedPages::find_beside(std::uint32_t index, int dx, int dz, Urgency urgency) noexcept {
  const PageKey key = found_[index].key;
  const PageKey beside{key.lod, key.x + std::uint32_t(dx), key.z + std::uint32_t(dz)};  // -1 wraps: beyond any field
  if (!is_in_field(beside)) {
    return kNone;
  }
  std::uint32_t parent = found_[index].parent;
  if (beside.x / 2 != key.x / 2 || beside.z / 2 != key.z / 2) {
    parent = find_beside(parent, dx, dz, urgency);
  }
  return parent == kNone ? kNone : find_child(parent, beside.x % 2 + 2 * (beside.z % 2), urgency, 0);
}

// At the end: a parent that is as urgent as its child comes first, for it was found or raised before.
void WantedPages::enqueue(std::uint32_t index) noexcept {
  Queue& queue = queues_[found_[index].urgency];
  found_[index].before = queue.last;
  found_[index].after = kNone;
  (queue.last == kNone ? queue.first : found_[queue.last].after) = index;
  queue.last = index;
}

void WantedPages::dequeue(std::uint32_t index) noexcept {
  const Found& page = found_[index];
  Queue& queue = queues_[page.urgency];
  (page.before == kNone ? queue.first : found_[page.before].after) = page.after;
  (page.after == kNone ? queue.last : found_[page.after].before) = page.before;
}

const WantedPage* WantedPages::find(PageKey key) const noexcept {
  std::uint32_t index = found_.empty() ? kNone : 0;
  for (int lod = lods_ - 2; lod >= int(key.lod) && index != kNone; --lod) {
    const int finer = lod - key.lod;
    index = found_[index].children[(key.x >> finer & 1) + 2 * (key.z >> finer & 1)];
  }
  return index == kNone || found_[index].rank == kNone ? nullptr : &list_[found_[index].rank];
}

}  // namespace arete::stream
