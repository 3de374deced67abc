// Plans a bake and turns raster rows into rows of stops; see stop_rows.h.
#include "stop_rows.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <utility>

namespace arete {
namespace {

// Equal for equal stores-to-be: the heights themselves, what became of them, and where they lie.
std::string fingerprint(const RasterInfo& raster, const RasterStatistics& statistics, const BakePlan& plan,
                        const BakeOptions& options) {
  std::string text =
      fmt::format("{:016x} {} {} {} {} {} {} {} {} {} {} {}", statistics.digest, statistics.missing, raster.width,
                  raster.height, int(raster.registration), raster.spacing_x_m, raster.spacing_z_m, plan.scale.base_m,
                  plan.scale.step_m, options.raster.fill_samples, raster.vertical_unit, raster.crs_wkt);
  if (raster.geotransform) {
    for (const double number : *raster.geotransform) {
      text += fmt::format(" {}", number);
    }
  }
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace

Result<BakePlan> plan_bake(std::span<const std::filesystem::path> inputs, const BakeOptions& options,
                           const Progress& progress) {
  auto raster = Raster::open(inputs, options.raster);
  if (!raster) {
    return Unexpected{raster.error()};
  }
  auto statistics = (*raster)->statistics(progress);
  if (!statistics) {
    return Unexpected{statistics.error()};
  }
  auto scale =
      choose_height_scale(statistics->min_m, statistics->max_m, statistics->all_whole_metres, options.height_step_m);
  if (!scale) {
    return Unexpected{{scale.error().kind, inputs.front().string() + ": " + scale.error().message}};
  }
  BakePlan plan;
  plan.raster = *std::move(raster);
  plan.scale = *scale;
  const RasterInfo& source = plan.raster->info();
  plan.lattice = raster_lattice(source, plan.scale);
  plan.warnings = source.warnings;
  plan.warnings.insert(plan.warnings.end(), statistics->warnings.begin(), statistics->warnings.end());

  StoreInfo& info = plan.info;
  info.crs_wkt = source.crs_wkt;
  info.geotransform = source.geotransform;
  info.vertical_unit = source.vertical_unit;
  info.source_width = source.width;
  info.source_height = source.height;
  info.valid = statistics->valid;
  info.missing = statistics->missing;
  info.min_m = statistics->min_m;
  info.max_m = statistics->max_m;
  info.sum_m = statistics->sum_m;
  info.first_min = statistics->first_min;
  info.first_max = statistics->first_max;
  info.corners_m = statistics->corners_m;
  info.spacing_is_known = source.spacing_is_known;
  info.source_fingerprint = fingerprint(source, *statistics, plan, options);
  for (const std::string& warning : plan.warnings) {
    info.warnings += (info.warnings.empty() ? "" : "\n") + warning;
  }
  return plan;
}

StopRows::StopRows(BakePlan& plan)
    : raster_(*plan.raster),
      scale_(plan.scale),
      rim_(plan.lattice.is_area()),
      heights_m_(std::size_t(plan.raster->info().width)),
      steps_(std::size_t(plan.raster->info().width)) {}

Result<void> StopRows::read(std::int32_t z_stop, std::span<std::uint16_t> row) {
  ARETE_ASSERT(row.size() == steps_.size() + std::size_t(2 * rim_));
  const std::int64_t wanted = std::clamp<std::int64_t>(std::int64_t(z_stop) - rim_, 0, raster_.info().height - 1);
  if (wanted != row_) {
    if (auto done = raster_.read_row(wanted, heights_m_); !done) {
      return done;
    }
    error_m_ = std::max(error_m_, quantise_row(heights_m_, scale_, steps_));
    row_ = wanted;
  }
  std::copy(steps_.begin(), steps_.end(), row.begin() + rim_);
  row.front() = steps_.front();
  row.back() = steps_.back();
  return {};
}

}  // namespace arete
