// The store as another implementation reads it: tests/store_reader/read_store.py, written from docs/store_format.md.
#include <gtest/gtest.h>

#include <cstdlib>

#include "store_fixture.h"

namespace arete {
namespace {

using test::Terrain;

std::string run_reader(const std::filesystem::path& store, const std::string& arguments) {
  const std::string command =
      "python3 \"" ARETE_SOURCE_DIR "/tests/store_reader/read_store.py\" \"" + store.string() + "\" " + arguments;
  std::string output;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  std::array<char, 4096> buffer;
  for (std::size_t count; (count = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
    output.append(buffer.data(), count);
  }
  EXPECT_EQ(::pclose(pipe), 0) << command;
  return output;
}

TEST(Format, ASecondReaderFindsTheSamePlanes) {
  const test::Scratch folder;
  Lattice lattice{.stops_x = 385, .stops_z = 200, .registration = Registration::area, .base_m = -100, .step_m = 0.25};
  auto field = test::terrain_field(Terrain::holes, 4, lattice);
  for (std::size_t z = 0; z < 129; ++z) {
    std::fill_n(field.begin() + std::ptrdiff_t(z * 385 + 128), 129, kHole);  // an absent page
  }
  ASSERT_TRUE(test::write_store(folder / "a", lattice, field));
  auto store = TileStore::open(folder / "a");
  ASSERT_TRUE(store);
  run_reader(folder / "a", "dump \"" + (folder / "planes").string() + "\"");
  const auto bytes = test::read_bytes(folder / "planes");
  std::size_t at = 0;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    for (std::uint32_t z = 0; z < std::uint32_t(lattice.pages_z(lod)); ++z) {
      for (std::uint32_t x = 0; x < std::uint32_t(lattice.pages_x(lod)); ++x) {
        const auto page = (*store)->page({std::uint8_t(lod), x, z});
        ASSERT_TRUE(page);
        for (const auto* plane : {&(*page)->subsample, &(*page)->max}) {
          for (const std::uint16_t steps : *plane) {
            ASSERT_LT(at + 1, bytes.size());
            ASSERT_EQ(bytes[at] | bytes[at + 1] << 8, steps) << lod << ' ' << x << ' ' << z;
            at += 2;
          }
        }
      }
    }
  }
  EXPECT_EQ(at, bytes.size());
  EXPECT_EQ(run_reader(folder / "a", "height 200 50"), "hole\n");
  const std::size_t stop = 150 * 385 + 7;
  ASSERT_NE(field[stop], kHole);
  EXPECT_EQ(std::stod(run_reader(folder / "a", "height 7 150")), lattice.height_m(field[stop]));
  EXPECT_NE(run_reader(folder / "a", "info").find("\nstops_x = 385\n"), std::string::npos);
}

// Hashes pin the format: the same bytes on every machine, compiler and build. A change here is a new format version.
TEST(Format, ContentHashesArePinned) {
  const test::Scratch folder;
  const Lattice lattice{.stops_x = 300, .stops_z = 211, .spacing_x_m = 30, .spacing_z_m = 20};
  auto field = test::terrain_field(Terrain::random, 1, lattice);
  for (std::size_t stop = 0; stop < field.size(); stop += 7) {
    field[stop] = kHole;
  }
  ASSERT_TRUE(test::write_store(folder / "a", lattice, field));
  auto store = TileStore::open(folder / "a");
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->statistics()->content_hash, "a3fe4800b39575fbf1d0f0f295b124ab");
}

}  // namespace
}  // namespace arete
