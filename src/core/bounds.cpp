// Node bounds of a field and the split ranges that local ranges (kappas) ask for.
//
// A node must be split wherever any vertex of a finer lod in its closed box may still be unmorphed, so its split
// range is the greatest over the closed box and all finer lods: its own range, which no vertex on its border exceeds,
// and its children's split ranges.
#include <algorithm>

#include "arete/core.h"
#include "kernel/sample.h"

namespace arete {

Bounds::Bounds(const Lattice& lattice) : lattice_(lattice), lods_(std::size_t(lattice.lods())) {
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    Lod& level = lods_[std::size_t(lod)];
    level.nodes_x = lattice.nodes_x(lod, kBoundsQuads);
    level.nodes.resize(std::size_t(level.nodes_x) * std::size_t(lattice.nodes_z(lod, kBoundsQuads)));
  }
}

std::uint16_t Bounds::lod_error(int lod, HeightPlane plane) const {
  const Lod& level = lods_[std::size_t(lod)];
  return plane == HeightPlane::max ? level.error_max : level.error;
}

int Bounds::kappa_over(int lod, std::int32_t first_x, std::int32_t last_x, std::int32_t first_z,
                       std::int32_t last_z) const noexcept {
  const std::size_t owner_lod = std::size_t(lod) + 1;
  if (is_uniform_ || owner_lod >= lods_.size()) {
    return 0;
  }
  const int shift = int(owner_lod) + std::countr_zero(unsigned(kBoundsQuads));
  const std::int32_t nodes_x = lods_[owner_lod].nodes_x;
  const std::int32_t nodes_z = std::int32_t(lods_[owner_lod].nodes.size()) / nodes_x;
  const std::int32_t end_x = kernel::last_range_node(last_x, shift, nodes_x);
  const std::int32_t end_z = kernel::last_range_node(last_z, shift, nodes_z);
  int kappa = 0;
  for (std::int32_t z = kernel::first_range_node(first_z, shift, nodes_z); z <= end_z; ++z) {
    for (std::int32_t x = kernel::first_range_node(first_x, shift, nodes_x); x <= end_x; ++x) {
      kappa = std::max(kappa, int(at(int(owner_lod), x, z).kappa));
    }
  }
  return kappa;
}

void Bounds::finish() {
  is_uniform_ = true;
  for (std::size_t lod = 1; lod < lods_.size(); ++lod) {
    Lod& level = lods_[lod];
    level.error = 0;
    level.error_max = 0;
    const std::int32_t nodes_z = std::int32_t(level.nodes.size()) / level.nodes_x;
    for (std::int32_t z = 0; z < nodes_z; ++z) {
      for (std::int32_t x = 0; x < level.nodes_x; ++x) {
        NodeBounds& node = at(int(lod), x, z);
        ARETE_ASSERT(node.kappa <= kernel::kKappaLimit);
        is_uniform_ = is_uniform_ && node.kappa == 0;
        level.error = std::max(level.error, node.error);
        level.error_max = std::max(level.error_max, node.error_max);
        int split = node.kappa;
        if (lod > 1) {
          const Lod& finer = lods_[lod - 1];
          const std::int32_t finer_z = std::int32_t(finer.nodes.size()) / finer.nodes_x;
          for (std::int32_t cz = 2 * z; cz <= std::min(2 * z + 1, finer_z - 1); ++cz) {
            for (std::int32_t cx = 2 * x; cx <= std::min(2 * x + 1, finer.nodes_x - 1); ++cx) {
              // A child's range 2^(lod-2-s/2) R_0 is 2^(lod-1-(s+2)/2) R_0 here.
              split = std::min(split, int(at(int(lod) - 1, cx, cz).split) + 2);
            }
          }
        }
        node.split = static_cast<std::uint8_t>(split);
      }
    }
  }
}

}  // namespace arete
