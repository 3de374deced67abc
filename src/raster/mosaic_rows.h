// Several rasters as one: each lies whole samples from the first, and the first valid sample wins.
#pragma once

#include <string>
#include <vector>

#include "height_rows.h"

namespace arete {

struct MosaicPart {
  std::unique_ptr<HeightRows> rows;
  std::string name;
};

// True when the parts share a grid, so that join_parts joins them.
bool is_one_grid(const std::vector<MosaicPart>& parts);

// Refused, with the --crs command that would warp them, unless all agree in CRS, registration and spacing and lie whole
// samples apart. Samples of two parts that differ by more than `tolerance_m` count as conflicts.
Result<std::unique_ptr<HeightRows>> join_parts(std::vector<MosaicPart> parts, double tolerance_m);

}  // namespace arete
