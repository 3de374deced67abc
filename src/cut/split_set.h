// The split nodes of a cut: a list a lod and a byte a place that says which children of a node are split.
//
// Nodes of every lod up to the coarsest stand for themselves. Two lods above it hold one virtual node each for every
// block of four, split always, so that every real node has a parent and a grandparent. What a camera splits lies close
// together: a lod's bytes cover the rectangle around its list. Lists that are scattered over a wide field, as callers
// may ask for, take a hash instead. Memory is kept: a steady camera allocates nothing.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "arete/core.h"
#include "scattered_set.h"

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
    ARETE_ASSERT(is_node_size(quads));
    sizes[0] = {lattice.nodes_x(0, quads), lattice.nodes_z(0, quads)};
    for (int lod = 1; lod < lods + kVirtualLods; ++lod) {
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
  void clear() {
    for (std::vector<Split>& list : lists_) {
      list.clear();
    }
    windows_.fill({});
    cells_.clear();
    count_ = 0;
    scattered_.clear();
  }

  // Empties the set and makes room for a part of `whole`.
  void clear_for_part_of(const SplitSet& whole) {
    clear();
    windows_ = whole.windows_;
    cells_.assign(whole.cells_.size(), 0);
  }

  // Makes room for the nodes of the lod's list and for those that the 2:1 rule may add around them: a node that is
  // added at the next lod is at most one place away from a parent of the list, one that is added because of it at most
  // two.
  void cover_list(int lod) {
    constexpr std::int32_t kMargin = 2;
    const std::vector<Split>& list = lists_[std::size_t(lod)];
    Window& window = windows_[std::size_t(lod)];
    if (list.empty()) {
      return;
    }
    Place low = list.front().at, high = low;
    for (const Split& split : list) {
      low = {std::min(low.x, split.at.x), std::min(low.z, split.at.z)};
      high = {std::max(high.x, split.at.x), std::max(high.z, split.at.z)};
    }
    const std::uint64_t width = std::uint64_t(high.x - low.x) + 2 * kMargin + 1;
    const std::uint64_t depth = std::uint64_t(high.z - low.z) + 2 * kMargin + 1;
    if (width * depth > 4096 + 64 * list.size()) {
      window.is_scattered = true;
      return;
    }
    window = {{low.x - kMargin, low.z - kMargin}, std::uint32_t(width), std::uint32_t(depth), cells_.size(), false};
    cells_.resize(cells_.size() + std::size_t(width * depth));
  }

  // Bits of the split children, or -1 when the node is not split.
  int find(int lod, Place at) const {
    const Window& window = windows_[std::size_t(lod)];
    if (window.contains(at)) {
      return cells_[window.cell(at)] - 1;
    }
    return window.is_scattered ? scattered_.find(key_of(lod, at)) : -1;
  }

  // A byte for each node around one, 0 where it is not split, else 1 and the bits of its split children: `at[x + z
  // stride]` for a neighbour x, z of -1..1. Null where these bytes do not stand side by side; find() tells all the
  // same.
  struct Block {
    const std::uint8_t* at = nullptr;
    std::ptrdiff_t stride = 0;
  };
  Block block_around(int lod, Place at) const {
    const Window& window = windows_[std::size_t(lod)];
    if (window.contains({at.x - 1, at.z - 1}) && window.contains({at.x + 1, at.z + 1})) {
      return {cells_.data() + window.cell(at), std::ptrdiff_t(window.width)};
    }
    return {};
  }

  // Adds a node that is not yet in the set or replaces its children; the list of its lod is the caller's.
  void insert(int lod, Place at, int children) {
    set_children(lod, at, children);
    ++count_;
  }
  void set_children(int lod, Place at, int children) {
    const Window& window = windows_[std::size_t(lod)];
    if (window.contains(at)) {
      cells_[window.cell(at)] = std::uint8_t(children + 1);
      return;
    }
    ARETE_ASSERT(window.is_scattered);
    scattered_.set(key_of(lod, at), children);
  }

  // The split nodes of a lod, in Morton order once a set is whole.
  std::vector<Split>& list(int lod) { return lists_[std::size_t(lod)]; }
  const std::vector<Split>& list(int lod) const { return lists_[std::size_t(lod)]; }
  std::size_t count() const { return count_; }

 private:
  struct Window {
    Place first;
    std::uint32_t width = 0;
    std::uint32_t depth = 0;
    std::size_t cells = 0;  // where its rows start
    bool is_scattered = false;

    bool contains(Place at) const {
      return std::uint32_t(at.x - first.x) < width && std::uint32_t(at.z - first.z) < depth;
    }
    std::size_t cell(Place at) const {
      return cells + std::size_t(std::uint32_t(at.z - first.z)) * width + std::uint32_t(at.x - first.x);
    }
  };

  static std::uint64_t key_of(int lod, Place at) {
    return std::uint64_t(lod) << 58 | std::uint64_t(std::uint32_t(at.z)) << 29 | std::uint32_t(at.x);
  }

  std::array<std::vector<Split>, kListLods> lists_;
  std::array<Window, kListLods> windows_;
  std::vector<std::uint8_t> cells_;  // 1 + bits of the split children; 0: not split
  std::size_t count_ = 0;
  ScatteredSet scattered_;
};

}  // namespace arete::cut
