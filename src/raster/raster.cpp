// Raster: the stages of an import in their order, and its statistics; see include/arete/raster.h.
#include "arete/raster.h"

#include <fmt/format.h>

#include "file_rows.h"
#include "height_rows.h"
#include "statistics.h"

namespace arete {

struct Raster::State {
  std::unique_ptr<HeightRows> rows;
  std::optional<RasterStatistics> statistics;
};

Raster::Raster() : state_(std::make_unique<State>()) {}
Raster::~Raster() = default;

namespace {
Result<void> check_options(const RasterOptions& options) {
  for (const auto& spacing : {options.spacing_x_m, options.spacing_z_m}) {
    if (spacing && !(*spacing > 0 && *spacing < 1e12)) {
      return usage_error(fmt::format("a spacing of {} m; expected a length above 0", *spacing));
    }
  }
  if (!(std::abs(options.vertical_scale) > 0 && std::abs(options.vertical_scale) < 1e12)) {
    return usage_error(fmt::format("a vertical scale of {}; expected a number that is not 0", options.vertical_scale));
  }
  return {};
}
}  // namespace

Result<std::unique_ptr<Raster>> Raster::open(const std::filesystem::path& path, const RasterOptions& options) {
  return open(std::span(&path, 1), options);
}

Result<std::unique_ptr<Raster>> Raster::open(std::span<const std::filesystem::path> paths,
                                             const RasterOptions& options) {
  if (auto checked = check_options(options); !checked) {
    return Unexpected{checked.error()};
  }
  if (paths.empty()) {
    return usage_error("no raster was named");
  }
  auto rows = open_file_rows(paths.front(), options, false);
  if (!rows) {
    return Unexpected{rows.error()};
  }
  std::unique_ptr<Raster> raster(new Raster);
  raster->state_->rows = *std::move(rows);
  return raster;
}

const RasterInfo& Raster::info() const noexcept { return state_->rows->info(); }

Result<void> Raster::read_row(std::int64_t row, std::span<double> row_m) {
  ARETE_ASSERT(row >= 0 && row < info().height && std::int64_t(row_m.size()) == info().width);
  return state_->rows->read(row, 0, row_m);
}

Result<RasterStatistics> Raster::statistics(const std::function<void(double)>& progress) {
  if (!state_->statistics) {
    auto measured = measure_rows(*state_->rows, progress);
    if (!measured) {
      return measured;
    }
    state_->statistics = *std::move(measured);
  }
  return *state_->statistics;
}

}  // namespace arete
