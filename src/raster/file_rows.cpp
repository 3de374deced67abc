// One file as rows of metres; see file_rows.h. height = ((number * scale + offset) * metres a unit) * vertical scale,
// in double.
#include "file_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "band.h"
#include "colour_band.h"
#include "crs.h"
#include "exr_band.h"
#include "gdal_band.h"
#include "input_file.h"
#include "lerc_band.h"
#include "raw_band.h"
#include "row_kernels.h"
#include "vertical_unit.h"

namespace arete {
namespace {

// The linear map from a file's numbers to metres.
struct Metres {
  double scale = 1, offset = 0, factor = 1;
  bool is_identity = true;
  double of(double number) const { return is_identity ? number : (number * scale + offset) * factor; }
};

class FileRows final : public HeightRows {
 public:
  explicit FileRows(std::unique_ptr<Band> band) : band_(std::move(band)) {}
  void describe(const RasterOptions& options);

  Result<void> read(std::int64_t row, std::int64_t column, std::span<double> heights_m) override {
    if (auto done = band_->read(row, column, heights_m); !done) {
      return done;
    }
    // Numbers that are metres as they are, unless one lies too far off.
    if (metres_.is_identity && voids_m_.empty()) {
      const double nodata = has_nodata_ ? nodata_ : kNoHeight;
      if (mark_nodata(heights_m, nodata, has_nodata_ && is_f32_ ? nodata_f32_ : nodata, kFarthest_m)) {
        return {};
      }
      if (auto again = band_->read(row, column, heights_m); !again) {
        return again;
      }
    }
    for (double& value : heights_m) {
      value = height(value);
    }
    return {};
  }
  std::span<const double> void_candidates_m() const override { return candidates_m_; }
  void declare_void(double value_m) override { voids_m_.push_back(value_m); }
  std::int64_t outliers() const override { return outliers_; }
  void rest() override { band_->rest(); }

 private:
  double height(double number) {
    const double metres = metres_.of(number);
    if (has_nodata_ && is_nodata(number)) {
      return kNoHeight;
    }
    if (!(std::abs(metres) < kFarthest_m)) {  // NaN fails the comparison too
      outliers_ += std::isfinite(metres) ? 1 : 0;
      return kNoHeight;
    }
    for (const double void_m : voids_m_) {
      if (metres == void_m) {
        return kNoHeight;
      }
    }
    return metres;
  }
  bool is_nodata(double number) const { return number == nodata_ || (is_f32_ && number == nodata_f32_); }
  void find_candidates();

  std::unique_ptr<Band> band_;
  Metres metres_;
  bool has_nodata_ = false, is_f32_ = false;
  double nodata_ = 0, nodata_f32_ = 0;
  std::vector<double> candidates_m_, voids_m_;
  std::int64_t outliers_ = 0;
};

void FileRows::describe(const RasterOptions& options) {
  const BandFacts& facts = band_->facts();
  info_.width = facts.width;
  info_.height = facts.height;
  info_.crs_wkt = facts.crs_wkt;
  info_.geotransform = facts.geotransform;
  info_.driver = facts.driver;
  info_.data_type = facts.data_type;
  info_.files = facts.files;
  info_.warnings = facts.warnings;
  const Registration unset = facts.geotransform ? Registration::area : Registration::point;
  info_.registration = options.registration.value_or(facts.registration.value_or(unset));

  std::string unit = facts.unit;
  std::optional<VerticalUnit> known = vertical_unit(unit);
  if (const VerticalAxis axis = vertical_axis(facts.crs_wkt); unit.empty() && axis.metres > 0) {
    known = VerticalUnit{axis.metres, vertical_unit(axis.name).value_or(VerticalUnit{1, axis.name}).name};
  }
  if (!known) {
    info_.warnings.push_back(
        fmt::format("the unit of height '{}' is not known: heights are taken as metres; give --vertical-scale", unit));
    known = VerticalUnit{1, unit};
  }
  info_.vertical_unit = known->name;
  metres_ = {facts.scale, facts.offset, known->metres * options.vertical_scale, false};
  metres_.is_identity = metres_.scale == 1 && metres_.offset == 0 && metres_.factor == 1;

  const std::optional<double> nodata = options.nodata ? options.nodata : facts.nodata;
  has_nodata_ = nodata.has_value();
  nodata_ = nodata.value_or(0);
  is_f32_ = facts.is_f32;
  nodata_f32_ = double(static_cast<float>(nodata_));
  if (options.find_voids && !options.nodata) {
    find_candidates();
  }
}

void FileRows::find_candidates() {
  std::vector<double> numbers{-32768, -32767, -9999};
  if (band_->facts().type_minimum) {
    numbers.push_back(*band_->facts().type_minimum);
  }
  for (const double number : numbers) {
    if (const double metres = height(number); !std::isnan(metres)) {
      candidates_m_.push_back(metres);
    }
  }
  std::sort(candidates_m_.begin(), candidates_m_.end());
  candidates_m_.erase(std::unique(candidates_m_.begin(), candidates_m_.end()), candidates_m_.end());
}

Result<std::unique_ptr<Band>> open_band(const std::filesystem::path& path, const RasterOptions& options,
                                        bool is_warped) {
  auto file = find_input(path, options.raw.has_value());
  if (!file) {
    return Unexpected{file.error()};
  }
  if (options.raw) {
    return open_raw_band(*file, *options.raw);
  }
  if (options.encoding != Encoding::none) {
    return open_colour_band(*file, options.encoding);
  }
  if (is_lerc(*file)) {
    return open_lerc_band(*file);
  }
  if (is_exr(*file)) {
    return open_exr_band(*file);
  }
  return open_gdal_band(*file, {options.band, false, is_warped});
}

}  // namespace

Result<void> settle_spacing(const std::string& name, const RasterOptions& options, RasterInfo& info) {
  const bool is_given = options.spacing_x_m && options.spacing_z_m;
  if (is_given) {
    info.spacing_is_known = true;
  } else if (!info.geotransform) {
    info.spacing_is_known = false;
    info.spacing_x_m = info.spacing_z_m = 1;
    info.warnings.push_back("no georeference: samples are taken to be 1 m apart; give --spacing");
  } else {
    auto ground = ground_spacing(info.crs_wkt, *info.geotransform, info.width, info.height);
    if (!ground) {
      return data_error(name + ": " + ground.error().message);
    }
    info.spacing_x_m = ground->x_m;
    info.spacing_z_m = ground->z_m;
    info.spacing_is_known = ground->is_known;
    if (!ground->warning.empty()) {
      info.warnings.push_back(ground->warning);
    }
  }
  info.spacing_x_m = options.spacing_x_m.value_or(info.spacing_x_m);
  info.spacing_z_m = options.spacing_z_m.value_or(info.spacing_z_m);
  if (!(info.spacing_x_m > 1e-12 && info.spacing_x_m < 1e12 && info.spacing_z_m > 1e-12 && info.spacing_z_m < 1e12)) {
    return data_error(
        fmt::format("{}: samples are {} x {} m apart, expected lengths from 1e-12 to 1e12; give --spacing", name,
                    info.spacing_x_m, info.spacing_z_m));
  }
  return {};
}

Result<std::unique_ptr<HeightRows>> open_file_rows(const std::filesystem::path& path, const RasterOptions& options,
                                                   bool is_warped) {
  auto band = open_band(path, options, is_warped);
  if (!band) {
    return Unexpected{band.error()};
  }
  auto rows = std::make_unique<FileRows>(*std::move(band));
  rows->describe(options);
  return std::unique_ptr<HeightRows>(std::move(rows));
}

}  // namespace arete
