// Borders of pages that several tiles share, from rasters with voids and small negatives (tin-like walls between
// tiles).
#include <gtest/gtest.h>

#include "arete/bake.h"
#include "unit/raster/test_files.h"

namespace arete::test {
namespace {

// Both copies of every shared sample, in both planes of every lod.
void expect_equal_borders(const SampleSource& source) {
  const Lattice& lattice = source.lattice();
  std::int64_t shared = 0;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    const std::int32_t pages_x = lattice.pages_x(lod), pages_z = lattice.pages_z(lod);
    const auto page = [&](std::int32_t x, std::int32_t z) {
      return *source.page({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)});
    };
    for (std::int32_t z = 0; z < pages_z; ++z) {
      for (std::int32_t x = 0; x < pages_x; ++x) {
        const auto here = page(x, z);
        const auto east = x + 1 < pages_x ? page(x + 1, z) : nullptr;
        const auto south = z + 1 < pages_z ? page(x, z + 1) : nullptr;
        for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
          for (int i = 0; i < kPageSamples; ++i) {
            if (east) {
              ASSERT_EQ(here->at(plane, kPageCells, i), east->at(plane, 0, i)) << lod << ": " << x << ' ' << z;
            }
            if (south) {
              ASSERT_EQ(here->at(plane, i, kPageCells), south->at(plane, i, 0)) << lod << ": " << x << ' ' << z;
            }
            shared += (east ? 1 : 0) + (south ? 1 : 0);
          }
        }
      }
    }
  }
  EXPECT_GT(shared, 1000);
}

// cesium-terrain-builder#86: walls along tile joins on a coast with voids and small negatives, filled or not. Filled
// borders are those of the same raster filled as one.
void bake_coast(const Path& input, const Path& scratch) {
  for (const std::int64_t fill : {0, 8}) {
    BakeOptions options;
    options.raster.fill_samples = fill;
    const Path output = scratch / ("coast" + std::to_string(fill) + ".arete");
    const auto report = bake(input, output, options);
    ASSERT_TRUE(report) << report.error().message;
    const auto store = TileStore::open(output);
    ASSERT_TRUE(store) << store.error().message;
    expect_equal_borders(**store);
    const std::vector<Path> inputs{input};
    const auto whole = load_stops(inputs, options);
    ASSERT_TRUE(whole) << whole.error().message;
    const Lattice& lattice = (*store)->lattice();
    for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
      for (std::int32_t x = 0; x < lattice.stops_x; x += kPageCells) {
        const PageKey key{0, std::uint32_t(std::max(0, x - 1) / kPageCells), std::uint32_t(z / kPageCells)};
        const auto page = *(*store)->page(key);
        ASSERT_EQ(page->at(HeightPlane::subsample, x - std::int32_t(key.x) * kPageCells, z % kPageCells),
                  whole->stops[std::size_t(z) * std::size_t(lattice.stops_x) + std::size_t(x)]);
      }
    }
  }
}

TEST(Borders, B06_ACoastWithVoidsIsEqualFromBothSides) {
  const Scratch scratch;
  TinyTiff<std::int16_t> coast{300, 300, {}, "-32768", {}, {}, {}, {}};
  for (int z = 0; z < 300; ++z) {
    for (int x = 0; x < 300; ++x) {
      const int height = x - 140 + (x * 7 + z * 13) % 11 - 5;
      const bool is_void = (x * 31 + z * 17) % 23 == 0 || (x > 120 && x < 135 && z > 120 && z < 140);
      coast.values.push_back(std::int16_t(is_void ? -32768 : height < -3 ? 0 : height));
    }
  }
  write_file(scratch / "coast.tif", coast.bytes());
  bake_coast(scratch / "coast.tif", scratch.folder());
}

TEST(Borders, B06_TheReportsOwnCell) {
  const auto cell = find_test_file("srtm3-coast-nice/N43E007.hgt.zip");
  if (!cell) {
    GTEST_SKIP()
        << "srtm3-coast-nice/N43E007.hgt.zip is not here; ARETE_TEST_DATA names the folder of large test files";
  }
  const Scratch scratch;
  bake_coast(*cell, scratch.folder());
}

}  // namespace
}  // namespace arete::test
