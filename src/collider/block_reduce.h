// Greatest and least steps of blocks of cells, joined in one word: greatest | least << 16.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arete::collider {

// Blocks of 4 x 4 cells of a grid of stops_x * stops_z samples (row-major, `stride` samples a row): word (x, z) of
// `words`, ceil((stops_x - 1) / 4) a row (at least 1), counts the samples 4 x..4 x + 4, those beyond the last left out.
// Rows z_first..z_last of blocks are written, ends included. Returns a number of steps by which no two neighbouring
// samples of these rows differ more: the greatest difference within a block, closer where there are holes, which count
// for nothing.
std::uint16_t reduce_cells(const std::uint16_t* samples, std::ptrdiff_t stride, std::int32_t stops_x,
                           std::int32_t stops_z, std::int32_t z_first, std::int32_t z_last, std::uint32_t* words);

// 2 x 2 blocks of `finer` (finer_x * finer_z words) to one, for rows z_first..z_last of `coarser`.
void reduce_blocks(const std::uint32_t* finer, std::int32_t finer_x, std::int32_t finer_z, std::int32_t z_first,
                   std::int32_t z_last, std::uint32_t* coarser);

}  // namespace arete::collider
