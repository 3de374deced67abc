// Slots of nodes in a list from the newest claim to the oldest.
#include "pool_slots.h"

#include "same_frame.h"

namespace arete::mesh {
namespace {

// The frame without what only morphing vertices read.
kernel::FrameConstants at_rest(kernel::FrameConstants frame) {
  frame.camera_half_x = frame.camera_half_z = 0;
  frame.camera_rest_x = frame.camera_rest_z = frame.camera_y = 0;
  frame.morph_start_sq = frame.morph_scale = 0;
  return frame;
}

std::uint64_t key_of(const Node& node) { return PageKey{node.lod, node.x, node.z}.packed(); }

}  // namespace

PoolSlots::PoolSlots(std::uint32_t slots) : slots_(slots) {
  by_key_.reserve(slots);
  for (std::uint32_t slot = slots; slot > 0; --slot) link_newest(slot - 1);
}

void PoolSlots::begin(const kernel::FrameConstants& frame) {
  if (!is_same_frame(at_rest(frame), at_rest(frame_))) forget();
  if (!is_same_frame(frame, frame_)) ++camera_;
  frame_ = frame;
}

PoolSlots::Claim PoolSlots::claim(const Node& node, const NodeWords& words) {
  const auto found = by_key_.find(key_of(node));
  const bool is_known = found != by_key_.end();
  const std::uint32_t at = is_known ? found->second : oldest_;
  Slot& slot = slots_[at];
  const bool is_built =
      is_known && slot.node == node && slot.words == words && (words.is_at_rest || slot.camera == camera_);
  if (!is_known) {
    if (slot.is_used) by_key_.erase(key_of(slot.node));
    by_key_.emplace(key_of(node), at);
    slot.is_used = true;
  }
  slot.node = node;
  slot.words = words;
  slot.camera = camera_;
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

}  // namespace arete::mesh
