// Greatest and least steps over square blocks of cells, from 4 x 4 cells up to the field.
//
// A block counts its closed samples, 5 x 5 for the finest (after Tevs, Ihrke and Seidel, "Maximum Mipmaps for Fast,
// Accurate, and Scalable Dynamic Height Field Rendering", 2008). Conservative by construction (tests:
// unit/collider/ray_test).
#include <algorithm>

#include "arete/collider.h"
#include "block_reduce.h"

namespace arete {
namespace {
constexpr int kFinest = 2;  // blocks of 2^2 cells

std::int32_t block_count(std::int32_t stops, int level) {
  const std::int64_t cells = std::max(stops - 1, 1);
  return static_cast<std::int32_t>((cells + (std::int64_t(1) << level) - 1) >> level);
}
}  // namespace

RayBounds::RayBounds(const HeightfieldView& field) {
  const Lattice& lattice = field.lattice();
  std::size_t total = 0;
  for (top_level_ = kFinest;; ++top_level_) {
    const std::size_t l = std::size_t(top_level_);
    blocks_x_[l] = block_count(lattice.stops_x, top_level_);
    blocks_z_[l] = block_count(lattice.stops_z, top_level_);
    offset_[l] = total;
    total += std::size_t(blocks_x_[l]) * std::size_t(blocks_z_[l]);
    if (blocks_x_[l] == 1 && blocks_z_[l] == 1) {
      break;
    }
  }
  blocks_.resize(total + 1);
  update(field, 0, lattice.stops_z);
}

void RayBounds::update(const HeightfieldView& field, std::int32_t z_begin, std::int32_t z_end) {
  const Lattice& lattice = field.lattice();
  ARETE_ASSERT(blocks_x_[kFinest] == block_count(lattice.stops_x, kFinest) &&
               blocks_z_[kFinest] == block_count(lattice.stops_z, kFinest));
  ARETE_ASSERT(z_begin >= 0 && z_end <= lattice.stops_z);
  if (z_begin >= z_end) {
    return;
  }
  // A sample on a block's border belongs to the block before it as well.
  std::int32_t z_first = std::max(z_begin - 1, 0) >> kFinest;
  std::int32_t z_last = std::min((z_end - 1) >> kFinest, blocks_z_[kFinest] - 1);
  const std::uint16_t steepest = collider::reduce_cells(field.data(), lattice.stops_x, lattice.stops_x, lattice.stops_z,
                                                        z_first, z_last, blocks_.data() + offset_[kFinest]);
  steepest_ = std::max(steepest_, steepest);
  for (std::size_t l = kFinest + 1; l <= std::size_t(top_level_); ++l) {
    z_first >>= 1;
    z_last >>= 1;
    collider::reduce_blocks(blocks_.data() + offset_[l - 1], blocks_x_[l - 1], blocks_z_[l - 1], z_first, z_last,
                            blocks_.data() + offset_[l]);
  }
}

}  // namespace arete
