// The streamer with real threads: loads on workers, readers that keep pages across updates. Meant for ThreadSanitizer.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "unit/stream/stream_support.h"

namespace arete::test {
namespace {

TEST(StreamerThreads, WorkersLoadWhileReadersKeepPages) {
  std::atomic<int> lift{0};
  const FunctionSource source(square(2049), [&](std::int32_t x, std::int32_t z) {
    return std::uint16_t(1000 + (x * 31 + z * 17) % 50 +
                         (x / kPageCells == 5 && z / kPageCells == 5 ? lift.load() : 0));
  });
  const Bounds bounds = wide_bounds(source.lattice(), 900, 1100);
  SourceLoader inner(source);
  const FaultyLoader loader(
      inner, [](PageKey key, int attempt) { return (key.x + key.z + unsigned(attempt)) % 37 == 0 ? 1 : 0; });
  StreamOptions options;
  options.budget_bytes = std::size_t(12) << 20;
  options.threads = 3;
  const std::unique_ptr<Streamer> streamer = std::move(Streamer::create(loader, bounds, options).value());
  const Atlas& atlas = streamer->atlas();
  const PageKey root{std::uint8_t(source.lattice().lods() - 1), 0, 0};
  std::atomic<std::int64_t> sum{0};
  std::atomic<bool> is_wrong{false};
  std::vector<std::thread> readers;
  for (int i = 0; i < 120; ++i) {
    const Viewpoint cameras[] = {eye(200 + 12 * i, 1020, 700), eye(1900 - 10 * i, 1020, 1500)};
    streamer->update(cameras, i / 60.0);
    ASSERT_LE(streamer->stats().held_bytes, streamer->stats().budget_bytes);
    std::vector<PageKey> keys;
    atlas.resident_keys(keys);
    // Taken between updates, read and released while later updates run.
    std::vector<std::shared_ptr<const Page>> held;
    for (std::size_t k = 0; k < keys.size(); k += 3) {
      held.push_back(*atlas.page(keys[k]));
    }
    readers.emplace_back([pages = std::move(held), &sum, &is_wrong]() mutable {
      for (const std::shared_ptr<const Page>& page : pages) {
        sum += page->subsample[100];
        is_wrong = is_wrong || page->subsample[100] < 1000;
      }
      pages.clear();
    });
    if (i % 40 == 20) {
      lift = i;
      inner.mark_edited({0, 5, 5});
    }
    EXPECT_TRUE(atlas.is_resident(root));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  for (std::thread& reader : readers) {
    reader.join();
  }
  EXPECT_FALSE(is_wrong);
  EXPECT_GT(sum, 0);
  EXPECT_GT(streamer->stats().placed, 50);
}

TEST(StreamerThreads, EndsWhileLoadsRun) {
  for (int round = 0; round < 10; ++round) {
    const FunctionSource source(square(1025), [](std::int32_t x, std::int32_t) { return std::uint16_t(1000 + x % 9); });
    const Bounds bounds = wide_bounds(source.lattice(), 900, 1100);
    StreamOptions options;
    options.budget_bytes = std::size_t(12) << 20;
    const std::unique_ptr<Streamer> streamer = std::move(Streamer::create(source, bounds, options).value());
    const Viewpoint camera = eye(500, 1020, 500);
    streamer->update({&camera, 1}, 0);
  }
}

}  // namespace
}  // namespace arete::test
