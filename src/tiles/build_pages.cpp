// Rows of stops become the quadtree of pages: lod 0 as the rows arrive, each coarser lod from the finished pages below
// it.
//
// A child page reduces by itself to 65 x 65 samples (its border along its own lines), so the rows of a coarser lod
// come from one row of child pages at a time and shared samples agree. Sample i of lod L stands at stop
// clamp(i 2^L, 0, last); from the first clamped index on every sample repeats, in both planes, so that triangles
// beyond the rim have no area. Memory is two rows of pages. A second pass from the root measures tops and errors.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "arete/tiles.h"
#include "tiles/node_bounds.h"
#include "tiles/node_errors.h"
#include "tiles/reduce.h"
#include "tiles/row_window.h"
#include "tiles/validate.h"

namespace arete {
namespace {

using tiles::RowWindow;

// Fractions of the whole work, for progress alone.
constexpr double kFineShare = 0.5;
constexpr double kCoarseShare = 0.2;

class PageBuilder {
 public:
  PageBuilder(const Lattice& lattice, const RowReader& rows, PageStorage& pages, const Progress& progress)
      : lattice_(lattice), rows_(rows), pages_(pages), progress_(progress), bounds_(lattice), heights_(bounds_) {}

  Result<Bounds> build() {
    if (auto done = build_finest(); !done) {
      return Unexpected{done.error()};
    }
    heights_.finish();
    for (int lod = 1; lod < lattice_.lods(); ++lod) {
      if (auto done = build_coarser(lod); !done) {
        return Unexpected{done.error()};
      }
      report(kFineShare + kCoarseShare * (1 - std::ldexp(1.0, -2 * lod)));
    }
    if (lattice_.lods() > 1) {
      const PageKey root{std::uint8_t(lattice_.lods() - 1), 0, 0};
      if (auto done = measure(root); !done) {
        return Unexpected{done.error()};
      }
    }
    bounds_.finish();
    report(1);
    return std::move(bounds_);
  }

 private:
  void report(double fraction) const {
    if (progress_) {
      progress_(fraction);
    }
  }

  Result<void> build_finest() {
    constexpr int kWindow = kPageStride;
    RowWindow window(lattice_.pages_x(0), lattice_.last_stop_x(), lattice_.last_stop_z(), kWindow);
    std::int32_t next = 0;
    for (std::int32_t z = 0; z <= lattice_.last_stop_z(); ++z) {
      if (auto read = rows_(z, {window.row(z), std::size_t(lattice_.stops_x)}); !read) {
        return read;
      }
      window.pad(z);
      while (next < lattice_.pages_z(0) && z >= last_row_of(next, lattice_.last_stop_z())) {
        for (std::int32_t x = 0; x < lattice_.pages_x(0); ++x) {
          Page page{{0, std::uint32_t(x), std::uint32_t(next)}, 0, std::vector<std::uint16_t>(kPlaneSamples), {}};
          window.copy_page(x, next, page.subsample);
          heights_.add(page);
          if (has_sample(page.subsample)) {
            if (auto put = pages_.put(page); !put) {
              return put;
            }
          }
        }
        ++next;
        report(kFineShare * next / lattice_.pages_z(0));
      }
    }
    return {};
  }

  Result<void> build_coarser(int lod) {
    constexpr int kHalf = kPageCells / 2;
    const std::int32_t last_x = lattice_.cells_x(lod);
    const std::int32_t last_z = lattice_.cells_z(lod);
    RowWindow subsample(lattice_.pages_x(lod), last_x, last_z, kPageStride + kHalf);
    RowWindow max(lattice_.pages_x(lod), last_x, last_z, kPageStride + kHalf);
    std::int32_t next = 0;
    for (std::int32_t child_z = 0; child_z < lattice_.pages_z(lod - 1); ++child_z) {
      for (std::int32_t child_x = 0; child_x < lattice_.pages_x(lod - 1); ++child_x) {
        const PageKey child{std::uint8_t(lod - 1), std::uint32_t(child_x), std::uint32_t(child_z)};
        if (auto done = reduce_child(child, subsample, max); !done) {
          return done;
        }
      }
      const std::int64_t have = std::int64_t(child_z + 1) * kHalf;
      for (std::int64_t k = have - kHalf; k <= have; ++k) {
        subsample.pad(k);
        max.pad(k);
      }
      while (next < lattice_.pages_z(lod) && have >= last_row_of(next, last_z)) {
        if (auto done = put_row(lod, next, subsample, max); !done) {
          return done;
        }
        ++next;
      }
    }
    return {};
  }

  // Writes the 65 x 65 samples of both planes that one child page becomes.
  Result<void> reduce_child(PageKey key, RowWindow& subsample, RowWindow& max) {
    constexpr int kHalf = kPageCells / 2;
    constexpr int kSide = kHalf + 1;
    const std::int64_t first_row = std::int64_t(key.z) * kHalf;
    const std::int64_t first_column = std::int64_t(key.x) * kHalf;
    if (!tiles::page_has_data(bounds_, key)) {
      for (int k = 0; k < kSide; ++k) {
        std::fill_n(subsample.row(first_row + k) + first_column, kSide, kHole);
        std::fill_n(max.row(first_row + k) + first_column, kSide, kHole);
      }
      return {};
    }
    auto child = pages_.get(key);
    if (!child) {
      return Unexpected{child.error()};
    }
    const Page& page = **child;
    std::array<std::uint16_t, std::size_t(kSide) * kSide> reduced;
    tiles::reduce_max_strided(page.plane(HeightPlane::max).data() + Page::index(0, 0), kPageStride, kPageSamples,
                              reduced.data(), kSide);
    for (int k = 0; k < kSide; ++k) {
      std::copy_n(reduced.data() + std::size_t(k) * kSide, kSide, max.row(first_row + k) + first_column);
      const std::uint16_t* fine = page.subsample.data() + Page::index(0, 2 * k);
      std::uint16_t* coarse = subsample.row(first_row + k) + first_column;
      for (int i = 0; i < kSide; ++i) {
        coarse[i] = fine[2 * i];
      }
    }
    return {};
  }

  Result<void> put_row(int lod, std::int32_t z, const RowWindow& subsample, const RowWindow& max) {
    for (std::int32_t x = 0; x < lattice_.pages_x(lod); ++x) {
      const PageKey key{std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)};
      if (!tiles::page_has_data(bounds_, key)) {
        continue;
      }
      Page page{key, 0, std::vector<std::uint16_t>(kPlaneSamples), std::vector<std::uint16_t>(kPlaneSamples)};
      subsample.copy_page(x, z, page.subsample);
      max.copy_page(x, z, page.max);
      if (auto put = pages_.put(page); !put) {
        return put;
      }
    }
    return {};
  }

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
      report(kFineShare + kCoarseShare + (1 - kFineShare - kCoarseShare) * double(measured_) / all);
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
  Bounds bounds_;
  tiles::HeightCollector heights_;
  std::vector<const Page*> path_;  // the visited page and its ancestors, finest first
  std::int64_t measured_ = 0;
};

}  // namespace

Result<Bounds> build_pages(const Lattice& lattice, const RowReader& rows, PageStorage& pages,
                           const Progress& progress) {
  if (auto valid = tiles::validate(lattice); !valid) {
    return Unexpected{valid.error()};
  }
  return PageBuilder(lattice, rows, pages, progress).build();
}

}  // namespace arete
