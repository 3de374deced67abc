// Streams of vertices and triangles in meshoptimizer's coding, as EXT_meshopt_compression wants them. Nothing is
// rounded: what a reader decodes are the same bytes, of triangles up to which corner comes first.
//
// Coding: Kapoulkine, meshoptimizer (vertex codec version 0, index codec version 1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace arete {

// Orders triangles so that they reuse vertices soon, and numbers vertices by first use, which makes both code well.
// `corners` (3 a triangle, below `vertices`) is rewritten; returns the former number of each vertex.
std::vector<std::uint32_t> reorder_mesh(std::vector<std::uint32_t>& corners, std::size_t vertices);

// `stride` is a multiple of 4 up to 256 and divides the bytes of `raw`.
std::vector<unsigned char> pack_vertices(const std::vector<unsigned char>& raw, std::size_t stride);
// Three corners a triangle, below `vertices`.
std::vector<unsigned char> pack_triangles(const std::vector<std::uint32_t>& corners, std::size_t vertices);

}  // namespace arete
