// Plans warps with PROJ and GDAL's suggested output; see warp_grid.h.
#include "warp_grid.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <fmt/format.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <ogr_srs_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "band.h"
#include "gdal_session.h"
#include "owned_crs.h"

namespace arete {
namespace {

Crs parse(const std::string& text) {
  Crs crs(OSRNewSpatialReference(nullptr));
  if (OSRSetFromUserInput(crs.get(), text.c_str()) != OGRERR_NONE) {
    return nullptr;
  }
  OSRSetAxisMappingStrategy(crs.get(), OAMS_TRADITIONAL_GIS_ORDER);
  return crs;
}

std::string wkt_of(const Crs& crs) {
  char* text = nullptr;
  const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
  OSRExportToWktEx(crs.get(), &text, options);
  std::string wkt = text == nullptr ? "" : text;
  CPLFree(text);
  return wkt;
}

// The CRS that "auto" stands for; empty when the raster is not on Earth or its centre has no place.
std::string automatic_crs(const RasterInfo& info) {
  const Crs source = parse(info.crs_wkt);
  if (source == nullptr || OSRIsProjected(source.get()) != 0) {
    return source == nullptr ? "" : info.crs_wkt;
  }
  if (!is_on_earth(source)) {
    return {};
  }
  const Crs globe = parse("EPSG:4326");
  OGRCoordinateTransformationH to_globe = OCTNewCoordinateTransformation(source.get(), globe.get());
  const auto& g = *info.geotransform;
  const double column = double(info.width) / 2, row = double(info.height) / 2;
  double x = g[0] + g[1] * column + g[2] * row, y = g[3] + g[4] * column + g[5] * row;
  const bool is_placed = to_globe != nullptr && OCTTransform(to_globe, 1, &x, &y, nullptr) != 0;
  OCTDestroyCoordinateTransformation(to_globe);
  if (!is_placed) {
    return {};
  }
  if (y > 84 || y < -80) {
    return y > 0 ? "EPSG:3413" : "EPSG:3031";
  }
  const int zone = std::clamp(static_cast<int>(std::floor((std::remainder(x, 360.0) + 180) / 6)) + 1, 1, 60);
  return fmt::format("EPSG:{}", (y >= 0 ? 32600 : 32700) + zone);
}

// A UTM zone that holds a raster of degrees no further than this from its middle draws lengths out by 9 % at most.
constexpr double kZoneReach_deg = 23;

// Degrees of longitude from the middle of `target`'s UTM zone to a raster's farther edge; 0 where either is otherwise.
double zone_reach_deg(const Crs& target, const RasterInfo& info) {
  const Crs source = parse(info.crs_wkt);
  const int zone = OSRGetUTMZone(target.get(), nullptr);
  if (zone == 0 || source == nullptr || OSRIsGeographic(source.get()) == 0) {
    return 0;
  }
  const double unit_deg = OSRGetAngularUnits(source.get(), nullptr) * 180 / std::numbers::pi;
  const auto& g = *info.geotransform;
  const double along_x = g[1] * double(info.width), along_z = g[2] * double(info.height);
  const double middle_deg = (g[0] + (along_x + along_z) / 2) * unit_deg;
  const double half_deg = (std::abs(along_x) + std::abs(along_z)) / 2 * unit_deg;
  return std::abs(std::remainder(middle_deg - (6 * zone - 183), 360.0)) + half_deg;
}

// Where a source comes to lie: west, south, east, north, the suggested sample size and that of its centre.
struct Footprint {
  std::array<double, 4> extent{};
  double spacing = 0, central_spacing = 0;
};
// Suggested samples more often the size of those in the centre: a pole or the like draws the extent out.
constexpr double kMostStretch = 3;
bool is_stretched(const Footprint& footprint) { return footprint.spacing > kMostStretch * footprint.central_spacing; }

// The lesser side, in the target's units, of the sample in the middle.
double central_spacing(const RasterInfo& info, void* transformer) {
  const double column = double(info.width) / 2, row = double(info.height) / 2;
  std::array<double, 3> x{column, column + 1, column}, y{row, row, row + 1}, z{};
  std::array<int, 3> is_placed{};
  GDALGenImgProjTransform(transformer, 0, 3, x.data(), y.data(), z.data(), is_placed.data());
  return is_placed[0] != 0 && is_placed[1] != 0 && is_placed[2] != 0
             ? std::min(std::hypot(x[1] - x[0], y[1] - y[0]), std::hypot(x[2] - x[0], y[2] - y[0]))
             : std::numeric_limits<double>::infinity();
}

bool find_footprint(const RasterInfo& info, const std::string& crs_wkt, Footprint& footprint) {
  // A dataset without bands carries size and place and takes no memory.
  GDALDatasetH carrier = GDALCreate(GDALGetDriverByName("MEM"), "", static_cast<int>(info.width),
                                    static_cast<int>(info.height), 0, GDT_Byte, nullptr);
  std::array<double, 6> g = *info.geotransform;
  GDALSetGeoTransform(carrier, g.data());
  GDALSetProjection(carrier, info.crs_wkt.c_str());
  char** options = CSLSetNameValue(nullptr, "DST_SRS", crs_wkt.c_str());
  void* transformer = GDALCreateGenImgProjTransformer2(carrier, nullptr, options);
  CSLDestroy(options);
  std::array<double, 6> suggested{};
  int width = 0, height = 0;
  const bool is_found = transformer != nullptr &&
                        GDALSuggestedWarpOutput2(carrier, GDALGenImgProjTransform, transformer, suggested.data(),
                                                 &width, &height, footprint.extent.data(), 0) == CE_None;
  footprint.spacing = suggested[1];
  footprint.central_spacing = is_found ? central_spacing(info, transformer) : 0;
  GDALDestroyGenImgProjTransformer(transformer);
  GDALClose(carrier);
  return is_found && footprint.spacing > 0 && std::isfinite(footprint.spacing);
}

// The part of a grid that a footprint covers. Footprints are measured at places along their edges, which may bulge
// between them.
WarpGrid window_of(const WarpGrid& grid, const Footprint& footprint) {
  constexpr double kBulge = 0.01;  // of a side
  const auto& g = grid.geotransform;
  const auto& [west, south, east, north] = footprint.extent;
  const auto range = [](double from, double to, std::int64_t count) {
    const double margin = 2 + kBulge * (to - from);
    return std::array{std::clamp<std::int64_t>(std::int64_t(std::floor(from - margin)), 0, count - 1),
                      std::clamp<std::int64_t>(std::int64_t(std::ceil(to + margin)), 1, count)};
  };
  const auto [left, right] = range((west - g[0]) / g[1], (east - g[0]) / g[1], grid.width);
  const auto [top, bottom] = range((north - g[3]) / g[5], (south - g[3]) / g[5], grid.height);
  WarpGrid window = grid;
  window.geotransform[0] += g[1] * double(left);
  window.geotransform[3] += g[5] * double(top);
  window.width = right - left;
  window.height = bottom - top;
  return window;
}

}  // namespace

Result<std::vector<WarpGrid>> plan_warp(const std::vector<const RasterInfo*>& sources, const std::string& crs,
                                        const std::optional<std::array<double, 4>>& bbox, const std::string& name) {
  const GdalTrap trap;
  for (const RasterInfo* source : sources) {
    if (!source->geotransform || source->crs_wkt.empty()) {
      return usage_error(fmt::format("{}: has no CRS or no georeference, so --crs cannot warp it", name));
    }
  }
  const std::string wanted = crs == "auto" ? automatic_crs(*sources.front()) : crs;
  const Crs target = wanted.empty() ? nullptr : parse(wanted);
  if (target == nullptr) {
    return usage_error(fmt::format("{}: --crs {}: {}; expected auto or a CRS such as EPSG:32619", name, crs,
                                   trap.reason(name, "no such CRS for this raster")));
  }
  if (OSRIsProjected(target.get()) == 0 && OSRIsGeographic(target.get()) == 0) {
    return usage_error(fmt::format("{}: --crs {}: expected a projected or geographic CRS", name, crs));
  }
  WarpGrid grid;
  grid.crs_wkt = wkt_of(target);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<Footprint> footprints;
  double west = kInfinity, south = kInfinity, east = -kInfinity, north = -kInfinity, spacing = kInfinity;
  for (const RasterInfo* source : sources) {
    if (const double reach_deg = crs == "auto" ? zone_reach_deg(target, *source) : 0; reach_deg > kZoneReach_deg) {
      return usage_error(
          fmt::format("{}: --crs auto: it reaches {:.3g} degrees of longitude from the middle of UTM zone {}, which "
                      "holds {} without drawing it out; name a CRS made for so wide an area, or leave --crs out",
                      name, reach_deg, OSRGetUTMZone(target.get(), nullptr), kZoneReach_deg));
    }
    Footprint footprint;
    if (!find_footprint(*source, grid.crs_wkt, footprint)) {
      return data_error(fmt::format("{}: cannot be warped to --crs {}: {}", name, crs,
                                    trap.reason(name, "its extent has no place there")));
    }
    if (is_stretched(footprint) && !bbox) {
      return data_error(fmt::format(
          "{}: --crs {} draws its edges out so far that samples of {:.6g} would be {:.6g} apart; say which part is "
          "wanted with --bbox",
          name, crs, footprint.central_spacing, footprint.spacing));
    }
    if (is_stretched(footprint)) {
      // Such an extent is known to a suggested sample.
      for (const std::size_t side : {0u, 1u, 2u, 3u}) {
        const double outwards = side < 2 ? -footprint.spacing : footprint.spacing;
        footprint.extent[side] =
            std::clamp(footprint.extent[side] + outwards, (*bbox)[side % 2], (*bbox)[side % 2 + 2]);
      }
      footprint.spacing = footprint.central_spacing;
    }
    west = std::min(west, footprint.extent[0]);
    south = std::min(south, footprint.extent[1]);
    east = std::max(east, footprint.extent[2]);
    north = std::max(north, footprint.extent[3]);
    spacing = std::min(spacing, footprint.spacing);
    footprints.push_back(footprint);
  }
  const double width = std::ceil((east - west) / spacing - 1e-3), height = std::ceil((north - south) / spacing - 1e-3);
  if (!(width >= 1 && height >= 1 && width <= double(kMaxSide) && height <= double(kMaxSide))) {
    return data_error(fmt::format("{}: warped to --crs {} it has {} x {} samples, expected 1 to {} a side", name, crs,
                                  width, height, kMaxSide));
  }
  grid.width = static_cast<std::int64_t>(width);
  grid.height = static_cast<std::int64_t>(height);
  grid.geotransform = {west, spacing, 0, north, 0, -spacing};
  std::vector<WarpGrid> windows;
  windows.reserve(footprints.size());
  for (const Footprint& footprint : footprints) {
    windows.push_back(window_of(grid, footprint));
  }
  return windows;
}

}  // namespace arete
