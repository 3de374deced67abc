// Stores written and read back: content, information, hashes, holes, threads, and refusals.
#include <gtest/gtest.h>

#include <thread>

#include "store_fixture.h"
#include "tiles/database.h"

namespace arete {
namespace {

using test::Terrain;

const Lattice kSmall{.stops_x = 300, .stops_z = 211, .spacing_x_m = 30, .spacing_z_m = 20, .base_m = -8, .step_m = 0.5};

TEST(Store, ReadsBackWhatWasWritten) {
  const test::Scratch folder;
  const auto path = folder / "a.arete";
  const auto field = test::terrain_field(Terrain::holes, 1, kSmall);
  const auto written = test::write_store(path, kSmall, field);
  ASSERT_TRUE(written) << written.error().message;
  EXPECT_FALSE(std::filesystem::exists(folder / "a.arete.partial"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.arete.partial-wal"));
  EXPECT_FALSE(std::filesystem::exists(folder / "a.arete-journal"));

  auto store = TileStore::open(path);
  ASSERT_TRUE(store) << store.error().message;
  auto memory = MemorySource::build(kSmall, field);
  ASSERT_TRUE(memory);
  EXPECT_TRUE(test::same_bounds((*store)->bounds(), (*memory)->bounds()));
  int pages = 0;
  for (int lod = 0; lod < kSmall.lods(); ++lod) {
    for (std::uint32_t z = 0; z < std::uint32_t(kSmall.pages_z(lod)); ++z) {
      for (std::uint32_t x = 0; x < std::uint32_t(kSmall.pages_x(lod)); ++x, ++pages) {
        const PageKey key{std::uint8_t(lod), x, z};
        auto stored = (*store)->page(key);
        auto built = (*memory)->page(key);
        ASSERT_TRUE(stored) << stored.error().message;
        ASSERT_TRUE(built);
        EXPECT_EQ((*stored)->key, key);
        EXPECT_EQ((*stored)->subsample, (*built)->subsample);
        EXPECT_EQ((*stored)->max, (*built)->max);
      }
    }
  }
  const auto statistics = (*store)->statistics();
  ASSERT_TRUE(statistics);
  EXPECT_EQ(statistics->pages, pages);
  EXPECT_EQ(statistics->bytes, std::int64_t(std::filesystem::file_size(path)));
  EXPECT_EQ(statistics->content_hash.size(), 32u);
  const auto verified = (*store)->verify();
  EXPECT_TRUE(verified) << verified.error().message;
  const auto keys = (*store)->keys();
  ASSERT_TRUE(keys);
  EXPECT_EQ(int(keys->size()), pages);
}

TEST(Store, KeepsLatticeAndInformation) {
  const test::Scratch folder;
  const auto path = folder / "a.arete";
  const Lattice lattice{.stops_x = 5,
                        .stops_z = 4,
                        .registration = Registration::area,
                        .spacing_x_m = 1.0 / 3,
                        .spacing_z_m = 30.87,
                        .base_m = -0x1p-3,
                        .step_m = 0x1p-20};
  ASSERT_TRUE(test::write_store(path, lattice, test::terrain_field(Terrain::random, 3, lattice)));
  auto store = TileStore::open(path);
  ASSERT_TRUE(store) << store.error().message;
  const Lattice& read = (*store)->lattice();
  EXPECT_EQ(read.stops_x, 5);
  EXPECT_EQ(read.stops_z, 4);
  EXPECT_EQ(read.registration, Registration::area);
  EXPECT_EQ(read.spacing_x_m, lattice.spacing_x_m);
  EXPECT_EQ(read.spacing_z_m, lattice.spacing_z_m);
  EXPECT_EQ(read.base_m, lattice.base_m);
  EXPECT_EQ(read.step_m, lattice.step_m);
  const StoreInfo wanted = test::sample_info(), &info = (*store)->info();
  EXPECT_EQ(info.crs_wkt, wanted.crs_wkt);
  EXPECT_EQ(info.geotransform, wanted.geotransform);
  EXPECT_EQ(info.vertical_unit, wanted.vertical_unit);
  EXPECT_EQ(info.source_width, wanted.source_width);
  EXPECT_EQ(info.source_height, wanted.source_height);
  EXPECT_EQ(info.valid, wanted.valid);
  EXPECT_EQ(info.missing, wanted.missing);
  EXPECT_EQ(info.min_m, wanted.min_m);
  EXPECT_EQ(info.max_m, wanted.max_m);
  EXPECT_EQ(info.sum_m, wanted.sum_m);
  EXPECT_EQ(info.first_min, wanted.first_min);
  EXPECT_EQ(info.first_max, wanted.first_max);
  EXPECT_EQ(info.corners_m[1], 2.5);
  EXPECT_TRUE(std::isnan(info.corners_m[2]));
  EXPECT_EQ(info.quantisation_error_m, wanted.quantisation_error_m);
  EXPECT_EQ(info.spacing_is_known, true);
  EXPECT_EQ(info.source_fingerprint, wanted.source_fingerprint);
  EXPECT_EQ(info.warnings, wanted.warnings);
}

std::string content_hash(const std::filesystem::path& path) {
  auto store = TileStore::open(path);
  EXPECT_TRUE(store) << store.error().message;
  return store ? (*store)->statistics()->content_hash : "";
}

TEST(Store, ContentHashTellsContentAndNothingElse) {
  const test::Scratch folder;
  auto field = test::terrain_field(Terrain::fractal, 1, kSmall);
  ASSERT_TRUE(test::write_store(folder / "a", kSmall, field));
  StoreInfo other = test::sample_info();
  other.source_fingerprint = "another";
  other.warnings.clear();
  ASSERT_TRUE(test::write_store(folder / "b", kSmall, field, other));
  EXPECT_EQ(content_hash(folder / "a"), content_hash(folder / "b"));
  other.crs_wkt += " ";
  ASSERT_TRUE(test::write_store(folder / "c", kSmall, field, other));
  EXPECT_NE(content_hash(folder / "a"), content_hash(folder / "c"));
  field[12345] ^= 1;
  ASSERT_TRUE(test::write_store(folder / "d", kSmall, field));
  EXPECT_NE(content_hash(folder / "a"), content_hash(folder / "d"));
}

// B65: a field whose middle page, or every page, holds nothing: no page there, and holes where it would be.
TEST(Store, B65_PagesOfHolesAloneAreAbsent) {
  const test::Scratch folder;
  const Lattice lattice{.stops_x = 385, .stops_z = 385};
  auto field = test::terrain_field(Terrain::fractal, 1, lattice);
  for (std::size_t z = 128; z <= 256; ++z) {
    std::fill_n(field.begin() + std::ptrdiff_t(z * 385 + 128), 129, kHole);
  }
  ASSERT_TRUE(test::write_store(folder / "a", lattice, field));
  auto store = TileStore::open(folder / "a");
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->statistics()->pages, 8 + 4 + 1);
  auto middle = (*store)->page({0, 1, 1});
  ASSERT_TRUE(middle) << middle.error().message;
  EXPECT_EQ(std::count((*middle)->subsample.begin(), (*middle)->subsample.end(), kHole), std::ptrdiff_t(kPlaneSamples));
  EXPECT_EQ((*store)->bounds().at(1, 2, 2).max, 0);
  EXPECT_TRUE((*store)->verify());

  std::fill(field.begin(), field.end(), kHole);
  ASSERT_TRUE(test::write_store(folder / "b", lattice, field));
  store = TileStore::open(folder / "b");
  ASSERT_TRUE(store);
  EXPECT_EQ((*store)->statistics()->pages, 0);
  EXPECT_TRUE((*store)->page({2, 0, 0}));
  EXPECT_TRUE((*store)->verify());
}

TEST(Store, KeysOutsideTheFieldAreRefused) {
  const test::Scratch folder;
  ASSERT_TRUE(test::write_store(folder / "a", kSmall, test::terrain_field(Terrain::fractal, 1, kSmall)));
  auto store = TileStore::open(folder / "a");
  ASSERT_TRUE(store);
  for (const PageKey key : {PageKey{0, 3, 0}, PageKey{0, 0, 2}, PageKey{3, 0, 0}, PageKey{29, 0, 0}}) {
    const auto page = (*store)->page(key);
    ASSERT_FALSE(page);
    EXPECT_EQ(page.error().kind, Error::Kind::usage);
  }
}

TEST(Store, ManyThreadsReadTheSamePages) {
  const test::Scratch folder;
  const Lattice lattice{.stops_x = 1000, .stops_z = 1000};
  const auto field = test::terrain_field(Terrain::fractal, 1, lattice);
  ASSERT_TRUE(test::write_store(folder / "a", lattice, field));
  auto store = TileStore::open(folder / "a", 10 * kPlaneSamples * sizeof(std::uint16_t));  // far fewer than its pages
  ASSERT_TRUE(store);
  std::vector<std::thread> threads;
  std::vector<int> wrong(4, 0);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 400; ++i) {
        const std::uint64_t h = test::hash(i, t, 1);
        const std::uint32_t x = h % 8, z = (h >> 8) % 8;
        const auto page = (*store)->page({0, x, z});
        const int i_sample = int((h >> 16) % 104), k_sample = int((h >> 24) % 104);
        const std::size_t stop = (z * 128 + std::size_t(k_sample)) * 1000 + x * 128 + std::size_t(i_sample);
        wrong[t] += !page || (*page)->at(HeightPlane::max, i_sample, k_sample) != field[stop];
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

TEST(Store, RefusesWhatIsNoStoreInOneLine) {
  const test::Scratch folder;
  const auto expect_refused = [&](const std::filesystem::path& path, const std::string& says) {
    const auto opened = TileStore::open(path);
    ASSERT_FALSE(opened) << path;
    test::expect_one_line(opened.error(), path);
    EXPECT_NE(opened.error().message.find(says), std::string::npos) << opened.error().message;
  };
  expect_refused(folder / "absent", "cannot be opened");
  test::write_bytes(folder / "empty", {});
  expect_refused(folder / "empty", "not an arete store");
  std::filesystem::create_directory(folder / "folder");
  EXPECT_FALSE(TileStore::open(folder / "folder"));

  ASSERT_TRUE(test::write_store(folder / "a", kSmall, test::terrain_field(Terrain::fractal, 1, kSmall)));
  const auto bytes = test::read_bytes(folder / "a");
  auto other = bytes;
  other[68] ^= 1;
  test::write_bytes(folder / "application", other);
  expect_refused(folder / "application", "not an arete store");
  other = bytes;
  other[62] = 0x07;  // user_version 2000: major 2
  other[63] = 0xd0;
  test::write_bytes(folder / "version", other);
  expect_refused(folder / "version", "version 2");
  other = bytes;
  other[18] = other[19] = 2;
  test::write_bytes(folder / "log", other);
  expect_refused(folder / "log", "not finished");
  other = bytes;
  other.resize(bytes.size() - 1);
  test::write_bytes(folder / "short", other);
  expect_refused(folder / "short", "cut short");
}

TEST(Writer, RefusesAPartialOfOtherInputsAndStartsOverWithoutFingerprint) {
  const test::Scratch folder;
  const auto path = folder / "a";
  const auto field = test::terrain_field(Terrain::fractal, 1, kSmall);
  { ASSERT_TRUE(TileStoreWriter::create(path, kSmall, test::sample_info())); }
  StoreInfo other = test::sample_info();
  other.source_fingerprint = "another";
  auto refused = TileStoreWriter::create(path, kSmall, other);
  ASSERT_FALSE(refused);
  test::expect_one_line(refused.error(), folder / "a.partial");
  Lattice lattice = kSmall;
  lattice.spacing_x_m = 31;
  EXPECT_FALSE(TileStoreWriter::create(path, lattice, test::sample_info()));
  other.source_fingerprint.clear();
  const auto over = test::write_store(path, lattice, field, other);
  EXPECT_TRUE(over) << over.error().message;
  test::write_bytes(folder / "b.partial", std::vector<std::uint8_t>(5000, 'x'));
  const auto foreign = TileStoreWriter::create(folder / "b", kSmall, test::sample_info());
  ASSERT_FALSE(foreign);
  test::expect_one_line(foreign.error(), folder / "b.partial");
  EXPECT_FALSE(TileStoreWriter::create(folder / "no such folder" / "c", kSmall, test::sample_info()));
}

TEST(Writer, OneBakeAtATime) {
  const test::Scratch folder;
  auto first = TileStoreWriter::create(folder / "a", kSmall, test::sample_info());
  ASSERT_TRUE(first);
  const auto second = TileStoreWriter::create(folder / "a", kSmall, test::sample_info());
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().message.find("another process"), std::string::npos) << second.error().message;
}

// The other bake may end between the opening of its file and the lock.
TEST(Writer, AFileThatIsRenamedMeanwhileIsNamedSo) {
  const test::Scratch folder;
  ASSERT_TRUE(tiles::Database::open_exclusive(folder / "a.partial")->execute("CREATE TABLE t(x)"));
  auto late = tiles::Database::open_exclusive(folder / "a.partial");
  ASSERT_TRUE(late);
  std::filesystem::rename(folder / "a.partial", folder / "a");
  const auto moved = late->execute("CREATE TABLE u(x)");
  ASSERT_FALSE(moved);
  EXPECT_NE(moved.error().message.find("has finished or removed it"), std::string::npos) << moved.error().message;
}

// A node of holes alone has no heights; one that holds a hole reaches down to the field's least.
TEST(Store, NodesOfHolesHaveNoHeights) {
  const Lattice lattice{.stops_x = 257, .stops_z = 129};
  std::vector<std::uint16_t> field(257 * 129, 500);
  for (std::size_t z = 0; z < 129; ++z) {
    std::fill_n(field.begin() + std::ptrdiff_t(z * 257), 70, kHole);
  }
  field.back() = 300;
  const auto source = MemorySource::build(lattice, field);
  ASSERT_TRUE(source);
  const auto& bounds = (*source)->bounds();
  EXPECT_EQ(std::pair(bounds.at(1, 0, 0).min, bounds.at(1, 0, 0).max), std::pair(std::uint16_t(0), std::uint16_t(0)));
  EXPECT_EQ(std::pair(bounds.at(1, 1, 0).min, bounds.at(1, 1, 0).max),
            std::pair(std::uint16_t(300), std::uint16_t(500)));
  EXPECT_EQ(bounds.at(1, 2, 0).min, 500);
}

// B09, B29: constant fields, partial pages included: every sample of every plane and lod is the constant, nothing is 0.
TEST(Store, B09_B29_ConstantFieldsStayConstant) {
  const test::Scratch folder;
  for (const auto& [width, height] : {std::pair{257, 257}, {300, 211}, {65, 65}}) {
    const Lattice lattice{.stops_x = width, .stops_z = height};
    const std::vector<std::uint16_t> field(std::size_t(width) * std::size_t(height), 500);
    ASSERT_TRUE(test::write_store(folder / "a", lattice, field));
    auto store = TileStore::open(folder / "a");
    ASSERT_TRUE(store);
    EXPECT_EQ((*store)->bounds().field_min, 500);
    EXPECT_EQ((*store)->bounds().field_max, 500);
    const auto keys = (*store)->keys();
    ASSERT_TRUE(keys);
    for (const PageKey key : *keys) {
      const auto page = *(*store)->page(key);
      for (const auto* plane : {&page->subsample, &page->max}) {
        EXPECT_EQ(std::count(plane->begin(), plane->end(), 500), std::ptrdiff_t(plane->size()));
      }
    }
    for (int lod = 1; lod < lattice.lods(); ++lod) {
      const NodeBounds& node = (*store)->bounds().at(lod, 0, 0);
      EXPECT_EQ(node.min, 500);
      EXPECT_EQ(node.max, 500);
      EXPECT_EQ(node.top, 500);
      EXPECT_EQ(node.error, 0);
      EXPECT_EQ(node.error_max, 0);
    }
  }
}

}  // namespace
}  // namespace arete
