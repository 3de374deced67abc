// Statistics of a raster in one pass; see statistics.h.
//
// A row is summarised as a whole; only rows that hold an extreme, or what may be an undeclared void, are looked at
// sample by sample. Samples that equal a candidate for an undeclared void are counted apart and join the rest at the
// end if they are heights after all.
#include "statistics.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

#include "row_kernels.h"
#include "rows_ahead.h"

namespace arete {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLoneGap_m = 1000;  // an extreme this far from every other height is worth a word
constexpr double kRimGap_m = 100;    // a rim of one value this far from the line beside it is, too

struct Place {
  std::int64_t row = -1, column = -1;
  bool is_before(const Place& other) const { return row != other.row ? row < other.row : column < other.column; }
};

// Samples of one value.
struct Tally {
  double value_m = 0;
  std::int64_t count = 0;
  Place first;
};

// The extreme of everything seen, how often it was met, and the next different value.
struct Extreme {
  double sign = 1;                               // +1: greatest, -1: least
  double value = -kInfinity, next = -kInfinity;  // times sign
  std::int64_t count = 0;
  Place first{};

  // Takes a row's own extreme when all of the row falls short of this one; false when the row must be seen one by one.
  bool sees_only_lesser(double height) {
    const double signed_height = height * sign;
    if (!(signed_height < value)) {
      return false;
    }
    next = std::max(next, signed_height);
    return true;
  }

  void see(double height, Place place, std::int64_t times) {
    const double signed_height = height * sign;
    if (signed_height > value) {
      next = value;
      value = signed_height;
      count = times;
      first = place;
    } else if (signed_height == value) {
      count += times;
      if (place.is_before(first)) {
        first = place;
      }
    } else if (signed_height > next) {
      next = signed_height;
    }
  }
};

// Watches the four rims: is a rim one value throughout, and how near does the line beside it come?
class Rims {
 public:
  Rims(std::int64_t width, std::int64_t height) : width_(width), height_(height) {}

  void see(std::int64_t row, std::span<const double> heights) {
    if (width_ < 4 || height_ < 4) {
      return;
    }
    const std::size_t last = heights.size() - 1;
    // The ends of a rim lie beside another rim, which may be without data too.
    const bool is_inner = row > 0 && row < height_ - 1;
    west_.see(heights[0], is_inner ? heights[1] : kNoHeight);
    east_.see(heights[last], is_inner ? heights[last - 1] : kNoHeight);
    if (row == 0 || row == height_ - 2) {
      kept_.assign(heights.begin(), heights.end());
    }
    for (std::size_t i = 0; i <= last && (row == 1 || row == height_ - 1); ++i) {
      const bool is_end = i == 0 || i == last;
      Rim& rim = row == 1 ? north_ : south_;
      const double own = row == 1 ? kept_[i] : heights[i], beside = row == 1 ? heights[i] : kept_[i];
      rim.see(own, is_end ? kNoHeight : beside);
    }
  }

  // `is_ground(value)`: nearly all samples have it.
  template <class IsGround>
  void warn(std::vector<std::string>& warnings, const IsGround& is_ground) const {
    const std::array<std::pair<const Rim*, const char*>, 4> rims{
        {{&north_, "first row"}, {&south_, "last row"}, {&west_, "first column"}, {&east_, "last column"}}};
    for (const auto& [rim, name] : rims) {
      if (rim->is_seen && rim->is_one_value && rim->nearest >= kRimGap_m && rim->nearest < kInfinity &&
          !is_ground(rim->value)) {
        warnings.push_back(
            fmt::format("the {} is {} m throughout, {} m or more from the samples beside it: a border without "
                        "data? --nodata makes holes of it",
                        name, rim->value, rim->nearest));
      }
    }
  }

 private:
  struct Rim {
    bool is_seen = false, is_one_value = true;
    double value = 0, nearest = kInfinity;
    void see(double own, double beside) {
      if (!is_seen) {
        is_seen = true;
        value = own;
      }
      is_one_value = is_one_value && own == value;  // a hole is no value
      if (!std::isnan(beside)) {
        nearest = std::min(nearest, std::abs(own - beside));
      }
    }
  };
  std::int64_t width_, height_;
  std::vector<double> kept_;
  Rim north_, south_, west_, east_;
};

class Measure {
 public:
  explicit Measure(const HeightRows& rows)
      : width_(rows.info().width),
        height_(rows.info().height),
        rims_(width_, height_),
        digest_(XXH3_createState(), &XXH3_freeState) {
    for (const double value : rows.void_candidates_m()) {
      candidates_.push_back({value, 0, {}});
      highest_candidate_ = value;
    }
    XXH3_64bits_reset(digest_.get());
  }

  void see(std::int64_t row, std::span<const double> heights) {
    XXH3_64bits_update(digest_.get(), heights.data(), heights.size_bytes());
    rims_.see(row, heights);
    if (row == 0 || row == height_ - 1) {
      const std::size_t at = row == 0 ? 0 : 2;
      corners_[at] = heights.front();
      corners_[at + 1] = heights.back();
    }
    if (row == 0 && height_ == 1) {
      corners_[2] = heights.front();
      corners_[3] = heights.back();
    }
    const RowSummary summary = summarise_row(heights);
    missing_ += std::int64_t(heights.size()) - summary.valid;
    if (summary.valid == 0) {
      return;
    }
    const bool has_candidate = summary.least <= highest_candidate_;
    if (!has_candidate) {
      valid_ += summary.valid;
      sum_.add_row(heights);
      all_whole_ = all_whole_ && summary.is_whole;
      if (!least_.sees_only_lesser(summary.least) || !greatest_.sees_only_lesser(summary.greatest)) {
        see_extremes(row, heights);
      }
      return;
    }
    for (std::size_t i = 0; i < heights.size(); ++i) {
      const double height = heights[i];
      if (!std::isnan(height) && (height > highest_candidate_ || !set_apart(height, {row, std::int64_t(i)}))) {
        count(height, {row, std::int64_t(i)}, 1);
      }
    }
  }

  // Settles the candidates, from the greatest down: each is judged against what lies above it. Returns the warnings.
  std::vector<std::string> settle(HeightRows& rows) {
    std::vector<std::string> warnings;
    for (auto tally = candidates_.rbegin(); tally != candidates_.rend(); ++tally) {
      if (tally->count == 0) {
        continue;
      }
      // Lesser heights make it a height; so do lesser candidates, which are judged as if this one were none.
      const bool is_least = least_.count == 0 || tally->value_m < -least_.value;
      const bool is_apart = least_.count == 0 || -least_.value - tally->value_m >= std::abs(tally->value_m) / 10;
      const bool is_bulk = tally->count >= 2 || tally->count * 100 >= width_ * height_;
      if (is_least && is_apart && is_bulk) {
        warnings.push_back(
            fmt::format("{} samples of {} m, the first in row {}, column {}, are taken for undeclared voids and become "
                        "holes; --nodata "
                        "names the value that is missing instead",
                        tally->count, tally->value_m, tally->first.row, tally->first.column));
        rows.declare_void(tally->value_m);
        voids_m_.push_back(tally->value_m);
        missing_ += tally->count;
        for (double& corner : corners_) {
          corner = corner == tally->value_m ? kNoHeight : corner;
        }
      } else {
        count(tally->value_m, tally->first, tally->count);
      }
    }
    return warnings;
  }

  RasterStatistics result(std::vector<std::string> warnings) const {
    RasterStatistics result;
    fill_in(result);
    result.warnings = std::move(warnings);
    warn(result.warnings);
    return result;
  }

 private:
  void see_extremes(std::int64_t row, std::span<const double> heights) {
    for (std::size_t i = 0; i < heights.size(); ++i) {
      if (!std::isnan(heights[i])) {
        least_.see(heights[i], {row, std::int64_t(i)}, 1);
        greatest_.see(heights[i], {row, std::int64_t(i)}, 1);
      }
    }
  }

  bool set_apart(double height, Place place) {
    for (Tally& tally : candidates_) {
      if (tally.value_m == height) {
        if (tally.count++ == 0) {
          tally.first = place;
        }
        return true;
      }
    }
    return false;
  }

  void count(double height, Place place, std::int64_t times) {
    valid_ += times;
    least_.see(height, place, times);
    greatest_.see(height, place, times);
    sum_.add(height * double(times));  // exact for the candidates, which are short numbers
    all_whole_ = all_whole_ && height == double(static_cast<std::int64_t>(height));
  }

  void fill_in(RasterStatistics& result) const {
    result.valid = valid_;
    result.missing = missing_;
    result.corners_m = corners_;
    result.digest = XXH3_64bits_digest(digest_.get());
    result.all_whole_metres = all_whole_;
    result.voids_m = voids_m_;
    result.sum_m = sum_.total();
    result.min_m = valid_ > 0 ? -least_.value : kNoHeight;
    result.max_m = valid_ > 0 ? greatest_.value : kNoHeight;
    result.first_min = {least_.first.row, least_.first.column};
    result.first_max = {greatest_.first.row, greatest_.first.column};
  }

  void warn(std::vector<std::string>& warnings) const {
    if (valid_ == 0) {
      warnings.push_back("no sample is valid");
      return;
    }
    const auto is_most = [&](const Extreme& extreme) { return extreme.count * 10 > valid_ * 9; };
    for (const Extreme* extreme : {&least_, &greatest_}) {
      if (extreme->value - extreme->next >= kLoneGap_m && extreme->next > -kInfinity && !is_most(*extreme)) {
        warnings.push_back(
            fmt::format("{} sample(s) of {} m, the first in row {}, column {}, stand {} m {} every other: a spike "
                        "or an undeclared void? --nodata makes holes of them",
                        extreme->count, extreme->value * extreme->sign, extreme->first.row, extreme->first.column,
                        extreme->value - extreme->next, extreme->sign > 0 ? "above" : "below"));
      }
    }
    rims_.warn(warnings, [&](double value) {
      return (value == -least_.value && is_most(least_)) || (value == greatest_.value && is_most(greatest_));
    });
  }

  std::int64_t width_, height_;
  Rims rims_;
  std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> digest_;
  std::vector<Tally> candidates_;
  double highest_candidate_ = -kInfinity;
  std::int64_t valid_ = 0, missing_ = 0;
  Extreme least_{.sign = -1}, greatest_{.sign = 1};
  HeightSum sum_;
  bool all_whole_ = true;
  std::vector<double> voids_m_;
  std::array<double, 4> corners_{kNoHeight, kNoHeight, kNoHeight, kNoHeight};
};

Result<void> see_all(HeightRows& rows, Measure& measure, const std::function<void(double)>& progress) {
  const double height = double(rows.info().height);
  return each_row(rows, [&](std::int64_t row, std::span<const double> heights) {
    measure.see(row, heights);
    if (progress) {
      progress(double(row + 1) / height);
    }
  });
}

}  // namespace

Result<RasterStatistics> measure_rows(HeightRows& rows, const std::function<void(double)>& progress) {
  const std::int64_t outliers = rows.outliers(), conflicts = rows.conflicts();
  Measure measure(rows);
  if (auto seen = see_all(rows, measure, progress); !seen) {
    return Unexpected{seen.error()};
  }
  RasterStatistics result = measure.result(measure.settle(rows));
  const std::vector<std::string> warnings = reading_warnings(rows, outliers, conflicts);
  result.warnings.insert(result.warnings.end(), warnings.begin(), warnings.end());
  return result;
}

std::vector<std::string> reading_warnings(const HeightRows& rows, std::int64_t outliers, std::int64_t conflicts) {
  std::vector<std::string> warnings;
  if (rows.outliers() > outliers) {
    warnings.push_back(
        fmt::format("{} samples lie more than {:.0e} m from zero and become holes, though no such nodata is declared",
                    rows.outliers() - outliers, kFarthest_m));
  }
  if (rows.conflicts() > conflicts) {
    warnings.push_back(fmt::format("{} samples of overlapping rasters differ; the raster named first wins",
                                   rows.conflicts() - conflicts));
  }
  return warnings;
}

Result<std::vector<std::string>> count_conflicts(HeightRows& rows) {
  const std::int64_t conflicts = rows.conflicts();
  if (auto read = each_row(rows, [](std::int64_t, std::span<const double>) {}); !read) {
    return Unexpected{read.error()};
  }
  return reading_warnings(rows, rows.outliers(), conflicts);
}

Result<std::vector<std::string>> settle_voids(HeightRows& rows) {
  if (rows.void_candidates_m().empty()) {
    return std::vector<std::string>{};
  }
  const std::int64_t outliers = rows.outliers();
  Measure measure(rows);
  if (auto seen = see_all(rows, measure, {}); !seen) {
    return Unexpected{seen.error()};
  }
  std::vector<std::string> warnings = measure.settle(rows);
  for (std::string& warning : reading_warnings(rows, outliers, rows.conflicts())) {
    warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace arete
