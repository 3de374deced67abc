// Asks PROJ's objects, through OGR, for units and ellipsoids; see crs.h.
//
// On an ellipsoid of semi-major axis a and squared eccentricity e2, one radian of latitude is M = a(1-e2)/w^3 metres
// and one of longitude N cos(phi) = a cos(phi)/w, w = sqrt(1 - e2 sin^2 phi) (Bowring 1985, or any textbook of
// geodesy).
#include "crs.h"

#include <fmt/format.h>
#include <ogr_srs_api.h>

#include <cmath>
#include <memory>
#include <numbers>

#include "gdal_session.h"
#include "owned_crs.h"

namespace arete {
namespace {

Crs parse(const std::string& wkt) { return Crs(wkt.empty() ? nullptr : OSRNewSpatialReference(wkt.c_str())); }

// A transform of unknown unit that stays within a globe's degrees, in steps far below a metre.
bool looks_like_degrees(const std::array<double, 6>& g, double width, double height) {
  return g[1] < 0.1 && -g[5] < 0.1 && g[0] >= -180 && g[0] + g[1] * width <= 360 && g[3] <= 90 &&
         g[3] + g[5] * height >= -90 && std::abs(g[0]) + std::abs(g[3]) > 1;
}

}  // namespace

Result<GroundSpacing> ground_spacing(const std::string& crs_wkt, const std::array<double, 6>& g, std::int64_t width,
                                     std::int64_t height) {
  const GdalTrap trap;
  const Crs crs = parse(crs_wkt);
  GroundSpacing spacing{g[1], -g[5], false, false, {}};
  if (crs == nullptr ||
      (OSRIsGeographic(crs.get()) == 0 && OSRIsProjected(crs.get()) == 0 && OSRIsLocal(crs.get()) == 0)) {
    spacing.warning = fmt::format(
        "no unit of length is known: {:.6g} x {:.6g} is taken as metres between samples{}; give --spacing", spacing.x_m,
        spacing.z_m, looks_like_degrees(g, double(width), double(height)) ? " although it looks like degrees" : "");
    return spacing;
  }
  if (OSRIsGeographic(crs.get()) == 0) {
    const double unit = OSRGetLinearUnits(crs.get(), nullptr);
    spacing.x_m *= unit;
    spacing.z_m *= unit;
    spacing.is_known = true;
    return spacing;
  }
  const double unit = OSRGetAngularUnits(crs.get(), nullptr);  // radians
  const double latitude = (g[3] + g[5] * double(height) / 2) * unit;
  const double degrees = latitude * 180 / std::numbers::pi;
  if (!(std::abs(degrees) <= 89.9)) {
    return data_error(
        fmt::format("the raster's centre is at latitude {:.4f}, where degrees have no useful length; warp it with "
                    "--crs, for example --crs EPSG:{}",
                    degrees, degrees > 0 ? 3413 : 3031));
  }
  const double a = OSRGetSemiMajor(crs.get(), nullptr), inverse = OSRGetInvFlattening(crs.get(), nullptr);
  const double f = inverse == 0 ? 0 : 1 / inverse, e2 = f * (2 - f);
  const double w = std::sqrt(1 - e2 * std::sin(latitude) * std::sin(latitude));
  spacing.x_m *= unit * a * std::cos(latitude) / w;
  spacing.z_m *= unit * a * (1 - e2) / (w * w * w);
  spacing.is_known = spacing.is_degrees = true;
  spacing.warning = fmt::format(
      "degrees are taken at the metric scale of the raster's centre, latitude {:.4f}: {:.4f} x {:.4f} m "
      "between samples; --crs auto warps instead",
      degrees, spacing.x_m, spacing.z_m);
  return spacing;
}

VerticalAxis vertical_axis(const std::string& crs_wkt) {
  const GdalTrap trap;
  const Crs crs = parse(crs_wkt);
  if (crs == nullptr || (OSRIsCompound(crs.get()) == 0 && OSRIsVertical(crs.get()) == 0)) {
    return {};
  }
  char* name = nullptr;
  const double metres = OSRGetTargetLinearUnits(crs.get(), "VERT_CS", &name);
  return {metres, name == nullptr ? "" : name};
}

bool is_same_crs(const std::string& a_wkt, const std::string& b_wkt) {
  if (a_wkt == b_wkt || a_wkt.empty() || b_wkt.empty()) {
    return a_wkt == b_wkt;
  }
  const GdalTrap trap;
  const Crs a = parse(a_wkt), b = parse(b_wkt);
  return a != nullptr && b != nullptr && OSRIsSame(a.get(), b.get()) != 0;
}

}  // namespace arete
