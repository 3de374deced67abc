// How the field's metres relate to the raster's CRS.
#include <algorithm>
#include <cmath>

#include "export/mesh_writers.h"

namespace arete {

std::optional<std::array<double, 2>> crs_origin(const Lattice& lattice, const MeshFileOptions& options) {
  if (!options.geotransform) {
    return std::nullopt;
  }
  // GDAL counts pixels from their corners; a point raster's origin is the middle of its first one.
  const auto& g = *options.geotransform;
  const double at = lattice.is_area() == 1 ? 0 : 0.5;
  return std::array{g[0] + at * g[1] + at * g[2], g[3] + at * g[4] + at * g[5]};
}

bool is_metric(const Lattice& lattice, const MeshFileOptions& options) {
  if (!options.geotransform || options.crs_wkt.rfind("PROJC", 0) != 0) {
    return false;
  }
  const auto& g = *options.geotransform;
  const auto is_near = [](double a, double b) { return std::abs(a - b) <= 1e-9 * std::abs(b); };
  return is_near(g[1], lattice.spacing_x_m) && is_near(-g[5], lattice.spacing_z_m) && g[2] == 0 && g[4] == 0;
}

std::string one_line(const std::string& text) {
  std::string line = text;
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

}  // namespace arete
