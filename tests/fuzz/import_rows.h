// Reads an imported file as a bake would: statistics, the scale, every row, twice the same.
#pragma once

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "arete/raster.h"
#include "fuzz/fuzz_input.h"

namespace arete::fuzz {

inline constexpr std::int64_t kMostSamples = 1 << 20;  // larger headers over few bytes are opened, not read

inline void import_rows(const std::filesystem::path& path, const RasterOptions& options) {
  auto opened = Raster::open(path, options);
  if (!opened) {
    return expect_one_line(opened.error());
  }
  Raster& raster = **opened;
  const RasterInfo& info = raster.info();
  if (info.width < 1 || info.height < 1 || !(info.spacing_x_m > 0) || !(info.spacing_z_m > 0)) {
    std::abort();
  }
  if (info.width > kMostSamples / info.height) {
    return;
  }
  const auto statistics = raster.statistics();
  if (!statistics) {
    return expect_one_line(statistics.error());
  }
  if (statistics->valid + statistics->missing != info.width * info.height) {
    std::abort();
  }
  const auto scale = choose_height_scale(statistics->min_m, statistics->max_m, statistics->all_whole_metres);
  if (!scale) {
    return expect_one_line(scale.error());
  }
  const auto width = std::size_t(info.width);
  std::vector<double> row(width);
  std::vector<std::uint16_t> steps(width);
  std::int64_t valid = 0;
  for (std::int64_t z = 0; z < info.height; ++z) {
    if (const auto read = raster.read_row(z, row); !read) {
      return expect_one_line(read.error());
    }
    for (const double height_m : row) {
      valid += std::isnan(height_m) ? 0 : 1;
      if (height_m < statistics->min_m || height_m > statistics->max_m) {
        std::abort();
      }
    }
    if (const double error_m = quantise_row(row, *scale, steps); !(error_m <= scale->step_m)) {
      std::abort();
    }
  }
  if (options.fill_samples > 0 ? valid < statistics->valid : valid != statistics->valid) {
    std::abort();
  }
}

}  // namespace arete::fuzz
