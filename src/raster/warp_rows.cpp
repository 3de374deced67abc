// Warps row by row, with the source's samples in a cache of blocks; see warp_rows.h.
#include "warp_rows.h"

#include <fmt/format.h>
#include <gdal.h>
#include <gdal_alg.h>
#include <ogr_srs_api.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <unordered_map>

#include "gdal_session.h"

namespace arete {
namespace {

constexpr std::int64_t kBlockRows = 64, kBlockColumns = 1024;
constexpr std::int64_t kMostBlocks = 384;  // of 512 KiB
constexpr double kPlaceError = 0.01;       // of a source sample

// Any sample of a raster, through blocks that are kept while they are in use.
class BlockCache {
 public:
  explicit BlockCache(HeightRows& rows)
      : rows_(rows),
        most_blocks_(std::min(kMostBlocks,
                              2 * (count(rows.info().width, kBlockColumns) + count(rows.info().height, kBlockRows)))) {}

  std::int64_t most_bytes() const { return most_blocks_ * kBlockRows * kBlockColumns * std::int64_t(sizeof(double)); }

  Result<void> height(std::int64_t row, std::int64_t column, double& height_m) {
    const std::int64_t block_row = row / kBlockRows, block_column = column / kBlockColumns;
    const std::int64_t key = block_row << 32 | block_column;
    if (key != last_key_) {
      if (auto found = find(key, block_row, block_column); !found) {
        return found;
      }
    }
    height_m = last_->heights[std::size_t((row - block_row * kBlockRows) * last_->columns + column -
                                          block_column * kBlockColumns)];
    return {};
  }
  void clear() {
    blocks_.clear();
    places_.clear();
    last_key_ = -1;
  }

 private:
  struct Block {
    std::int64_t key = 0, columns = 0;
    std::vector<double> heights;
  };
  static std::int64_t count(std::int64_t samples, std::int64_t side) { return (samples + side - 1) / side; }
  Result<void> find(std::int64_t key, std::int64_t block_row, std::int64_t block_column) {
    if (const auto place = places_.find(key); place != places_.end()) {
      blocks_.splice(blocks_.begin(), blocks_, place->second);
    } else {
      Block block{key, std::min(kBlockColumns, rows_.info().width - block_column * kBlockColumns), {}};
      const std::int64_t count = std::min(kBlockRows, rows_.info().height - block_row * kBlockRows);
      block.heights.resize(std::size_t(count * block.columns));
      for (std::int64_t r = 0; r < count; ++r) {
        const auto part = std::span(block.heights).subspan(std::size_t(r * block.columns), std::size_t(block.columns));
        if (auto done = rows_.read(block_row * kBlockRows + r, block_column * kBlockColumns, part); !done) {
          return done;
        }
      }
      if (std::int64_t(blocks_.size()) >= most_blocks_) {
        places_.erase(blocks_.back().key);
        blocks_.pop_back();
      }
      blocks_.push_front(std::move(block));
      places_[key] = blocks_.begin();
    }
    last_ = blocks_.begin();
    last_key_ = key;
    return {};
  }

  HeightRows& rows_;
  const std::int64_t most_blocks_;  // a row's way over the source crosses fewer: up and down once at most
  std::list<Block> blocks_;         // most recently used first
  std::unordered_map<std::int64_t, std::list<Block>::iterator> places_;
  std::int64_t last_key_ = -1;
  std::list<Block>::iterator last_;
};

class WarpRows final : public HeightRows {
 public:
  WarpRows(std::unique_ptr<HeightRows> rows, const WarpGrid& grid) : rows_(std::move(rows)), cache_(*rows_) {
    info_ = rows_->info();
    source_width_ = info_.width;
    source_height_ = info_.height;
    std::array<double, 6> forward = *info_.geotransform;
    is_placed_ = GDALInvGeoTransform(forward.data(), to_sample_.data()) != 0;
    const double sample = std::min(std::hypot(forward[1], forward[4]), std::hypot(forward[2], forward[5]));
    info_.width = grid.width;
    info_.height = grid.height;
    const std::string source_wkt = info_.crs_wkt;
    info_.crs_wkt = grid.crs_wkt;
    info_.geotransform = grid.geotransform;
    const GdalTrap trap;
    OGRSpatialReferenceH source = OSRNewSpatialReference(source_wkt.c_str());
    OGRSpatialReferenceH target = OSRNewSpatialReference(grid.crs_wkt.c_str());
    OSRSetAxisMappingStrategy(source, OAMS_TRADITIONAL_GIS_ORDER);
    OSRSetAxisMappingStrategy(target, OAMS_TRADITIONAL_GIS_ORDER);
    exact_ = GDALCreateReprojectionTransformerEx(source, target, nullptr);
    OSRDestroySpatialReference(source);
    OSRDestroySpatialReference(target);
    if (exact_ != nullptr) {
      approximate_ = GDALCreateApproxTransformer(GDALReprojectionTransform, exact_, kPlaceError * sample);
    }
  }
  ~WarpRows() override {
    if (approximate_ != nullptr) {
      GDALDestroyApproxTransformer(approximate_);
    }
    if (exact_ != nullptr) {
      GDALDestroyReprojectionTransformer(exact_);
    }
  }
  WarpRows(const WarpRows&) = delete;
  WarpRows& operator=(const WarpRows&) = delete;
  bool can_transform() const { return is_placed_ && approximate_ != nullptr; }

  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> heights_m) override;
  std::int64_t most_bytes() const override { return cache_.most_bytes() + rows_->most_bytes(); }
  void rest() override {
    cache_.clear();
    rows_->rest();
  }

 private:
  Result<void> sample(double column, double row, double& height_m);

  std::unique_ptr<HeightRows> rows_;
  BlockCache cache_;
  std::int64_t source_width_ = 0, source_height_ = 0;
  std::array<double, 6> to_sample_{};
  bool is_placed_ = false;
  void* exact_ = nullptr;
  void* approximate_ = nullptr;
  std::vector<double> x_, y_, z_;
  std::vector<int> is_valid_;
};

// The height at a place counted in samples from the first one's centre.
Result<void> WarpRows::sample(double column, double row, double& height_m) {
  height_m = kNoHeight;
  // The texels' outer edges; NaN fails too.
  if (!(column >= -0.5 && row >= -0.5 && column <= double(source_width_) - 0.5 &&
        row <= double(source_height_) - 0.5)) {
    return {};
  }
  const double west = std::floor(column), north = std::floor(row);
  const double east_part = column - west, south_part = row - north;
  double weights = 0, weighted = 0, nearest_weight = -1;
  double least = std::numeric_limits<double>::infinity(), greatest = -least;
  bool is_nearest_valid = false;
  for (int i = 0; i < 4; ++i) {
    const bool is_east = (i & 1) != 0, is_south = (i & 2) != 0;
    const double weight = (is_east ? east_part : 1 - east_part) * (is_south ? south_part : 1 - south_part);
    const auto at_column = std::clamp<std::int64_t>(std::int64_t(west) + is_east, 0, source_width_ - 1);
    const auto at_row = std::clamp<std::int64_t>(std::int64_t(north) + is_south, 0, source_height_ - 1);
    double height = 0;
    if (auto found = cache_.height(at_row, at_column, height); !found) {
      return found;
    }
    const bool is_valid = !std::isnan(height);
    if (weight > nearest_weight) {
      nearest_weight = weight;
      is_nearest_valid = is_valid;
    }
    if (is_valid && weight > 0) {
      weights += weight;
      weighted += weight * height;
      least = std::min(least, height);
      greatest = std::max(greatest, height);
    }
  }
  if (is_nearest_valid && weights > 0) {
    height_m = std::clamp(weighted / weights, least, greatest);  // rounding may not leave the range
  }
  return {};
}

Result<void> WarpRows::read(std::int64_t row, std::int64_t column, std::span<double> heights_m) {
  const std::size_t count = heights_m.size();
  const auto& g = *info_.geotransform;
  x_.resize(count);
  y_.assign(count, g[3] + g[5] * (double(row) + 0.5));
  z_.assign(count, 0);
  is_valid_.assign(count, 0);
  for (std::size_t i = 0; i < count; ++i) {
    x_[i] = g[0] + g[1] * (double(column) + double(i) + 0.5);
  }
  {
    const GdalTrap trap;  // places beyond a projection's reach are no error
    GDALApproxTransform(approximate_, 1, static_cast<int>(count), x_.data(), y_.data(), z_.data(), is_valid_.data());
  }
  const auto& t = to_sample_;
  for (std::size_t i = 0; i < count; ++i) {
    const double at_column = t[0] + t[1] * x_[i] + t[2] * y_[i] - 0.5;
    const double at_row = t[3] + t[4] * x_[i] + t[5] * y_[i] - 0.5;
    heights_m[i] = kNoHeight;
    if (is_valid_[i] != 0) {
      if (auto done = sample(at_column, at_row, heights_m[i]); !done) {
        return done;
      }
    }
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<HeightRows>> warp_rows(std::unique_ptr<HeightRows> rows, const WarpGrid& grid,
                                              const std::string& name) {
  auto warped = std::make_unique<WarpRows>(std::move(rows), grid);
  if (!warped->can_transform()) {
    return data_error(fmt::format("{}: its CRS cannot be transformed to the one of --crs", name));
  }
  return std::unique_ptr<HeightRows>(std::move(warped));
}

}  // namespace arete
