// The caller's leaves become triangles: each leaf is the ring of its corners and of every corner of a finer neighbour
// on its edges, so both sides of an edge have the same vertices and take their heights at the same places.
//
// A ring with at most one midpoint on an edge is a fan around a midpoint: its neighbours in the ring stand on its own
// edge and are skipped, so no triangle lacks area, and 4 + k corners give 2 + k triangles. A ring with more on one edge
// (an unbalanced tree) is a fan around the leaf's centre.
#include <algorithm>
#include <unordered_map>

#include "arete/adaptive.h"

namespace arete {
namespace {

struct Place {
  std::int32_t x, z;
};

class Sewing {
 public:
  Sewing(const QuadTree& tree, const HeightAt& height_at) : tree_(tree), height_at_(height_at) {}

  void add_leaf(int lod, std::int32_t x, std::int32_t z) {
    const std::int32_t side = std::int32_t(1) << lod;
    const std::int32_t west = x * side, north = z * side, east = west + side, south = north + side;
    // Counter-clockwise from above, with +Z to the south: north-west, south-west, south-east, north-east.
    ring_.clear();
    midpoint_ = -1;
    is_steep_ = false;
    ring_.push_back({west, north});
    add_edge(lod, x - 1, z, -1, 0, {west, north}, {west, south});
    ring_.push_back({west, south});
    add_edge(lod, x, z + 1, 0, 1, {west, south}, {east, south});
    ring_.push_back({east, south});
    add_edge(lod, x + 1, z, 1, 0, {east, south}, {east, north});
    ring_.push_back({east, north});
    add_edge(lod, x, z - 1, 0, -1, {east, north}, {west, north});
    if (is_steep_) {
      const std::uint32_t centre = vertex({west + side / 2, north + side / 2});
      for (std::size_t i = 0; i < ring_.size(); ++i) {
        mesh_.triangles.push_back({vertex(ring_[i]), vertex(ring_[(i + 1) % ring_.size()]), centre});
      }
      return;
    }
    // Without a midpoint the fan starts at the south-west corner: the diagonal of the split contract.
    const std::size_t apex = midpoint_ < 0 ? 1 : std::size_t(midpoint_);
    for (std::size_t i = 1; i + 1 < ring_.size(); ++i) {
      mesh_.triangles.push_back({vertex(ring_[apex]), vertex(ring_[(apex + i) % ring_.size()]),
                                 vertex(ring_[(apex + i + 1) % ring_.size()])});
    }
  }

  LatticeMesh take() { return std::move(mesh_); }

 private:
  // Adds the corners of finer leaves strictly between `from` and `to`, two corners of quad (lod, x, z)'s side. (dx, dz)
  // points from the leaf to that quad.
  void add_edge(int lod, std::int32_t x, std::int32_t z, int dx, int dz, Place from, Place to) {
    if (!tree_.is_split(lod, x, z)) {
      return;
    }
    const Place middle{(from.x + to.x) / 2, (from.z + to.z) / 2};
    const std::int32_t half = std::int32_t(1) << (lod - 1);
    const auto half_edge = [&](Place a, Place b) {
      const std::int32_t child_x = dx != 0 ? 2 * x + (dx < 0 ? 1 : 0) : std::min(a.x, b.x) / half;
      const std::int32_t child_z = dz != 0 ? 2 * z + (dz < 0 ? 1 : 0) : std::min(a.z, b.z) / half;
      add_edge(lod - 1, child_x, child_z, dx, dz, a, b);
    };
    const std::size_t before = ring_.size();
    half_edge(from, middle);
    midpoint_ = int(ring_.size());
    ring_.push_back(middle);
    half_edge(middle, to);
    is_steep_ = is_steep_ || ring_.size() - before > 1;
  }

  std::uint32_t vertex(Place place) {
    const std::uint64_t key = std::uint64_t(std::uint32_t(place.x)) << 32 | std::uint32_t(place.z);
    const auto [at, is_new] = index_.try_emplace(key, std::uint32_t(mesh_.vertices.size()));
    if (is_new) {
      mesh_.vertices.push_back({place.x, place.z, height_at_(place.x, place.z)});
    }
    return at->second;
  }

  const QuadTree& tree_;
  const HeightAt& height_at_;
  LatticeMesh mesh_;
  std::unordered_map<std::uint64_t, std::uint32_t> index_;
  std::vector<Place> ring_;
  int midpoint_ = -1;
  bool is_steep_ = false;
};

}  // namespace

LatticeMesh sew(const QuadTree& tree, const HeightAt& height_at, const SewOptions& options) {
  ARETE_ASSERT(height_at != nullptr);
  QuadTree balanced(0);
  if (options.balance) {
    balanced = tree;
    balanced.balance();
  }
  const QuadTree& sewn = options.balance ? balanced : tree;
  Sewing sewing(sewn, height_at);
  sewn.for_each_leaf([&](int lod, std::int32_t x, std::int32_t z) { sewing.add_leaf(lod, x, z); });
  return sewing.take();
}

}  // namespace arete
