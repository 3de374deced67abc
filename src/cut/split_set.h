// The split nodes of a cut: a list a lod and an open-addressing hash that says which children of a node are split.
//
// Nodes of every lod up to the coarsest stand for themselves. Two lods above it hold one virtual node each for every
// block of four, split always, so that every real node has a parent and a grandparent. Stamps empty the table in O(1),
// and memory is kept: a steady camera allocates nothing.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "arete/core.h"

namespace arete::cut {

// A node's place in nodes of its lod; signed, so that neighbours of the first are representable.
struct Place {
  std::int32_t x = 0;
  std::int32_t z = 0;
};

// A split node and which of its four children are split: bit a + 2 b for child (2 x + a, 2 z + b).
struct Split {
  Place at;
  std::int32_t children = 0;
};

inline Place child_of(Place parent, int child) { return {2 * parent.x + (child & 1), 2 * parent.z + (child >> 1)}; }

inline constexpr int kVirtualLods = 2;
inline constexpr int kListLods = 30 + kVirtualLods;

// How many nodes a field has at each lod; virtual lods included.
struct NodeGrid {
  NodeGrid(const Lattice& lattice, int node_quads) : quads(node_quads), lods(lattice.lods()) {
    for (int lod = 0; lod < lods; ++lod) {
      sizes[std::size_t(lod)] = {lattice.nodes_x(lod, quads), lattice.nodes_z(lod, quads)};
    }
    for (int lod = lods; lod < lods + kVirtualLods; ++lod) {
      const Place& below = sizes[std::size_t(lod) - 1];
      sizes[std::size_t(lod)] = {(below.x + 1) / 2, (below.z + 1) / 2};
    }
  }
  bool contains(int lod, Place at) const {
    const Place& size = sizes[std::size_t(lod)];
    return at.x >= 0 && at.z >= 0 && at.x < size.x && at.z < size.z;
  }
  // Which of a node's four children lie in the field.
  int children(int lod, Place at) const {
    const Place& size = sizes[std::size_t(lod) - 1];
    const int columns = 2 * at.x + 1 < size.x ? 0b0011 : 0b0001;
    return 2 * at.z + 1 < size.z ? columns | columns << 2 : columns;
  }
  int coarsest() const { return lods - 1; }

  int quads;
  int lods;
  std::array<Place, kListLods> sizes{};
};

class SplitSet {
 public:
  SplitSet() : slots_(2048) {}

  void clear() {
    for (std::vector<Split>& list : lists_) {
      list.clear();
    }
    count_ = 0;
    if (++stamp_ == 0) {
      slots_.assign(slots_.size(), Slot{});
      stamp_ = 1;
    }
  }

  // Bits of the split children, or -1 when the node is not split.
  int find(int lod, Place at) const {
    const std::uint64_t key = key_of(lod, at);
    for (std::size_t slot = home(key);; slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot].stamp != stamp_) {
        return -1;
      }
      if (slots_[slot].key == key) {
        return slots_[slot].children;
      }
    }
  }

  // Adds a node that is not yet in the set; the list of its lod is the caller's.
  void insert(int lod, Place at, int children) {
    if (4 * (count_ + 1) > slots_.size()) {
      grow();
    }
    place({key_of(lod, at), stamp_, std::uint8_t(children)});
    ++count_;
  }

  // Replaces the children of a node in the set.
  void set_children(int lod, Place at, int children) {
    const std::uint64_t key = key_of(lod, at);
    std::size_t slot = home(key);
    while (slots_[slot].key != key || slots_[slot].stamp != stamp_) {
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot].children = std::uint8_t(children);
  }

  // The split nodes of a lod, in Morton order once a set is whole.
  std::vector<Split>& list(int lod) { return lists_[std::size_t(lod)]; }
  const std::vector<Split>& list(int lod) const { return lists_[std::size_t(lod)]; }
  std::size_t count() const { return count_; }

 private:
  struct Slot {
    std::uint64_t key = 0;
    std::uint32_t stamp = 0;
    std::uint8_t children = 0;
  };

  static std::uint64_t key_of(int lod, Place at) {
    return std::uint64_t(lod) << 58 | std::uint64_t(std::uint32_t(at.z)) << 29 | std::uint32_t(at.x);
  }
  std::size_t home(std::uint64_t key) const {
    return std::size_t((key * 0x9e3779b97f4a7c15ull) >> 32) & (slots_.size() - 1);
  }
  void place(const Slot& slot) {
    std::size_t at = home(slot.key);
    while (slots_[at].stamp == stamp_) {
      at = (at + 1) & (slots_.size() - 1);
    }
    slots_[at] = slot;
  }
  void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.stamp == stamp_) {
        place(slot);
      }
    }
  }

  std::array<std::vector<Split>, kListLods> lists_;
  std::vector<Slot> slots_;
  std::size_t count_ = 0;
  std::uint32_t stamp_ = 1;
};

}  // namespace arete::cut
