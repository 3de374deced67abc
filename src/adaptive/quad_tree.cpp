// A sparse quadtree: the set of split quads, each under the key lod << 58 | morton(x, z).
//
// Balance: "a quad exists => its edge neighbours' parents exist". The least tree that holds is unique, so the order in
// which quads are visited does not matter (after von Herzen and Barr, "Accurate Triangulations of Deformed,
// Intersecting Surfaces", 1987, who first asked for restricted quadtrees).
#include "arete/adaptive.h"

namespace arete {
namespace {
constexpr int kMaxDepth = 28;
constexpr std::int32_t kSides[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
}  // namespace

QuadTree::QuadTree(int depth) : depth_(depth) { ARETE_ASSERT(depth >= 0 && depth <= kMaxDepth); }

std::uint64_t QuadTree::key(int lod, std::int32_t x, std::int32_t z) const {
  return std::uint64_t(lod) << 58 | morton(std::uint32_t(x), std::uint32_t(z));
}

bool QuadTree::contains(int lod, std::int32_t x, std::int32_t z) const {
  if (lod < 0 || lod > depth_) {
    return false;
  }
  const std::int32_t side = std::int32_t(1) << (depth_ - lod);
  return x >= 0 && z >= 0 && x < side && z < side;
}

void QuadTree::split(int lod, std::int32_t x, std::int32_t z) {
  ARETE_ASSERT(lod >= 1 && contains(lod, x, z));
  while (lod <= depth_ && split_.insert(key(lod, x, z)).second) {
    ++lod;
    x >>= 1;
    z >>= 1;
  }
}

bool QuadTree::is_split(int lod, std::int32_t x, std::int32_t z) const {
  return lod >= 1 && contains(lod, x, z) && split_.contains(key(lod, x, z));
}

bool QuadTree::exists(int lod, std::int32_t x, std::int32_t z) const {
  return contains(lod, x, z) && (lod == depth_ || is_split(lod + 1, x >> 1, z >> 1));
}

void QuadTree::balance() {
  std::vector<std::uint64_t> pending(split_.begin(), split_.end());
  while (!pending.empty()) {
    const PageKey quad = PageKey::unpack(pending.back());
    pending.pop_back();
    // The children of a split quad exist, so the quads beside it must exist: their parents are split.
    for (const auto& side : kSides) {
      int lod = quad.lod;
      std::int32_t x = std::int32_t(quad.x) + side[0];
      std::int32_t z = std::int32_t(quad.z) + side[1];
      if (!contains(lod, x, z)) {
        continue;
      }
      while (++lod <= depth_ && split_.insert(key(lod, x >>= 1, z >>= 1)).second) {
        pending.push_back(key(lod, x, z));
      }
    }
  }
}

bool QuadTree::is_balanced() const {
  for (const std::uint64_t packed : split_) {
    const PageKey quad = PageKey::unpack(packed);
    for (const auto& side : kSides) {
      const std::int32_t x = std::int32_t(quad.x) + side[0];
      const std::int32_t z = std::int32_t(quad.z) + side[1];
      if (contains(quad.lod, x, z) && !exists(quad.lod, x, z)) {
        return false;
      }
    }
  }
  return true;
}

void QuadTree::for_each_leaf(const std::function<void(int, std::int32_t, std::int32_t)>& visit) const {
  struct Quad {
    int lod;
    std::int32_t x, z;
  };
  std::vector<Quad> pending{{depth_, 0, 0}};
  while (!pending.empty()) {
    const Quad quad = pending.back();
    pending.pop_back();
    if (!is_split(quad.lod, quad.x, quad.z)) {
      visit(quad.lod, quad.x, quad.z);
      continue;
    }
    for (int child = 3; child >= 0; --child) {
      pending.push_back({quad.lod - 1, 2 * quad.x + (child & 1), 2 * quad.z + (child >> 1)});
    }
  }
}

}  // namespace arete
