// Slots of nodes in a list from the newest claim to the oldest.
#include "vulkan/pool_slots.h"

namespace arete::vulkan {

PoolSlots::PoolSlots(std::uint32_t slots) : slots_(slots) {
  by_key_.reserve(slots);
  for (std::uint32_t slot = slots; slot > 0; --slot) link_newest(slot - 1);
}

PoolSlots::Claim PoolSlots::claim(std::uint64_t key, const NodeWords& words) {
  const auto found = by_key_.find(key);
  const bool is_known = found != by_key_.end();
  const std::uint32_t at = is_known ? found->second : oldest_;
  Slot& slot = slots_[at];
  const bool is_built = is_known && slot.words == words;
  if (!is_known) {
    if (slot.is_used) by_key_.erase(slot.key);
    by_key_.emplace(key, at);
    slot.key = key;
    slot.is_used = true;
  }
  slot.words = words;
  unlink(at);
  link_newest(at);
  return {at, is_built};
}

void PoolSlots::forget() {
  by_key_.clear();
  for (Slot& slot : slots_) slot.is_used = false;
}

void PoolSlots::unlink(std::uint32_t slot) {
  const Slot& gone = slots_[slot];
  (gone.newer == kNone ? newest_ : slots_[gone.newer].older) = gone.older;
  (gone.older == kNone ? oldest_ : slots_[gone.older].newer) = gone.newer;
}

void PoolSlots::link_newest(std::uint32_t slot) {
  slots_[slot].newer = kNone;
  slots_[slot].older = newest_;
  (newest_ == kNone ? oldest_ : slots_[newest_].newer) = slot;
  newest_ = slot;
}

}  // namespace arete::vulkan
