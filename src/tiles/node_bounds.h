// Heights of nodes, gathered while pages are built: least and greatest of lod 0, holes, and the tops of the max planes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arete/core.h"

namespace arete::tiles {

// True when a page holds a sample that is no hole, by the bounds of its nodes; such pages are stored, the others are
// not. A field of one page has no nodes: field_max decides.
bool page_has_data(const Bounds& bounds, PageKey key) noexcept;

// Collects the least and greatest steps and the holes of every node, from the finest pages upwards. Different pages may
// be taken by different threads at once.
class HeightCollector {
 public:
  explicit HeightCollector(Bounds& bounds);
  // Takes the up to four lod-1 nodes of a lod-0 page.
  void add(const Page& page);
  // Unites the nodes of a page of lod >= 2 from those of its children, which must be whole.
  void unite(PageKey key);
  // The nodes of a row of pages of lod >= 1 as bytes, and back. Refused (data) when they are not that many.
  std::vector<std::uint8_t> save_row(int lod, std::int32_t z) const;
  Result<void> load_row(int lod, std::int32_t z, std::span<const std::uint8_t> bytes);
  // Whether a sample of a lod-0 page that was added is a hole; the field has several lods.
  bool has_hole(PageKey key) const;
  // Whether a sample of lod 0 in node (x, z) of a lod >= 1, which was united, is a hole.
  bool has_hole(int lod, std::int32_t x, std::int32_t z) const {
    return has_hole_[std::size_t(lod)][index(lod, x, z)] != 0;
  }
  // Settles the field's limits and gives nodes with holes the field's least; call once, after the root.
  void finish();

 private:
  std::size_t index(int lod, std::int32_t x, std::int32_t z) const;

  Bounds& bounds_;
  std::vector<std::vector<std::uint8_t>> has_hole_;  // by lod, row-major like the bounds
};

// Raises `top` of all nodes that lie in a page of lod >= 1, at its lod and at finer ones, by the page's max plane.
// After all pages that hold a node, its top is whole. Nodes of pages of holes alone are left.
void add_tops(Bounds& bounds, const Page& page);

}  // namespace arete::tiles
