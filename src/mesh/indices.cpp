// Index buffers of a node: the split contract over its cells, plain or sewn to coarser neighbours.
//
// Sewing snaps an odd vertex of a stitched edge onto the even one before it and leaves out the triangles that then
// repeat a vertex; the vertex function puts the odd one there as well, so both buffers draw one surface (tests:
// property/sew_test).
#include <algorithm>

#include "arete/mesh.h"

namespace arete {

NodeCells node_cells(const Lattice& lattice, const Node& node, int quads) {
  const auto cells = [&](std::int32_t of_lod, std::uint32_t index) {
    return static_cast<int>(std::clamp<std::int64_t>(of_lod - std::int64_t(index) * quads, 0, quads));
  };
  return {cells(lattice.cells_x(node.lod), node.x), cells(lattice.cells_z(node.lod), node.z)};
}

std::vector<std::uint32_t> sew_indices(int quads, int coarse_mask, NodeCells cells) {
  ARETE_ASSERT(quads >= 2 && quads % 2 == 0 && cells.x <= quads && cells.z <= quads);
  std::vector<std::uint32_t> indices;
  indices.reserve(std::size_t(6) * std::size_t(std::max(cells.x, 0)) * std::size_t(std::max(cells.z, 0)));
  const auto vertex = [&](int i, int k) {
    const bool along_x =
        (k == 0 && (coarse_mask & kernel::kEdgeMinusZ) != 0) || (k == quads && (coarse_mask & kernel::kEdgePlusZ) != 0);
    const bool along_z =
        (i == 0 && (coarse_mask & kernel::kEdgeMinusX) != 0) || (i == quads && (coarse_mask & kernel::kEdgePlusX) != 0);
    const int snapped_i = along_x && i != cells.x ? i & ~1 : i;
    const int snapped_k = along_z && k != cells.z ? k & ~1 : k;
    return std::uint32_t(snapped_k * (quads + 1) + snapped_i);
  };
  const auto triangle = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    if (a != b && b != c && c != a) {
      indices.insert(indices.end(), {a, b, c});
    }
  };
  for (int k = 0; k < cells.z; ++k) {
    for (int i = 0; i < cells.x; ++i) {
      const std::uint32_t v10 = vertex(i + 1, k);
      const std::uint32_t v01 = vertex(i, k + 1);
      triangle(vertex(i, k), v01, v10);
      triangle(v10, v01, vertex(i + 1, k + 1));
    }
  }
  return indices;
}

std::vector<std::uint32_t> sew_indices(int quads, int coarse_mask) {
  return sew_indices(quads, coarse_mask, {quads, quads});
}

std::vector<std::uint32_t> node_indices(int quads) { return sew_indices(quads, 0); }

}  // namespace arete
