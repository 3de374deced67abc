// The restricted closure of a split set, and its counterpart by coarsening.
//
// A split node's edge neighbours must exist, so each of its parent's edge neighbours on that side must be split.
// Refining looks from the finest lod upwards: what it adds has no split children, so each lod is final once it has been
// passed, and the result is the unique least closure. Coarsening looks downwards: whether a node may stay split depends
// on coarser lods alone, so one pass finds the greatest subtree (restricted quadtrees: Von Herzen and Barr, "Accurate
// Triangulations of Deformed, Intersecting Surfaces", 1987).
#include "restrict.h"

namespace arete::cut {
namespace {

struct Side {
  int step_x;
  int step_z;
  int children;  // the children that touch this side
};
constexpr Side kSides[4] = {{0, -1, 0b0011}, {1, 0, 0b1010}, {0, 1, 0b1100}, {-1, 0, 0b0101}};

Place parent(Place at) { return {at.x >> 1, at.z >> 1}; }
int child_bit(Place child) { return 1 << ((child.x & 1) + 2 * (child.z & 1)); }

// Splits a node that is not split yet, and its ancestors. Lists of coarser lods grow and are visited later.
void split(int lod, Place at, SplitSet& splits) {
  for (int bit = 0;; bit = child_bit(at), at = parent(at), ++lod) {
    const int children = splits.find(lod, at);
    if (children >= 0) {
      splits.set_children(lod, at, children | bit);
      return;
    }
    splits.insert(lod, at, bit);
    splits.list(lod).push_back({at, bit});
  }
}

// Lists hold their nodes in Morton order again, read off the children of the lod above.
void rebuild_lists(const NodeGrid& grid, SplitSet& splits) {
  for (int lod = grid.lods; lod > 1; --lod) {
    std::vector<Split>& list = splits.list(lod);
    std::vector<Split>& below = splits.list(lod - 1);
    // Four children a node at most, and one more may be written past the last.
    below.resize(4 * list.size() + 1);
    Split* out = below.data();
    for (Split& split : list) {
      split.children = splits.find(lod, split.at);
      for (int child = 0; child < 4; ++child) {
        *out = {child_of(split.at, child), 0};
        out += split.children >> child & 1;
      }
    }
    below.resize(std::size_t(out - below.data()));
  }
}

// Bits of the sides on which a node's split children need a split neighbour that is not there. Neighbours outside the
// field count as missing.
int missing_sides(const SplitSet& splits, int lod, Place at, int children) {
  const SplitSet::Block block = splits.block_around(lod, at);
  int missing = 0;
  for (int side = 0; side < 4; ++side) {
    const auto [step_x, step_z, touching] = kSides[side];
    const bool is_absent = block.at != nullptr ? block.at[step_x + step_z * block.stride] == 0
                                               : splits.find(lod, {at.x + step_x, at.z + step_z}) < 0;
    missing |= int(is_absent & ((children & touching) != 0)) << side;
  }
  return missing;
}

}  // namespace

void refine_to_restricted(const NodeGrid& grid, SplitSet& splits) {
  const std::size_t before = splits.count();
  for (int lod = 2; lod < grid.lods; ++lod) {
    const std::vector<Split>& list = splits.list(lod);
    const std::size_t nodes = list.size();  // nodes added on the way have no split children
    for (std::size_t i = 0; i < nodes; ++i) {
      const Place at = list[i].at;
      const int children = splits.count() == before ? list[i].children : splits.find(lod, at);
      const int missing = children != 0 ? missing_sides(splits, lod, at, children) : 0;
      for (int side = 0; missing >> side != 0; ++side) {
        const Place beside{at.x + kSides[side].step_x, at.z + kSides[side].step_z};
        if ((missing >> side & 1) != 0 && grid.contains(lod, beside)) {
          split(lod, beside, splits);
        }
      }
    }
  }
  if (splits.count() != before) {
    rebuild_lists(grid, splits);
  }
}

void coarsen_to_resident(const NodeGrid& grid, const SplitSet& wanted, const Residency& residency, SplitSet& kept) {
  kept.clear_for_part_of(wanted);
  for (int lod = grid.lods; lod < grid.lods + kVirtualLods; ++lod) {
    for (const Split& split : wanted.list(lod)) {
      kept.insert(lod, split.at, split.children);
      kept.list(lod).push_back(split);
    }
  }
  const auto is_ready = [&](int lod, Place at) {
    const int children = grid.children(lod, at);
    for (int child = 0; child < 4; ++child) {
      const Place below = child_of(at, child);
      if ((children >> child & 1) != 0 &&
          !residency.is_resident(lod - 1, std::uint32_t(below.x), std::uint32_t(below.z))) {
        return false;
      }
    }
    return true;
  };
  for (int lod = grid.lods; lod > 1; --lod) {
    // Every node of this lod is known here; only its children are still to be chosen.
    for (Split& split : kept.list(lod)) {
      const Place at = split.at;
      int closed = 0;  // children whose outer neighbours do not all exist
      for (const Side& side : kSides) {
        const Place beside{at.x + side.step_x, at.z + side.step_z};
        if (grid.contains(lod, beside) && kept.find(lod, beside) < 0) {
          closed |= side.children;
        }
      }
      split.children = wanted.find(lod, at) & ~closed;
      for (int child = 0; child < 4; ++child) {
        if ((split.children >> child & 1) != 0 && !is_ready(lod - 1, child_of(at, child))) {
          split.children &= ~(1 << child);
        }
      }
      kept.set_children(lod, at, split.children);
      for (int child = 0; child < 4; ++child) {
        if (split.children >> child & 1) {
          kept.insert(lod - 1, child_of(at, child), 0);
          kept.list(lod - 1).push_back({child_of(at, child), 0});
        }
      }
    }
  }
}

}  // namespace arete::cut
