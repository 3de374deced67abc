// The vector loops against plain ones, on every instruction set that this machine has.
#include "tiles/plane_kernels.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

namespace arete::tiles {
namespace {

// Runs `test` once for each instruction set and once with the best.
template <class Test>
void on_every_target(Test&& test) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    test(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

std::int64_t plain_row_error(const ErrorRow& row) {
  const std::int64_t side = std::int64_t(1) << row.shift;
  std::int64_t worst = 0;
  for (int x = 0; x < row.count; ++x) {
    const int place = row.first + x - row.phase;
    const int cell = place >> row.shift;
    const std::int64_t a = place % side + row.phase, b = row.down;
    const std::int64_t c00 = row.north[cell], c10 = row.north[cell + 1], c01 = row.south[cell],
                       c11 = row.south[cell + 1];
    const std::int64_t height = row.heights[x] * side;
    if (row.mask[x] != 0 && a + b <= side && c00 != 0 && c10 != 0 && c01 != 0) {
      worst = std::max(worst, std::abs(c00 * side + a * (c10 - c00) + b * (c01 - c00) - height));
    }
    if (row.mask[x] != 0 && a + b >= side && c11 != 0 && c10 != 0 && c01 != 0) {
      worst = std::max(worst, std::abs(c11 * side + (side - a) * (c01 - c11) + (side - b) * (c10 - c11) - height));
    }
  }
  return worst;
}

TEST(Kernels, RowErrorsAreEqualOnEveryTarget) {
  on_every_target([](const char* target) {
    std::mt19937 random(7);
    for (int trial = 0; trial < 4000; ++trial) {
      const int shift = 1 + int(random() % 14), side = 1 << shift, phase = int(random() % 2);
      const int count = 1 + int(random() % 129);
      const int first = phase + (shift > 7 ? int(random() % std::uint32_t(side - 128)) : 0);
      const std::size_t cells = std::size_t((first + count) >> shift) + 2;
      std::vector<std::uint16_t> heights(std::size_t(count) + 64), mask(std::size_t(count) + 64), north(cells + 65),
          south(cells + 65);
      const auto fill = [&](std::vector<std::uint16_t>& values, std::uint32_t holes) {
        for (auto& value : values) {
          value = random() % holes == 0 ? std::uint16_t(0)
                  : random() % 3 == 0   ? std::uint16_t(65535)
                                        : std::uint16_t(random());
        }
      };
      fill(heights, 9);
      fill(mask, 5);
      fill(north, trial % 2 == 0 ? 1000 : 4);
      fill(south, trial % 2 == 0 ? 1000 : 4);
      const ErrorRow row{heights.data(), mask.data(), north.data(), south.data(),
                         count,          first,       shift,        int(random() % std::uint32_t(side + 1)),
                         phase};
      ASSERT_EQ(row_error(row), plain_row_error(row)) << target << " trial " << trial;
    }
  });
}

TEST(Kernels, ResidualsAreUndoneAlikeOnEveryTarget) {
  on_every_target([](const char* target) {
    std::mt19937 random(9);
    for (const int columns : {1, 7, 8, 9, 31, 64, 130, 131}) {
      const int rows = 1 + int(random() % 9);
      const auto samples = std::size_t(columns) * std::size_t(rows);
      std::vector<std::uint8_t> low(samples), high(samples);
      std::vector<std::uint16_t> plane(samples + 1, 7);
      for (std::size_t i = 0; i < samples; ++i) {
        low[i] = std::uint8_t(random());
        high[i] = std::uint8_t(random() % 3 == 0 ? random() : 0);
      }
      undo_residuals(low.data(), high.data(), columns, rows, plane.data());
      const auto at = [&](int x, int z) {
        return x < 0 || z < 0 ? 0 : int(plane[std::size_t(z) * std::size_t(columns) + std::size_t(x)]);
      };
      for (int z = 0; z < rows; ++z) {
        for (int x = 0; x < columns; ++x) {
          const std::size_t i = std::size_t(z) * std::size_t(columns) + std::size_t(x);
          const int zigzag = low[i] | high[i] << 8;
          const int residual = zigzag % 2 == 0 ? zigzag / 2 : -(zigzag + 1) / 2;
          const int predicted = at(x - 1, z) + at(x, z - 1) - at(x - 1, z - 1);
          ASSERT_EQ(at(x, z), (predicted + residual) & 0xffff) << target << ' ' << columns << ' ' << x << ' ' << z;
        }
      }
      ASSERT_EQ(plane.back(), 7);
    }
  });
}

TEST(Kernels, RowReductionsAreEqualOnEveryTarget) {
  on_every_target([](const char* target) {
    std::mt19937 random(8);
    for (const int m : {3, 5, 9, 17, 33, 65, 129, 257}) {
      const auto n = std::size_t(2 * m - 1);
      std::vector<std::uint16_t> rows(3 * n);
      for (auto& value : rows) {
        value = std::uint16_t(random());
      }
      const std::uint16_t *north = rows.data(), *here = north + n, *south = here + n;
      std::vector<std::uint16_t> coarse(std::size_t(m), 77);
      reduce_row(north, here, south, m, coarse.data());
      EXPECT_EQ(coarse.front(), 77) << target;
      EXPECT_EQ(coarse.back(), 77) << target;
      for (int i = 1; i < m - 1; ++i) {
        const int x = 2 * i;
        ASSERT_EQ(coarse[std::size_t(i)],
                  std::max({here[x - 1], here[x], here[x + 1], north[x], north[x + 1], south[x - 1], south[x]}))
            << target << " m " << m << " i " << i;
      }
    }
  });
}

}  // namespace
}  // namespace arete::tiles
