// Node bounds as rows of the store: 4 x 4 nodes of a page, row-major, 12 bytes each.
#include <fmt/format.h>

#include <algorithm>

#include "tiles/page_record.h"
#include "tiles/store_metadata.h"

namespace arete::tiles {
namespace {

// Calls visit(byte offset, x, z) for each of the page's 16 nodes; x and z are in nodes of the page's lod.
template <class Visit>
void each_node(PageKey key, Visit&& visit) {
  for (std::int32_t k = 0; k < kBoundsPerPage; ++k) {
    for (std::int32_t i = 0; i < kBoundsPerPage; ++i) {
      visit(std::size_t(k * kBoundsPerPage + i) * kNodeBytes, std::int32_t(key.x) * kBoundsPerPage + i,
            std::int32_t(key.z) * kBoundsPerPage + k);
    }
  }
}

bool is_node(const Lattice& lattice, int lod, std::int32_t x, std::int32_t z) {
  return x < lattice.nodes_x(lod, kBoundsQuads) && z < lattice.nodes_z(lod, kBoundsQuads);
}

}  // namespace

std::array<std::uint8_t, kNodesBytes> nodes_to_bytes(const Bounds& bounds, PageKey key) {
  std::array<std::uint8_t, kNodesBytes> bytes{};
  each_node(key, [&](std::size_t at, std::int32_t x, std::int32_t z) {
    if (!is_node(bounds.lattice(), key.lod, x, z)) {
      return;
    }
    const NodeBounds& node = bounds.at(key.lod, x, z);
    for (const std::uint16_t value : {node.min, node.max, node.top, node.error, node.error_max}) {
      bytes[at++] = std::uint8_t(value);
      bytes[at++] = std::uint8_t(value >> 8);
    }
    bytes[at++] = node.kappa;
    bytes[at] = node.split;
  });
  return bytes;
}

Result<void> nodes_from_bytes(std::span<const std::uint8_t> bytes, PageKey key, Bounds& bounds) {
  if (bytes.size() != kNodesBytes) {
    return data_error(
        fmt::format("bounds of {} are damaged: {} bytes expected, {} found", describe(key), kNodesBytes, bytes.size()));
  }
  bool is_sound = true;
  each_node(key, [&](std::size_t at, std::int32_t x, std::int32_t z) {
    const auto node_bytes = bytes.subspan(at, kNodeBytes);
    if (!is_node(bounds.lattice(), key.lod, x, z)) {
      is_sound = is_sound && std::all_of(node_bytes.begin(), node_bytes.end(), [](std::uint8_t b) { return b == 0; });
      return;
    }
    const auto word = [&](std::size_t i) { return std::uint16_t(node_bytes[i] | node_bytes[i + 1] << 8); };
    bounds.at(key.lod, x, z) = {word(0), word(2), word(4), word(6), word(8), node_bytes[10], node_bytes[11]};
    is_sound = is_sound && node_bytes[10] <= kernel::kKappaLimit;
  });
  if (!is_sound) {
    return data_error(
        fmt::format("bounds of {} are damaged: a kappa of at most {}, and zeros outside the field, expected",
                    describe(key), kernel::kKappaLimit));
  }
  return {};
}

Result<std::string> hash_bounds(const Database& database) {
  auto select = database.prepare("SELECT key, nodes FROM bounds ORDER BY key");
  if (!select) {
    return Unexpected{select.error()};
  }
  RunningHash hash;
  while (true) {
    auto row = select->step();
    if (!row) {
      return Unexpected{row.error()};
    }
    if (!*row) {
      return hash.hex();
    }
    hash.add(std::uint64_t(select->integer(0)));
    hash.add(select->blob(1));
  }
}

}  // namespace arete::tiles
