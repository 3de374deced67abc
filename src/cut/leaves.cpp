// Leaves with coarse masks and corner lods, looked up once for the sixteen leaves of a grandparent.
//
// A leaf is coarser than its neighbour's place asks exactly where that place's parent is not split. Around a
// grandparent the split bits of 6 x 6 parents (its own four and its eight neighbours' children) answer for every leaf
// below it.
#include "leaves.h"

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
  if (at.x >= 1 && at.z >= 1 && at.x + 2 < size.x && at.z + 2 < size.z) {
    // Nothing in sight leaves the field.
    around.add(grandparent.children, 15, 0, 0);
    for (const Place step : kAround) {
      const int found = splits.find(lod, {at.x + step.x, at.z + step.z});
      around.add(found < 0 ? 0 : found, found < 0 ? 0 : 15, step.x, step.z);
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

// How many lods the leaves beside a split node's children are coarser than them, per side and corner.
struct Coarser {
  int north, east, south, west;  // 0 or 1
  int corner[4];                 // 0 to 2, clockwise from the north-west
};

Coarser coarser_around(std::uint64_t split, std::uint64_t exists) {
  const auto lods = [&](int column, int row) {
    const int bit = 8 * row + column;
    return (split >> bit & 1) != 0 ? 0 : 2 - int(exists >> bit & 1);
  };
  const auto greatest = [](int a, int b, int c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); };
  Coarser result{lods(1, 0), lods(2, 1), lods(1, 2), lods(0, 1), {}};
  result.corner[0] = greatest(result.north, result.west, lods(0, 0));
  result.corner[1] = greatest(result.north, result.east, lods(2, 0));
  result.corner[2] = greatest(result.south, result.east, lods(2, 2));
  result.corner[3] = greatest(result.south, result.west, lods(0, 2));
  return result;
}

void set_edge_rule(const Coarser& around, Node& leaf) {
  const bool east = (leaf.x & 1) != 0;
  const bool south = (leaf.z & 1) != 0;
  // Corners of the child clockwise from the north-west: its parent's own corner, the middles of two of its sides, its
  // centre.
  const int along_x = south ? around.south : around.north;
  const int along_z = east ? around.east : around.west;
  const int outer = south ? (east ? 2 : 3) : (east ? 1 : 0);
  const int beside_x = outer ^ 1;  // the corner across in x: 0-1, 2-3
  const int beside_z = 3 - outer;  // the corner across in z: 0-3, 1-2
  leaf.coarse_mask = std::uint8_t(along_x * (south ? kernel::kEdgePlusZ : kernel::kEdgeMinusZ) |
                                  along_z * (east ? kernel::kEdgePlusX : kernel::kEdgeMinusX));
  leaf.corner_lods =
      std::uint8_t(around.corner[outer] << (2 * outer) | along_x << (2 * beside_x) | along_z << (2 * beside_z));
}

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
        Node* const first = out;
        for (int child = 0; child < 4; ++child) {
          *out = {std::uint8_t(lod), 0, 0, std::uint32_t(2 * at.x + (child & 1)),
                  std::uint32_t(2 * at.z + (child >> 1))};
          out += leaves >> child & 1;
        }
        const int shift = Surroundings::shift_to(which & 1, which >> 1);
        if ((around.split >> shift & kRing) != kRing) {
          const Coarser coarser = coarser_around(around.split >> shift, around.exists >> shift);
          for (Node* leaf = first; leaf != out; ++leaf) {
            set_edge_rule(coarser, *leaf);
          }
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
