// A rectangle cut from rows of heights: --bbox.
#pragma once

#include <string>

#include "height_rows.h"

namespace arete {

// Keeps the samples that stand inside or on `bbox` (west, south, east, north in the CRS of `rows`). Refused without a
// georeference, for an empty or inside-out box, and for one that holds no sample.
Result<std::unique_ptr<HeightRows>> cut_window(std::unique_ptr<HeightRows> rows, const std::array<double, 4>& bbox,
                                               const std::string& name);

}  // namespace arete
