// One pass over rows of heights: count, range, sum, corners, and the decision about undeclared voids.
#pragma once

#include <functional>
#include <string>

#include "height_rows.h"

namespace arete {

// Reads every row once. Candidates that turn out to be voids are declared to `rows`. Warnings name what looks wrong:
// voids found, lone extremes, rims of one value.
Result<RasterStatistics> measure_rows(HeightRows& rows, const std::function<void(double)>& progress);

// Reads every row once to declare undeclared voids, for stages that mix samples; returns the warnings about them
// and about samples too far from zero.
Result<std::vector<std::string>> settle_voids(HeightRows& rows);

// What is to be said of rows read so far: `outliers` and `conflicts` were counted before.
std::vector<std::string> reading_warnings(const HeightRows& rows, std::int64_t outliers, std::int64_t conflicts);

// Reads every row once to count conflicts alone, for a mosaic that a warp reads in its own order.
Result<std::vector<std::string>> count_conflicts(HeightRows& rows);

}  // namespace arete
