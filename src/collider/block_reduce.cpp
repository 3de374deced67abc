// Greatest and least steps of blocks of cells, as fast as memory gives the samples.
//
// Five rows of samples are reduced to one by whole vectors, then five neighbours to one. Holes are 0, so the greatest
// ignores them and the least becomes 0 in a block that holds one: both stay conservative without a branch.
#include "collider/block_reduce.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collider/block_reduce.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace arete::collider {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Samples that are read together beyond a row's end: one vector of every fourth, four times, and the one after them.
constexpr std::size_t kPadding = 4 * HWY_MAX_BYTES / sizeof(std::uint16_t) + 4;

// The greatest and least of `rows` rows at each column; columns from `stops` on repeat the last.
void ReduceRows(const std::uint16_t* samples, std::ptrdiff_t stride, int rows, std::size_t stops, std::size_t padded,
                std::uint16_t* greatest, std::uint16_t* least) {
  const hn::ScalableTag<std::uint16_t> d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  for (; i + lanes <= stops; i += lanes) {
    auto most = hn::LoadU(d, samples + i);
    auto fewest = most;
    for (int row = 1; row < rows; ++row) {
      const auto here = hn::LoadU(d, samples + row * stride + std::ptrdiff_t(i));
      most = hn::Max(most, here);
      fewest = hn::Min(fewest, here);
    }
    hn::StoreU(most, d, greatest + i);
    hn::StoreU(fewest, d, least + i);
  }
  for (; i < stops; ++i) {
    greatest[i] = least[i] = samples[i];
    for (int row = 1; row < rows; ++row) {
      const std::uint16_t here = samples[row * stride + std::ptrdiff_t(i)];
      greatest[i] = std::max(greatest[i], here);
      least[i] = std::min(least[i], here);
    }
  }
  for (; i < padded; ++i) {
    greatest[i] = greatest[stops - 1];
    least[i] = least[stops - 1];
  }
}

// Of some blocks: the greatest difference within one, and whether one has holes, which are counted as steps.
struct Spread {
  std::uint16_t steps;
  bool has_holes;
};

// Column 4 b to 4 b + 4 of one row of greatest and least to the word of block b.
Spread ReduceColumns(const std::uint16_t* greatest, const std::uint16_t* least, std::size_t blocks,
                     std::uint32_t* words) {
  const hn::ScalableTag<std::uint16_t> d;
  const std::size_t lanes = hn::Lanes(d);
  HWY_ALIGN std::uint16_t joined[HWY_MAX_BYTES];
  auto widest = hn::Zero(d);
  auto lowest = hn::Set(d, 1);
  for (std::size_t b = 0; b < blocks; b += lanes) {
    hn::Vec<decltype(d)> v0, v1, v2, v3, next, unused1, unused2, unused3;
    hn::LoadInterleaved4(d, greatest + 4 * b, v0, v1, v2, v3);
    hn::LoadInterleaved4(d, greatest + 4 * b + 4, next, unused1, unused2, unused3);
    const auto top = hn::Max(hn::Max(hn::Max(v0, v1), hn::Max(v2, v3)), next);
    hn::LoadInterleaved4(d, least + 4 * b, v0, v1, v2, v3);
    hn::LoadInterleaved4(d, least + 4 * b + 4, next, unused1, unused2, unused3);
    const auto bottom = hn::Min(hn::Min(hn::Min(v0, v1), hn::Min(v2, v3)), next);
    widest = hn::Max(widest, hn::Sub(top, bottom));
    lowest = hn::Min(lowest, bottom);
    hn::StoreInterleaved2(top, bottom, d, joined);
    std::memcpy(words + b, joined, std::min(lanes, blocks - b) * sizeof(std::uint32_t));
  }
  hn::Store(widest, d, joined);
  return {*std::max_element(joined, joined + lanes), !hn::AllFalse(d, hn::Eq(lowest, hn::Zero(d)))};
}

// The greatest difference between neighbours along x or z among rows z_begin..z_end (the end excluded); holes count for
// nothing. Rises are counted one too great: from samples less one, so that a hole becomes the greatest of all and
// nothing rises over it.
std::uint16_t SteepestOf(const std::uint16_t* samples, std::ptrdiff_t stride, std::int32_t width, std::int32_t z_begin,
                         std::int32_t z_end) {
  const hn::ScalableTag<std::uint16_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto one = hn::Set(d, 1);
  auto most = one;
  std::uint16_t rest = 1;
  const auto rise = [](std::uint16_t a, std::uint16_t b) -> std::uint16_t {
    return a == 0 || b == 0 ? 1 : static_cast<std::uint16_t>(std::min(std::abs(a - b) + 1, 0xffff));
  };
  for (std::int32_t z = z_begin; z < z_end; ++z) {
    const std::uint16_t* row = samples + z * stride;
    const std::uint16_t* south = z + 1 < z_end ? row + stride : row;
    std::size_t i = 0;
    for (; i + lanes < std::size_t(width); i += lanes) {
      const auto a = hn::LoadU(d, row + i), b = hn::LoadU(d, row + i + 1), c = hn::LoadU(d, south + i);
      const auto less = hn::Sub(a, one);
      const auto up = hn::Max(hn::SaturatedSub(b, less), hn::SaturatedSub(c, less));
      const auto down = hn::Max(hn::SaturatedSub(a, hn::Sub(b, one)), hn::SaturatedSub(a, hn::Sub(c, one)));
      most = hn::Max(most, hn::Max(up, down));
    }
    for (; i < std::size_t(width); ++i) {
      rest = std::max(rest, rise(row[i], south[i]));
      rest = std::max(rest, i + 1 < std::size_t(width) ? rise(row[i], row[i + 1]) : std::uint16_t{1});
    }
  }
  HWY_ALIGN std::uint16_t each[HWY_MAX_BYTES / sizeof(std::uint16_t)];
  hn::Store(most, d, each);
  return static_cast<std::uint16_t>(std::max(rest, *std::max_element(each, each + lanes)) - 1);
}

std::uint16_t ReduceCells(const std::uint16_t* samples, std::ptrdiff_t stride, std::int32_t stops_x,
                          std::int32_t stops_z, std::int32_t z_first, std::int32_t z_last, std::uint32_t* words) {
  const std::size_t blocks = std::size_t(std::max(stops_x - 1, 1) + 3) / 4;
  const std::size_t padded = 4 * blocks + kPadding;
  std::vector<std::uint16_t> row(2 * padded);
  std::uint16_t steepest = 0;
  for (std::int32_t z = z_first; z <= z_last; ++z) {
    const int rows = std::min(stops_z - 4 * z, 5);
    ReduceRows(samples + 4 * z * stride, stride, rows, std::size_t(stops_x), padded, row.data(), row.data() + padded);
    const Spread spread = ReduceColumns(row.data(), row.data() + padded, blocks, words + std::size_t(z) * blocks);
    const std::uint16_t here =
        spread.has_holes ? SteepestOf(samples, stride, stops_x, 4 * z, 4 * z + rows) : spread.steps;
    steepest = std::max(steepest, here);
  }
  return steepest;
}

// Two rows of blocks to the words of one. A word's upper half is its least, which orders whole words.
void ReducePairs(const std::uint32_t* north, const std::uint32_t* south, std::size_t finer_x, std::uint32_t* words) {
  const hn::ScalableTag<std::uint32_t> d;
  const std::size_t lanes = hn::Lanes(d);
  const auto low = hn::Set(d, 0xffff);
  std::size_t x = 0;
  for (; 2 * (x + lanes) <= finer_x; x += lanes) {
    hn::Vec<decltype(d)> nw, ne, sw, se;
    hn::LoadInterleaved2(d, north + 2 * x, nw, ne);
    hn::LoadInterleaved2(d, south + 2 * x, sw, se);
    const auto top = hn::Max(hn::Max(hn::And(nw, low), hn::And(ne, low)), hn::Max(hn::And(sw, low), hn::And(se, low)));
    const auto bottom = hn::Min(hn::Min(nw, ne), hn::Min(sw, se));
    hn::StoreU(hn::Or(top, hn::AndNot(low, bottom)), d, words + x);
  }
  for (; 2 * x < finer_x; ++x) {
    const std::size_t east = std::min(2 * x + 1, finer_x - 1);
    const std::uint32_t all[4] = {north[2 * x], north[east], south[2 * x], south[east]};
    std::uint32_t top = 0;
    for (const std::uint32_t word : all) {
      top = std::max(top, word & 0xffffu);
    }
    words[x] = top | (*std::min_element(all, all + 4) & 0xffff0000u);
  }
}

void ReduceBlocks(const std::uint32_t* finer, std::int32_t finer_x, std::int32_t finer_z, std::int32_t z_first,
                  std::int32_t z_last, std::uint32_t* coarser) {
  const auto row = std::size_t(finer_x);
  for (std::int32_t z = z_first; z <= z_last; ++z) {
    ReducePairs(finer + std::size_t(2 * z) * row, finer + std::size_t(std::min(2 * z + 1, finer_z - 1)) * row, row,
                coarser + std::size_t(z) * ((row + 1) / 2));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace arete::collider
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace arete::collider {
HWY_EXPORT(ReduceCells);
HWY_EXPORT(ReduceBlocks);

std::uint16_t reduce_cells(const std::uint16_t* samples, std::ptrdiff_t stride, std::int32_t stops_x,
                           std::int32_t stops_z, std::int32_t z_first, std::int32_t z_last, std::uint32_t* words) {
  return HWY_DYNAMIC_DISPATCH(ReduceCells)(samples, stride, stops_x, stops_z, z_first, z_last, words);
}

void reduce_blocks(const std::uint32_t* finer, std::int32_t finer_x, std::int32_t finer_z, std::int32_t z_first,
                   std::int32_t z_last, std::uint32_t* coarser) {
  HWY_DYNAMIC_DISPATCH(ReduceBlocks)(finer, finer_x, finer_z, z_first, z_last, coarser);
}

}  // namespace arete::collider
#endif
