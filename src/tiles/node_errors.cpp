// The exact vertical distance between the surface that a node draws at rest and the lod-0 surface, both triangulated by
// the split contract, wherever both stand.
//
// Branch and bound: a cell is looked at only while its bound is above the greatest error that was found, the most
// promising one first. What is found bounds the cell from then on, so the cells of coarser lods have closer bounds.
#include "tiles/node_errors.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "tiles/page_error.h"
#include "tiles/plane_kernels.h"

namespace arete::tiles {
namespace {

constexpr int kNodeLod = 6;  // a cell of this lod is as large as a node of lod 1, whose heights are known

// The greatest errors of one node, as far as its cells have been looked at.
class NodeSearch {
 public:
  NodeSearch(const Bounds& bounds, const HeightCollector& heights, const Page& page, PageCells& cells, int i, int k,
             const PageStorage& pages)
      : bounds_(bounds),
        heights_(heights),
        lattice_(bounds.lattice()),
        page_(page),
        cells_(cells),
        pages_(pages),
        lod_(page.key.lod),
        part_{i * kBoundsQuads, k * kBoundsQuads, std::min((i + 1) * kBoundsQuads, lattice_.cells_x(lod_) - first_x()),
              std::min((k + 1) * kBoundsQuads, lattice_.cells_z(lod_) - first_z())} {}

  Result<void> run() {
    auto done = measure_exceptions();
    for (std::size_t plane = 0; plane < 2 && done; ++plane) {
      done = measure_plain(plane);
    }
    return done;
  }

  std::uint16_t worst(HeightPlane plane) const { return worst_[std::size_t(plane)]; }

 private:
  // Cells of the page: columns i0 to i1, rows k0 to k1, the ends left out.
  struct CellRect {
    int i0, k0, i1, k1;
  };
  std::int32_t first_x() const { return std::int32_t(page_.key.x) * kPageCells; }
  std::int32_t first_z() const { return std::int32_t(page_.key.z) * kPageCells; }

  std::uint16_t& bound(std::size_t plane, int i, int k) {
    return cells_.planes[plane][std::size_t(k) * kPageCells + std::size_t(i)];
  }
  std::uint16_t bound(std::size_t plane, int i, int k) const {
    return cells_.planes[plane][std::size_t(k) * kPageCells + std::size_t(i)];
  }
  // A cell with a bound is whole and has no holes.
  bool is_plain(std::size_t plane, int i, int k) const {
    return lod_ <= kNarrowLod && bound(plane, i, k) != kUnbounded;
  }
  bool may_be_worse(std::size_t plane, int i, int k) const { return bound(plane, i, k) > worst_[plane]; }
  bool is_exception(std::size_t plane, int i, int k) const {
    return !is_plain(plane, i, k) && may_be_worse(plane, i, k);
  }

  // Measures plain cells, the most promising first, until none may be worse.
  Result<void> measure_plain(std::size_t plane) {
    if (lod_ > kNarrowLod) {
      return {};
    }
    std::array<std::uint16_t, kBoundsQuads> greatest;  // bound of a plain cell in each column
    greatest_bounds(&bound(plane, part_.i0, part_.k0), kPageCells, greatest.data());
    while (true) {
      const auto best = std::max_element(greatest.begin(), greatest.end());
      if (*best <= worst_[plane]) {
        return {};
      }
      if (lod_ == 1) {  // exact
        worst_[plane] = *best;
        return {};
      }
      const int i = part_.i0 + int(best - greatest.begin());
      int k = part_.k0;
      while (bound(plane, i, k) != *best) {
        ++k;
      }
      if (auto done = measure_cell(i, k); !done) {
        return done;
      }
      *best = 0;
      for (k = part_.k0; k < part_.k1; ++k) {
        *best = is_plain(plane, i, k) ? std::max(*best, bound(plane, i, k)) : *best;
      }
    }
  }

  // Measures a plain cell in the planes where it may be worse, page by page; what is found bounds it from now on.
  Result<void> measure_cell(int i, int k) {
    std::array<bool, 2> is_open{}, is_needed{};
    std::array<std::uint16_t, 2> found{};
    for (std::size_t plane = 0; plane < 2; ++plane) {
      is_open[plane] = is_plain(plane, i, k) && may_be_worse(plane, i, k);
    }
    const auto needs = [&](PageKey fine) {
      for (std::size_t plane = 0; plane < 2; ++plane) {
        const std::uint16_t most = !is_open[plane] ? 0 : lod_ < kNodeLod ? kUnbounded : page_bound(fine, plane, i, k);
        is_needed[plane] = most > worst_[plane];
        found[plane] = is_needed[plane] ? found[plane] : std::max(found[plane], most);
      }
      return is_needed[0] || is_needed[1];
    };
    auto done = each_page({i, k, i + 1, k + 1}, needs, [&](const Page& fine) {
      for (std::size_t plane = 0; plane < 2; ++plane) {
        if (is_needed[plane]) {
          found[plane] = std::max(found[plane], plain_error(fine, plane, i, k));
          worst_[plane] = std::max(worst_[plane], found[plane]);
        }
      }
    });
    for (std::size_t plane = 0; plane < 2; ++plane) {
      bound(plane, i, k) = is_open[plane] ? found[plane] : bound(plane, i, k);
    }
    return done;
  }

  // The most that the error of a plain cell of lod >= 6 can be over a lod-0 page, by the heights of the nodes of 64
  // stops that both hold: over each the cell's surface is least and greatest at a corner.
  std::uint16_t page_bound(PageKey fine, std::size_t plane, int i, int k) const {
    constexpr std::int64_t kStops = std::int64_t(1) << kNodeLod;
    const std::int64_t side = std::int64_t(1) << lod_;
    const std::int64_t west = (std::int64_t(first_x()) + i) * side, north = (std::int64_t(first_z()) + k) * side;
    const std::uint16_t* corners = page_.plane(HeightPlane(plane)).data() + Page::index(i, k);
    const std::int64_t c00 = corners[0], c10 = corners[1], c01 = corners[kPageStride], c11 = corners[kPageStride + 1];
    const auto surface = [&](std::int64_t a, std::int64_t b) {
      return a + b <= side ? c00 * side + a * (c10 - c00) + b * (c01 - c00)
                           : c11 * side + (side - a) * (c01 - c11) + (side - b) * (c10 - c11);
    };
    const auto first_node = [&](std::int64_t cell, std::uint32_t page) {
      return std::max(cell, std::int64_t(page) * kPageCells) / kStops;
    };
    const auto end_node = [&](std::int64_t cell, std::uint32_t page) {
      return std::min(cell + side, std::int64_t(page + 1) * kPageCells) / kStops;
    };
    std::int64_t most = 0;
    for (std::int64_t z = first_node(north, fine.z); z < end_node(north, fine.z); ++z) {
      for (std::int64_t x = first_node(west, fine.x); x < end_node(west, fine.x); ++x) {
        const NodeBounds& node = bounds_.at(1, std::int32_t(x), std::int32_t(z));
        const std::int64_t a = x * kStops - west, b = z * kStops - north;
        const auto [least, greatest] = std::minmax(
            {surface(a, b), surface(a + kStops, b), surface(a, b + kStops), surface(a + kStops, b + kStops)});
        most = std::max({most, greatest - node.min * side, node.max * side - least});
      }
    }
    return static_cast<std::uint16_t>(std::min<std::int64_t>((most + side - 1) >> lod_, kUnbounded));
  }

  // Calls visit(page) for the lod-0 pages with data under a block of cells for which needs(key) is true.
  template <class Needs, class Visit>
  Result<void> each_page(const CellRect& block, const Needs& needs, const Visit& visit) {
    const auto first_page = [&](std::int64_t cell) { return std::int32_t((cell << lod_) / kPageCells); };
    const auto end_page = [&](std::int64_t cell, std::int32_t pages) {
      return std::int32_t(std::min<std::int64_t>(((cell << lod_) + kPageCells - 1) / kPageCells, pages));
    };
    const std::int32_t end_x = end_page(first_x() + block.i1, lattice_.pages_x(0));
    const std::int32_t end_z = end_page(first_z() + block.k1, lattice_.pages_z(0));
    for (std::int32_t z = first_page(first_z() + block.k0); z < end_z; ++z) {
      for (std::int32_t x = first_page(first_x() + block.i0); x < end_x; ++x) {
        const PageKey key{0, std::uint32_t(x), std::uint32_t(z)};
        if (!needs(key)) {
          continue;
        }
        std::shared_ptr<const Page>& held = held_[x & 3][z & 3];
        if (!held || held->key != key) {
          if (!page_has_data(bounds_, key)) {
            continue;
          }
          auto fine = pages_.get(key);
          if (!fine) {
            return Unexpected{fine.error()};
          }
          held = *std::move(fine);
        }
        visit(*held);
      }
    }
    return {};
  }

  // All other cells, block by block of those over one page: whole runs of a row are measured with all exceptions.
  Result<void> measure_exceptions() {
    std::array<std::uint16_t, kBoundsQuads> unused;
    const auto all_plain = [&](std::size_t plane) {
      return lod_ <= kNarrowLod &&
             greatest_bounds(&bound(plane, part_.i0, part_.k0), kPageCells, unused.data()) != kUnbounded;
    };
    if (all_plain(0) && all_plain(1)) {
      return {};
    }
    const int side = std::max(1, kPageCells >> lod_);  // cells over one page, or one cell over several
    for (int k = part_.k0 / side * side; k < part_.k1; k += side) {
      for (int i = part_.i0 / side * side; i < part_.i1; i += side) {
        const CellRect block{std::max(i, part_.i0), std::max(k, part_.k0), std::min(i + side, part_.i1),
                             std::min(k + side, part_.k1)};
        for (std::size_t plane = 0; plane < 2; ++plane) {
          if (has_exception(block, plane)) {
            auto done = each_page(
                block, [](PageKey) { return true; }, [&](const Page& fine) { search_exceptions(fine, block, plane); });
            if (!done) {
              return done;
            }
          }
        }
      }
    }
    return {};
  }

  bool has_exception(const CellRect& rect, std::size_t plane) const {
    for (int k = rect.k0; k < rect.k1; ++k) {
      for (int i = rect.i0; i < rect.i1; ++i) {
        if (is_exception(plane, i, k)) {
          return true;
        }
      }
    }
    return false;
  }

  // Samples that a cell shares with the next one of the node are left to that one.
  std::uint16_t plain_error(const Page& fine, std::size_t plane, int i, int k) const {
    const std::int64_t side = std::int64_t(1) << lod_;
    const auto span = [&](std::int64_t cell, std::uint32_t page, bool is_last) {
      const std::int64_t low = std::max(cell * side, std::int64_t(page) * kPageCells);
      const std::int64_t high = std::min((cell + 1) * side, std::int64_t(page + 1) * kPageCells);
      return std::pair(low, int(high - low) + (is_last || high < (cell + 1) * side ? 1 : 0));
    };
    const std::int64_t x = std::int64_t(first_x()) + i, z = std::int64_t(first_z()) + k;
    const auto [west, columns] = span(x, fine.key.x, i + 1 == part_.i1);
    const auto [north, rows] = span(z, fine.key.z, k + 1 == part_.k1);
    const std::uint16_t* corners = page_.plane(HeightPlane(plane)).data() + Page::index(i, k);
    const std::int32_t scaled =
        cell_error({.heights = fine.subsample.data() + Page::index(int(west - std::int64_t(fine.key.x) * kPageCells),
                                                                   int(north - std::int64_t(fine.key.z) * kPageCells)),
                    .stride = kPageStride,
                    .columns = columns,
                    .rows = rows,
                    .shift = lod_,
                    .a = std::int32_t(west - x * side),
                    .b = std::int32_t(north - z * side),
                    .c00 = corners[0],
                    .c10 = corners[1],
                    .c01 = corners[kPageStride],
                    .c11 = corners[kPageStride + 1]});
    return static_cast<std::uint16_t>((scaled + side - 1) >> lod_);
  }

  void search_exceptions(const Page& fine, const CellRect& block, std::size_t plane) {
    const SurfaceMask mask(lattice_, fine, heights_.has_hole(fine.key));
    const StopRect ground{std::int32_t(fine.key.x) * kPageCells,
                          std::min(std::int32_t(fine.key.x + 1) * kPageCells, lattice_.last_stop_x()),
                          std::int32_t(fine.key.z) * kPageCells,
                          std::min(std::int32_t(fine.key.z + 1) * kPageCells, lattice_.last_stop_z())};
    const auto stop = [&](std::int64_t cell, std::int32_t low, std::int32_t high) {
      return std::int32_t(std::clamp<std::int64_t>(cell << lod_, low, high));
    };
    for (int k = block.k0; k < block.k1; ++k) {
      for (int i = block.i0; i < block.i1; ++i) {
        const int begin = i;
        while (i < block.i1 && is_exception(plane, i, k)) {
          ++i;
        }
        if (i > begin) {
          const StopRect part{stop(first_x() + begin, ground.x0, ground.x1), stop(first_x() + i, ground.x0, ground.x1),
                              stop(first_z() + k, ground.z0, ground.z1), stop(first_z() + k + 1, ground.z0, ground.z1)};
          worst_[plane] = std::max(worst_[plane], page_error(lattice_, fine, mask, page_, HeightPlane(plane), part));
        }
      }
    }
  }

  const Bounds& bounds_;
  const HeightCollector& heights_;
  const Lattice& lattice_;
  const Page& page_;
  PageCells& cells_;
  const PageStorage& pages_;
  std::array<std::array<std::shared_ptr<const Page>, 4>, 4> held_;  // all lod-0 pages under a node of lod <= 4
  int lod_;
  CellRect part_;  // the node
  std::array<std::uint16_t, 2> worst_{};
};

}  // namespace

Result<void> measure_node(Bounds& bounds, const HeightCollector& heights, const Page& page, PageCells& cells, int i,
                          int k, const PageStorage& pages) {
  const int lod = page.key.lod;
  const std::int32_t x = std::int32_t(page.key.x) * kBoundsPerPage + i,
                     z = std::int32_t(page.key.z) * kBoundsPerPage + k;
  if (x >= bounds.lattice().nodes_x(lod, kBoundsQuads) || z >= bounds.lattice().nodes_z(lod, kBoundsQuads)) {
    return {};
  }
  NodeSearch search(bounds, heights, page, cells, i, k, pages);
  auto done = search.run();
  NodeBounds& node = bounds.at(lod, x, z);
  node.error = search.worst(HeightPlane::subsample);
  node.error_max = search.worst(HeightPlane::max);
  return done;
}

}  // namespace arete::tiles
