// The atlas as its readers see it: a source of the resident pages, their slots, and what a GPU has to copy.
#include <algorithm>
#include <bit>

#include "arete/stream.h"
#include "stream/atlas_state.h"

namespace arete {

Atlas::Atlas(std::unique_ptr<State> state) : state_(std::move(state)) {}
Atlas::~Atlas() = default;

const Lattice& Atlas::lattice() const noexcept { return state_->lattice; }

Result<std::shared_ptr<const Page>> Atlas::page(PageKey key) const {
  const std::uint32_t index = state_->find(key);
  if (index == State::kNone) {
    return std::shared_ptr<const Page>();
  }
  return state_->residents[index].page;
}

bool Atlas::is_resident(PageKey key) const noexcept { return state_->find(key) != State::kNone; }

const Page* Atlas::find(PageKey key) const noexcept {
  const std::uint32_t index = state_->find(key);
  return index == State::kNone ? nullptr : state_->residents[index].page.get();
}

std::optional<PageSlots> Atlas::slots(PageKey key) const noexcept {
  const std::uint32_t index = state_->find(key);
  return index == State::kNone ? std::nullopt : std::optional(state_->residents[index].slots);
}

std::uint32_t Atlas::slot_count() const noexcept { return state_->pool->plane_count(); }

std::uint32_t Atlas::page_count() const noexcept {
  return std::uint32_t(state_->residents.size() - state_->free_entries.size());
}

void Atlas::resident_keys(std::vector<PageKey>& keys) const {
  keys.clear();
  for (const State::Resident& resident : state_->residents) {
    if (resident.page) {
      keys.push_back(resident.page->key);
    }
  }
  std::sort(keys.begin(), keys.end(), [](PageKey a, PageKey b) { return a.packed() < b.packed(); });
}

std::span<const SlotUpload> Atlas::uploads() const noexcept { return state_->uploads; }

void Atlas::uploads_done() noexcept {
  for (const SlotUpload& upload : state_->uploads) {
    state_->upload_of_slot[upload.slot] = State::kNone;
  }
  state_->uploads.clear();
}

NodeResidency::NodeResidency(const Atlas& atlas, int node_quads)
    : atlas_(atlas), page_shift_(std::countr_zero(unsigned(kPageCells / node_quads))) {
  ARETE_ASSERT(is_node_size(node_quads));
}

bool NodeResidency::is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept {
  return atlas_.is_resident({std::uint8_t(lod), x >> page_shift_, z >> page_shift_});
}

}  // namespace arete
