// Cuts a window by georeference; see window_rows.h.
#include "window_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace arete {
namespace {

class WindowRows final : public HeightRows {
 public:
  WindowRows(std::unique_ptr<HeightRows> rows, std::int64_t row, std::int64_t column, std::int64_t height,
             std::int64_t width)
      : rows_(std::move(rows)), row_(row), column_(column) {
    info_ = rows_->info();
    info_.width = width;
    info_.height = height;
    auto& g = *info_.geotransform;
    g[0] += g[1] * double(column);
    g[3] += g[5] * double(row);
  }
  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> heights_m) override {
    return rows_->read(row_ + row, column_ + column, heights_m);
  }
  std::span<const double> void_candidates_m() const override { return rows_->void_candidates_m(); }
  void declare_void(double value_m) override { rows_->declare_void(value_m); }
  std::int64_t outliers() const override { return rows_->outliers(); }
  std::int64_t conflicts() const override { return rows_->conflicts(); }
  std::int64_t most_bytes() const override { return rows_->most_bytes(); }
  void rest() override { rows_->rest(); }

 private:
  std::unique_ptr<HeightRows> rows_;
  std::int64_t row_, column_;
};

// The samples of an axis, counted along it, whose places lie between two coordinates.
struct Span {
  std::int64_t first = 0, count = 0;
};
Span samples_between(double from, double to, double origin, double spacing, std::int64_t samples) {
  constexpr double kSlack = 1e-6;  // of a sample: coordinates are decimals
  const double low = (std::min((from - origin) / spacing, (to - origin) / spacing)) - 0.5 - kSlack;
  const double high = (std::max((from - origin) / spacing, (to - origin) / spacing)) - 0.5 + kSlack;
  const double first = std::clamp(std::ceil(low), 0.0, double(samples));
  const double last = std::clamp(std::floor(high), -1.0, double(samples - 1));
  return {static_cast<std::int64_t>(first), std::max<std::int64_t>(0, static_cast<std::int64_t>(last - first) + 1)};
}

}  // namespace

Result<std::unique_ptr<HeightRows>> cut_window(std::unique_ptr<HeightRows> rows, const std::array<double, 4>& bbox,
                                               const std::string& name) {
  const RasterInfo& info = rows->info();
  const auto& [west, south, east, north] = bbox;
  if (!info.geotransform) {
    return usage_error(fmt::format("{}: has no georeference, so --bbox cannot be placed", name));
  }
  const auto& g = *info.geotransform;
  const Span columns = samples_between(west, east, g[0], g[1], info.width);
  const Span lines = samples_between(north, south, g[3], g[5], info.height);
  if (columns.count == 0 || lines.count == 0) {
    return usage_error(fmt::format("{}: no sample lies in --bbox {},{},{},{}; the raster reaches over {},{},{},{}",
                                   name, west, south, east, north, g[0], g[3] + g[5] * double(info.height),
                                   g[0] + g[1] * double(info.width), g[3]));
  }
  return std::unique_ptr<HeightRows>(
      std::make_unique<WindowRows>(std::move(rows), lines.first, columns.first, lines.count, columns.count));
}

}  // namespace arete
