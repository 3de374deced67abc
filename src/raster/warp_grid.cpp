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

// Where a source comes to lie: west, south, east, north and the suggested sample size.
struct Footprint {
  std::array<double, 4> extent{};
  double spacing = 0;
};
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
  GDALDestroyGenImgProjTransformer(transformer);
  GDALClose(carrier);
  return is_found && footprint.spacing > 0 && std::isfinite(footprint.spacing);
}

}  // namespace

Result<WarpGrid> plan_warp(const std::vector<const RasterInfo*>& sources, const std::string& crs,
                           const std::string& name) {
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
  double west = kInfinity, south = kInfinity, east = -kInfinity, north = -kInfinity, spacing = kInfinity;
  for (const RasterInfo* source : sources) {
    Footprint footprint;
    if (!find_footprint(*source, grid.crs_wkt, footprint)) {
      return data_error(fmt::format("{}: cannot be warped to --crs {}: {}", name, crs,
                                    trap.reason(name, "its extent has no place there")));
    }
    west = std::min(west, footprint.extent[0]);
    south = std::min(south, footprint.extent[1]);
    east = std::max(east, footprint.extent[2]);
    north = std::max(north, footprint.extent[3]);
    spacing = std::min(spacing, footprint.spacing);
  }
  const double width = std::ceil((east - west) / spacing - 1e-3), height = std::ceil((north - south) / spacing - 1e-3);
  if (!(width >= 1 && height >= 1 && width <= double(kMaxSide) && height <= double(kMaxSide))) {
    return data_error(fmt::format("{}: warped to --crs {} it has {} x {} samples, expected 1 to {} a side", name, crs,
                                  width, height, kMaxSide));
  }
  grid.width = static_cast<std::int64_t>(width);
  grid.height = static_cast<std::int64_t>(height);
  grid.geotransform = {west, spacing, 0, north, 0, -spacing};
  return grid;
}

}  // namespace arete
