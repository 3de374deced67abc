// The settled tree of a piece becomes numbered vertices and triangles.
#include <algorithm>

#include "adaptive/piece.h"

namespace arete::adaptive {

void PieceMesher::emit(Quad quad) {
  if (tree_.is_split(quad)) {
    for (int part = 0; part < 4; ++part) {
      const Quad child{quad.lod - 1, 2 * quad.x + (part & 1), 2 * quad.z + (part >> 1)};
      if (tree_.contains(child)) {
        emit(child);
      }
    }
    return;
  }
  if (holes(quad) == kAllHoles) {
    return;
  }
  bool is_ordinary = true;
  for (int side = 0; side < 4; ++side) {
    if (!is_in_strip(quad, side)) {
      continue;
    }
    is_ordinary = false;
    const std::int32_t from = reach(quad, side)[0];
    if (borders_[std::size_t(side)].is_vertex(from)) {
      const std::int32_t to = borders_[std::size_t(side)].end[std::size_t(from)];
      meter_.set_limit(kAnyError);
      const bool is_fit = fit_strip(meter_, strip(side, from, to, quad.lod), strip_fit_);
      ARETE_ASSERT(is_fit);
      result_->error = std::max(result_->error, strip_fit_.error);
      for (const PlaceTriangle& triangle : strip_fit_.triangles) {
        emit_triangle(triangle);
      }
    }
  }
  if (!is_ordinary) {
    return;
  }
  if (quad.lod == 0) {
    const std::int32_t x = quad.x, z = quad.z;
    const bool is_valid_10 = *block_->at(x + 1, z) != kHole, is_valid_01 = *block_->at(x, z + 1) != kHole;
    if (is_valid_10 && is_valid_01) {
      if (*block_->at(x, z) != kHole) {
        emit_triangle({Place{x, z}, Place{x, z + 1}, Place{x + 1, z}});
      }
      if (*block_->at(x + 1, z + 1) != kHole) {
        emit_triangle({Place{x + 1, z}, Place{x, z + 1}, Place{x + 1, z + 1}});
      }
    }
    return;
  }
  set_limit(box(quad));
  const bool is_fit = fit_leaf(meter_, ring(quad), leaf_fit_);
  ARETE_ASSERT(is_fit);
  result_->error = std::max(result_->error, leaf_fit_.error);
  for (int i = 0; i < leaf_fit_.size; ++i) {
    emit_triangle(leaf_fit_.triangles[std::size_t(i)]);
  }
}

void PieceMesher::emit_triangle(PlaceTriangle places) {
  auto& [a, b, c] = places;
  if (std::int64_t(b.z - a.z) * (c.x - a.x) < std::int64_t(b.x - a.x) * (c.z - a.z)) {
    std::swap(b, c);
  }
  result_->triangles.push_back({vertex(a), vertex(b), vertex(c)});
}

std::uint32_t PieceMesher::vertex(Place place) {
  std::uint32_t& number = vertex_[std::size_t(place.z) * std::size_t(cells_ + 1) + std::size_t(place.x)];
  if (number == 0) {
    result_->vertices.push_back(place);
    number = std::uint32_t(result_->vertices.size());
  }
  return number - 1;
}

}  // namespace arete::adaptive
