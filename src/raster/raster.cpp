// Raster: the stages of an import in their order, file -> warp -> mosaic -> window -> filler, and its statistics; see
// include/arete/raster.h.
#include "arete/raster.h"

#include <fmt/format.h>

#include <cmath>

#include "file_rows.h"
#include "fill_rows.h"
#include "height_rows.h"
#include "mosaic_rows.h"
#include "statistics.h"
#include "warp_grid.h"
#include "warp_rows.h"
#include "window_rows.h"

namespace arete {

struct Raster::State {
  std::unique_ptr<HeightRows> rows;
  std::unique_ptr<FillRows> filler;  // over `rows`, when asked for
  RasterInfo info;
  std::optional<RasterStatistics> statistics;
};

Raster::Raster() : state_(std::make_unique<State>()) {}
Raster::~Raster() = default;

namespace {

// Warped rasters differ in their last digits where they overlap; less than this is no conflict.
constexpr double kWarpTolerance_m = 1e-3;

Result<void> check_options(std::span<const std::filesystem::path> paths, const RasterOptions& options) {
  for (const auto& spacing : {options.spacing_x_m, options.spacing_z_m}) {
    if (spacing && !(*spacing > 1e-12 && *spacing < 1e12)) {
      return usage_error(fmt::format("a spacing of {} m; expected a length from 1e-12 to 1e12", *spacing));
    }
  }
  if (!(std::abs(options.vertical_scale) > 0 && std::abs(options.vertical_scale) < 1e12)) {
    return usage_error(fmt::format("a vertical scale of {}; expected a number that is not 0, nearer to it than 1e12",
                                   options.vertical_scale));
  }
  if (options.fill_samples < 0) {
    return usage_error(fmt::format("--fill {}; expected none or a number of samples", options.fill_samples));
  }
  if (options.raw && options.encoding != Encoding::none) {
    return usage_error("--raw and --encoding exclude each other");
  }
  if (options.bbox) {
    const auto& [west, south, east, north] = *options.bbox;
    if (!(west < east && south < north) || !std::isfinite(east - west) || !std::isfinite(north - south)) {
      return usage_error(
          fmt::format("--bbox {},{},{},{}: expected west,south,east,north with west < east and south < north", west,
                      south, east, north));
    }
  }
  if (paths.empty()) {
    return usage_error("no raster was named");
  }
  return {};
}

// Stages that mix samples of several places need to know the voids before.
Result<void> settle_parts(std::vector<MosaicPart>& parts, std::vector<std::string>& warnings) {
  for (MosaicPart& part : parts) {
    auto settled = settle_voids(*part.rows);
    if (!settled) {
      return Unexpected{settled.error()};
    }
    for (const std::string& warning : *settled) {
      warnings.push_back(parts.size() > 1 ? part.name + ": " + warning : warning);
    }
  }
  return {};
}

Result<void> warp_parts(std::vector<MosaicPart>& parts, const RasterOptions& options) {
  std::vector<const RasterInfo*> sources;
  sources.reserve(parts.size());
  for (const MosaicPart& part : parts) {
    sources.push_back(&part.rows->info());
  }
  auto windows = plan_warp(sources, options.crs, options.bbox, parts.front().name);
  if (!windows) {
    return Unexpected{windows.error()};
  }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    MosaicPart& part = parts[i];
    auto warped = warp_rows(std::move(part.rows), (*windows)[i], part.name);
    if (!warped) {
      return Unexpected{warped.error()};
    }
    part.rows = *std::move(warped);
  }
  return {};
}

// Leaves one part: the mosaic.
Result<void> join_all(std::vector<MosaicPart>& parts, double tolerance_m) {
  const std::string name = parts.front().name;
  auto joined = join_parts(std::move(parts), tolerance_m);
  if (!joined) {
    return Unexpected{joined.error()};
  }
  parts.clear();
  parts.push_back({*std::move(joined), name});
  return {};
}

// All stages but the filler.
Result<std::unique_ptr<HeightRows>> open_stages(std::span<const std::filesystem::path> paths,
                                                const RasterOptions& options, std::vector<std::string>& warnings) {
  const bool is_warped = !options.crs.empty();
  std::vector<MosaicPart> parts;
  for (const std::filesystem::path& path : paths) {
    auto rows = open_file_rows(path, options, is_warped);
    if (!rows) {
      return rows;
    }
    parts.push_back({*std::move(rows), path.string()});
  }
  if (is_warped || parts.size() > 1) {
    if (auto settled = settle_parts(parts, warnings); !settled) {
      return Unexpected{settled.error()};
    }
  }
  // Parts of one grid are joined before a warp, which then knows both sides of their borders.
  if (parts.size() > 1 && (!is_warped || is_one_grid(parts))) {
    if (auto joined = join_all(parts, 0); !joined) {
      return Unexpected{joined.error()};
    }
    if (is_warped) {
      auto counted = count_conflicts(*parts.front().rows);
      if (!counted) {
        return Unexpected{counted.error()};
      }
      warnings.insert(warnings.end(), counted->begin(), counted->end());
    }
  }
  if (is_warped) {
    if (auto warped = warp_parts(parts, options); !warped) {
      return Unexpected{warped.error()};
    }
  }
  if (parts.size() > 1) {
    if (auto joined = join_all(parts, kWarpTolerance_m); !joined) {
      return Unexpected{joined.error()};
    }
  }
  std::unique_ptr<HeightRows> rows = std::move(parts.front().rows);
  if (options.bbox) {
    return cut_window(std::move(rows), *options.bbox, paths.front().string());
  }
  return rows;
}

}  // namespace

Result<std::unique_ptr<Raster>> Raster::open(const std::filesystem::path& path, const RasterOptions& options) {
  return open(std::span(&path, 1), options);
}

Result<std::unique_ptr<Raster>> Raster::open(std::span<const std::filesystem::path> paths,
                                             const RasterOptions& options) {
  if (auto checked = check_options(paths, options); !checked) {
    return Unexpected{checked.error()};
  }
  std::unique_ptr<Raster> raster(new Raster);
  State& state = *raster->state_;
  std::vector<std::string> warnings;
  auto rows = open_stages(paths, options, warnings);
  if (!rows) {
    return Unexpected{rows.error()};
  }
  state.rows = *std::move(rows);
  state.info = state.rows->info();
  state.info.warnings.insert(state.info.warnings.end(), warnings.begin(), warnings.end());
  if (auto settled = settle_spacing(paths.front().string(), options, state.info); !settled) {
    return Unexpected{settled.error()};
  }
  if (options.fill_samples > 0) {
    auto filler = FillRows::create(*state.rows, options.fill_samples);
    if (!filler) {
      return Unexpected{filler.error()};
    }
    state.filler = *std::move(filler);
  }
  return raster;
}

const RasterInfo& Raster::info() const noexcept { return state_->info; }

Result<void> Raster::read_row(std::int64_t row, std::span<double> row_m) {
  ARETE_ASSERT(row >= 0 && row < info().height && std::int64_t(row_m.size()) == info().width);
  return state_->filler ? state_->filler->read(row, row_m) : state_->rows->read(row, 0, row_m);
}

std::int64_t Raster::most_bytes() const noexcept {
  return state_->rows->most_bytes() + (state_->filler ? state_->filler->most_bytes() : 0);
}

void Raster::declare_voids(std::span<const double> voids_m) {
  for (const double void_m : voids_m) {
    state_->rows->declare_void(void_m);
  }
  if (state_->filler) {
    state_->filler->start_over();
  }
}

Result<RasterStatistics> Raster::statistics(const std::function<void(double)>& progress) {
  if (!state_->statistics) {
    auto measured = measure_rows(*state_->rows, progress);
    if (!measured) {
      return measured;
    }
    state_->statistics = *std::move(measured);
    if (state_->filler) {
      state_->filler->start_over();  // voids may have become holes
    }
  }
  return *state_->statistics;
}

}  // namespace arete
