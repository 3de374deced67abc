// Bakes that are killed at any moment, or that a full disk stops, leave no store or a partial one that resumes to the
// same content.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <random>

#include "store_fixture.h"

namespace arete {
namespace {

using test::Terrain;

const Lattice kField{.stops_x = 1000, .stops_z = 1000};

std::string content_hash(const std::filesystem::path& path) {
  auto store = TileStore::open(path);
  EXPECT_TRUE(store) << store.error().message;
  return store && (*store)->verify() ? (*store)->statistics()->content_hash : "";
}

// Runs `work` in a process of its own and returns its id.
template <class Work>
pid_t start(Work&& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::_exit(work());
  }
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return status;
}

TEST(Kill, AtRandomMomentsLeavesNoStoreOrOneThatResumes) {
  const test::Scratch folder;
  const auto field = test::terrain_field(Terrain::random, 1, kField);
  const auto began = std::chrono::steady_clock::now();
  ASSERT_TRUE(test::write_store(folder / "whole", kField, field));
  const auto whole_us = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - began);
  const std::string hash = content_hash(folder / "whole");
  ASSERT_EQ(hash.size(), 32u);
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  int killed = 0, resumed = 0;
  for (int trial = 0; trial < 8; ++trial) {
    const std::string name = "store" + std::to_string(trial);
    const auto path = folder / name.c_str(), partial = folder / (name + ".partial").c_str();
    for (int kills = 0; kills < 2; ++kills) {
      const pid_t child = start([&] {
        const auto written = test::write_store(path, kField, field);
        if (!written) {
          std::fprintf(stderr, "%s\n", written.error().message.c_str());
        }
        return written ? 0 : 1;
      });
      ASSERT_GT(child, 0);
      ::usleep(useconds_t(random() % std::uint64_t(whole_us.count() * 5 / 4 + 1)));
      ::kill(child, SIGKILL);
      const int status = wait_for(child);
      killed += WIFSIGNALED(status) ? 1 : 0;
      ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "seed " << seed;
      if (std::filesystem::exists(path)) {
        ASSERT_EQ(content_hash(path), hash) << "seed " << seed;
      }
    }
    resumed += std::filesystem::exists(partial) ? 1 : 0;
    const auto finished = test::write_store(path, kField, field);
    ASSERT_TRUE(finished) << finished.error().message << ", seed " << seed;
    ASSERT_EQ(content_hash(path), hash) << "seed " << seed;
    ASSERT_FALSE(std::filesystem::exists(partial));
    std::filesystem::remove(path);
  }
  EXPECT_GT(killed, 0) << "seed " << seed;
  EXPECT_GT(resumed, 0) << "seed " << seed;
}

// A reader that dies half-way: pages committed before are kept, not made again.
TEST(Kill, AResumedBakeKeepsCommittedPages) {
  const test::Scratch folder;
  const auto path = folder / "a";
  const auto field = test::terrain_field(Terrain::random, 1, kField);
  bool is_killed = true;
  const auto rows = [&](std::int32_t z, std::span<std::uint16_t> row) -> Result<void> {
    if (is_killed && z == 990) {
      ::usleep(500'000);  // the rows before are pages by now, and committed
      ::raise(SIGKILL);
    }
    std::copy_n(field.begin() + std::ptrdiff_t(z) * kField.stops_x, row.size(), row.begin());
    return {};
  };
  const pid_t child = start([&] {
    auto writer = TileStoreWriter::create(path, kField, test::sample_info());
    return build_pages(kField, rows, **writer) ? 0 : 1;
  });
  ASSERT_TRUE(WIFSIGNALED(wait_for(child)));
  EXPECT_FALSE(std::filesystem::exists(path));
  const auto unfinished = TileStore::open(folder / "a.partial");
  ASSERT_FALSE(unfinished);
  test::expect_one_line(unfinished.error(), folder / "a.partial");
  EXPECT_NE(unfinished.error().message.find("not finished"), std::string::npos) << unfinished.error().message;
  auto writer = TileStoreWriter::create(path, kField, test::sample_info());
  ASSERT_TRUE(writer) << writer.error().message;
  const auto kept = (*writer)->get({0, 0, 0});
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_EQ((*kept)->at(HeightPlane::subsample, 5, 7), field[7 * 1000 + 5]);
  EXPECT_FALSE((*writer)->get({0, 7, 7}));

  is_killed = false;
  const auto bounds = build_pages(kField, rows, **writer);
  ASSERT_TRUE(bounds) << bounds.error().message;
  const TileStoreWriter::Encoded encoded = (*writer)->encoded();
  const auto finished = (*writer)->finish(*bounds, test::sample_info());
  ASSERT_TRUE(finished) << finished.error().message;
  EXPECT_GT(encoded.pages, 0);
  EXPECT_LT(encoded.pages, finished->pages);
  EXPECT_GT(encoded.bytes, 2 * encoded.pages * kPageCells * kPageCells * 9 / 10);  // noise is not compressed
}

TEST(FullDisk, IsOneLineAndResumes) {
  const test::Scratch folder;
  const auto field = test::terrain_field(Terrain::random, 1, kField);
  ASSERT_TRUE(test::write_store(folder / "whole", kField, field));
  const std::string hash = content_hash(folder / "whole");
  for (const rlim_t limit : {rlim_t(0), rlim_t(20000), rlim_t(1) << 20, rlim_t(2) << 20}) {
    const auto path = folder / "a";
    const pid_t child = start([&] {
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit file_size{limit, limit};
      ::setrlimit(RLIMIT_FSIZE, &file_size);
      const auto written = test::write_store(path, kField, field);
      const bool is_right = !written && written.error().kind == Error::Kind::io &&
                            written.error().message.find('\n') == std::string::npos &&
                            written.error().message.find("a.partial") != std::string::npos;
      if (!is_right) {
        std::fprintf(stderr, "%s\n", written ? "no failure" : written.error().message.c_str());
      }
      return is_right ? 0 : 1;
    });
    const int status = wait_for(child);
    ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "limit " << limit;
    EXPECT_FALSE(std::filesystem::exists(path));
    const auto resumed = test::write_store(path, kField, field);
    ASSERT_TRUE(resumed) << resumed.error().message;
    EXPECT_EQ(content_hash(path), hash);
    std::filesystem::remove(path);
  }
}

}  // namespace
}  // namespace arete
