// Stores with flipped, zeroed and missing bytes: refused at opening, found by verify, or harmless; never another
// height.
#include <gtest/gtest.h>

#include <random>

#include "store_fixture.h"

namespace arete {
namespace {

using test::Terrain;

const Lattice kField{.stops_x = 300, .stops_z = 211};

class Damage : public ::testing::Test {
 protected:
  void SetUp() override { make(kField); }

  void make(const Lattice& lattice) {
    lattice_ = lattice;
    const auto field = test::terrain_field(Terrain::holes, 2, lattice);
    std::filesystem::remove(path_);
    ASSERT_TRUE(test::write_store(path_, lattice, field));
    bytes_ = test::read_bytes(path_);
    auto built = MemorySource::build(lattice, field);
    ASSERT_TRUE(built);
    truth_ = *std::move(built);
  }

  enum class Outcome { refused, detected, harmless };

  // Opens and verifies `bytes`; whatever a store still gives must be the truth.
  Outcome judge(const std::vector<std::uint8_t>& bytes, const std::string& what) {
    const auto path = folder_ / "damaged";
    test::write_bytes(path, bytes);
    auto store = TileStore::open(path);
    if (!store) {
      test::expect_one_line(store.error(), path);
      return Outcome::refused;
    }
    const auto verified = (*store)->verify();
    if (!verified) {
      test::expect_one_line(verified.error(), path);
    }
    EXPECT_TRUE(test::same_bounds((*store)->bounds(), truth_->bounds())) << what;
    for (int lod = 0; lod < lattice_.lods(); ++lod) {
      for (std::uint32_t z = 0; z < std::uint32_t(lattice_.pages_z(lod)); ++z) {
        for (std::uint32_t x = 0; x < std::uint32_t(lattice_.pages_x(lod)); ++x) {
          const PageKey key{std::uint8_t(lod), x, z};
          const auto page = (*store)->page(key);
          if (!page) {
            EXPECT_FALSE(verified) << what << ": " << page.error().message;
            continue;
          }
          const auto truth = truth_->page(key);
          EXPECT_TRUE((*page)->subsample == (*truth)->subsample && (*page)->max == (*truth)->max) << what;
        }
      }
    }
    return verified ? Outcome::harmless : Outcome::detected;
  }

  const test::Scratch folder_;
  const std::filesystem::path path_ = folder_ / "whole";
  Lattice lattice_;
  std::vector<std::uint8_t> bytes_;
  std::unique_ptr<MemorySource> truth_;
};

TEST_F(Damage, FlippedBytesNeverGiveAnotherHeight) {
  std::mt19937 random(1);
  int harmless = 0, found = 0;
  for (std::size_t at = 0; at < bytes_.size(); at += at < 200 ? 1 : 1 + random() % 1000) {
    auto bytes = bytes_;
    bytes[at] ^= random() % 3 == 0 ? 0xff : std::uint8_t(1u << random() % 8);
    (judge(bytes, "byte " + std::to_string(at)) == Outcome::harmless ? harmless : found) += 1;
    if (HasFailure()) {
      FAIL() << "byte " << at << " of " << bytes_.size();
    }
  }
  EXPECT_GT(found, harmless);
}

// Keys that lead to pages: where one is wrong, a page that still stands in the file is not found any more.
TEST_F(Damage, FlippedLookupKeysAreFound) {
  make({.stops_x = 1, .stops_z = 40000});
  const std::size_t side = std::size_t(bytes_[16]) << 8 | bytes_[17];  // SQLite's page size, 512 to 32,768 bytes
  constexpr std::uint8_t kInner = 5;
  int found = 0;
  for (std::size_t begin = side; begin + side <= bytes_.size(); begin += side) {
    if (bytes_[begin] != kInner) {
      continue;
    }
    const std::size_t cells = std::size_t(bytes_[begin + 5]) << 8 | bytes_[begin + 6];
    for (std::size_t at = begin + cells; at < begin + side; at += 23) {
      auto bytes = bytes_;
      bytes[at] ^= std::uint8_t(1u << at % 7);
      found += judge(bytes, "byte " + std::to_string(at)) == Outcome::harmless ? 0 : 1;
      ASSERT_FALSE(HasFailure()) << "byte " << at << " of " << bytes_.size();
    }
  }
  EXPECT_GT(found, 0);
}

TEST_F(Damage, ZeroedBlocksNeverGiveAnotherHeight) {
  for (std::size_t at = 0; at < bytes_.size(); at += 1024) {
    auto bytes = bytes_;
    std::fill_n(bytes.begin() + std::ptrdiff_t(at), std::min<std::size_t>(512, bytes.size() - at), 0);
    judge(bytes, "block at " + std::to_string(at));
  }
}

TEST_F(Damage, AStoreCutShortIsRefused) {
  std::mt19937 random(2);
  for (std::size_t size = 0; size < bytes_.size(); size += size < 200 ? 20 : 1 + random() % 10000) {
    EXPECT_EQ(judge({bytes_.begin(), bytes_.begin() + std::ptrdiff_t(size)}, "size " + std::to_string(size)),
              Outcome::refused)
        << size;
  }
}

}  // namespace
}  // namespace arete
