// Rows of stops become the quadtree of pages in one sweep: a row of pages of lod 0 as soon as its rows stand, a row of
// a coarser lod as soon as the pages below it are reduced.
//
// One thread reads ahead while the others share the pages of a row. A page reduces by itself to 65 x 65 samples (its
// border along its own lines, so shared samples agree) and hands on those that no later neighbour holds. Sample i of
// lod L stands at stop clamp(i 2^L, 0, last); from the first clamped index on every sample repeats, in both planes, so
// that triangles beyond the rim have no area. A second pass from the root measures tops and errors.
#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <vector>

#include "arete/tiles.h"
#include "tiles/node_bounds.h"
#include "tiles/node_errors.h"
#include "tiles/reduce.h"
#include "tiles/row_feed.h"
#include "tiles/row_window.h"
#include "tiles/validate.h"
#include "tiles/workers.h"

namespace arete {
namespace {

using tiles::RowWindow;

constexpr double kMakingShare = 0.7;  // of the whole work, for progress alone
constexpr int kHalf = kPageCells / 2;
constexpr std::size_t kReducedSide = kHalf + 1;

// The rows of a lod from which its next row of pages is made.
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
        heights_(bounds_) {
    for (int lod = 0; lod < lattice.lods(); ++lod) {
      const auto window = [&](int capacity) {
        return RowWindow(lattice.pages_x(lod), lattice.cells_x(lod), lattice.cells_z(lod), capacity);
      };
      // Above lod 0 a row of pages waits for half a row of them; at lod 0 the next one is read meanwhile.
      levels_.push_back(lod == 0 ? Level{window(kPageStride + kPageCells), window(0)}
                                 : Level{window(kPageStride + kHalf), window(kPageStride + kHalf)});
    }
  }

  Result<Bounds> build() {
    if (auto made = make_pages(); !made) {
      return Unexpected{made.error()};
    }
    heights_.finish();
    if (lattice_.lods() > 1) {
      const PageKey root{std::uint8_t(lattice_.lods() - 1), 0, 0};
      if (auto done = measure(root); !done) {
        return Unexpected{done.error()};
      }
    }
    choose_local_ranges(bounds_);
    report(1);
    return std::move(bounds_);
  }

 private:
  void report(double fraction) const {
    if (progress_) {
      progress_(fraction);
    }
  }

  Result<void> make_pages() {
    tiles::RowFeed feed(rows_, lattice_.stops_x, 0, lattice_.last_stop_z(), levels_[0].subsample);
    for (std::int32_t z = 0; z < lattice_.pages_z(0); ++z) {
      if (auto stands = feed.wait_for(last_row_of(z, lattice_.last_stop_z())); !stands) {
        return stands;
      }
      if (auto made = make_row(0, z); !made) {
        return made;
      }
      feed.release(std::int64_t(z + 1) * kPageCells - 1);
      report(kMakingShare * (z + 1) / lattice_.pages_z(0));
    }
    return {};
  }

  // Makes row z of a lod's pages and every coarser row that it completes.
  Result<void> make_row(int lod, std::int32_t z) {
    auto made = workers_.each(lattice_.pages_x(lod), [&](std::int32_t x) {
      return make_page({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)});
    });
    if (!made || lod + 1 == lattice_.lods()) {
      return made;
    }
    Level& coarser = levels_[std::size_t(lod) + 1];
    const std::int64_t first = std::int64_t(z) * kHalf, end = first + reduced_count(z, lattice_.pages_z(lod));
    for (std::int64_t k = first; k < end; ++k) {
      coarser.subsample.pad(k);
      coarser.max.pad(k);
    }
    while (coarser.next < lattice_.pages_z(lod + 1) && end > last_row_of(coarser.next, lattice_.cells_z(lod + 1))) {
      if (auto done = make_row(lod + 1, coarser.next++); !done) {
        return done;
      }
    }
    return {};
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
    if (key.lod + 1 < lattice_.lods()) {
      reduce(*page);
    }
    return has_sample(page->plane(HeightPlane::max)) ? pages_.put(std::move(page)) : Result<void>();
  }

  // Hands both planes to the next lod, at half the samples.
  void reduce(const Page& page) {
    Level& coarser = levels_[std::size_t(page.key.lod) + 1];
    std::array<std::uint16_t, kReducedSide * kReducedSide> reduced;
    tiles::reduce_max_strided(page.plane(HeightPlane::max).data() + Page::index(0, 0), kPageStride, kPageSamples,
                              reduced.data(), kReducedSide);
    const int rows = reduced_count(std::int32_t(page.key.z), lattice_.pages_z(page.key.lod));
    const int columns = reduced_count(std::int32_t(page.key.x), lattice_.pages_x(page.key.lod));
    const std::int64_t first_row = std::int64_t(page.key.z) * kHalf, first_column = std::int64_t(page.key.x) * kHalf;
    for (int k = 0; k < rows; ++k) {
      std::copy_n(reduced.data() + std::size_t(k) * kReducedSide, columns,
                  coarser.max.row(first_row + k) + first_column);
      const std::uint16_t* fine = page.subsample.data() + Page::index(0, 2 * k);
      std::uint16_t* coarse = coarser.subsample.row(first_row + k) + first_column;
      for (int i = 0; i < columns; ++i) {
        coarse[i] = fine[2 * i];
      }
    }
  }

  // How many of its 65 reduced rows, or columns, page `at` of `count` hands on: the last is the next page's first.
  static int reduced_count(std::int32_t at, std::int32_t count) { return at + 1 < count ? kHalf : kHalf + 1; }

  // Visits a page and everything below it with its ancestors at hand: tops on the way, errors at lod 0.
  Result<void> measure(PageKey key) {
    if (!tiles::page_has_data(bounds_, key)) {
      return {};
    }
    auto page = pages_.get(key);
    if (!page) {
      return Unexpected{page.error()};
    }
    path_.insert(path_.begin(), page->get());
    if (key.lod == 0) {
      tiles::add_errors(bounds_, path_);
    } else {
      tiles::set_tops(bounds_, path_);
      const int lod = key.lod - 1;
      for (std::uint32_t z = 2 * key.z; z < 2 * key.z + 2 && std::int32_t(z) < lattice_.pages_z(lod); ++z) {
        for (std::uint32_t x = 2 * key.x; x < 2 * key.x + 2 && std::int32_t(x) < lattice_.pages_x(lod); ++x) {
          if (auto done = measure({std::uint8_t(lod), x, z}); !done) {
            return done;
          }
        }
      }
    }
    path_.erase(path_.begin());
    if (key.lod == 1) {
      ++measured_;
      const double all = double(lattice_.pages_x(1)) * lattice_.pages_z(1);
      report(kMakingShare + (1 - kMakingShare) * double(measured_) / all);
    }
    return {};
  }

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
  std::vector<const Page*> path_;  // the visited page and its ancestors, finest first
  std::int64_t measured_ = 0;
};

}  // namespace

Result<Bounds> build_pages(const Lattice& lattice, const RowReader& rows, PageStorage& pages,
                           const BuildOptions& options) {
  if (auto valid = tiles::validate(lattice); !valid) {
    return Unexpected{valid.error()};
  }
  return PageBuilder(lattice, rows, pages, options).build();
}

}  // namespace arete
