// Coordinate reference systems as far as terrain needs them: how long a unit is, and on what globe.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "arete/result.h"

namespace arete {

struct GroundSpacing {
  double x_m = 1, z_m = 1;
  bool is_known = false;
  bool is_degrees = false;
  std::string warning;  // empty when there is nothing to say
};

// Metres between samples of a north-up raster of width x height samples. Projected: the linear unit. Geographic: the
// metric scale along the meridian and the parallel at the raster's centre, on the CRS's ellipsoid. Unknown CRS: the
// transform's own numbers, with a warning. Refused where a degree has no length (a centre within 0.1 degree of a pole
// or beyond).
Result<GroundSpacing> ground_spacing(const std::string& crs_wkt, const std::array<double, 6>& geotransform,
                                     std::int64_t width, std::int64_t height);

// Metres a unit of the CRS's vertical axis, and its name; 0 and "" without one.
struct VerticalAxis {
  double metres = 0;
  std::string name;
};
VerticalAxis vertical_axis(const std::string& crs_wkt);

// True when both mean the same coordinates; two unknown ones do.
bool is_same_crs(const std::string& a_wkt, const std::string& b_wkt);

}  // namespace arete
