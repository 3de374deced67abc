// Slots of pages, the least recently used first to go.
#include "vulkan/atlas_slots.h"

namespace arete::vulkan {

AtlasSlots::AtlasSlots(std::uint32_t slots) : slots_(slots) { by_key_.reserve(slots); }

std::optional<AtlasSlots::Claim> AtlasSlots::claim(PageKey key, std::uint64_t revision) {
  const std::uint64_t packed = key.packed();
  const auto found = by_key_.find(packed);
  if (found != by_key_.end()) {
    Slot& slot = slots_[found->second];
    const bool is_stale = slot.revision != revision;
    slot.revision = revision;
    slot.used = frame_;
    return Claim{found->second, is_stale};
  }
  std::uint32_t oldest = hand_;
  for (std::uint32_t step = 0; step < slots_.size(); ++step) {
    const std::uint32_t at = (hand_ + step) % std::uint32_t(slots_.size());
    if (slots_[at].used < slots_[oldest].used) oldest = at;
    if (slots_[at].used == 0) break;
  }
  Slot& slot = slots_[oldest];
  if (slot.used == frame_) return std::nullopt;
  if (slot.used != 0) by_key_.erase(slot.key);
  slot = {packed, revision, frame_};
  by_key_.emplace(packed, oldest);
  hand_ = (oldest + 1) % std::uint32_t(slots_.size());
  return Claim{oldest, true};
}

void AtlasSlots::release(PageKey key) {
  const auto found = by_key_.find(key.packed());
  if (found == by_key_.end()) return;
  slots_[found->second] = {};
  by_key_.erase(found);
}

}  // namespace arete::vulkan
