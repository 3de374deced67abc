// PROJ's coordinate reference systems, owned.
#pragma once

#include <ogr_srs_api.h>

#include <cmath>
#include <memory>

namespace arete {

struct CrsReleaser {
  void operator()(OGRSpatialReferenceH crs) const { OSRDestroySpatialReference(crs); }
};
using Crs = std::unique_ptr<void, CrsReleaser>;

// Whether its globe has the size of the Earth.
inline bool is_on_earth(const Crs& crs) {
  constexpr double kRadius_m = 6378137;
  return std::abs(OSRGetSemiMajor(crs.get(), nullptr) / kRadius_m - 1) <= 0.01;
}

}  // namespace arete
