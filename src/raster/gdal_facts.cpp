// Takes down what a dataset declares; see gdal_facts.h.
#include "gdal_facts.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <fmt/format.h>
#include <ogr_srs_api.h>

#include <algorithm>
#include <cmath>

namespace arete {
namespace {

// What GDAL makes of a GeoTIFF whose keys say point or area and nothing else: axes of an unknown unit.
bool is_placeholder(OGRSpatialReferenceH crs) {
  char* unit = nullptr;
  return OSRIsLocal(crs) != 0 && OSRGetLinearUnits(crs, &unit) > 0 && unit != nullptr && EQUAL(unit, "unknown");
}

// Geotransform, row order, CRS and registration.
Result<void> describe_place(GDALDatasetH dataset, const GdalBandRequest& request, GdalFacts& found) {
  BandFacts& facts = found.facts;
  const char* registration = GDALGetMetadataItem(dataset, GDALMD_AREA_OR_POINT, nullptr);
  if (registration != nullptr && EQUAL(registration, GDALMD_AOP_POINT)) {
    facts.registration = Registration::point;
  } else if (registration != nullptr && EQUAL(registration, GDALMD_AOP_AREA)) {
    facts.registration = Registration::area;
  }
  if (OGRSpatialReferenceH crs = GDALGetSpatialRef(dataset); crs != nullptr && !is_placeholder(crs)) {
    char* text = nullptr;
    const char* const options[] = {"FORMAT=WKT2_2019", nullptr};
    if (OSRExportToWktEx(crs, &text, options) == OGRERR_NONE) {
      facts.crs_wkt = text;
    }
    CPLFree(text);
  }
  std::array<double, 6> g{};
  if (GDALGetGeoTransform(dataset, g.data()) != CE_None) {
    if (facts.registration == Registration::area) {
      facts.registration.reset();  // GDAL's default where nothing is declared
    }
    if (GDALGetGCPCount(dataset) > 0) {
      facts.warnings.push_back("placed by control points, which are not used; gdalwarp can apply them");
    }
    return {};
  }
  const double width = double(facts.width), height = double(facts.height);
  if (!std::all_of(g.begin(), g.end(), [](double v) { return std::isfinite(v); })) {
    return data_error(fmt::format("{}: the geotransform holds a number that is not finite", facts.name));
  }
  // Rotated when a row or column drifts by more than a thousandth of a sample from end to end.
  facts.is_rotated = std::abs(g[2]) * height > 1e-3 * std::abs(g[1]) || std::abs(g[4]) * width > 1e-3 * std::abs(g[5]);
  if (facts.is_rotated) {
    if (!request.allows_rotation) {
      return data_error(
          fmt::format("{}: the geotransform is rotated or sheared ({}, {}); straighten it with --crs auto or "
                      "--crs EPSG:n",
                      facts.name, g[2], g[4]));
    }
    facts.geotransform = g;
    return {};
  }
  if (g[1] == 0 || g[5] == 0) {
    return data_error(fmt::format("{}: the geotransform has samples of size {} x {}; expected sizes that are not 0",
                                  facts.name, g[1], g[5]));
  }
  found.is_east_first = g[1] < 0;
  found.is_south_up = g[5] > 0;
  if (found.is_east_first) {
    g[0] += g[1] * width;
    g[1] = -g[1];
  }
  if (found.is_south_up) {
    g[3] += g[5] * height;
    g[5] = -g[5];
  }
  g[2] = g[4] = 0;
  facts.geotransform = g;
  return {};
}

}  // namespace

Result<GdalFacts> describe_dataset(const InputFile& file, GDALDatasetH dataset, GDALRasterBandH band,
                                   const GdalBandRequest& request) {
  GdalFacts found;
  BandFacts& facts = found.facts;
  facts.name = file.name;
  const GDALDataType type = GDALGetRasterDataType(band);
  found.has_mask = (GDALGetMaskFlags(band) & (GMF_PER_DATASET | GMF_ALPHA)) != 0;
  const char* pixel_type = GDALGetMetadataItem(band, "PIXELTYPE", "IMAGE_STRUCTURE");
  found.is_signed_byte = type == GDT_Byte && pixel_type != nullptr && EQUAL(pixel_type, "SIGNEDBYTE");
  facts.driver = GDALGetDriverShortName(GDALGetDatasetDriver(dataset));
  facts.data_type = found.is_signed_byte ? "Int8" : GDALGetDataTypeName(type);
  facts.width = GDALGetRasterXSize(dataset);
  facts.height = GDALGetRasterYSize(dataset);
  facts.bands = GDALGetRasterCount(dataset);
  facts.is_f32 = type == GDT_Float32;
  switch (type) {
    case GDT_Byte:
      if (found.is_signed_byte) facts.type_minimum = -128;
      break;
    case GDT_Int16:
      facts.type_minimum = -32768;
      break;
    case GDT_Int32:
      facts.type_minimum = -2147483648.0;
      break;
    case GDT_UInt16:
    case GDT_UInt32:
    case GDT_Int64:
    case GDT_UInt64:
    case GDT_Float32:
    case GDT_Float64:
      break;
    default:
      return data_error(fmt::format("{}: samples of type {} are no heights; expected whole or real numbers", facts.name,
                                    facts.data_type));
  }
  if (GDALGetRasterColorTable(band) != nullptr) {
    return data_error(
        fmt::format("{}: a palette image holds colours, expected heights; export the heights themselves", facts.name));
  }
  if (type == GDT_Byte && !request.is_colour) {
    facts.warnings.push_back("8-bit samples hold at most 256 heights: expect stair steps");
  }
  int has_nodata = 0;
  const double nodata = GDALGetRasterNoDataValue(band, &has_nodata);
  if (has_nodata != 0) {
    facts.nodata = nodata;
  }
  int has_scale = 0, has_offset = 0;
  const double scale = GDALGetRasterScale(band, &has_scale), offset = GDALGetRasterOffset(band, &has_offset);
  facts.scale = has_scale != 0 ? scale : 1;
  facts.offset = has_offset != 0 ? offset : 0;
  if (!std::isfinite(facts.scale) || facts.scale == 0 || !std::isfinite(facts.offset)) {
    return data_error(
        fmt::format("{}: declares a scale of {} and an offset of {}; expected finite numbers and a scale "
                    "that is not 0",
                    facts.name, facts.scale, facts.offset));
  }
  facts.unit = GDALGetRasterUnitType(band);
  if (!has_nodata && !found.has_mask && (facts.driver == "GTiff" || facts.driver == "VRT")) {
    const int coverage =
        GDALGetDataCoverageStatus(band, 0, 0, GDALGetRasterXSize(dataset), GDALGetRasterYSize(dataset), 0, nullptr);
    if ((coverage & GDAL_DATA_COVERAGE_STATUS_UNIMPLEMENTED) == 0 &&
        (coverage & GDAL_DATA_COVERAGE_STATUS_EMPTY) != 0) {
      facts.warnings.push_back(
          "some samples are not in the file and no nodata is declared: they read as 0; give --nodata 0 if "
          "they are voids");
    }
  }
  if (char** files = GDALGetFileList(dataset); files != nullptr) {
    for (char** name = files; *name != nullptr; ++name) {
      if (file.gdal_name != *name) {
        facts.files.emplace_back(*name);
      }
    }
    CSLDestroy(files);
  }
  if (auto placed = describe_place(dataset, request, found); !placed) {
    return Unexpected{placed.error()};
  }
  return found;
}

}  // namespace arete
