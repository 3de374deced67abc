// The quadtree of one piece while it is being refined: dense, kept balanced by every split, with lists of the leaves
// whose rings have changed. Quads that lie wholly beyond the field do not exist.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "arete/core.h"

namespace arete::adaptive {

struct Quad {
  int lod = 0;
  std::int32_t x = 0;
  std::int32_t z = 0;
};

class PieceTree {
 public:
  // `cells` is a power of two.
  explicit PieceTree(std::int32_t cells)
      : depth_(std::countr_zero(unsigned(cells))), levels_(std::size_t(depth_) + 1), changed_(std::size_t(depth_) + 1) {
    for (int lod = 0; lod <= depth_; ++lod) {
      levels_[std::size_t(lod)].resize(std::size_t(1) << (2 * (depth_ - lod)));
    }
  }

  int depth() const { return depth_; }

  // The root alone, marked as changed; stops up to (last_x, last_z) are in the field.
  void reset(std::int32_t last_x, std::int32_t last_z) {
    last_x_ = last_x;
    last_z_ = last_z;
    for (auto& level : levels_) {
      std::fill(level.begin(), level.end(), kSettled);
    }
    mark_changed({depth_, 0, 0});
  }

  bool contains(Quad quad) const {
    return quad.x >= 0 && quad.z >= 0 && quad.x < (std::int32_t(1) << (depth_ - quad.lod)) &&
           quad.z < (std::int32_t(1) << (depth_ - quad.lod)) && (quad.x << quad.lod) < last_x_ &&
           (quad.z << quad.lod) < last_z_;
  }
  // False outside the tree.
  bool is_split(Quad quad) const { return contains(quad) && state(quad) == kSplit; }
  bool exists(Quad quad) const {
    return quad.lod == depth_ || state({quad.lod + 1, quad.x >> 1, quad.z >> 1}) == kSplit;
  }

  // Splits `quad` and whatever balance asks for; marks the new leaves and the leaves beside them.
  void split(Quad quad) {
    if (state(quad) == kSplit) {
      return;
    }
    if (!exists(quad)) {
      split({quad.lod + 1, quad.x >> 1, quad.z >> 1});
    }
    state(quad) = kSplit;
    for (int child = 0; child < 4; ++child) {
      const Quad part{quad.lod - 1, 2 * quad.x + (child & 1), 2 * quad.z + (child >> 1)};
      if (contains(part)) {
        mark_changed(part);
      }
    }
    constexpr std::int32_t kSides[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
    for (const auto& side : kSides) {
      const Quad beside{quad.lod, quad.x + side[0], quad.z + side[1]};
      if (!contains(beside) || state(beside) == kSplit) {
        continue;
      }
      if (!exists(beside)) {
        split({quad.lod + 1, beside.x >> 1, beside.z >> 1});
      }
      mark_changed(beside);
    }
  }

  // Takes a changed leaf of the coarsest lod that has one; false when none is left. The leaf stays changed until
  // settle().
  bool next_changed(Quad& quad) {
    for (int lod = depth_; lod >= 0; --lod) {
      auto& list = changed_[std::size_t(lod)];
      while (!list.empty()) {
        const std::uint32_t index = list.back();
        list.pop_back();
        if (levels_[std::size_t(lod)][index] == kChanged) {
          quad = {lod, std::int32_t(index & ((1u << (depth_ - lod)) - 1)), std::int32_t(index >> (depth_ - lod))};
          return true;
        }
      }
    }
    return false;
  }
  // The leaf's triangles are within the bound as they are now.
  void settle(Quad quad) { state(quad) = kSettled; }
  // Puts a quad back on the list unless it has been split.
  void mark_if_leaf(Quad quad) {
    if (state(quad) != kSplit) {
      mark_changed(quad);
    }
  }

 private:
  enum State : std::uint8_t { kSettled, kChanged, kSplit };
  State& state(Quad quad) { return levels_[std::size_t(quad.lod)][index(quad)]; }
  const State& state(Quad quad) const { return levels_[std::size_t(quad.lod)][index(quad)]; }
  std::size_t index(Quad quad) const { return (std::size_t(quad.z) << (depth_ - quad.lod)) + std::size_t(quad.x); }
  // Leaves of lod 0 have no error, except where a border's strip holds them.
  void mark_changed(Quad quad) {
    const std::int32_t last = (std::int32_t(1) << depth_) - 1;
    if (quad.lod == 0 && quad.x != 0 && quad.z != 0 && quad.x != last && quad.z != last) {
      return;
    }
    state(quad) = kChanged;
    changed_[std::size_t(quad.lod)].push_back(std::uint32_t(index(quad)));
  }

  int depth_;
  std::int32_t last_x_ = 0, last_z_ = 0;
  std::vector<std::vector<State>> levels_;
  std::vector<std::vector<std::uint32_t>> changed_;
};

}  // namespace arete::adaptive
