// Places as users give them: a field's metres, or with --lonlat degrees.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "arete/raster.h"
#include "arete/tiles.h"

namespace arete::cli {

class Places {
 public:
  // Refused (data) when degrees are asked for and the store has no georeference.
  static Result<Places> of(const TileStore& store, bool is_geographic);

  bool is_geographic() const { return globe_.has_value(); }
  // x, z in metres from x, z or longitude, latitude. Refused (usage): numbers that are not finite, or no degrees.
  Result<std::array<double, 2>> place_m(double first, double second) const;
  // The same from "x,z" or "lon,lat"; `name` is the option, for the refusal.
  Result<std::array<double, 2>> parse_place(const std::string& text, const char* name) const;
  // x, y, z in metres from "x,y,z" or "lon,lat,y".
  Result<std::array<double, 3>> parse_point(const std::string& text, const char* name) const;

 private:
  std::optional<GeographicPlaces> globe_;
};

}  // namespace arete::cli
