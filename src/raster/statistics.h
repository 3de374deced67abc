// One pass over rows of heights: count, range, sum, corners, and the decision about undeclared voids.
#pragma once

#include <functional>
#include <string>

#include "height_rows.h"

namespace arete {

// Reads every row once. Candidates that turn out to be voids are declared to `rows`. Warnings name what looks wrong:
// voids found, lone extremes, rims of one value.
Result<RasterStatistics> measure_rows(HeightRows& rows, const std::function<void(double)>& progress);

// Reads every row once to declare undeclared voids, for stages that mix samples; returns the warnings about them.
Result<std::vector<std::string>> settle_voids(HeightRows& rows);

}  // namespace arete
