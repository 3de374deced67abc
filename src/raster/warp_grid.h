// The grid that a warp makes: its CRS, where it lies, and how large it is.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "height_rows.h"

namespace arete {

struct WarpGrid {
  std::string crs_wkt;
  std::array<double, 6> geotransform{};  // north-up
  std::int64_t width = 0, height = 0;
};

// One grid of `crs` that holds all `sources` (GDAL's suggestion for each: square samples, as fine as the finest
// source), and of it the window where each one lies. "auto" keeps the first source's CRS when it is projected and takes
// the UTM zone of its centre otherwise (polar stereographic beyond 84 N and 80 S). A source that `crs` draws out
// towards infinity keeps the sample size of its centre within `bbox`. Refused: such a source without `bbox`, sources
// without CRS or georeference, and a CRS that is not known.
Result<std::vector<WarpGrid>> plan_warp(const std::vector<const RasterInfo*>& sources, const std::string& crs,
                                        const std::optional<std::array<double, 4>>& bbox, const std::string& name);

}  // namespace arete
