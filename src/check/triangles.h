// An index buffer and which half-edge lies across each of its edges.
//
// Two drawn triangles that share an edge by index share it by position too, whatever the vertices are, so only edges
// without a drawn triangle across need to be looked up by position.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace arete::check {

struct Triangles {
  std::vector<std::uint32_t> indices;  // three a triangle
  std::vector<std::int32_t> across;  // of half-edge h (from indices[h] to the next corner): the reverse half-edge or -1

  Triangles() = default;
  explicit Triangles(std::vector<std::uint32_t> triangle_indices) : indices(std::move(triangle_indices)) {
    std::vector<std::pair<std::uint64_t, std::int32_t>> edges;  // from << 32 | to
    for (std::size_t h = 0; h < indices.size(); ++h) {
      edges.emplace_back(std::uint64_t(indices[h]) << 32 | indices[next(h)], static_cast<std::int32_t>(h));
    }
    std::sort(edges.begin(), edges.end());
    const auto only = [&](std::uint64_t edge) -> std::int32_t {
      const auto at = std::lower_bound(edges.begin(), edges.end(), std::pair(edge, std::int32_t(-1)));
      const bool is_one = at != edges.end() && at->first == edge && (at + 1 == edges.end() || (at + 1)->first != edge);
      return is_one ? at->second : -1;
    };
    across.resize(indices.size(), -1);
    for (const auto& [edge, h] : edges) {
      // Edges used twice in one direction have no single reverse: they are looked up by position.
      across[std::size_t(h)] = only(edge) == h ? only(edge << 32 | edge >> 32) : -1;
    }
  }

  std::size_t count() const { return indices.size() / 3; }
  // The half-edge after `h` in its triangle.
  static std::size_t next(std::size_t h) { return h % 3 == 2 ? h - 2 : h + 1; }
};

}  // namespace arete::check
