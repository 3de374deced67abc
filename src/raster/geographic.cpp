// Longitude and latitude to a field's metres and back: PROJ takes them to the CRS, the geotransform backwards to
// samples, the spacing to metres.
#include <fmt/format.h>
#include <ogr_srs_api.h>

#include <cmath>

#include "arete/raster.h"
#include "gdal_session.h"
#include "owned_crs.h"

namespace arete {
namespace {

struct TransformReleaser {
  void operator()(OGRCoordinateTransformationH transform) const { OCTDestroyCoordinateTransformation(transform); }
};

// WGS 84 on Earth; elsewhere the globe of the CRS.
Crs globe_of(const Crs& crs) {
  if (!is_on_earth(crs)) {
    return Crs(OSRCloneGeogCS(crs.get()));
  }
  Crs globe(OSRNewSpatialReference(nullptr));
  return OSRImportFromEPSG(globe.get(), 4326) == OGRERR_NONE ? std::move(globe) : nullptr;
}

// Where a field begins as GDAL counts samples, from their corners: a point field's first stop is the middle of its
// first sample.
double first_corner(const Lattice& lattice) { return lattice.is_area() != 0 ? 0 : 0.5; }

}  // namespace

struct GeographicPlaces::State {
  std::unique_ptr<void, TransformReleaser> to_crs, to_globe;
  std::array<double, 6> geotransform{};
  Lattice lattice;
  float half_x_m = 0, half_z_m = 0;
  double turn = 0;  // a full circle in units of the CRS's x axis, where that is a longitude
};

GeographicPlaces::GeographicPlaces() : state_(std::make_unique<State>()) {}
GeographicPlaces::~GeographicPlaces() = default;
GeographicPlaces::GeographicPlaces(GeographicPlaces&&) noexcept = default;
GeographicPlaces& GeographicPlaces::operator=(GeographicPlaces&&) noexcept = default;

Result<GeographicPlaces> GeographicPlaces::create(const std::string& crs_wkt,
                                                  const std::optional<std::array<double, 6>>& geotransform,
                                                  const Lattice& lattice) {
  start_gdal();
  const GdalTrap trap;
  const Crs crs(crs_wkt.empty() ? nullptr : OSRNewSpatialReference(crs_wkt.c_str()));
  if (crs == nullptr || !geotransform) {
    return data_error(
        fmt::format("longitude and latitude have no place here: the field has no {}; bake it from a georeferenced "
                    "raster, or give metres",
                    geotransform ? "CRS" : "georeference"));
  }
  const Crs globe = globe_of(crs);
  GeographicPlaces places;
  if (globe != nullptr) {
    OSRSetAxisMappingStrategy(crs.get(), OAMS_TRADITIONAL_GIS_ORDER);
    OSRSetAxisMappingStrategy(globe.get(), OAMS_TRADITIONAL_GIS_ORDER);
    places.state_->to_crs.reset(OCTNewCoordinateTransformation(globe.get(), crs.get()));
    places.state_->to_globe.reset(OCTNewCoordinateTransformation(crs.get(), globe.get()));
  }
  if (places.state_->to_crs == nullptr || places.state_->to_globe == nullptr) {
    return data_error("longitude and latitude have no place here: " +
                      trap.reason("PROJ", "the field's CRS cannot be reached from a globe") + "; give metres");
  }
  places.state_->geotransform = *geotransform;
  places.state_->lattice = lattice;
  places.state_->half_x_m = lattice.half_x_m();
  places.state_->half_z_m = lattice.half_z_m();
  if (OSRIsGeographic(crs.get()) != 0) {
    places.state_->turn = 2 * std::acos(-1.0) / OSRGetAngularUnits(crs.get(), nullptr);
  }
  return places;
}

Result<std::array<double, 2>> GeographicPlaces::place_m(double longitude_deg, double latitude_deg) const {
  if (!(std::abs(longitude_deg) <= 360) || !(std::abs(latitude_deg) <= 90)) {
    return usage_error(
        fmt::format("longitude {} latitude {}: expected degrees, -360 to 360 and -90 to 90, the longitude first",
                    longitude_deg, latitude_deg));
  }
  const GdalTrap trap;
  double x = longitude_deg, y = latitude_deg;
  if (OCTTransform(state_->to_crs.get(), 1, &x, &y, nullptr) == 0 || !std::isfinite(x) || !std::isfinite(y)) {
    return data_error(fmt::format("longitude {} latitude {} has no place in the field's CRS: {}", longitude_deg,
                                  latitude_deg, trap.reason("PROJ", "it is too far away")));
  }
  const auto& g = state_->geotransform;
  const Lattice& lattice = state_->lattice;
  const int rims = 2 * lattice.is_area();
  if (state_->turn != 0) {  // the way around the globe that comes nearest to the field
    const double middle = g[0] + g[1] * (lattice.stops_x - rims) / 2 + g[2] * (lattice.stops_z - rims) / 2;
    x = middle + std::remainder(x - middle, state_->turn);
  }
  // A millionth of a sample is less than degrees can say: rounded to it, samples stand on their stops and the rims
  // belong to the field.
  const double determinant = g[1] * g[5] - g[2] * g[4];
  const double first = first_corner(lattice);
  const auto samples = [first](double corner) { return std::round((corner - first) * 0x1p20) * 0x1p-20 + 0.0; };
  const double column = samples(((x - g[0]) * g[5] - (y - g[3]) * g[2]) / determinant);
  const double row = samples(((y - g[3]) * g[1] - (x - g[0]) * g[4]) / determinant);
  return std::array{column * 2 * double(state_->half_x_m), row * 2 * double(state_->half_z_m)};
}

Result<std::array<double, 2>> GeographicPlaces::degrees_at(double x_m, double z_m) const {
  if (!std::isfinite(x_m) || !std::isfinite(z_m)) {
    return usage_error(fmt::format("place {} {}: expected two finite numbers of metres", x_m, z_m));
  }
  const GdalTrap trap;
  const auto& g = state_->geotransform;
  const double column = x_m / (2 * double(state_->half_x_m)) + first_corner(state_->lattice);
  const double row = z_m / (2 * double(state_->half_z_m)) + first_corner(state_->lattice);
  double x = g[0] + column * g[1] + row * g[2], y = g[3] + column * g[4] + row * g[5];
  if (OCTTransform(state_->to_globe.get(), 1, &x, &y, nullptr) == 0 || !std::isfinite(x) || !(std::abs(y) <= 90)) {
    return data_error(fmt::format("place {} {} has no longitude and latitude: {}", x_m, z_m,
                                  trap.reason("PROJ", "it is off the globe")));
  }
  return std::array{std::remainder(x, 360.0), y};
}

}  // namespace arete
