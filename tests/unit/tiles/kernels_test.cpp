// The vector loops against plain ones, on every instruction set that this machine has.
#include "tiles/plane_kernels.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "support/instruction_sets.h"

namespace arete::tiles {
namespace {

using test::on_every_target;

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

TEST(Kernels, CellErrorsAreEqualOnEveryTarget) {
  on_every_target([](const char* target) {
    std::mt19937 random(11);
    for (int trial = 0; trial < 2000; ++trial) {
      const int shift = 1 + int(random() % 14), side = 1 << shift;
      const int columns = 1 + int(random() % std::uint32_t(std::min(side + 1, 129)));
      const int rows = 1 + int(random() % std::uint32_t(std::min(side + 1, 129)));
      std::vector<std::uint16_t> heights(131 * std::size_t(rows) + 64);
      std::generate(heights.begin(), heights.end(), [&] { return std::uint16_t(1 + random() % 65535); });
      const auto corner = [&] { return std::int32_t(1 + random() % 65535); };
      const CellSamples cell{.heights = heights.data(),
                             .stride = 131,
                             .columns = columns,
                             .rows = rows,
                             .shift = shift,
                             .a = std::int32_t(random() % std::uint32_t(side + 2 - columns)),
                             .b = std::int32_t(random() % std::uint32_t(side + 2 - rows)),
                             .c00 = corner(),
                             .c10 = corner(),
                             .c01 = corner(),
                             .c11 = corner()};
      std::int64_t worst = 0;
      for (int k = 0; k < rows; ++k) {
        for (int i = 0; i < columns; ++i) {
          const std::int64_t a = cell.a + i, b = cell.b + k, height = heights[std::size_t(k * 131 + i)];
          const std::int64_t lower =
              std::int64_t(cell.c00) * side + a * (cell.c10 - cell.c00) + b * (cell.c01 - cell.c00);
          const std::int64_t upper =
              std::int64_t(cell.c11) * side + (side - a) * (cell.c01 - cell.c11) + (side - b) * (cell.c10 - cell.c11);
          worst = std::max(worst, std::abs((a + b <= side ? lower : upper) - height * side));
        }
      }
      ASSERT_EQ(cell_error(cell), worst) << target << " trial " << trial;
    }
  });
}

TEST(Kernels, BoundsOfCellsAreEqualOnEveryTarget) {
  on_every_target([](const char* target) {
    std::mt19937 random(12);
    for (int trial = 0; trial < 300; ++trial) {
      std::vector<std::uint16_t> fine(3 * 131), coarse(2 * 65), own(2 * 128), cells(64);
      const std::uint32_t range = trial % 2 == 0 ? 65536 : 300, holes = trial % 3 == 0 ? 40 : 1u << 30;
      for (auto* values : {&fine, &coarse, &own}) {
        std::generate(values->begin(), values->end(),
                      [&] { return random() % holes == 0 ? std::uint16_t(0) : std::uint16_t(random() % range); });
      }
      const bool has_own = trial % 5 != 0;
      const CellRow row{.fine = {fine.data(), fine.data() + 131, fine.data() + 262},
                        .coarse = {coarse.data(), coarse.data() + 65},
                        .bounds = {has_own ? own.data() : nullptr, has_own ? own.data() + 128 : nullptr}};
      bound_cells(row, cells.data());
      for (int i = 0; i < 64; ++i) {
        bool has_hole = false;
        int worst = 0;
        for (int quarter = 0; quarter < 4; ++quarter) {
          int distance = 0;
          for (int k = quarter / 2; k < quarter / 2 + 2; ++k) {
            for (int j = quarter % 2; j < quarter % 2 + 2; ++j) {
              const auto c = [&](int x, int z) { return int(coarse[std::size_t(z * 65 + i + x)]); };
              // Twice the surface at half cells: along the diagonal in the middle.
              const int twice = j == 1 && k == 1 ? c(1, 0) + c(0, 1)
                                : j == 1         ? c(0, k / 2) + c(1, k / 2)
                                : k == 1         ? c(j / 2, 0) + c(j / 2, 1)
                                                 : 2 * c(j / 2, k / 2);
              const int height = fine[std::size_t(k * 131 + 2 * i + j)];
              has_hole = has_hole || height == 0;
              distance = std::max(distance, (std::abs(twice - 2 * height) + 1) / 2);
            }
          }
          const std::size_t inner = std::size_t(quarter / 2 * 128 + 2 * i + quarter % 2);
          worst = std::max(worst, std::min(65535, distance + (has_own ? own[inner] : 0)));
        }
        ASSERT_EQ(cells[std::size_t(i)], has_hole ? 65535 : worst) << target << " trial " << trial << " cell " << i;
      }
    }
  });
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

TEST(Kernels, RimRowErrorsAreEqualToTheBitOnEveryTarget) {
  on_every_target([](const char* target) {
    std::mt19937 random(12);
    for (int trial = 0; trial < 2000; ++trial) {
      const int count = 1 + int(random() % 129);
      const double width = double(2 + random() % 300), depth = double(1 + random() % 300);
      std::vector<std::uint16_t> heights(std::size_t(count) + 64), mask(heights.size());
      std::vector<double> places(heights.size());
      for (std::size_t i = 0; i < heights.size(); ++i) {
        heights[i] = std::uint16_t(random());
        mask[i] = random() % 5 == 0 ? 0 : 0xffff;
        places[i] = double(random() % std::uint32_t(width + 1));
      }
      const auto corner = [&] { return double(1 + random() % 65535); };
      const RimRow row{.heights = heights.data(),
                       .mask = mask.data(),
                       .places = places.data(),
                       .count = count,
                       .width = width,
                       .depth = depth,
                       .down = double(random() % std::uint32_t(depth + 1)),
                       .draws_lower = random() % 4 != 0,
                       .draws_upper = random() % 4 != 0,
                       .c00 = corner(),
                       .c10 = corner(),
                       .c01 = corner(),
                       .c11 = corner()};
      double worst = 0;
      for (std::size_t i = 0; i < std::size_t(count); ++i) {
        const double side = places[i] * depth + row.down * width;
        if (mask[i] != 0 && side <= width * depth && row.draws_lower) {
          const double along = (row.c10 - row.c00) * places[i] / width, down = (row.c01 - row.c00) * row.down / depth;
          worst = std::max(worst, std::abs(row.c00 + along + down - heights[i]));
        } else if (mask[i] != 0 && side >= width * depth && row.draws_upper) {
          const double along = (row.c01 - row.c11) * (width - places[i]) / width;
          const double down = (row.c10 - row.c11) * (depth - row.down) / depth;
          worst = std::max(worst, std::abs(row.c11 + along + down - heights[i]));
        }
      }
      ASSERT_EQ(rim_row_error(row), worst) << target << " trial " << trial;
    }
  });
}

TEST(Kernels, ExtentsAndGreatestBoundsAreEqualOnEveryTarget) {
  on_every_target([](const char* target) {
    std::mt19937 random(13);
    std::vector<std::uint16_t> samples(128 * 80);
    for (int trial = 0; trial < 400; ++trial) {
      const std::uint32_t rare = 1 + random() % 3000;
      for (auto& value : samples) {
        value = random() % rare == 0 ? std::uint16_t(random() % 2 * 0xffff) : std::uint16_t(random());
      }
      const int columns = 1 + int(random() % 80), rows = 1 + int(random() % 80);
      Extent wanted{.min = 0xffff, .max = 0, .has_hole = false};
      for (int i = 0; i < rows * columns; ++i) {
        const std::uint16_t value = samples[std::size_t(i / columns) * 128 + std::size_t(i % columns)];
        wanted.min = value == 0 ? wanted.min : std::min(wanted.min, value);
        wanted.max = std::max(wanted.max, value);
        wanted.has_hole |= value == 0;
      }
      wanted.min = wanted.max == 0 ? std::uint16_t(0) : wanted.min;
      const Extent found = extent_of(samples.data(), 128, columns, rows);
      ASSERT_EQ(found.min, wanted.min) << target << " trial " << trial;
      ASSERT_EQ(found.max, wanted.max) << target << " trial " << trial;
      ASSERT_EQ(found.has_hole, wanted.has_hole) << target << " trial " << trial;

      std::uint16_t greatest = 0, by_column[32], wanted_by_column[32] = {};
      for (std::size_t i = 0; i < 32 * 32; ++i) {
        const std::uint16_t value = samples[i / 32 * 128 + i % 32];
        greatest = std::max(greatest, value);
        wanted_by_column[i % 32] = std::max(wanted_by_column[i % 32], value == 0xffff ? std::uint16_t(0) : value);
      }
      ASSERT_EQ(greatest_bounds(samples.data(), 128, by_column), greatest) << target << " trial " << trial;
      ASSERT_TRUE(std::equal(by_column, by_column + 32, wanted_by_column)) << target << " trial " << trial;
    }
  });
}

TEST(Kernels, ResidualsAreMadeAndUndoneAlikeOnEveryTarget) {
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
      std::vector<std::uint8_t> low_again(samples + 1, 9), high_again(samples + 1, 9);
      make_residuals(plane.data(), columns, rows, low_again.data(), high_again.data());
      ASSERT_EQ(low_again.back(), 9);
      ASSERT_EQ(high_again.back(), 9);
      low.push_back(9);
      high.push_back(9);
      ASSERT_EQ(low_again, low) << target << ' ' << columns;
      ASSERT_EQ(high_again, high) << target << ' ' << columns;
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
