// Every page of a field against its neighbours to the east and south, its children and the rim's padding.
//
// Both copies of a shared sample are equal in both planes at every lod; aprons repeat the neighbour's samples, so that
// a gradient on a border is the same from both sides; beyond the last stop samples repeat it; a coarse subsample is the
// finer lod's sample at the same stop.
#include <atomic>
#include <mutex>

#include "check/findings.h"
#include "check/node_mesh.h"
#include "core/workers.h"

namespace arete::check {
namespace {
using PagePointer = std::shared_ptr<const Page>;
constexpr std::int32_t kBlockPages = 16;  // pages are read in columns of this width: two rows of them are kept
constexpr int kLast = kPageCells;         // 128: the last shared sample; -1 and 129 are aprons

class PageJudge {
 public:
  PageJudge(const SampleSource& source, CheckReport& report) : source_(source), report_(report) {}

  Result<void> judge_block(int lod, std::int32_t first_x, std::int32_t first_z) {
    const Lattice& lattice = source_.lattice();
    const std::int32_t end_x = std::min(first_x + kBlockPages, lattice.pages_x(lod));
    const std::int32_t end_z = std::min(first_z + kBlockPages, lattice.pages_z(lod));
    std::vector<PagePointer> row, next;
    for (std::int32_t z = first_z; z < end_z; ++z) {
      if (Result<void> read = read_row(lod, z, first_x, end_x, row, next); !read) {
        return read;
      }
      for (std::int32_t x = first_x; x < end_x; ++x) {
        const std::size_t at = std::size_t(x - first_x);
        if (Result<void> judged = judge_page(*row[at], at + 1 < row.size() ? row[at + 1].get() : nullptr,
                                             next.empty() ? nullptr : next[at].get());
            !judged) {
          return judged;
        }
      }
    }
    return {};
  }

  bool has_holes() const { return has_holes_; }

 private:
  // Fills `row` with pages first_x .. end_x (one more than judged where there is one) and `next` with the row below.
  Result<void> read_row(int lod, std::int32_t z, std::int32_t first_x, std::int32_t end_x,
                        std::vector<PagePointer>& row, std::vector<PagePointer>& next) {
    const auto read = [&](std::int32_t row_z, std::vector<PagePointer>& into) -> Result<void> {
      into.clear();
      for (std::int32_t x = first_x; x < std::min(end_x + 1, source_.lattice().pages_x(lod)); ++x) {
        Result<PagePointer> page = source_.require_page(
            {static_cast<std::uint8_t>(lod), static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(row_z)});
        if (!page) {
          return Unexpected{page.error()};
        }
        into.push_back(*std::move(page));
      }
      return {};
    };
    if (!next.empty()) {
      row.swap(next);
    } else if (Result<void> first = read(z, row); !first) {
      return first;
    }
    if (z + 1 < source_.lattice().pages_z(lod)) {
      return read(z + 1, next);
    }
    next.clear();
    return {};
  }

  Result<void> judge_page(const Page& page, const Page* east, const Page* south) {
    ++report_.pages;
    for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
      if (plane == HeightPlane::max && page.key.lod == 0) {
        continue;
      }
      if (east != nullptr) {
        for (int k = -1; k <= kLast + 1; ++k) {
          const bool is_apron = k < 0 || k > kLast;
          compare(page, plane, {kLast, k}, *east, {0, k}, is_apron);
          compare(page, plane, {kLast + 1, k}, *east, {1, k}, true);
          compare(page, plane, {kLast - 1, k}, *east, {-1, k}, true);
        }
      }
      if (south != nullptr) {
        for (int i = -1; i <= kLast + 1; ++i) {
          const bool is_apron = i < 0 || i > kLast;
          compare(page, plane, {i, kLast}, *south, {i, 0}, is_apron);
          compare(page, plane, {i, kLast + 1}, *south, {i, 1}, true);
          compare(page, plane, {i, kLast - 1}, *south, {i, -1}, true);
        }
      }
      judge_padding(page, plane);
    }
    if (page.key.lod == 0) {
      find_holes(page);
      return {};
    }
    return judge_children(page);
  }

  struct Place {
    int i, k;
  };
  void compare(const Page& page, HeightPlane plane, Place at, const Page& other, Place there, bool is_apron) {
    const std::uint16_t here = page.at(plane, at.i, at.k);
    const std::uint16_t across = other.at(plane, there.i, there.k);
    if (here != across && !is_unread_apron(page, at) && !is_unread_apron(other, there)) {
      count_failure(
          report_, is_apron ? &CheckReport::normal_mismatches : &CheckReport::border_mismatches, 1,
          text("page lod %d x %u z %u, %s plane, %s sample (%d, %d) is %d, page lod %d x %u z %u has %d",
               int(page.key.lod), page.key.x, page.key.z, plane == HeightPlane::max ? "max" : "subsample",
               is_apron ? "apron" : "border", at.i, at.k, here, int(other.key.lod), other.key.x, other.key.z, across));
    }
  }

  // Aprons of a page of holes alone are zeros, whatever its neighbours hold: no vertex takes a gradient there.
  static bool is_unread_apron(const Page& page, Place at) {
    const auto is_inside = [](int index) { return index >= 0 && index <= kLast; };
    if (is_inside(at.i) && is_inside(at.k)) {
      return false;
    }
    const HeightPlane plane = page.key.lod == 0 ? HeightPlane::subsample : HeightPlane::max;
    for (int k = 0; k <= kLast; ++k) {
      for (int i = 0; i <= kLast; ++i) {
        if (page.at(plane, i, k) != kHole) {
          return false;
        }
      }
    }
    return true;
  }

  // The index in a page at which its samples reach the last stop; 129 where that lies beyond the page.
  static int last_index(std::uint32_t page, int lod, std::int32_t last_stop) {
    const std::int64_t cells = (std::int64_t(last_stop) + (std::int64_t(1) << lod) - 1) >> lod;
    return static_cast<int>(std::clamp<std::int64_t>(cells - std::int64_t(page) * kPageCells, 0, kLast + 1));
  }

  void judge_padding(const Page& page, HeightPlane plane) {
    const Lattice& lattice = source_.lattice();
    const int last_i = last_index(page.key.x, page.key.lod, lattice.last_stop_x());
    const int last_k = last_index(page.key.z, page.key.lod, lattice.last_stop_z());
    const int first_i = page.key.x == 0 ? 0 : -1;
    const int first_k = page.key.z == 0 ? 0 : -1;
    if (first_i < 0 && first_k < 0 && last_i > kLast && last_k > kLast) {
      return;
    }
    for (int k = -1; k <= kLast + 1; ++k) {
      for (int i = -1; i <= kLast + 1; ++i) {
        const Place inside{std::clamp(i, first_i, last_i), std::clamp(k, first_k, last_k)};
        if (inside.i != i || inside.k != k) {
          compare(page, plane, {i, k}, page, inside, i < 0 || k < 0 || i > kLast || k > kLast);
        }
      }
    }
  }

  // The subsample plane repeats the finer lod's samples at the same stops.
  Result<void> judge_children(const Page& page) {
    const Lattice& lattice = source_.lattice();
    const int lod = page.key.lod - 1;
    for (std::uint32_t z = 2 * page.key.z; z <= 2 * page.key.z + 1; ++z) {
      for (std::uint32_t x = 2 * page.key.x; x <= 2 * page.key.x + 1; ++x) {
        if (std::int64_t(x) >= lattice.pages_x(lod) || std::int64_t(z) >= lattice.pages_z(lod)) {
          continue;
        }
        const Result<PagePointer> child = source_.require_page({static_cast<std::uint8_t>(lod), x, z});
        if (!child) {
          return Unexpected{child.error()};
        }
        const int half = kPageCells / 2;
        const Place corner{static_cast<int>(x & 1) * half, static_cast<int>(z & 1) * half};
        for (int k = 0; k <= half; ++k) {
          for (int i = 0; i <= half; ++i) {
            compare(page, HeightPlane::subsample, {corner.i + i, corner.k + k}, **child, {2 * i, 2 * k}, false);
          }
        }
      }
    }
    return {};
  }

  void find_holes(const Page& page) {
    for (int k = 0; k <= kLast && !has_holes_; ++k) {
      for (int i = 0; i <= kLast && !has_holes_; ++i) {
        has_holes_ = page.at(HeightPlane::subsample, i, k) == kHole;
      }
    }
  }

  const SampleSource& source_;
  CheckReport& report_;
  bool has_holes_ = false;
};
}  // namespace

Result<void> judge_pages(const SampleSource& source, int jobs, const std::function<void(double)>& progress,
                         CheckReport& report, bool& has_holes) {
  struct Block {
    int lod;
    std::int32_t x, z;
  };
  const Lattice& lattice = source.lattice();
  std::vector<Block> blocks;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.pages_z(lod); z += kBlockPages) {
      for (std::int32_t x = 0; x < lattice.pages_x(lod); x += kBlockPages) {
        blocks.push_back({lod, x, z});
      }
    }
  }
  std::vector<CheckReport> parts(blocks.size());
  std::atomic<std::size_t> next = 0;
  std::atomic<bool> found_holes = false;
  std::mutex mutex;  // of `progress`
  const auto work = [&](const std::atomic<bool>& has_failed) -> Result<void> {
    for (std::size_t at = next++; at < blocks.size() && !has_failed; at = next++) {
      PageJudge judge(source, parts[at]);
      if (Result<void> judged = judge.judge_block(blocks[at].lod, blocks[at].x, blocks[at].z); !judged) {
        return judged;
      }
      found_holes = found_holes || judge.has_holes();
      if (progress) {
        const std::lock_guard lock(mutex);
        progress(double(std::min(next.load(), blocks.size())) / double(blocks.size()));
      }
    }
    return {};
  };
  if (Result<void> judged = run_workers(jobs, work); !judged) {
    return judged;
  }
  for (const CheckReport& part : parts) {
    add_counters(report, part);
    for (const std::string& line : part.first_failures) {
      if (report.first_failures.size() < kLinesInAll / 2) {
        report.first_failures.push_back("pages: " + line);
      }
    }
  }
  has_holes = found_holes;
  return {};
}

}  // namespace arete::check
