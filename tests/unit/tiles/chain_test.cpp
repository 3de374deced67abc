// Sizes of the max-mip chain, its refusals, and small chains whose every sample is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "arete/tiles.h"

namespace arete {
namespace {

TEST(Chain, SizesOfATileOf129) {
  const std::vector<int> sides{129, 65, 33, 17, 9, 5, 3, 2};
  ASSERT_EQ(level_count(129), 8);
  for (int level = 0; level < 8; ++level) {
    EXPECT_EQ(level_samples(129, level), sides[std::size_t(level)]);
  }
  EXPECT_EQ(chain_samples(129), 22363u);
  EXPECT_EQ(level_count(2), 1);
  EXPECT_EQ(chain_samples(2), 4u);
  EXPECT_EQ(level_samples(513, 9), 2);
}

// B08: every halving keeps the border sample on the border: (n + 1)/2, down to the smallest grid of quads.
TEST(Chain, B08_HalvingKeepsTheLastSample) {
  for (int n = 513; n > kSmallestLevelSamples; n = (n + 1) / 2) {
    const auto side = std::size_t(n);
    std::vector<std::uint16_t> tile(side * side, 1);
    tile.back() = 900;
    tile[side - 1] = 800;
    tile[side * (side - 1)] = 700;
    const auto m = std::size_t(n + 1) / 2;
    std::vector<std::uint16_t> coarse(m * m);
    reduce_max(tile, n, coarse);
    EXPECT_EQ(coarse.back(), 900) << n;
    EXPECT_EQ(coarse[m - 1], 800) << n;
    EXPECT_EQ(coarse[m * (m - 1)], 700) << n;
  }
}

TEST(Chain, ReadsExactlyTheTapsOfTheRule) {
  constexpr int kN = 9, kM = 5;
  for (int z = 0; z < kN; ++z) {
    for (int x = 0; x < kN; ++x) {
      std::vector<std::uint16_t> tile(kN * kN, 0), coarse(kM * kM);
      tile[std::size_t(z * kN + x)] = 7;
      reduce_max(tile, kN, coarse);
      for (int k = 0; k < kM; ++k) {
        for (int i = 0; i < kM; ++i) {
          const int dx = x - 2 * i, dz = z - 2 * k;
          bool taken = std::abs(dx) <= 1 && std::abs(dz) <= 1 && !(dx == dz && dx != 0);
          taken = taken && ((i != 0 && i != kM - 1) || dx == 0) && ((k != 0 && k != kM - 1) || dz == 0);
          taken = taken || (i == 1 && k == 1 && x == 1 && z == 1);
          taken = taken || (i == kM - 2 && k == kM - 2 && x == kN - 2 && z == kN - 2);
          EXPECT_EQ(coarse[std::size_t(k * kM + i)], taken ? 7 : 0) << x << ' ' << z << " -> " << i << ' ' << k;
        }
      }
    }
  }
}

TEST(Chain, RefusesWrongSizesInOneLine) {
  std::vector<std::uint16_t> tile(25, 1), chain(100);
  EXPECT_FALSE(build_max_chain(std::span(tile).first(16), 4, chain));
  EXPECT_FALSE(build_max_chain(std::span(tile).first(24), 5, chain));
  const auto small = build_max_chain(tile, 5, std::span(chain).first(37));
  ASSERT_FALSE(small);
  EXPECT_EQ(small.error().kind, Error::Kind::usage);
  EXPECT_NE(small.error().message.find("38"), std::string::npos);
  EXPECT_EQ(small.error().message.find('\n'), std::string::npos);
  EXPECT_FALSE(build_max_chain({}, 1, chain));
  EXPECT_FALSE(build_max_chain({}, 0, chain));
  EXPECT_FALSE(build_max_chain({}, -3, chain));
  const auto built = build_max_chain(tile, 5, std::span(chain).first(38));
  ASSERT_TRUE(built);
  EXPECT_EQ(*built, 38u);
}

// B30: a ridge one sample wide and a single peak keep their height at every level.
TEST(Chain, B30_RidgesAndPeaksKeepTheirHeight) {
  std::vector<std::uint16_t> ridge(129 * 129, 1), peak(129 * 129, 1), chain(chain_samples(129));
  std::fill_n(ridge.begin() + 64 * 129, 129, 101);
  peak[63 * 129 + 63] = 101;
  ASSERT_TRUE(build_max_chain(ridge, 129, chain));
  std::size_t at = 0;
  for (int n = 129; n >= 3; n = (n + 1) / 2) {
    for (int i = 0; i < n; ++i) {
      EXPECT_EQ(chain[at + std::size_t((n / 2) * n + i)], 101) << n;
    }
    at += std::size_t(n) * std::size_t(n);
  }
  ASSERT_TRUE(build_max_chain(peak, 129, chain));
  at = 0;
  for (int n = 129; n >= 3; n = (n + 1) / 2) {
    const auto level = std::span(chain).subspan(at, std::size_t(n) * std::size_t(n));
    EXPECT_EQ(*std::max_element(level.begin(), level.end()), 101) << n;
    at += level.size();
  }
}

TEST(Chain, HolesStayHolesOnlyWhereEveryTapIsOne) {
  std::vector<std::uint16_t> tile(81, 0), coarse(25);
  tile[4 * 9 + 5] = 3;
  reduce_max(tile, 9, coarse);
  EXPECT_EQ(coarse[2 * 5 + 2], 3);
  EXPECT_EQ(coarse[2 * 5 + 3], 3);
  EXPECT_EQ(std::count(coarse.begin(), coarse.end(), 0), 23);
}

}  // namespace
}  // namespace arete
