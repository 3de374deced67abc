// A field held as decoded pages in memory.
#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "arete/tiles.h"
#include "tiles/absent_page.h"
#include "tiles/node_bounds.h"

namespace arete {

struct MemorySource::State final : PageStorage {
  Lattice lattice;
  Bounds bounds;
  std::unordered_map<std::uint64_t, std::shared_ptr<const Page>> pages;
  mutable std::mutex mutex;  // guards `pages`

  Result<void> put(std::shared_ptr<const Page> page) override {
    const std::lock_guard lock(mutex);
    pages[page->key.packed()] = std::move(page);
    return {};
  }
  Result<std::shared_ptr<const Page>> get(PageKey key) const override {
    const std::lock_guard lock(mutex);
    const auto found = pages.find(key.packed());
    if (found != pages.end()) {
      return found->second;
    }
    return tiles::page_of_holes(key);
  }
};

MemorySource::MemorySource() : state_(std::make_unique<State>()) {}
MemorySource::~MemorySource() = default;

Result<std::unique_ptr<MemorySource>> MemorySource::build(const Lattice& lattice,
                                                          std::span<const std::uint16_t> stops) {
  if (lattice.stops_x < 1 || lattice.stops_z < 1 ||
      stops.size() != std::size_t(lattice.stops_x) * std::size_t(lattice.stops_z)) {
    return usage_error("a field of " + std::to_string(lattice.stops_x) + " x " + std::to_string(lattice.stops_z) +
                       " stops cannot be built from " + std::to_string(stops.size()) + " heights");
  }
  std::unique_ptr<MemorySource> source(new MemorySource);
  source->state_->lattice = lattice;
  const auto rows = [&](std::int32_t z, std::span<std::uint16_t> row) -> Result<void> {
    const auto from = stops.subspan(std::size_t(z) * row.size(), row.size());
    std::copy(from.begin(), from.end(), row.begin());
    return {};
  };
  auto bounds = build_pages(lattice, rows, *source->state_);
  if (!bounds) {
    return Unexpected{bounds.error()};
  }
  source->state_->bounds = *std::move(bounds);
  return source;
}

const Lattice& MemorySource::lattice() const noexcept { return state_->lattice; }
const Bounds& MemorySource::bounds() const noexcept { return state_->bounds; }
Bounds& MemorySource::bounds() noexcept { return state_->bounds; }

Result<std::shared_ptr<const Page>> MemorySource::page(PageKey key) const {
  if (auto known = tiles::check_key(state_->lattice, key); !known) {
    return Unexpected{known.error()};
  }
  return state_->get(key);
}

void MemorySource::replace(std::shared_ptr<const Page> page) {
  ARETE_ASSERT(page && page->subsample.size() == kPlaneSamples &&
               page->max.size() == (page->key.lod == 0 ? 0 : kPlaneSamples));
  const std::lock_guard lock(state_->mutex);
  state_->pages[page->key.packed()] = std::move(page);
}

}  // namespace arete
