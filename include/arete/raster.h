// Rasters: any elevation file that GDAL knows becomes rows of heights in metres with their registration, spacing and
// holes, and the u16 height scale that holds them.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arete/core.h"

namespace arete {

struct RasterOptions {
  std::optional<Registration> registration;   // unset: area where georeferenced, else point
  std::optional<double> spacing_x_m;          // unset: from the georeference; 1 m with a warning when unknown
  std::optional<double> spacing_z_m;
  double vertical_scale = 1;                  // metres a file unit, after the file's own scale, offset and unit
  std::optional<double> nodata;               // replaces the declared value
};

// What a raster is, without reading its samples.
struct RasterInfo {
  std::int64_t width = 0, height = 0;         // samples
  Registration registration = Registration::point;
  double spacing_x_m = 1, spacing_z_m = 1;
  bool spacing_is_known = false;
  std::string crs_wkt;                        // WKT2:2019, empty when unknown
  std::optional<std::array<double, 6>> geotransform;  // GDAL's order, of the north-up raster
  std::string vertical_unit = "metre";
  std::string driver;
  std::vector<std::string> warnings;
};

// Over every valid sample, in metres after scale, offset and unit; rows count from the north.
struct RasterStatistics {
  std::int64_t valid = 0, missing = 0;
  double min_m = 0, max_m = 0, sum_m = 0;
  std::array<std::int64_t, 2> first_min{}, first_max{};  // [row, column]
  std::array<double, 4> corners_m{};                     // NW NE SW SE; NaN where missing
  bool all_whole_metres = true;
};

// An open raster. Rows come north to south whatever the file's order; holes are NaN. Not thread-safe.
class Raster {
 public:
  static Result<std::unique_ptr<Raster>> open(const std::filesystem::path& path, const RasterOptions& options = {});
  ~Raster();
  const RasterInfo& info() const noexcept;
  // Fills `row_m` (width doubles) with row `row` in metres.
  Result<void> read_row(std::int64_t row, std::span<double> row_m);
  // Reads the whole raster once, in bounded memory.
  Result<RasterStatistics> statistics(const std::function<void(double)>& progress = {});

 private:
  Raster();
  struct State;
  std::unique_ptr<State> state_;
};

// y = base + step h: the least power of two >= 2^-20 m whose 61,438 steps hold the span with |y| under 2^24 steps, the
// data centred in 1..65,535.
struct HeightScale {
  double base_m = 0;
  double step_m = 1;
};
// Chooses the scale; `height_step_m` asks for another power of two and is refused with the step that would fit.
// Whole metres that span at most 65,534 always get a step of at most 1.
Result<HeightScale> choose_height_scale(double min_m, double max_m, bool whole_metres,
                                        std::optional<double> height_step_m = {});
// The nearest step (1..65,535) of a height inside the scale; NaN gives 0.
std::uint16_t quantise(double height_m, const HeightScale& scale);

// The lattice that a raster's samples become: W stops an axis for point registration, W + 2 for area.
Lattice raster_lattice(const RasterInfo& info, const HeightScale& scale);

}  // namespace arete
