// Leaves with coarse masks and corner lods, looked up once for the sixteen leaves of a grandparent.
//
// A leaf is coarser than its neighbour's place asks exactly where that place's parent is not split. Around a
// grandparent the split bits of 6 x 6 parents (its own four and its eight neighbours' children) answer for every leaf
// below it.
#include "leaves.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
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
    split |= std::uint64_t(kRows[std::size_t(split_children)]) << shift;
    exists |= std::uint64_t(kRows[std::size_t(existing)]) << shift;
  }
  // Children in rows of 2, in rows of 8.
  static constexpr std::array<std::uint16_t, 16> kRows = {0x000, 0x001, 0x002, 0x003, 0x100, 0x101, 0x102, 0x103,
                                                          0x200, 0x201, 0x202, 0x203, 0x300, 0x301, 0x302, 0x303};
  // Moves the 3 x 3 block around parent (x, z) to the first bits.
  static int shift_to(int x, int z) { return 8 * (z + 1) + x + 1; }
};

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

// A leaf's first word: lod, coarse mask and corner lods as they stand in a Node.
struct Head {
  std::uint8_t lod, coarse_mask, corner_lods, unused;
};
using Words = std::array<std::uint32_t, 3>;
static_assert(sizeof(Node) == sizeof(Words) && offsetof(Node, lod) == offsetof(Head, lod) &&
              offsetof(Node, coarse_mask) == offsetof(Head, coarse_mask) &&
              offsetof(Node, corner_lods) == offsetof(Head, corner_lods) && offsetof(Node, x) == 4);

constexpr int kOuterCorner[4] = {0, 1, 3, 2};  // clockwise from the north-west, of children in rows

// Heads of a split node's four children, lod 0, where every node around it exists: `split` says in rows of three which
// of these are split, too; the others are leaves, one lod coarser than the children.
constexpr std::array<std::uint32_t, 4> heads_of(unsigned split) {
  const auto lods = [&](int column, int row) { return 1 - int(split >> (3 * row + column) & 1); };
  const int north = lods(1, 0), east = lods(2, 1), south = lods(1, 2), west = lods(0, 1);
  const int corner[4] = {std::max({north, west, lods(0, 0)}), std::max({north, east, lods(2, 0)}),
                         std::max({south, east, lods(2, 2)}), std::max({south, west, lods(0, 2)})};
  std::array<std::uint32_t, 4> heads{};
  for (int child = 0; child < 4; ++child) {
    const int along_x = child >= 2 ? south : north;
    const int along_z = (child & 1) != 0 ? east : west;
    const int outer = kOuterCorner[child];
    const int beside_x = outer ^ 1;  // the corner across in x: 0-1, 2-3
    const int beside_z = 3 - outer;  // the corner across in z: 0-3, 1-2
    const int mask = along_x * (child >= 2 ? kernel::kEdgePlusZ : kernel::kEdgeMinusZ) |
                     along_z * ((child & 1) != 0 ? kernel::kEdgePlusX : kernel::kEdgeMinusX);
    const int corners = corner[outer] << (2 * outer) | along_x << (2 * beside_x) | along_z << (2 * beside_z);
    heads[std::size_t(child)] = std::bit_cast<std::uint32_t>(Head{0, std::uint8_t(mask), std::uint8_t(corners), 0});
  }
  return heads;
}
constexpr auto kHeads = [] {
  std::array<std::array<std::uint32_t, 4>, 512> table{};
  for (unsigned split = 0; split < table.size(); ++split) {
    table[split] = heads_of(split);
  }
  return table;
}();

// The first 3 x 3 bits in rows of 8, in rows of 3.
unsigned three_by_three(std::uint64_t bits) {
  return unsigned((bits & 0b111) | (bits >> 5 & 0b111000) | (bits >> 10 & 0b111000000));
}

// A node that is not there lies in a leaf two lods coarser than the children: only across a corner.
std::array<std::uint32_t, 4> with_absent_corners(std::array<std::uint32_t, 4> heads, unsigned absent) {
  constexpr int kCornerBits[4] = {0, 2, 6, 8};  // of children in rows
  for (std::size_t child = 0; child < 4; ++child) {
    if ((absent >> kCornerBits[child] & 1) != 0) {
      Head head = std::bit_cast<Head>(heads[child]);
      const int shift = 2 * kOuterCorner[child];
      head.corner_lods = std::uint8_t((head.corner_lods & ~(3 << shift)) | 2 << shift);
      heads[child] = std::bit_cast<std::uint32_t>(head);
    }
  }
  return heads;
}

}  // namespace

void emit_leaves(const NodeGrid& grid, const SplitSet& splits, const Culler* culler, Cut& cut) {
  // Every split node has at most four leaves, and one more may be written past the last.
  cut.nodes.resize(4 * splits.count() + 1);
  cut.drawn.clear();
  Node* const begin = cut.nodes.data();
  Node* out = begin;
  for (int lod = 0; lod < grid.lods; ++lod) {
    const auto lod_head = std::bit_cast<std::uint32_t>(Head{std::uint8_t(lod), 0, 0, 0});
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
        const int shift = Surroundings::shift_to(which & 1, which >> 1);
        const unsigned split = three_by_three(around.split >> shift);
        const unsigned absent = ~(split | three_by_three(around.exists >> shift)) & 0b101000101;
        const std::array<std::uint32_t, 4> heads =
            absent == 0 ? kHeads[split] : with_absent_corners(kHeads[split], absent);
        Node* const first = out;
        for (int child = 0; child < 4; ++child) {
          *out = std::bit_cast<Node>(Words{heads[std::size_t(child)] | lod_head, std::uint32_t(2 * at.x + (child & 1)),
                                           std::uint32_t(2 * at.z + (child >> 1))});
          out += leaves >> child & 1;
        }
        if (culler != nullptr && out != first) {
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
