#include "adaptive/weld.h"

#include <algorithm>

#include "kernel/height.h"

namespace arete::adaptive {

Weld::Weld(const Lattice& lattice, std::int32_t cells, std::int64_t pieces)
    : lattice_(lattice), cells_(cells), pieces_(pieces) {
  columns_.assign(std::size_t(lattice.stops_x / cells) + 1, std::vector<std::uint32_t>(std::size_t(lattice.stops_z)));
  rows_.assign(std::size_t(lattice.stops_z / cells) + 1, std::vector<std::uint32_t>(std::size_t(lattice.stops_x)));
}

std::uint32_t* Weld::shared(std::int32_t x, std::int32_t z) {
  if (x % cells_ == 0) {
    return &columns_[std::size_t(x / cells_)][std::size_t(z)];
  }
  return z % cells_ == 0 ? &rows_[std::size_t(z / cells_)][std::size_t(x)] : nullptr;
}

void Weld::add(const PieceMesh& piece, const SampleBlock& block, std::int32_t x0, std::int32_t z0) {
  ++added_;
  const auto make_room = [&](auto& list, std::size_t more) {
    const std::size_t needed = list.size() + more;
    if (needed > list.capacity()) {
      // As many as all pieces will need when they are like those so far.
      list.reserve(std::max(needed, std::size_t(double(needed) * 1.06 * double(pieces_) / double(added_))));
    }
  };
  make_room(mesh_.vertices, piece.vertices.size());
  make_room(mesh_.triangles, piece.triangles.size());
  renumbered_.resize(piece.vertices.size());
  for (std::size_t i = 0; i < piece.vertices.size(); ++i) {
    const Place place = piece.vertices[i];
    const std::int32_t x = x0 + place.x, z = z0 + place.z;
    std::uint32_t* number = shared(x, z);
    if (number != nullptr && *number != 0) {
      renumbered_[i] = *number - 1;
      continue;
    }
    renumbered_[i] = std::uint32_t(mesh_.vertices.size());
    const float y_m = kernel::height_m(*block.at(place.x, place.z), float(lattice_.base_m), float(lattice_.step_m));
    mesh_.vertices.push_back({x, z, y_m});
    if (number != nullptr) {
      *number = renumbered_[i] + 1;
    }
  }
  for (const MeshTriangle& triangle : piece.triangles) {
    mesh_.triangles.push_back({renumbered_[triangle[0]], renumbered_[triangle[1]], renumbered_[triangle[2]]});
  }
}

}  // namespace arete::adaptive
