// Pieces become one mesh: vertices on the lines between pieces stand once.
#pragma once

#include "adaptive/piece.h"
#include "arete/adaptive.h"

namespace arete::adaptive {

class Weld {
 public:
  Weld(const Lattice& lattice, std::int32_t cells, std::int64_t pieces);
  // Appends the piece whose corner is stop (x0, z0). Pieces in one order give one numbering of vertices.
  void add(const PieceMesh& piece, const SampleBlock& block, std::int32_t x0, std::int32_t z0);
  LatticeMesh take() { return std::move(mesh_); }

 private:
  std::uint32_t* shared(std::int32_t x, std::int32_t z);

  Lattice lattice_;
  std::int32_t cells_;
  std::int64_t pieces_, added_ = 0;
  LatticeMesh mesh_;
  std::vector<std::uint32_t> renumbered_;
  // Numbers + 1 of the vertices on the lines x = i cells, by z, and z = i cells, by x.
  std::vector<std::vector<std::uint32_t>> columns_, rows_;
};

}  // namespace arete::adaptive
