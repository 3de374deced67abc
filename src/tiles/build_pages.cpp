// Rows of stops become the quadtree of pages in one sweep: a row of pages of lod 0 as soon as its rows stand, a row of
// a coarser lod as soon as the pages below it are reduced.
//
// One thread reads ahead while the others share the pages of a row. A page reduces by itself to 65 x 65 samples (its
// border along its own lines, so shared samples agree) and hands on those that no later neighbour holds. Sample i of
// lod L stands at stop clamp(i 2^L, 0, last); from the first clamped index on every sample repeats, in both planes, so
// that triangles beyond the rim have no area.
#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arete/tiles.h"
#include "tiles/absent_page.h"
#include "tiles/cell_bounds.h"
#include "tiles/node_bounds.h"
#include "tiles/node_errors.h"
#include "tiles/row_feed.h"
#include "tiles/row_window.h"
#include "tiles/validate.h"
#include "tiles/workers.h"

namespace arete {
namespace {

using tiles::PageCells;
using tiles::ReducedCells;
using tiles::RowWindow;

constexpr int kHalf = kPageCells / 2;

// Rows that a lod keeps for its next row of pages: above lod 0 it waits for half a row of them, at lod 0 the next one
// is read meanwhile.
constexpr int window_rows(int lod) { return kPageStride + (lod == 0 ? kPageCells : kHalf); }

struct Level {
  RowWindow subsample, max;  // max stays unused at lod 0
  std::int32_t next = 0;     // the row of pages to be made
};

class PageBuilder {
 public:
  PageBuilder(const Lattice& lattice, const RowReader& rows, PageStorage& pages, const BuildOptions& options)
      : lattice_(lattice),
        rows_(rows),
        pages_(pages),
        progress_(options.progress),
        workers_(options.jobs),
        bounds_(lattice),
        heights_(bounds_),
        has_data_(std::size_t(lattice.pages_x(0))) {
    for (int lod = 0; lod < lattice.lods(); ++lod) {
      const auto window = [&](int capacity) {
        return RowWindow(lattice.pages_x(lod), lattice.cells_x(lod), lattice.cells_z(lod), capacity);
      };
      levels_.push_back({window(window_rows(lod)), window(lod == 0 ? 0 : window_rows(lod))});
    }
  }

  Result<Bounds> build() {
    const auto first = restore();
    if (!first) {
      return Unexpected{first.error()};
    }
    if (auto made = make_pages(*first); !made) {
      return Unexpected{made.error()};
    }
    heights_.finish();
    choose_local_ranges(bounds_);
    return std::move(bounds_);
  }

 private:
  void report(double fraction) const {
    if (progress_) {
      progress_(fraction);
    }
  }

  // Makes the rows of pages of lod 0 from `first` on, and what they complete.
  Result<void> make_pages(std::int32_t first) {
    const std::int32_t first_row = std::max(first * kPageCells - 1, 0);
    tiles::RowFeed feed(rows_, lattice_.stops_x, first_row, lattice_.last_stop_z(), levels_[0].subsample);
    for (std::int32_t z = first; z < lattice_.pages_z(0); ++z) {
      if (auto stands = feed.wait_for(last_row_of(z, lattice_.last_stop_z())); !stands) {
        return stands;
      }
      if (auto made = make_row(0, z); !made) {
        return made;
      }
      if (lattice_.lods() > 1) {
        if (auto kept = pages_.keep_rows(std::exchange(made_, {})); !kept) {
          return kept;
        }
      }
      feed.release(std::int64_t(z + 1) * kPageCells - 1);
      report(double(z + 1) / lattice_.pages_z(0));
    }
    return {};
  }

  // Makes row z of a lod's pages and every coarser row that it completes.
  Result<void> make_row(int lod, std::int32_t z) {
    auto made = workers_.each(lattice_.pages_x(lod), [&](std::int32_t x) {
      return make_page({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)});
    });
    made_.push_back({lod, z, lod == 0 ? has_data_ : heights_.save_row(lod, z)});
    if (!made || lod + 1 == lattice_.lods()) {
      return made;
    }
    const std::int64_t end = pad_reduced(lod, z);
    Level& coarser = levels_[std::size_t(lod) + 1];
    while (coarser.next < lattice_.pages_z(lod + 1) && end > last_row_of(coarser.next, lattice_.cells_z(lod + 1))) {
      if (auto done = make_row(lod + 1, coarser.next++); !done) {
        return done;
      }
    }
    return {};
  }

  // Pads the rows that row z of a lod's pages has handed on; returns how many rows of the next lod stand.
  std::int64_t pad_reduced(int lod, std::int32_t z) {
    Level& coarser = levels_[std::size_t(lod) + 1];
    const std::int64_t first = std::int64_t(z) * kHalf, end = first + reduced_count(z, lattice_.pages_z(lod));
    for (std::int64_t k = first; k < end; ++k) {
      coarser.subsample.pad(k);
      coarser.max.pad(k);
    }
    return end;
  }

  Result<void> make_page(PageKey key) {
    const Level& level = levels_[key.lod];
    auto page = std::make_shared<Page>();
    page->key = key;
    page->subsample.resize(kPlaneSamples);
    level.subsample.copy_page(key.x, key.z, page->subsample);
    if (key.lod == 0) {
      heights_.add(*page);
    } else {
      page->max.resize(kPlaneSamples);
      level.max.copy_page(key.x, key.z, page->max);
      if (key.lod > 1) {
        heights_.unite(key);
      }
    }
    const bool has_data = has_sample(page->plane(HeightPlane::max));
    if (key.lod == 0) {
      has_data_[key.x] = has_data;
    }
    std::unique_ptr<PageCells> cells;
    if (key.lod > 0 && has_data) {
      cells = gather_cells(key);
      if (auto measured = measure(*page, *cells); !measured) {
        return measured;
      }
    }
    if (key.lod + 1 < lattice_.lods()) {
      const tiles::ReducedPage reduced = tiles::reduce_page(*page);
      hand_on(key, reduced);
      if (has_data) {
        keep_cells(key, tiles::bound_reduced(lattice_, *page, reduced, cells.get()));
      }
    }
    return has_data ? pages_.put(std::move(page)) : Result<void>();
  }

  // Tops and errors of a page's nodes, and the tops of all nodes below it.
  Result<void> measure(const Page& page, PageCells& cells) {
    tiles::add_tops(bounds_, page);
    return workers_.each(kBoundsPerPage * kBoundsPerPage, [&](std::int32_t node) {
      return tiles::measure_node(bounds_, heights_, page, cells, node % kBoundsPerPage, node / kBoundsPerPage, pages_);
    });
  }

  // Copies a page's reduced planes to the rows of the next lod.
  void hand_on(PageKey key, const tiles::ReducedPage& reduced) {
    Level& coarser = levels_[std::size_t(key.lod) + 1];
    const int rows = reduced_count(std::int32_t(key.z), lattice_.pages_z(key.lod));
    const int columns = reduced_count(std::int32_t(key.x), lattice_.pages_x(key.lod));
    for (int k = 0; k < rows; ++k) {
      const std::int64_t row = std::int64_t(key.z) * kHalf + k, column = std::int64_t(key.x) * kHalf;
      const std::size_t from = std::size_t(k) * tiles::ReducedPage::kSide;
      std::copy_n(reduced.planes[0].data() + from, columns, coarser.subsample.row(row) + column);
      std::copy_n(reduced.planes[1].data() + from, columns, coarser.max.row(row) + column);
    }
  }

  // Bounds of cells wait for the page above them.
  void keep_cells(PageKey key, std::unique_ptr<ReducedCells> cells) {
    const std::lock_guard lock(cells_mutex_);
    cells_[key.packed()] = std::move(cells);
  }

  // Joins what the children of a page keep; where there is none, all are holes.
  std::unique_ptr<PageCells> gather_cells(PageKey key) {
    auto joined = std::make_unique<PageCells>();
    for (std::uint32_t child = 0; child < 4; ++child) {
      const std::uint32_t i = child % 2, k = child / 2;
      const PageKey below{std::uint8_t(key.lod - 1), 2 * key.x + i, 2 * key.z + k};
      std::unique_ptr<ReducedCells> cells;
      {
        const std::lock_guard lock(cells_mutex_);
        if (auto found = cells_.extract(below.packed())) {
          cells = std::move(found.mapped());
        }
      }
      for (std::size_t row = 0; cells && row < 2 * std::size_t(kHalf); ++row) {
        const std::size_t plane = row / kHalf, from = row % kHalf;
        std::copy_n(cells->planes[plane].data() + from * kHalf, kHalf,
                    joined->planes[plane].data() + (from + k * kHalf) * kPageCells + i * kHalf);
      }
    }
    return joined;
  }

  // Takes up what an earlier build has kept, and returns the first row of pages of lod 0 that it has not.
  Result<std::int32_t> restore() {
    auto kept = pages_.kept_rows();
    if (!kept) {
      return Unexpected{kept.error()};
    }
    std::vector<std::uint8_t> has_data;  // of the pages of lod 0, row by row
    for (const BuiltRow& row : *kept) {
      const bool is_next = row.lod >= 0 && row.lod < lattice_.lods() && row.z == levels_[std::size_t(row.lod)].next &&
                           row.z < lattice_.pages_z(row.lod);
      auto loaded = !is_next      ? Result<void>(data_error("rows of pages that do not follow each other"))
                    : row.lod > 0 ? heights_.load_row(row.lod, row.z, row.nodes)
                                  : Result<void>();
      if (!loaded) {
        return data_error("a bake that cannot be gone on with (" + loaded.error().message +
                          "): remove its .partial and bake again");
      }
      if (row.lod == 0) {
        has_data.insert(has_data.end(), row.nodes.begin(), row.nodes.end());
      }
      ++levels_[std::size_t(row.lod)].next;
    }
    has_data.resize(std::size_t(levels_[0].next) * std::size_t(lattice_.pages_x(0)));
    for (int lod = 0; lod + 1 < lattice_.lods(); ++lod) {
      // The rows that the next row of the lod above is made of.
      const std::int32_t whole = 2 * levels_[std::size_t(lod) + 1].next;
      for (std::int32_t z = std::max(whole - 1, 0); z < levels_[std::size_t(lod)].next; ++z) {
        auto restored = workers_.each(lattice_.pages_x(lod), [&](std::int32_t x) {
          const PageKey key{std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)};
          const bool is_stored =
              lod > 0 ? tiles::page_has_data(bounds_, key)
                      : has_data[std::size_t(z) * std::size_t(lattice_.pages_x(0)) + std::size_t(x)] != 0;
          return restore_page(key, is_stored, z >= whole);
        });
        if (!restored) {
          return Unexpected{restored.error()};
        }
        pad_reduced(lod, z);
      }
    }
    if (auto topped = restore_tops(); !topped) {
      return Unexpected{topped.error()};
    }
    return levels_[0].next;
  }

  // Hands on a page that was made before, as it was handed on then. `is_pending`: the page above it is not made yet.
  Result<void> restore_page(PageKey key, bool is_stored, bool is_pending) {
    auto page = is_stored ? pages_.get(key) : tiles::page_of_holes(key);
    if (!page) {
      return Unexpected{page.error()};
    }
    const tiles::ReducedPage reduced = tiles::reduce_page(**page);
    hand_on(key, reduced);
    if (is_pending && key.lod == 0) {
      heights_.add(**page);
    }
    if (is_pending && is_stored) {
      keep_cells(key, tiles::bound_reduced(lattice_, **page, reduced, key.lod == 0 ? nullptr : cells_of(key).get()));
    }
    return {};
  }

  // The errors of a page's nodes bound its cells; under those with holes no bound is known.
  std::unique_ptr<PageCells> cells_of(PageKey key) const {
    auto cells = std::make_unique<PageCells>();
    for (int k = 0; k < kPageCells; ++k) {
      for (int i = 0; i < kPageCells; ++i) {
        const std::int32_t x = (std::int32_t(key.x) * kPageCells + i) / kBoundsQuads;
        const std::int32_t z = (std::int32_t(key.z) * kPageCells + k) / kBoundsQuads;
        if (x < lattice_.nodes_x(key.lod, kBoundsQuads) && z < lattice_.nodes_z(key.lod, kBoundsQuads)) {
          const NodeBounds& node = bounds_.at(key.lod, x, z);
          const bool is_known = !heights_.has_hole(key.lod, x, z);
          cells->planes[0][std::size_t(k * kPageCells + i)] = is_known ? node.error : tiles::kUnbounded;
          cells->planes[1][std::size_t(k * kPageCells + i)] = is_known ? node.error_max : tiles::kUnbounded;
        }
      }
    }
    return cells;
  }

  // Nodes are kept as they were before coarser pages raised their tops.
  Result<void> restore_tops() {
    for (int lod = 2; lod < lattice_.lods(); ++lod) {
      for (std::int32_t z = 0; z < levels_[std::size_t(lod)].next; ++z) {
        auto done = workers_.each(lattice_.pages_x(lod), [&](std::int32_t x) -> Result<void> {
          const PageKey key{std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)};
          if (!tiles::page_has_data(bounds_, key)) {
            return {};
          }
          auto page = pages_.get(key);
          if (!page) {
            return Unexpected{page.error()};
          }
          tiles::add_tops(bounds_, **page);
          return {};
        });
        if (!done) {
          return done;
        }
      }
    }
    return {};
  }

  // How many of its 65 reduced rows, or columns, page `at` of `count` hands on: the last is the next page's first.
  static int reduced_count(std::int32_t at, std::int32_t count) { return at + 1 < count ? kHalf : kHalf + 1; }

  // The last row that page row z needs, its apron included.
  static std::int64_t last_row_of(std::int32_t z, std::int32_t last_row) {
    return std::min<std::int64_t>(std::int64_t(z) * kPageCells + kPageSamples, last_row);
  }

  static bool has_sample(const std::vector<std::uint16_t>& plane) {
    for (int k = 0; k < kPageSamples; ++k) {
      const auto row = plane.begin() + std::ptrdiff_t(Page::index(0, k));
      if (std::any_of(row, row + kPageSamples, [](std::uint16_t steps) { return steps != kHole; })) {
        return true;
      }
    }
    return false;
  }

  const Lattice& lattice_;
  const RowReader& rows_;
  PageStorage& pages_;
  const Progress& progress_;
  tiles::Workers workers_;
  Bounds bounds_;
  tiles::HeightCollector heights_;
  std::vector<Level> levels_;
  std::vector<std::uint8_t> has_data_;  // of the row of pages of lod 0 in work
  std::vector<BuiltRow> made_;          // and what it has completed
  std::mutex cells_mutex_;
  std::unordered_map<std::uint64_t, std::unique_ptr<ReducedCells>> cells_;  // by the key of the page below them
};

}  // namespace

std::int64_t build_bytes(const Lattice& lattice) {
  std::int64_t bytes = 0;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    const std::int64_t pages_x = lattice.pages_x(lod), planes = lod == 0 ? 1 : 2;
    bytes += pages_x * kPageCells * window_rows(lod) * planes * std::int64_t(sizeof(std::uint16_t));
    bytes += 3 * pages_x * std::int64_t(sizeof(ReducedCells));  // until the second of three rows is there
    if (lod > 0) {
      bytes += std::int64_t(lattice.nodes_x(lod, kBoundsQuads)) * lattice.nodes_z(lod, kBoundsQuads) *
               std::int64_t(sizeof(NodeBounds) + 1);
    }
  }
  return bytes;
}

Result<Bounds> build_pages(const Lattice& lattice, const RowReader& rows, PageStorage& pages,
                           const BuildOptions& options) {
  if (auto valid = tiles::validate(lattice); !valid) {
    return Unexpected{valid.error()};
  }
  return PageBuilder(lattice, rows, pages, options).build();
}

}  // namespace arete
