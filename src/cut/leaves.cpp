// Leaves with coarse masks and corner lods, looked up once for the sixteen leaves of a grandparent.
//
// A leaf is coarser than its neighbour's place asks exactly where that place's parent is not split. Around a
// grandparent the split bits of 6 x 6 parents (its own four and its eight neighbours' children) answer for every leaf
// below it.
#include "leaves.h"

#include <algorithm>
#include <numeric>

#include "cull.h"

namespace arete::cut {
namespace {

// Bits of 6 x 6 parents around a grandparent in rows of 8: bit 8 (z + 2) + x + 2 for parent (x, z) of -2..3, counted
// from its own first child. Places outside the field count as split: nothing coarser lies there.
struct Surroundings {
  std::uint64_t split = 0;
  std::uint64_t exists = 0;

  void add(int split_children, int existing, int step_x, int step_z) {
    const int shift = 8 * (2 * step_z + 2) + 2 * step_x + 2;
    split |= rows(split_children) << shift;
    exists |= rows(existing) << shift;
  }
  static std::uint64_t rows(int children) { return std::uint64_t(children & 3) | std::uint64_t(children >> 2) << 8; }
  // Moves the 3 x 3 block around parent (x, z) to the first bits.
  static int shift_to(int x, int z) { return 8 * (z + 1) + x + 1; }
};
constexpr std::uint64_t kRing = 0b111ull | 0b101ull << 8 | 0b111ull << 16;

constexpr Place kAround[8] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

Surroundings look_around(const NodeGrid& grid, const SplitSet& splits, int lod, const Split& grandparent) {
  Surroundings around;
  const Place at = grandparent.at;
  const Place size = grid.sizes[std::size_t(lod)];
  const SplitSet::Block block = splits.block_around(lod, at);
  if (block.at != nullptr && at.x >= 1 && at.z >= 1 && at.x + 2 < size.x && at.z + 2 < size.z) {
    // Nothing in sight leaves the field.
    around.add(grandparent.children, 15, 0, 0);
    for (const Place step : kAround) {
      const int is_split = block.at[step.x + step.z * block.stride];
      around.add(is_split - (is_split != 0), is_split != 0 ? 15 : 0, step.x, step.z);
    }
    return around;
  }
  around.add(grandparent.children | (~grid.children(lod, at) & 15), 15, 0, 0);
  for (const Place step : kAround) {
    const Place beside{at.x + step.x, at.z + step.z};
    if (!grid.contains(lod, beside)) {
      around.add(15, 15, step.x, step.z);
      continue;
    }
    const int found = splits.find(lod, beside);
    if (found >= 0) {
      around.add(found | (~grid.children(lod, beside) & 15), 15, step.x, step.z);
    }
  }
  return around;
}

// The edge rule of a split node's four children.
struct EdgeRules {
  std::uint8_t coarse_mask[4] = {};
  std::uint8_t corner_lods[4] = {};

  // From the first bits of its parents' surroundings.
  EdgeRules(std::uint64_t split, std::uint64_t exists) {
    // How many lods the leaves there are coarser than the children.
    const auto lods = [&](int column, int row) {
      const int bit = 8 * row + column;
      return (1 - int(split >> bit & 1)) * (2 - int(exists >> bit & 1));
    };
    const int north = lods(1, 0), east = lods(2, 1), south = lods(1, 2), west = lods(0, 1);  // 0 or 1
    const int corner[4] = {std::max(std::max(north, west), lods(0, 0)), std::max(std::max(north, east), lods(2, 0)),
                           std::max(std::max(south, east), lods(2, 2)), std::max(std::max(south, west), lods(0, 2))};
    constexpr int kOuterCorner[4] = {0, 1, 3, 2};  // clockwise from the north-west, of children in rows
    for (int child = 0; child < 4; ++child) {
      const int along_x = child >= 2 ? south : north;
      const int along_z = (child & 1) != 0 ? east : west;
      const int outer = kOuterCorner[child];
      const int beside_x = outer ^ 1;  // the corner across in x: 0-1, 2-3
      const int beside_z = 3 - outer;  // the corner across in z: 0-3, 1-2
      coarse_mask[child] = std::uint8_t(along_x * (child >= 2 ? kernel::kEdgePlusZ : kernel::kEdgeMinusZ) |
                                        along_z * ((child & 1) != 0 ? kernel::kEdgePlusX : kernel::kEdgeMinusX));
      corner_lods[child] =
          std::uint8_t(corner[outer] << (2 * outer) | along_x << (2 * beside_x) | along_z << (2 * beside_z));
    }
  }
  EdgeRules() = default;
};

}  // namespace

void emit_leaves(const NodeGrid& grid, const SplitSet& splits, const Culler* culler, Cut& cut) {
  // Every split node has at most four leaves, and one more may be written past the last.
  cut.nodes.resize(4 * splits.count() + 1);
  cut.drawn.clear();
  Node* const begin = cut.nodes.data();
  Node* out = begin;
  for (int lod = 0; lod < grid.lods; ++lod) {
    const Split* parent = splits.list(lod + 1).data();
    for (const Split& grandparent : splits.list(lod + 2)) {
      if (grandparent.children == 0) {
        continue;
      }
      const Surroundings around = look_around(grid, splits, lod + 2, grandparent);
      for (int which = 0; which < 4; ++which) {
        if ((grandparent.children >> which & 1) == 0) {
          continue;
        }
        // The lists run in the same order.
        const Place at = parent->at;
        const int leaves = grid.children(lod + 1, at) & ~parent->children;
        ++parent;
        if (leaves == 0) {
          continue;
        }
        const int shift = Surroundings::shift_to(which & 1, which >> 1);
        EdgeRules rules;
        if ((around.split >> shift & kRing) != kRing) {
          rules = EdgeRules(around.split >> shift, around.exists >> shift);
        }
        Node* const first = out;
        for (int child = 0; child < 4; ++child) {
          *out = {std::uint8_t(lod), rules.coarse_mask[child], rules.corner_lods[child],
                  std::uint32_t(2 * at.x + (child & 1)), std::uint32_t(2 * at.z + (child >> 1))};
          out += leaves >> child & 1;
        }
        if (culler != nullptr) {
          culler->keep({first, out}, lod + 1, at, std::uint32_t(first - begin), cut.drawn);
        }
      }
    }
  }
  cut.nodes.resize(std::size_t(out - begin));
  if (culler == nullptr) {
    cut.drawn.resize(cut.nodes.size());
    std::iota(cut.drawn.begin(), cut.drawn.end(), 0u);
  }
}

}  // namespace arete::cut
