// arete info: what a store or a raster is.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "arete/raster.h"
#include "info_json.h"
#include "raster_arguments.h"

namespace arete::cli {
namespace {

// Metres, or null where a sample is missing.
Json metres_or_null(double metres) { return std::isfinite(metres) ? Json(metres) : Json(nullptr); }

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json statistics_json(std::int64_t valid, std::int64_t missing, double min_m, double max_m, double sum_m,
                     const std::array<std::int64_t, 2>& first_max, const std::array<std::int64_t, 2>& first_min,
                     const std::array<double, 4>& corners_m) {
  Json document;
  document["valid"] = valid;
  document["missing"] = missing;
  document["min"] = valid > 0 ? Json(min_m) : Json(nullptr);
  document["max"] = valid > 0 ? Json(max_m) : Json(nullptr);
  document["sum"] = sum_m;
  document["first_max"] = valid > 0 ? Json(first_max) : Json(nullptr);
  document["first_min"] = valid > 0 ? Json(first_min) : Json(nullptr);
  document["corners"] = Json::array();
  for (const double corner : corners_m) {
    document["corners"].push_back(metres_or_null(corner));
  }
  return document;
}

Json lines_json(const std::string& lines) {
  Json list = Json::array();
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    if (end > at) {
      list.push_back(lines.substr(at, end - at));
    }
    at = end + 1;
  }
  return list;
}

Json georeference_json(const std::string& crs_wkt, const std::optional<std::array<double, 6>>& geotransform) {
  Json document;
  document["crs"] = text_or_null(crs_name(crs_wkt));
  document["crs_wkt"] = text_or_null(crs_wkt);
  document["geotransform"] = geotransform ? Json(*geotransform) : Json(nullptr);
  return document;
}

std::string heights_text(std::int64_t valid, std::int64_t missing, double min_m, double max_m) {
  const std::string holes = missing == 0 ? "no holes" : with_commas(missing) + " samples missing";
  return valid == 0 ? "  no valid sample\n"
                    : fmt::format("  heights {} to {} m, {}\n", number(min_m), number(max_m), holes);
}

std::string place_text(Registration registration, double spacing_x_m, double spacing_z_m, bool spacing_is_known,
                       const std::string& crs_wkt) {
  const std::string crs = crs_wkt.empty() ? "no CRS" : crs_words(crs_wkt);
  return fmt::format("  {} registration, {:.6g} x {:.6g} m a sample{}, {}\n", registration_name(registration),
                     spacing_x_m, spacing_z_m, spacing_is_known ? "" : " (assumed)", crs);
}

int info_of_store(const InfoArguments& arguments, const Globals& globals) {
  if (const Result<void> refused = refuse_beside_store(arguments.raster, arguments.path); !refused) {
    return fail(refused.error());
  }
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.path);
  if (!store) {
    return fail(store.error());
  }
  const Result<StoreStatistics> statistics = (*store)->statistics();
  if (!statistics) {
    return fail(statistics.error());
  }
  if (arguments.verify) {
    ProgressBar bar(globals, "verifying");
    if (const Result<void> verified = (*store)->verify(bar.callback()); !verified) {
      return fail(verified.error());
    }
  }
  if (globals.json) {
    Json document = store_json(**store, *statistics);
    if (arguments.verify) {
      document["verified"] = true;
    }
    print_json(document);
  } else {
    print_text(globals,
               fmt::format("{}\n{}{}", arguments.path, store_text(**store, *statistics),
                           arguments.verify ? "  every page's checksum and the content hash are right\n" : ""));
  }
  return kDone;
}

int info_of_raster(const InfoArguments& arguments, const Globals& globals) {
  const Result<RasterOptions> options = raster_options(arguments.raster);
  if (!options) {
    return fail(options.error());
  }
  const Result<std::unique_ptr<Raster>> raster = Raster::open(arguments.path, *options);
  if (!raster) {
    return fail(raster.error());
  }
  ProgressBar bar(globals, "reading");
  const Result<RasterStatistics> statistics = (*raster)->statistics(bar.callback());
  if (!statistics) {
    return fail(statistics.error());
  }
  const RasterInfo& info = (*raster)->info();
  std::vector<std::string> warnings = info.warnings;
  warnings.insert(warnings.end(), statistics->warnings.begin(), statistics->warnings.end());
  for (const std::string& warning : warnings) {
    warn(globals, warning);
  }
  if (!globals.json) {
    print_text(globals, fmt::format("{}\n  raster of {} x {} samples ({}, {})\n", arguments.path,
                                    with_commas(info.width), with_commas(info.height), info.driver, info.data_type) +
                            place_text(info.registration, info.spacing_x_m, info.spacing_z_m, info.spacing_is_known,
                                       info.crs_wkt) +
                            heights_text(statistics->valid, statistics->missing, statistics->min_m, statistics->max_m));
    return kDone;
  }
  Json document;
  document["kind"] = "raster";
  document["width"] = info.width;
  document["height"] = info.height;
  document.update(statistics_json(statistics->valid, statistics->missing, statistics->min_m, statistics->max_m,
                                  statistics->sum_m, statistics->first_max, statistics->first_min,
                                  statistics->corners_m));
  document["spacing_x"] = info.spacing_x_m;
  document["spacing_z"] = info.spacing_z_m;
  document["spacing_is_known"] = info.spacing_is_known;
  document["registration"] = registration_name(info.registration);
  document.update(georeference_json(info.crs_wkt, info.geotransform));
  document["vertical_unit"] = info.vertical_unit;
  document["driver"] = info.driver;
  document["data_type"] = info.data_type;
  document["warnings"] = warnings;
  print_json(document);
  return kDone;
}

}  // namespace

bool is_store(const std::string& path) {
  constexpr std::string_view kMagic{"SQLite format 3\0", 16};
  if (std::error_code ignored; !std::filesystem::is_regular_file(path, ignored)) {
    return false;  // reading a pipe would wait for its writer
  }
  std::array<char, 16> head{};
  std::ifstream file(path, std::ios::binary);
  return file.read(head.data(), head.size()) && std::string_view(head.data(), head.size()) == kMagic;
}

// The middle one of the finest nodes' local ranges, over the longest range; 1 without local ranges.
double median_range(const Bounds& bounds) {
  const Lattice& lattice = bounds.lattice();
  std::vector<std::uint8_t> kappas;
  for (std::int32_t z = 0; lattice.lods() > 1 && z < lattice.nodes_z(1, kBoundsQuads); ++z) {
    for (std::int32_t x = 0; x < lattice.nodes_x(1, kBoundsQuads); ++x) {
      kappas.push_back(bounds.at(1, x, z).kappa);
    }
  }
  if (kappas.empty()) {
    return 1;
  }
  const auto middle = kappas.begin() + std::ptrdiff_t(kappas.size() / 2);
  std::nth_element(kappas.begin(), middle, kappas.end());
  return std::exp2(-0.5 * *middle);
}

Json store_json(const TileStore& store, const StoreStatistics& statistics) {
  const StoreInfo& info = store.info();
  const Lattice& lattice = store.lattice();
  Json document;
  document["kind"] = "store";
  document["width"] = info.source_width;
  document["height"] = info.source_height;
  document.update(statistics_json(info.valid, info.missing, info.min_m, info.max_m, info.sum_m, info.first_max,
                                  info.first_min, info.corners_m));
  document["spacing_x"] = lattice.spacing_x_m;
  document["spacing_z"] = lattice.spacing_z_m;
  document["spacing_is_known"] = info.spacing_is_known;
  document["registration"] = registration_name(lattice.registration);
  document.update(georeference_json(info.crs_wkt, info.geotransform));
  document["vertical_unit"] = info.vertical_unit;
  document["stops_x"] = lattice.stops_x;
  document["stops_z"] = lattice.stops_z;
  document["width_m"] = lattice.width_m();
  document["depth_m"] = lattice.depth_m();
  document["lods"] = lattice.lods();
  document["pages"] = statistics.pages;
  document["height_step"] = lattice.step_m;
  document["height_base"] = lattice.base_m;
  document["quantisation_error"] = info.quantisation_error_m;
  document["median_range"] = median_range(store.bounds());
  document["bytes"] = statistics.bytes;
  document["bytes_a_sample"] = double(statistics.bytes) / (double(info.source_width) * double(info.source_height));
  document["content_hash"] = statistics.content_hash;
  document["warnings"] = lines_json(info.warnings);
  return document;
}

std::string store_text(const TileStore& store, const StoreStatistics& statistics) {
  const StoreInfo& info = store.info();
  const Lattice& lattice = store.lattice();
  const double samples = double(info.source_width) * double(info.source_height);
  return fmt::format("  store of {} x {} samples, {} pages in {} lods, {} ({:.3g} bytes a sample)\n",
                     with_commas(info.source_width), with_commas(info.source_height), with_commas(statistics.pages),
                     lattice.lods(), file_size(statistics.bytes), double(statistics.bytes) / samples) +
         place_text(lattice.registration, lattice.spacing_x_m, lattice.spacing_z_m, info.spacing_is_known,
                    info.crs_wkt) +
         heights_text(info.valid, info.missing, info.min_m, info.max_m) +
         fmt::format("  height step {} m, rounding at most {:.3g} m\n", number(lattice.step_m),
                     info.quantisation_error_m) +
         fmt::format("  half the ground merges within {:.2g} of the longest range\n", median_range(store.bounds())) +
         fmt::format("  content {}\n", statistics.content_hash);
}

int run_info(const InfoArguments& arguments, const Globals& globals) {
  if (is_store(arguments.path)) {
    return info_of_store(arguments, globals);
  }
  if (arguments.verify) {
    const Result<RasterOptions> options = raster_options(arguments.raster);
    const bool is_raster = options && Raster::open(arguments.path, *options);
    return fail(
        is_raster ? usage_error(arguments.path + ": --verify is for stores, and this is a raster").error
                  : data_error(arguments.path + ": not a store, or its first page is destroyed; bake it again").error);
  }
  return info_of_raster(arguments, globals);
}

}  // namespace arete::cli
