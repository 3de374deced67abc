// Metres pass through; degrees go by the store's georeference.
#include "places.h"

#include <cmath>

#include "command.h"

namespace arete::cli {

Result<Places> Places::of(const TileStore& store, bool is_geographic) {
  Places places;
  if (is_geographic) {
    Result<GeographicPlaces> globe =
        GeographicPlaces::create(store.info().crs_wkt, store.info().geotransform, store.lattice());
    if (!globe) {
      return Unexpected{globe.error()};
    }
    places.globe_ = *std::move(globe);
  }
  return places;
}

Result<std::array<double, 2>> Places::place_m(double first, double second) const {
  if (globe_) {
    return globe_->place_m(first, second);
  }
  if (!std::isfinite(first) || !std::isfinite(second)) {
    return usage_error(fmt::format("place {} {}: expected two finite numbers of metres", first, second));
  }
  return std::array{first, second};
}

Result<std::array<double, 2>> Places::parse_place(const std::string& text, const char* name) const {
  const Result<std::vector<double>> numbers = parse_numbers(text, 2, name);
  if (!numbers) {
    return Unexpected{numbers.error()};
  }
  return place_m((*numbers)[0], (*numbers)[1]);
}

Result<std::array<double, 3>> Places::parse_point(const std::string& text, const char* name) const {
  const Result<std::vector<double>> numbers = parse_numbers(text, 3, name);
  if (!numbers) {
    return Unexpected{numbers.error()};
  }
  const std::size_t y = globe_ ? 2 : 1;
  const Result<std::array<double, 2>> place = place_m((*numbers)[0], (*numbers)[3 - y]);
  if (!place) {
    return Unexpected{place.error()};
  }
  return std::array{(*place)[0], (*numbers)[y], (*place)[1]};
}

}  // namespace arete::cli
