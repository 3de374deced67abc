// The max-mip chain of one tile: 2^k + 1 samples a side become (n + 1)/2, down to 2.
//
// A coarse sample inside the tile takes the greatest of seven taps, hex7 = {(0,0), (+-1,0), (0,+-1), (1,-1), (-1,1)}:
// every odd fine sample is then read by both ends of the coarse edge whose midpoint it is, so the coarse surface is
// nowhere below the fine one. On the tile's border line only taps on that line count and a corner takes itself, so that
// neighbours agree without reading each other. The coarse samples (1,1) and (m-2,m-2) also read fine (1,1) and
// (n-2,n-2), which no other tap would keep (tests: property/mips_test).
#include <algorithm>
#include <bit>

#include "arete/tiles.h"
#include "tiles/plane_kernels.h"
#include "tiles/reduce.h"

namespace arete {
namespace tiles {
namespace {
// Along a border line: each coarse sample from its fine one and the two beside it; the ends from themselves.
void reduce_line(const std::uint16_t* fine, std::size_t step, int m, std::uint16_t* coarse, std::size_t coarse_step) {
  coarse[0] = fine[0];
  for (int i = 1; i < m - 1; ++i) {
    const std::uint16_t* at = fine + std::size_t(2 * i) * step;
    coarse[std::size_t(i) * coarse_step] = std::max(*at, std::max(*(at - step), *(at + step)));
  }
  coarse[std::size_t(m - 1) * coarse_step] = fine[std::size_t(2 * (m - 1)) * step];
}
}  // namespace

void reduce_max_strided(const std::uint16_t* fine, std::size_t fine_stride, int n, std::uint16_t* coarse,
                        std::size_t coarse_stride) noexcept {
  const int m = (n + 1) / 2;
  const std::size_t last_fine = std::size_t(n - 1);
  const std::size_t last = std::size_t(m - 1);
  reduce_line(fine, 1, m, coarse, 1);
  reduce_line(fine + last_fine * fine_stride, 1, m, coarse + last * coarse_stride, 1);
  reduce_line(fine, fine_stride, m, coarse, coarse_stride);
  reduce_line(fine + last_fine, fine_stride, m, coarse + last, coarse_stride);
  for (int k = 1; k < m - 1; ++k) {
    const std::uint16_t* here = fine + std::size_t(2 * k) * fine_stride;
    const std::uint16_t* north = here - fine_stride;
    const std::uint16_t* south = here + fine_stride;
    reduce_row(north, here, south, m, coarse + std::size_t(k) * coarse_stride);
  }
  if (m > 2) {
    std::uint16_t& first = coarse[coarse_stride + 1];
    first = std::max(first, fine[fine_stride + 1]);
    std::uint16_t& end = coarse[(last - 1) * coarse_stride + last - 1];
    end = std::max(end, fine[(last_fine - 1) * fine_stride + last_fine - 1]);
  }
}

}  // namespace tiles

namespace {
bool is_tile_side(int samples) { return samples >= 2 && std::has_single_bit(unsigned(samples - 1)); }
}  // namespace

int level_samples(int tile_samples, int level) {
  ARETE_ASSERT(is_tile_side(tile_samples) && level >= 0 && level < level_count(tile_samples));
  return ((tile_samples - 1) >> level) + 1;
}

int level_count(int tile_samples) {
  ARETE_ASSERT(is_tile_side(tile_samples));
  return std::countr_zero(unsigned(tile_samples - 1)) + 1;
}

std::size_t chain_samples(int tile_samples) {
  std::size_t sum = 0;
  for (int level = 0; level < level_count(tile_samples); ++level) {
    const auto side = std::size_t(level_samples(tile_samples, level));
    sum += side * side;
  }
  return sum;
}

Result<std::size_t> build_max_chain(std::span<const std::uint16_t> tile, int tile_samples,
                                    std::span<std::uint16_t> chain) {
  if (!is_tile_side(tile_samples)) {
    return usage_error("a tile of " + std::to_string(tile_samples) +
                       " samples a side has no mip chain: use 2^k + 1 samples");
  }
  const std::size_t side = std::size_t(tile_samples);
  if (tile.size() != side * side) {
    return usage_error("a tile of " + std::to_string(side) + " samples a side needs " + std::to_string(side * side) +
                       " heights, not " + std::to_string(tile.size()));
  }
  const std::size_t needed = chain_samples(tile_samples);
  if (chain.size() < needed) {
    return usage_error("the mip chain of a tile of " + std::to_string(side) + " samples a side needs room for " +
                       std::to_string(needed) + " heights, not " + std::to_string(chain.size()));
  }
  std::copy(tile.begin(), tile.end(), chain.begin());
  std::uint16_t* fine = chain.data();
  for (int n = tile_samples; n > kSmallestLevelSamples; n = (n + 1) / 2) {
    std::uint16_t* coarse = fine + std::size_t(n) * std::size_t(n);
    tiles::reduce_max_strided(fine, std::size_t(n), n, coarse, std::size_t((n + 1) / 2));
    fine = coarse;
  }
  return needed;
}

void reduce_max(std::span<const std::uint16_t> fine, int n, std::span<std::uint16_t> coarse) {
  const std::size_t m = std::size_t(n + 1) / 2;
  ARETE_ASSERT(is_tile_side(n) && n >= 3 && fine.size() == std::size_t(n) * std::size_t(n) && coarse.size() == m * m);
  tiles::reduce_max_strided(fine.data(), std::size_t(n), n, coarse.data(), m);
}

}  // namespace arete
