#include "export/mesh_pack.h"

#include <meshoptimizer.h>

#include "arete/core.h"

namespace arete {

std::vector<std::uint32_t> reorder_mesh(std::vector<std::uint32_t>& corners, std::size_t vertices) {
  std::vector<std::uint32_t> ordered(corners.size());
  meshopt_optimizeVertexCacheStrip(ordered.data(), corners.data(), corners.size(), vertices);
  constexpr std::uint32_t kUnseen = ~std::uint32_t(0);
  std::vector<std::uint32_t> number(vertices, kUnseen), former;
  former.reserve(vertices);
  const auto see = [&](std::uint32_t vertex) {
    if (number[vertex] == kUnseen) {
      number[vertex] = std::uint32_t(former.size());
      former.push_back(vertex);
    }
  };
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    see(ordered[i]);
    corners[i] = number[ordered[i]];
  }
  for (std::size_t i = 0; i < vertices; ++i) {
    see(std::uint32_t(i));
  }
  return former;
}

std::vector<unsigned char> pack_vertices(const std::vector<unsigned char>& raw, std::size_t stride) {
  ARETE_ASSERT(stride % 4 == 0 && stride > 0 && stride <= 256 && raw.size() % stride == 0);
  const std::size_t count = raw.size() / stride;
  std::vector<unsigned char> packed(meshopt_encodeVertexBufferBound(count, stride));
  meshopt_encodeVertexVersion(0);
  packed.resize(meshopt_encodeVertexBuffer(packed.data(), packed.size(), raw.data(), count, stride));
  packed.shrink_to_fit();
  return packed;
}

std::vector<unsigned char> pack_triangles(const std::vector<std::uint32_t>& corners, std::size_t vertices) {
  std::vector<unsigned char> packed(meshopt_encodeIndexBufferBound(corners.size(), vertices));
  meshopt_encodeIndexVersion(1);
  packed.resize(meshopt_encodeIndexBuffer(packed.data(), packed.size(), corners.data(), corners.size()));
  packed.shrink_to_fit();
  return packed;
}

}  // namespace arete
