// An open-addressing hash from node keys to the bits of their split children. Stamps empty it in O(1), and memory is
// kept.
#pragma once

#include <cstdint>
#include <vector>

namespace arete::cut {

class ScatteredSet {
 public:
  void clear() {
    count_ = 0;
    if (++stamp_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      stamp_ = 1;
    }
  }

  // Bits of the split children, or -1 when the key is not in the set.
  int find(std::uint64_t key) const {
    if (count_ == 0) {
      return -1;
    }
    const Slot& slot = slots_[place_of(key)];
    return slot.stamp == stamp_ ? slot.children : -1;
  }

  // Adds a key or replaces its children.
  void set(std::uint64_t key, int children) {
    if (4 * (count_ + 1) > slots_.size()) {
      grow();
    }
    Slot& slot = slots_[place_of(key)];
    count_ += slot.stamp == stamp_ ? 0 : 1;
    slot = {key, stamp_, std::uint8_t(children)};
  }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t stamp = 0;
    std::uint8_t children = 0;
  };

  // Where a key is, or the free slot that is its own.
  std::size_t place_of(std::uint64_t key) const {
    std::size_t at = std::size_t((key * 0x9e3779b97f4a7c15ull) >> 32) & (slots_.size() - 1);
    while (slots_[at].stamp == stamp_ && slots_[at].key != key) {
      at = (at + 1) & (slots_.size() - 1);
    }
    return at;
  }
  void grow() {
    std::vector<Slot> old(slots_.empty() ? 2048 : 2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.stamp == stamp_) {
        slots_[place_of(slot.key)] = slot;
      }
    }
  }

  std::vector<Slot> slots_;
  std::size_t count_ = 0;
  std::uint32_t stamp_ = 1;
};

}  // namespace arete::cut
