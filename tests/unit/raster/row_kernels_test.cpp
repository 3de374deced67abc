// The vector loops over rows against plain ones, on every instruction set that this machine has.
#include "raster/row_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "support/instruction_sets.h"

namespace arete::test {
namespace {

constexpr double kHole = std::numeric_limits<double>::quiet_NaN();

// Rows of 0 to 40 heights, whole ones and others, with holes or without.
std::vector<double> random_row(std::mt19937& random) {
  std::vector<double> row(random() % 41);
  const double unit = random() % 2 == 0 ? 1.0 : 0.3;
  const std::uint32_t holes = random() % 3;
  for (double& height : row) {
    height = random() % 8 < holes ? kHole : unit * (double(random() % 20000) - 10000);
  }
  return row;
}

template <class Trial>
void on_random_rows(const Trial& trial) {
  on_every_target([&](const char* target) {
    std::mt19937 random(7);
    for (int i = 0; i < 2000; ++i) {
      SCOPED_TRACE(testing::Message() << target << " row " << i);
      trial(random_row(random), random);
      if (testing::Test::HasFailure()) {
        return;
      }
    }
  });
}

TEST(RowKernels, SummariesHoldRangeCountAndWholeness) {
  on_random_rows([](const std::vector<double>& row, std::mt19937&) {
    RowSummary wanted;
    for (const double height : row) {
      if (!std::isnan(height)) {
        wanted.least = std::min(wanted.least, height);
        wanted.greatest = std::max(wanted.greatest, height);
        ++wanted.valid;
        wanted.is_whole = wanted.is_whole && height == std::floor(height);
      }
    }
    const RowSummary found = summarise_row(row);
    EXPECT_EQ(found.least, wanted.least);
    EXPECT_EQ(found.greatest, wanted.greatest);
    EXPECT_EQ(found.valid, wanted.valid);
    EXPECT_EQ(found.is_whole, wanted.is_whole);
  });
}

TEST(RowKernels, SumsAreEqualToTheBitWhateverTheLanes) {
  on_every_target([](const char* target) {
    std::mt19937 random(7);
    HeightSum by_rows, one_by_one;
    for (int i = 0; i < 200; ++i) {
      std::vector<double> row = random_row(random);
      for (std::size_t at = 0; at < row.size(); ++at) {
        row[at] *= std::ldexp(1.0, int(random() % 80) - 40);
        one_by_one.add(std::isnan(row[at]) ? 0 : row[at], at % HeightSum::kParts);
      }
      by_rows.add_row(row);
      ASSERT_EQ(std::bit_cast<std::uint64_t>(by_rows.total()), std::bit_cast<std::uint64_t>(one_by_one.total()))
          << target << " row " << i;
    }
  });
}

TEST(RowKernels, NodataBecomesHolesUnlessANumberLiesTooFarOff) {
  on_random_rows([](const std::vector<double>& row, std::mt19937& random) {
    const double nodata = random() % 2 == 0 || row.empty() ? kHole : row[random() % row.size()];
    const double nodata_f32 = random() % 2 == 0 ? nodata : 5;
    std::vector<double> found = row, wanted = row;
    for (double& number : wanted) {
      number = number == nodata || number == nodata_f32 ? kHole : number;
    }
    if (!row.empty() && random() % 4 == 0) {
      const double far[] = {1e8, -1e8, 3e38, -std::numeric_limits<double>::infinity()};
      found[random() % row.size()] = far[random() % 4];
      EXPECT_FALSE(mark_nodata(found, nodata, nodata_f32, 1e8));
      return;
    }
    EXPECT_TRUE(mark_nodata(found, nodata, nodata_f32, 1e8));
    EXPECT_TRUE(std::equal(found.begin(), found.end(), wanted.begin(),
                           [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
  });
}

TEST(RowKernels, StepsAreTheNearestAndTheWorstErrorIsTold) {
  on_random_rows([](const std::vector<double>& row, std::mt19937& random) {
    const double step_m = std::ldexp(1.0, int(random() % 4) - 2);
    const HeightScale scale{(double(random() % 200) - 100) * step_m - 10000, step_m};
    std::vector<std::uint16_t> found(row.size()), wanted;
    double worst = 0;
    for (const double height : row) {
      const double steps = std::clamp(std::nearbyint(height / step_m) - scale.base_m / step_m, 1.0, 65535.0);
      wanted.push_back(std::isnan(height) ? 0 : std::uint16_t(steps));
      worst = std::isnan(height) ? worst : std::max(worst, std::abs(scale.base_m + steps * step_m - height));
    }
    EXPECT_EQ(quantise_row(row, scale, found), worst);
    EXPECT_EQ(found, wanted);
  });
}

}  // namespace
}  // namespace arete::test
