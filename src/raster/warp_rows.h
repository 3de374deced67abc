// A raster drawn on another grid: --crs.
#pragma once

#include "height_rows.h"
#include "warp_grid.h"

namespace arete {

// Bilinear between the four samples around each place, voids left out of the weights; a place whose nearest sample is a
// void or that lies outside the source is a hole, so heights never leave the range of the samples around. Places are
// exact to a hundredth of a sample. Memory: at most 192 MiB of the source's samples.
Result<std::unique_ptr<HeightRows>> warp_rows(std::unique_ptr<HeightRows> rows, const WarpGrid& grid,
                                              const std::string& name);

}  // namespace arete
