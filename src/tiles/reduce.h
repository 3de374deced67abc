// One step of the max-mip chain on planes that stand inside larger ones.
#pragma once

#include <cstddef>
#include <cstdint>

namespace arete::tiles {

// Reduces the n x n samples at `fine` (n = 2^k + 1 >= 3, rows fine_stride apart) to the ((n + 1)/2)^2 at `coarse`. The
// spans must not overlap.
void reduce_max_strided(const std::uint16_t* fine, std::size_t fine_stride, int n, std::uint16_t* coarse,
                        std::size_t coarse_stride) noexcept;

}  // namespace arete::tiles
