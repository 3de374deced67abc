// Plans a bake and turns raster rows into rows of stops; see stop_rows.h.
#include "stop_rows.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
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

constexpr const char* kStamp = "stamp";
constexpr const char* kVoids = "voids_m";
constexpr const char* kError = "quantisation_error_m";

// Names, sizes and times of change of the files of one raster, and the options that bear on its heights. Empty for
// mosaics and warped rasters, which are read when they are opened, and where a file is none of the file system's.
std::string stamp_of(const std::filesystem::path& input, const RasterInfo& raster, const BakeOptions& options) {
  std::vector<std::string> files = raster.files;
  files.push_back(input.string());
  std::string stamp;
  for (const std::string& file : files) {
    std::error_code no_size, no_time;
    const auto size = std::filesystem::file_size(file, no_size);
    const auto time = std::filesystem::last_write_time(file, no_time);
    if (no_size || no_time) {
      return {};
    }
    stamp += fmt::format("{} {} {}\n", file, size, time.time_since_epoch().count());
  }
  const RasterOptions& in = options.raster;
  const auto or_none = [](const auto& number) { return number ? fmt::format("{}", *number) : std::string("-"); };
  stamp +=
      fmt::format("{} {} {} {} {} {} {} {} {} {}", in.registration ? int(*in.registration) : -1,
                  or_none(in.spacing_x_m), or_none(in.spacing_z_m), in.vertical_scale, or_none(in.nodata),
                  in.find_voids, or_none(in.band), int(in.encoding), in.fill_samples, or_none(options.height_step_m));
  if (in.raw) {
    stamp += fmt::format(" raw {} {} {} {}", in.raw->width, in.raw->height, int(in.raw->type), in.raw->big_endian);
  }
  if (in.bbox) {
    stamp += fmt::format(" bbox {}", fmt::join(*in.bbox, " "));
  }
  return stamp;
}

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  const char* at = text.data();
  const char* end = at + text.size();
  for (double number = 0; at < end;) {
    const auto [next, code] = std::from_chars(at, end, number);
    if (code != std::errc()) {
      break;
    }
    numbers.push_back(number);
    at = next < end ? next + 1 : next;
  }
  return numbers;
}

std::string text_of(const TileStoreWriter::Unfinished& unfinished, const char* name) {
  const auto found = unfinished.texts.find(name);
  return found == unfinished.texts.end() ? std::string() : found->second;
}

// Of the rows that an unfinished bake has kept.
double error_of(const TileStoreWriter::Unfinished& unfinished) {
  const std::vector<double> numbers = numbers_of(text_of(unfinished, kError));
  return numbers.empty() ? 0 : numbers.front();
}

// Fills in a plan whose raster is open; false when this is another bake, or one that must be read to be known.
bool take_up(const TileStoreWriter::Unfinished& unfinished, BakePlan& plan) {
  if (plan.stamp.empty() || text_of(unfinished, kStamp) != plan.stamp) {
    return false;
  }
  plan.lattice = unfinished.lattice;
  plan.scale = {plan.lattice.base_m, plan.lattice.step_m};
  plan.info = unfinished.info;
  plan.voids_m = numbers_of(text_of(unfinished, kVoids));
  plan.raster->declare_voids(plan.voids_m);
  plan.info.quantisation_error_m = error_of(unfinished);
  for (std::size_t at = 0; at < plan.info.warnings.size();) {
    const std::size_t end = std::min(plan.info.warnings.find('\n', at), plan.info.warnings.size());
    plan.warnings.push_back(plan.info.warnings.substr(at, end - at));
    at = end + 1;
  }
  return true;
}

}  // namespace

void remember_plan(const BakePlan& plan, TileStoreWriter& writer) {
  writer.remember(kStamp, plan.stamp);
  writer.remember(kVoids, fmt::format("{}", fmt::join(plan.voids_m, " ")));
}

void remember_error(double quantisation_error_m, TileStoreWriter& writer) {
  writer.remember(kError, fmt::format("{}", quantisation_error_m));
}

Result<BakePlan> plan_bake(std::span<const std::filesystem::path> inputs, const BakeOptions& options,
                           const std::optional<TileStoreWriter::Unfinished>& unfinished, const Progress& progress) {
  auto raster = Raster::open(inputs, options.raster);
  if (!raster) {
    return Unexpected{raster.error()};
  }
  BakePlan plan;
  plan.raster = *std::move(raster);
  const RasterInfo& source = plan.raster->info();
  if (inputs.size() == 1 && options.raster.crs.empty()) {
    plan.stamp = stamp_of(inputs.front(), source, options);
  }
  if (unfinished && take_up(*unfinished, plan)) {
    return plan;
  }
  auto statistics = plan.raster->statistics(progress);
  if (!statistics) {
    return Unexpected{statistics.error()};
  }
  auto scale =
      choose_height_scale(statistics->min_m, statistics->max_m, statistics->all_whole_metres, options.height_step_m);
  if (!scale) {
    return Unexpected{{scale.error().kind, inputs.front().string() + ": " + scale.error().message}};
  }
  plan.scale = *scale;
  plan.voids_m = statistics->voids_m;
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
  if (unfinished && unfinished->info.source_fingerprint == info.source_fingerprint) {
    info.quantisation_error_m = error_of(*unfinished);
  }
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
      error_m_(plan.info.quantisation_error_m) {}

Result<void> StopRows::read(std::int32_t z_stop, std::span<std::uint16_t> row) {
  ARETE_ASSERT(row.size() == heights_m_.size() + std::size_t(2 * rim_));
  const std::int64_t wanted = std::clamp<std::int64_t>(std::int64_t(z_stop) - rim_, 0, raster_.info().height - 1);
  const std::span<std::uint16_t> own = row.subspan(std::size_t(rim_), heights_m_.size());
  if (wanted == row_) {
    std::copy(steps_.begin(), steps_.end(), own.begin());
  } else {
    if (auto done = raster_.read_row(wanted, heights_m_); !done) {
      return done;
    }
    error_m_ = std::max(error_m_.load(), quantise_row(heights_m_, scale_, own));
    row_ = wanted;
    if (rim_ > 0 && (wanted == 0 || wanted == raster_.info().height - 1)) {
      steps_.assign(own.begin(), own.end());
    }
  }
  row.front() = own.front();
  row.back() = own.back();
  return {};
}

}  // namespace arete
