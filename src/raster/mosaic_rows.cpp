// Joins rasters that share a grid; see mosaic_rows.h.
#include "mosaic_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "band.h"
#include "crs.h"

namespace arete {
namespace {

// Grids agree when no sample is off by more than this part of a sample.
constexpr double kSlack = 0.01;

class MosaicRows final : public HeightRows {
 public:
  struct Placed {
    std::unique_ptr<HeightRows> rows;
    std::int64_t row, column;  // of its first sample, in the mosaic
  };
  MosaicRows(std::vector<Placed> parts, RasterInfo info, double tolerance_m)
      : parts_(std::move(parts)), tolerance_m_(tolerance_m) {
    info_ = std::move(info);
  }

  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> heights_m) override {
    std::fill(heights_m.begin(), heights_m.end(), kNoHeight);
    const std::int64_t end = column + std::int64_t(heights_m.size());
    for (Placed& part : parts_) {
      const RasterInfo& info = part.rows->info();
      const std::int64_t from = std::max(column, part.column), to = std::min(end, part.column + info.width);
      if (row < part.row || row >= part.row + info.height || from >= to) {
        part.rows->rest();
        continue;
      }
      buffer_.resize(std::size_t(to - from));
      if (auto done = part.rows->read(row - part.row, from - part.column, buffer_); !done) {
        return done;
      }
      overlay(heights_m.subspan(std::size_t(from - column), buffer_.size()));
    }
    return {};
  }
  std::int64_t conflicts() const override { return conflicts_; }
  std::int64_t outliers() const override {
    std::int64_t total = 0;
    for (const Placed& part : parts_) {
      total += part.rows->outliers();
    }
    return total;
  }
  // Parts rest but where they hold the row.
  std::int64_t most_bytes() const override {
    std::int64_t most = 0;
    for (const Placed& first : parts_) {
      std::int64_t bytes = 0;
      for (const Placed& part : parts_) {
        const bool is_read = first.row >= part.row && first.row < part.row + part.rows->info().height;
        bytes += is_read ? part.rows->most_bytes() : 0;
      }
      most = std::max(most, bytes);
    }
    return most;
  }

 private:
  void overlay(std::span<double> heights_m) {
    for (std::size_t i = 0; i < buffer_.size(); ++i) {
      if (std::isnan(heights_m[i])) {
        heights_m[i] = buffer_[i];
      } else if (std::abs(heights_m[i] - buffer_[i]) > tolerance_m_) {  // false for NaN
        ++conflicts_;
      }
    }
  }

  std::vector<Placed> parts_;
  double tolerance_m_;
  std::vector<double> buffer_;
  std::int64_t conflicts_ = 0;
};

// Why the grid of `other` is not that of `first`; empty when it is.
std::string disagreement(const RasterInfo& first, const RasterInfo& other) {
  if (!first.geotransform || !other.geotransform) {
    return "has no georeference";
  }
  if (!is_same_crs(first.crs_wkt, other.crs_wkt)) {
    return "has another CRS";
  }
  if (first.registration != other.registration) {
    return "has another registration";
  }
  const auto& a = *first.geotransform;
  const auto& b = *other.geotransform;
  const double side = double(std::max({first.width, first.height, other.width, other.height}));
  if (std::abs(b[1] - a[1]) * side > kSlack * a[1] || std::abs(b[5] - a[5]) * side > kSlack * -a[5]) {
    return fmt::format("has samples of {} x {} instead of {} x {}", b[1], -b[5], a[1], -a[5]);
  }
  const double columns = (b[0] - a[0]) / a[1], rows = (b[3] - a[3]) / a[5];
  if (std::abs(columns - std::nearbyint(columns)) > kSlack || std::abs(rows - std::nearbyint(rows)) > kSlack) {
    return fmt::format("lies {} columns and {} rows away, not whole samples", columns, rows);
  }
  return {};
}

}  // namespace

bool is_one_grid(const std::vector<MosaicPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [&](const MosaicPart& part) {
    return disagreement(parts.front().rows->info(), part.rows->info()).empty();
  });
}

Result<std::unique_ptr<HeightRows>> join_parts(std::vector<MosaicPart> parts, double tolerance_m) {
  const RasterInfo first = parts.front().rows->info();
  RasterInfo info = first;
  std::vector<MosaicRows::Placed> placed;
  std::int64_t north = 0, west = 0, south = first.height, east = first.width;
  for (MosaicPart& part : parts) {
    const RasterInfo& other = part.rows->info();
    if (const std::string why = disagreement(first, other); !why.empty()) {
      return data_error(
          fmt::format("{}: {}, so it makes no mosaic with {}; warp them together with --crs auto or --crs EPSG:n",
                      part.name, why, parts.front().name));
    }
    const auto& a = *first.geotransform;
    const auto& b = *other.geotransform;
    const double columns = (b[0] - a[0]) / a[1], rows = (b[3] - a[3]) / a[5];
    if (std::abs(columns) > double(kMaxSide) || std::abs(rows) > double(kMaxSide)) {
      return data_error(fmt::format("{}: lies too far from {}; bake it on its own", part.name, parts.front().name));
    }
    const auto column = static_cast<std::int64_t>(std::nearbyint(columns));
    const auto row = static_cast<std::int64_t>(std::nearbyint(rows));
    west = std::min(west, column);
    north = std::min(north, row);
    east = std::max(east, column + other.width);
    south = std::max(south, row + other.height);
    if (&part != &parts.front()) {
      for (const std::string& warning : other.warnings) {
        if (std::find(info.warnings.begin(), info.warnings.end(), warning) == info.warnings.end()) {
          info.warnings.push_back(warning);
        }
      }
    }
    placed.push_back({std::move(part.rows), row, column});
  }
  info.width = east - west;
  info.height = south - north;
  if (info.width > kMaxSide || info.height > kMaxSide) {
    return data_error(fmt::format("{}: the mosaic has {} x {} samples, more than {} a side; bake fewer at a time",
                                  parts.front().name, info.width, info.height, kMaxSide));
  }
  auto& g = *info.geotransform;
  g[0] += g[1] * double(west);
  g[3] += g[5] * double(north);
  for (MosaicRows::Placed& part : placed) {
    part.column -= west;
    part.row -= north;
  }
  return std::unique_ptr<HeightRows>(std::make_unique<MosaicRows>(std::move(placed), std::move(info), tolerance_m));
}

}  // namespace arete
