// Heights of nodes: lod-1 nodes from the samples of lod-0 pages, coarser ones as unions of their children, so boxes
// nest.
//
// `top` looks at every place that the cascade can take a node's vertices to: its own max samples, and at each coarser
// lod the samples that lod_index takes them to. Nests because each max sample is
// kept by a coarser one of the same closed node (tests: property/bounds_test).
#include "tiles/node_bounds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "tiles/plane_kernels.h"

namespace arete::tiles {
namespace {

// The first and last index, from the corner of page `page` of `coarser`, on which a vertex of closed node `node` of
// `lod` stands there: lod_index of its fine indices, which keeps the last stop on the lattice of every lod.
std::pair<int, int> vertex_span(std::int32_t node, int lod, int coarser, std::uint32_t page, std::int32_t last_stop) {
  const std::int64_t begin = std::int64_t(node) * kBoundsQuads << lod;
  const std::int64_t end = std::int64_t(node + 1) * kBoundsQuads << lod;
  const auto index = [&](std::int64_t fine) {
    const auto clamped = std::int32_t(std::min<std::int64_t>(fine, last_stop));
    return int((kernel::lod_index(clamped, coarser, last_stop) >> coarser) - std::int64_t(page) * kPageCells);
  };
  return {index(begin), index(end)};
}

// Raises the tops of the up to 16 nodes of page `key`, which lies in `page` or is it.
void add_tops_of(Bounds& bounds, PageKey key, const Page& page) {
  const Lattice& lattice = bounds.lattice();
  const std::int32_t end_x = std::min(std::int32_t(key.x + 1) * kBoundsPerPage, lattice.nodes_x(key.lod, kBoundsQuads));
  const std::int32_t end_z = std::min(std::int32_t(key.z + 1) * kBoundsPerPage, lattice.nodes_z(key.lod, kBoundsQuads));
  for (std::int32_t z = std::int32_t(key.z) * kBoundsPerPage; z < end_z; ++z) {
    const auto [first_z, last_z] = vertex_span(z, key.lod, page.key.lod, page.key.z, lattice.last_stop_z());
    for (std::int32_t x = std::int32_t(key.x) * kBoundsPerPage; x < end_x; ++x) {
      const auto [first_x, last_x] = vertex_span(x, key.lod, page.key.lod, page.key.x, lattice.last_stop_x());
      std::uint16_t& top = bounds.at(key.lod, x, z).top;
      for (int k = first_z; k <= last_z; ++k) {
        const std::uint16_t* row = page.max.data() + Page::index(0, k);
        top = std::max(top, *std::max_element(row + first_x, row + last_x + 1));
      }
    }
  }
}

std::uint16_t least_valid(std::uint16_t a, std::uint16_t b) { return a == 0 ? b : b == 0 ? a : std::min(a, b); }

}  // namespace

bool page_has_data(const Bounds& bounds, PageKey key) noexcept {
  const Lattice& lattice = bounds.lattice();
  if (lattice.lods() == 1) {
    return bounds.field_max != 0;
  }
  const int lod = std::max<int>(key.lod, 1);
  const std::int32_t side = key.lod == 0 ? kBoundsPerPage / 2 : kBoundsPerPage;
  const std::int32_t end_x = std::min((std::int32_t(key.x) + 1) * side, lattice.nodes_x(lod, kBoundsQuads));
  const std::int32_t end_z = std::min((std::int32_t(key.z) + 1) * side, lattice.nodes_z(lod, kBoundsQuads));
  for (std::int32_t z = std::int32_t(key.z) * side; z < end_z; ++z) {
    for (std::int32_t x = std::int32_t(key.x) * side; x < end_x; ++x) {
      if (bounds.at(lod, x, z).max != 0) {
        return true;
      }
    }
  }
  return false;
}

HeightCollector::HeightCollector(Bounds& bounds) : bounds_(bounds), has_hole_(std::size_t(bounds.lattice().lods())) {
  const Lattice& lattice = bounds.lattice();
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    has_hole_[std::size_t(lod)].resize(std::size_t(lattice.nodes_x(lod, kBoundsQuads)) *
                                       std::size_t(lattice.nodes_z(lod, kBoundsQuads)));
  }
}

std::size_t HeightCollector::index(int lod, std::int32_t x, std::int32_t z) const {
  return std::size_t(z) * std::size_t(bounds_.lattice().nodes_x(lod, kBoundsQuads)) + std::size_t(x);
}

bool HeightCollector::has_hole(PageKey key) const {
  const Lattice& lattice = bounds_.lattice();
  const std::int32_t x = std::int32_t(key.x) * 2, z = std::int32_t(key.z) * 2;
  for (std::int32_t k = z; k < std::min(z + 2, lattice.nodes_z(1, kBoundsQuads)); ++k) {
    for (std::int32_t i = x; i < std::min(x + 2, lattice.nodes_x(1, kBoundsQuads)); ++i) {
      if (has_hole(1, i, k)) {
        return true;
      }
    }
  }
  return false;
}

void HeightCollector::add(const Page& page) {
  const Lattice& lattice = bounds_.lattice();
  constexpr int kSide = 2 * kBoundsQuads;  // cells of a lod-1 node
  const std::int32_t cells_x = std::min(kPageCells, lattice.last_stop_x() - std::int32_t(page.key.x) * kPageCells);
  const std::int32_t cells_z = std::min(kPageCells, lattice.last_stop_z() - std::int32_t(page.key.z) * kPageCells);
  for (int k = 0; k == 0 || k * kSide < cells_z; ++k) {
    for (int i = 0; i == 0 || i * kSide < cells_x; ++i) {
      const int width = std::min(kSide, cells_x - i * kSide) + 1;
      const int height = std::min(kSide, cells_z - k * kSide) + 1;
      const Extent extent =
          extent_of(page.subsample.data() + Page::index(i * kSide, k * kSide), kPageStride, width, height);
      if (lattice.lods() == 1) {
        // No node holds them: a field of one page, whose parts pass by in turn.
        bounds_.field_min = least_valid(bounds_.field_min, extent.min);
        bounds_.field_max = std::max(bounds_.field_max, extent.max);
        continue;
      }
      const std::int32_t x = std::int32_t(page.key.x) * 2 + i;
      const std::int32_t z = std::int32_t(page.key.z) * 2 + k;
      NodeBounds& node = bounds_.at(1, x, z);
      node.min = extent.min;
      node.max = extent.max;
      has_hole_[1][index(1, x, z)] = extent.has_hole;
    }
  }
}

void HeightCollector::unite(PageKey key) {
  const Lattice& lattice = bounds_.lattice();
  const int below = key.lod - 1;
  constexpr int kChildren = 2 * kBoundsPerPage;
  const std::int32_t end_x = std::min(std::int32_t(key.x + 1) * kChildren, lattice.nodes_x(below, kBoundsQuads));
  const std::int32_t end_z = std::min(std::int32_t(key.z + 1) * kChildren, lattice.nodes_z(below, kBoundsQuads));
  for (std::int32_t z = std::int32_t(key.z) * kChildren; z < end_z; ++z) {
    for (std::int32_t x = std::int32_t(key.x) * kChildren; x < end_x; ++x) {
      const NodeBounds& child = bounds_.at(below, x, z);
      NodeBounds& node = bounds_.at(key.lod, x / 2, z / 2);
      node.min = least_valid(node.min, child.min);
      node.max = std::max(node.max, child.max);
      has_hole_[key.lod][index(key.lod, x / 2, z / 2)] |= has_hole_[std::size_t(below)][index(below, x, z)];
    }
  }
}

// For the machine that wrote them alone.
std::vector<std::uint8_t> HeightCollector::save_row(int lod, std::int32_t z) const {
  const Lattice& lattice = bounds_.lattice();
  const std::int32_t nodes_x = lattice.nodes_x(lod, kBoundsQuads);
  const std::int32_t end = std::min((z + 1) * kBoundsPerPage, lattice.nodes_z(lod, kBoundsQuads));
  std::vector<std::uint8_t> bytes;
  for (std::int32_t k = z * kBoundsPerPage; k < end; ++k) {
    for (std::int32_t i = 0; i < nodes_x; ++i) {
      std::array<std::uint8_t, sizeof(NodeBounds)> node;
      std::memcpy(node.data(), &bounds_.at(lod, i, k), node.size());
      bytes.insert(bytes.end(), node.begin(), node.end());
      bytes.push_back(has_hole_[std::size_t(lod)][index(lod, i, k)]);
    }
  }
  return bytes;
}

Result<void> HeightCollector::load_row(int lod, std::int32_t z, std::span<const std::uint8_t> bytes) {
  const Lattice& lattice = bounds_.lattice();
  const std::int32_t nodes_x = lattice.nodes_x(lod, kBoundsQuads);
  const std::int32_t end = std::min((z + 1) * kBoundsPerPage, lattice.nodes_z(lod, kBoundsQuads));
  const std::size_t nodes = std::size_t(nodes_x) * std::size_t(end - z * kBoundsPerPage);
  if (bytes.size() != nodes * (sizeof(NodeBounds) + 1)) {
    return data_error(fmt::format("row {} of lod {}: {} nodes expected, {} bytes found", z, lod, nodes, bytes.size()));
  }
  const std::uint8_t* at = bytes.data();
  for (std::int32_t k = z * kBoundsPerPage; k < end; ++k) {
    for (std::int32_t i = 0; i < nodes_x; ++i, at += sizeof(NodeBounds) + 1) {
      std::memcpy(&bounds_.at(lod, i, k), at, sizeof(NodeBounds));
      has_hole_[std::size_t(lod)][index(lod, i, k)] = at[sizeof(NodeBounds)];
    }
  }
  return {};
}

void HeightCollector::finish() {
  const Lattice& lattice = bounds_.lattice();
  const int root = lattice.lods() - 1;
  for (std::int32_t z = 0; root > 0 && z < lattice.nodes_z(root, kBoundsQuads); ++z) {
    for (std::int32_t x = 0; x < lattice.nodes_x(root, kBoundsQuads); ++x) {
      bounds_.field_min = least_valid(bounds_.field_min, bounds_.at(root, x, z).min);
      bounds_.field_max = std::max(bounds_.field_max, bounds_.at(root, x, z).max);
    }
  }
  for (int lod = 1; lod <= root; ++lod) {
    for (std::int32_t z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (std::int32_t x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x) {
        NodeBounds& node = bounds_.at(lod, x, z);
        if (has_hole(lod, x, z) && node.max != 0) {
          node.min = bounds_.field_min;
        }
      }
    }
  }
}

void add_tops(Bounds& bounds, const Page& page) {
  const Lattice& lattice = bounds.lattice();
  for (int lod = page.key.lod; lod >= 1; --lod) {
    const int below = page.key.lod - lod;
    const auto end_x = std::min(std::int32_t(page.key.x + 1) << below, lattice.pages_x(lod));
    const auto end_z = std::min(std::int32_t(page.key.z + 1) << below, lattice.pages_z(lod));
    for (std::int32_t z = std::int32_t(page.key.z) << below; z < end_z; ++z) {
      for (std::int32_t x = std::int32_t(page.key.x) << below; x < end_x; ++x) {
        const PageKey key{std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)};
        if (page_has_data(bounds, key)) {
          add_tops_of(bounds, key, page);
        }
      }
    }
  }
}

}  // namespace arete::tiles
