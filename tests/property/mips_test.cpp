// The laws of max mips: neighbours agree, no sample is lost, the coarse surface is not below the fine one off the
// border ring, and on the ring only by the stated bound. For chains of single tiles and for the quadtree of pages.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "arete/tiles.h"
#include "kernel/normal.h"
#include "support/terrain.h"

namespace arete {
namespace {

using test::Terrain;
using Samples = std::vector<std::uint16_t>;

Samples reduce(const Samples& fine, int n) {
  const auto m = std::size_t(n + 1) / 2;
  Samples coarse(m * m);
  reduce_max(fine, n, coarse);
  return coarse;
}

// Twice the height of the coarse surface (m samples a side) at fine sample (x, z), by the split contract.
int twice_surface(const Samples& coarse, int m, int x, int z) {
  const auto at = [&](int i, int k) { return int(coarse[std::size_t(k * m + i)]); };
  const int i = x / 2, k = z / 2;
  if (x % 2 == 0 && z % 2 == 0) {
    return 2 * at(i, k);
  }
  if (z % 2 == 0) {
    return at(i, k) + at(i + 1, k);
  }
  return x % 2 == 0 ? at(i, k) + at(i, k + 1) : at(i + 1, k) + at(i, k + 1);
}

// How far the coarse surface may lie below fine sample (x, z), doubled: the sum over the ends of its coarse edge that
// stand on the border of what each end lacks.
int twice_deficit(const Samples& fine, const Samples& coarse, int n, int x, int z) {
  const int m = (n + 1) / 2;
  const int height = fine[std::size_t(z * n + x)];
  int sum = 0;
  const auto lacks = [&](int i, int k) {
    if (i == 0 || k == 0 || i == m - 1 || k == m - 1) {
      sum += std::max(0, height - int(coarse[std::size_t(k * m + i)]));
    }
  };
  const int i = x / 2, k = z / 2;
  if (x % 2 == 1 && z % 2 == 1) {
    lacks(i + 1, k);
    lacks(i, k + 1);
  } else {
    lacks(i, k);
    lacks(i + x % 2, k + z % 2);
  }
  return sum;
}

void expect_laws(const Samples& fine, int n, std::uint64_t seed) {
  const int m = (n + 1) / 2;
  const Samples coarse = reduce(fine, n);
  ASSERT_EQ(*std::max_element(fine.begin(), fine.end()) > *std::max_element(coarse.begin(), coarse.end()) && n >= 5,
            false)
      << "seed " << seed;
  for (int z = 0; z < n; ++z) {
    for (int x = 0; x < n; ++x) {
      const int below = 2 * int(fine[std::size_t(z * n + x)]) - twice_surface(coarse, m, x, z);
      if (x >= 2 && z >= 2 && x <= n - 3 && z <= n - 3) {
        ASSERT_LE(below, 0) << "seed " << seed << " n " << n << " at " << x << ' ' << z;
      }
      ASSERT_LE(below, twice_deficit(fine, coarse, n, x, z))
          << "seed " << seed << " n " << n << " at " << x << ' ' << z;
      if (x % 2 == 0 && z % 2 == 0) {
        ASSERT_LE(below, 0) << "a coarse sample below its own fine one, seed " << seed;
      }
    }
  }
}

// 0/1 fields of 5 x 5 (max commutes with thresholds, so they stand for all heights): about one in sixteen of the 2^25.
TEST(Mips, ThresholdFieldsOfFiveByFive) {
  Samples fine(25), coarse(9);
  for (std::uint32_t bits = 0; bits < 1u << 25; bits += 1 + (bits >> 4) % 31) {
    for (std::size_t i = 0; i < 25; ++i) {
      fine[i] = std::uint16_t(bits >> i & 1);
    }
    reduce_max(fine, 5, coarse);
    const int below = 2 * fine[12] - twice_surface(coarse, 3, 2, 2);
    ASSERT_LE(below, 0) << bits;
    for (int z = 0; z < 5; ++z) {
      for (int x = 0; x < 5; ++x) {
        const int lack = 2 * fine[std::size_t(z * 5 + x)] - twice_surface(coarse, 3, x, z);
        ASSERT_LE(lack, twice_deficit(fine, coarse, 5, x, z)) << bits << " at " << x << ' ' << z;
      }
    }
  }
}

TEST(Mips, NoSampleIsLost) {
  for (int n : {5, 9, 17, 33}) {
    for (int at = 0; at < n * n; ++at) {
      Samples tile(std::size_t(n) * std::size_t(n), 1);
      tile[std::size_t(at)] = 2;
      Samples chain(chain_samples(n));
      ASSERT_TRUE(build_max_chain(tile, n, chain));
      std::size_t first = 0;
      for (int side = n; side >= 3; side = (side + 1) / 2) {
        const auto begin = chain.begin() + std::ptrdiff_t(first);
        ASSERT_EQ(*std::max_element(begin, begin + side * side), 2) << n << " sample " << at << " level of " << side;
        first += std::size_t(side) * std::size_t(side);
      }
    }
  }
}

TEST(Mips, RandomTilesKeepTheLaws) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random(seed);
    const int n = (2 << (1 + seed % 6)) + 1;
    Samples fine(std::size_t(n) * std::size_t(n));
    for (auto& steps : fine) {
      steps = seed % 3 == 0 ? std::uint16_t(random() % 2 * (random() % 65536)) : std::uint16_t(1 + random() % 65535);
    }
    for (int side = n; side >= 5; side = (side + 1) / 2) {
      expect_laws(fine, side, seed);
      fine = reduce(fine, side);
    }
  }
}

// Invariant 4: the samples that up to four tiles share are equal at every level of their chains.
TEST(Mips, SharedSamplesAgreeAtEveryLevel) {
  std::int64_t shared = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const int n = (2 << (1 + seed % 5)) + 1, tiles = 3, side = (n - 1) * tiles + 1;
    std::mt19937_64 random(seed);
    Samples field(std::size_t(side) * std::size_t(side));
    for (auto& steps : field) {
      steps = std::uint16_t(random() % 65536);
    }
    std::vector<Samples> chains;
    for (int tz = 0; tz < tiles; ++tz) {
      for (int tx = 0; tx < tiles; ++tx) {
        Samples tile;
        for (int z = 0; z < n; ++z) {
          const auto row = field.begin() + (tz * (n - 1) + z) * side + tx * (n - 1);
          tile.insert(tile.end(), row, row + n);
        }
        chains.emplace_back(chain_samples(n));
        ASSERT_TRUE(build_max_chain(tile, n, chains.back()));
      }
    }
    std::size_t first = 0;
    for (int m = n; m >= 2; m = (m + 1) / 2) {
      const auto at = [&](int tx, int tz, int i, int k) {
        return chains[std::size_t(tz * tiles + tx)][first + std::size_t(k * m + i)];
      };
      for (int a = 0; a < tiles; ++a) {
        for (int b = 0; b + 1 < tiles; ++b) {
          for (int i = 0; i < m; ++i, shared += 2) {
            ASSERT_EQ(at(b, a, m - 1, i), at(b + 1, a, 0, i)) << "seed " << seed << " level of " << m;
            ASSERT_EQ(at(a, b, i, m - 1), at(a, b + 1, i, 0)) << "seed " << seed << " level of " << m;
          }
        }
      }
      first += std::size_t(m) * std::size_t(m);
    }
  }
  EXPECT_GT(shared, 10000);
}

// ---- The quadtree of pages ------------------------------------------------------------------------------------------

// The max plane of every lod by its definition, one sample after the other, on the lod's clamped lattice.
class MaxOracle {
 public:
  MaxOracle(const Lattice& lattice, Samples stops) : lattice_(lattice), planes_{std::move(stops)} {
    for (int lod = 1; lod < lattice.lods(); ++lod) {
      const int last_x = lattice.cells_x(lod), last_z = lattice.cells_z(lod);
      Samples plane(std::size_t(last_x + 1) * std::size_t(last_z + 1));
      for (int k = 0; k <= last_z; ++k) {
        for (int i = 0; i <= last_x; ++i) {
          std::uint16_t most = 0;
          const auto tap = [&](int dx, int dz) { most = std::max(most, at(lod - 1, 2 * i + dx, 2 * k + dz)); };
          const bool free_x = i % 64 != 0, free_z = k % 64 != 0;
          for (int dz = -1; dz <= 1; ++dz) {
            for (int dx = -1; dx <= 1; ++dx) {
              if ((dx != dz || dx == 0) && (free_x || dx == 0) && (free_z || dz == 0)) {
                tap(dx, dz);
              }
            }
          }
          if (i % 64 == 1 && k % 64 == 1) {
            tap(-1, -1);
          }
          if (i % 64 == 63 && k % 64 == 63) {
            tap(1, 1);
          }
          plane[std::size_t(k) * std::size_t(last_x + 1) + std::size_t(i)] = most;
        }
      }
      planes_.push_back(std::move(plane));
    }
  }
  std::uint16_t at(int lod, std::int64_t i, std::int64_t k) const {
    const std::int64_t last_x = lattice_.cells_x(lod), last_z = lattice_.cells_z(lod);
    return planes_[std::size_t(lod)][std::size_t(std::clamp<std::int64_t>(k, 0, last_z) * (last_x + 1) +
                                                 std::clamp<std::int64_t>(i, 0, last_x))];
  }

 private:
  Lattice lattice_;
  std::vector<Samples> planes_;
};

struct Shape {
  std::int32_t stops_x, stops_z;
  Registration registration;
  Terrain kind;
};
const std::vector<Shape> kShapes{
    {257, 257, Registration::point, Terrain::random},  {300, 211, Registration::point, Terrain::holes},
    {300, 211, Registration::area, Terrain::random},   {129, 129, Registration::point, Terrain::fractal},
    {130, 130, Registration::area, Terrain::random},   {1, 700, Registration::point, Terrain::random},
    {700, 2, Registration::point, Terrain::random},    {513, 640, Registration::area, Terrain::holes},
    {1025, 386, Registration::point, Terrain::random}, {385, 1000, Registration::point, Terrain::holes},
    {3, 3, Registration::area, Terrain::random},       {1, 1, Registration::point, Terrain::random},
    {255, 641, Registration::point, Terrain::random},
};

// B08, B53 (aprons), invariant 4: both planes of every page, aprons and padding included, are the lattice's own values;
// so shared samples of up to four pages agree at every lod, and so do gradients taken over an apron.
TEST(Pages, B08_B53_EverySampleIsTheLatticesOwn) {
  for (const Shape& shape : kShapes) {
    const Lattice lattice{.stops_x = shape.stops_x, .stops_z = shape.stops_z, .registration = shape.registration};
    const Samples field = test::terrain_field(shape.kind, 5, lattice);
    auto source = MemorySource::build(lattice, field);
    ASSERT_TRUE(source) << source.error().message;
    const MaxOracle oracle(lattice, field);
    const auto stop = [&](std::int64_t x, std::int64_t z) {
      return field[std::size_t(std::clamp<std::int64_t>(z, 0, lattice.last_stop_z()) * lattice.stops_x +
                               std::clamp<std::int64_t>(x, 0, lattice.last_stop_x()))];
    };
    for (int lod = 0; lod < lattice.lods(); ++lod) {
      for (std::int32_t z = 0; z < lattice.pages_z(lod); ++z) {
        for (std::int32_t x = 0; x < lattice.pages_x(lod); ++x) {
          const auto page = (*source)->page({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)});
          ASSERT_TRUE(page);
          const auto& samples = **page;
          bool is_empty = true;
          for (int k = 0; k < kPageSamples; ++k) {
            for (int i = 0; i < kPageSamples; ++i) {
              is_empty = is_empty && samples.at(HeightPlane::max, i, k) == kHole;
            }
          }
          for (int k = -1; k <= kPageSamples; ++k) {
            for (int i = -1; i <= kPageSamples; ++i) {
              const bool is_apron = i < 0 || k < 0 || i == kPageSamples || k == kPageSamples;
              if (is_empty && is_apron) {
                continue;  // a page of holes alone is not stored: its apron is holes too
              }
              const std::int64_t gx = std::int64_t(x) * kPageCells + i, gz = std::int64_t(z) * kPageCells + k;
              ASSERT_EQ(samples.at(HeightPlane::subsample, i, k), stop(gx << lod, gz << lod))
                  << lattice.stops_x << 'x' << lattice.stops_z << " lod " << lod << " page " << x << ' ' << z
                  << " sample " << i << ' ' << k;
              ASSERT_EQ(samples.at(HeightPlane::max, i, k), oracle.at(lod, gx, gz))
                  << lattice.stops_x << 'x' << lattice.stops_z << " lod " << lod << " page " << x << ' ' << z
                  << " sample " << i << ' ' << k;
            }
          }
        }
      }
    }
  }
}

// B53: the gradient of a shared sample has the same bits from both pages.
TEST(Pages, B53_GradientsOfSharedSamplesAreEqual) {
  const Lattice lattice{.stops_x = 257, .stops_z = 129, .spacing_x_m = 2.5};
  auto source = MemorySource::build(lattice, test::terrain_field(Terrain::smooth, 1, lattice));
  ASSERT_TRUE(source);
  const auto west = *(*source)->page({0, 0, 0}), east = *(*source)->page({0, 1, 0});
  const auto gradient = [&](const Page& page, int i, int k) {
    const auto plane = HeightPlane::subsample;
    return kernel::axis_gradient(page.at(plane, i - 1, k), page.at(plane, i, k), page.at(plane, i + 1, k), 0, 2, 4,
                                 lattice.half_x_m(), 1.0f);
  };
  int sloping = 0;
  for (int k = 0; k < kPageSamples; ++k) {
    EXPECT_EQ(gradient(*west, 128, k), gradient(*east, 0, k)) << k;
    sloping += gradient(*west, 128, k) != 0.0f ? 1 : 0;
  }
  EXPECT_GT(sloping, 100);
}

// B09, B11: a zero ring inside nothing: a rim that differs from the inside stays where it is and does not leak inwards
// from beyond the field; a constant field is constant at every lod.
TEST(Pages, B11_ARimOfLowSamplesStaysOnTheRim) {
  const Lattice lattice{.stops_x = 257, .stops_z = 257};
  Samples field(257 * 257, 1500);
  for (std::size_t i = 0; i < 257; ++i) {
    field[i * 257 + 256] = kHole;
    field[256 * 257 + i] = kHole;
  }
  auto source = MemorySource::build(lattice, field);
  ASSERT_TRUE(source);
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    const std::int32_t last = lattice.cells_x(lod);
    const auto page = *(*source)->page({std::uint8_t(lod), std::uint32_t((last - 1) / 128), 0});
    const int rim = last - std::int32_t(page->key.x) * kPageCells;
    for (int k = 0; k < kPageSamples - 1; ++k) {
      EXPECT_EQ(page->at(HeightPlane::max, rim - 1, k), 1500) << lod << ' ' << k;
      EXPECT_EQ(page->at(HeightPlane::max, rim, k), kHole) << "declared missing, it is no wall: lod " << lod;
      EXPECT_EQ(page->at(HeightPlane::subsample, rim, k), kHole);
    }
  }
}

// B30, B27: single peaks at inner, border and corner places keep their height in the max plane at every lod, right over
// their place.
TEST(Pages, B27_B30_PeaksKeepTheirHeightOverTheirPlace) {
  const Lattice lattice{.stops_x = 513, .stops_z = 513};
  for (const auto& [x, z] : {std::pair{37, 91},
                             {0, 0},
                             {0, 91},
                             {512, 91},
                             {37, 0},
                             {37, 512},
                             {512, 512},
                             {512, 0},
                             {0, 512},
                             {128, 128},
                             {129, 129},
                             {127, 127},
                             {256, 77},
                             {255, 257},
                             {129, 127}}) {
    Samples field(513 * 513, 1);
    field[std::size_t(z * 513 + x)] = 801;
    auto source = MemorySource::build(lattice, field);
    ASSERT_TRUE(source);
    for (int lod = 1; lod < lattice.lods(); ++lod) {
      const int side = 1 << lod;
      int most = 0;
      for (const auto& [i, k] : {std::pair{x / side, z / side},
                                 {(x + side - 1) / side, z / side},
                                 {x / side, (z + side - 1) / side},
                                 {(x + side - 1) / side, (z + side - 1) / side}}) {
        const auto page = *(*source)->page(
            {std::uint8_t(lod), std::uint32_t(std::max(i - 1, 0) / 128), std::uint32_t(std::max(k - 1, 0) / 128)});
        most = std::max<int>(most, page->at(HeightPlane::max, i - int(page->key.x) * 128, k - int(page->key.z) * 128));
      }
      EXPECT_EQ(most, 801) << "peak " << x << ' ' << z << " lod " << lod;
    }
  }
}

TEST(Procedural, GivesTheSubsamplesOfABuiltField) {
  const Lattice lattice{.stops_x = 300, .stops_z = 211, .registration = Registration::area};
  const auto steps = [](std::int32_t x, std::int32_t z) { return test::terrain_steps(Terrain::random, 9, x, z, 300); };
  const ProceduralSource procedural(lattice, steps);
  auto built = MemorySource::build(lattice, test::terrain_field(Terrain::random, 9, lattice));
  ASSERT_TRUE(built);
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    for (std::int32_t x = 0; x < lattice.pages_x(lod); ++x) {
      const PageKey key{std::uint8_t(lod), std::uint32_t(x), 0};
      const auto page = procedural.page(key);
      ASSERT_TRUE(page);
      EXPECT_EQ((*page)->subsample, (*(*built)->page(key))->subsample);
    }
  }
  EXPECT_FALSE(procedural.page({0, 99, 0}));
}

}  // namespace
}  // namespace arete
