// Leaves with coarse masks and corner lods, looked up once for the sixteen leaves of a grandparent.
//
// A leaf is coarser than its neighbour's place asks exactly where that place's parent is not split. Around a
// grandparent the split bits of 6 x 6 parents (its own four and its eight neighbours' children) answer for every leaf
// below it.
#include "leaves.h"

#include "cull.h"

namespace arete::cut {
namespace {

// Bits of 6 x 6 parents around a grandparent in rows of 8: bit 8 (z + 2) + x + 2 for parent (x, z) of -2..3, counted
// from its own first child. Places outside the field count as split: nothing coarser lies there.
struct Surroundings {
  std::uint64_t split = 0;
  std::uint64_t exists = 0;

  static std::uint64_t block(int children, int step_x, int step_z) {
    const std::uint64_t rows = std::uint64_t(children & 3) | std::uint64_t(children >> 2) << 8;
    return rows << (8 * (2 * step_z + 2) + 2 * step_x + 2);
  }
};

Surroundings look_around(const NodeGrid& grid, const SplitSet& splits, int lod, Place at, int own_children) {
  Surroundings around;
  for (int step_z = -1; step_z <= 1; ++step_z) {
    for (int step_x = -1; step_x <= 1; ++step_x) {
      if (step_x == 0 && step_z == 0) {
        around.split |= Surroundings::block(own_children | (~grid.children(lod, at) & 15), 0, 0);
        around.exists |= Surroundings::block(15, 0, 0);
        continue;
      }
      const Place beside{at.x + step_x, at.z + step_z};
      int split = 15;
      int exists = 15;
      if (grid.contains(lod, beside)) {
        const int found = splits.find(lod, beside);
        split = found < 0 ? 0 : found | (~grid.children(lod, beside) & 15);
        exists = found < 0 ? 0 : 15;
      }
      around.split |= Surroundings::block(split, step_x, step_z);
      around.exists |= Surroundings::block(exists, step_x, step_z);
    }
  }
  return around;
}

// How many lods the leaves beside a split node's children are coarser than them, per side and corner.
struct Coarser {
  int north, east, south, west;  // 0 or 1
  int corner[4];                 // 0 to 2, clockwise from the north-west
};

Coarser coarser_around(const Surroundings& around, int x, int z) {
  const auto lods = [&](int step_x, int step_z) {
    const int bit = 8 * (z + step_z + 2) + x + step_x + 2;
    const int split = int(around.split >> bit & 1);
    const int exists = int(around.exists >> bit & 1);
    return split != 0 ? 0 : 2 - exists;
  };
  const auto greatest = [](int a, int b, int c) { return a > b ? (a > c ? a : c) : (b > c ? b : c); };
  Coarser result{lods(0, -1), lods(1, 0), lods(0, 1), lods(-1, 0), {}};
  result.corner[0] = greatest(result.north, result.west, lods(-1, -1));
  result.corner[1] = greatest(result.north, result.east, lods(1, -1));
  result.corner[2] = greatest(result.south, result.east, lods(1, 1));
  result.corner[3] = greatest(result.south, result.west, lods(-1, 1));
  return result;
}

Node leaf(int lod, Place at, const Coarser& around) {
  const bool east = (at.x & 1) != 0;
  const bool south = (at.z & 1) != 0;
  // Corners of the child clockwise from the north-west: its parent's own corner, the middles of two of its sides, its
  // centre.
  const int along_x = south ? around.south : around.north;
  const int along_z = east ? around.east : around.west;
  const int mask = (south ? along_x * kernel::kEdgePlusZ : along_x * kernel::kEdgeMinusZ) |
                   (east ? along_z * kernel::kEdgePlusX : along_z * kernel::kEdgeMinusX);
  const int outer = south ? (east ? 2 : 3) : (east ? 1 : 0);
  const int beside_x = outer ^ 1;  // the corner across in x: 0-1, 2-3
  const int beside_z = 3 - outer;  // the corner across in z: 0-3, 1-2
  const int corners = around.corner[outer] << (2 * outer) | along_x << (2 * beside_x) | along_z << (2 * beside_z);
  return {std::uint8_t(lod), std::uint8_t(mask), std::uint8_t(corners), std::uint32_t(at.x), std::uint32_t(at.z)};
}

}  // namespace

void emit_leaves(const NodeGrid& grid, const SplitSet& splits, const Culler* culler, Cut& cut) {
  // Every split node has at most four leaves, so this room is enough.
  cut.nodes.resize(4 * splits.count());
  cut.drawn.clear();
  Node* out = cut.nodes.data();
  for (int lod = 0; lod < grid.lods; ++lod) {
    for (const Place grandparent : splits.list(lod + 2)) {
      const int parents = splits.find(lod + 2, grandparent);
      if (parents == 0) {
        continue;
      }
      const Surroundings around = look_around(grid, splits, lod + 2, grandparent, parents);
      for (int which = 0; which < 4; ++which) {
        if ((parents >> which & 1) == 0) {
          continue;
        }
        const int x = which & 1;
        const int z = which >> 1;
        const Place parent{2 * grandparent.x + x, 2 * grandparent.z + z};
        const int leaves = grid.children(lod + 1, parent) & ~splits.find(lod + 1, parent);
        if (leaves == 0) {
          continue;
        }
        const Coarser coarser = coarser_around(around, x, z);
        const Node* first = out;
        for (int child = 0; child < 4; ++child) {
          if (leaves >> child & 1) {
            *out++ = leaf(lod, {2 * parent.x + (child & 1), 2 * parent.z + (child >> 1)}, coarser);
          }
        }
        if (culler != nullptr) {
          culler->keep({first, out}, lod + 1, parent, std::uint32_t(first - cut.nodes.data()), cut.drawn);
        }
      }
    }
  }
  cut.nodes.resize(std::size_t(out - cut.nodes.data()));
  if (culler == nullptr) {
    for (std::uint32_t i = 0; i < cut.nodes.size(); ++i) {
      cut.drawn.push_back(i);
    }
  }
}

}  // namespace arete::cut
