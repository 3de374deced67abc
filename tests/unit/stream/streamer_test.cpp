// The streamer with loads that complete when the test says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "support/allocations.h"
#include "unit/stream/streamed_field.h"

namespace arete::test {
namespace {

using testing::HasSubstr;

TEST(Streamer, RefusesWhatCannotWork) {
  const FunctionSource source(square(1025), [](std::int32_t, std::int32_t) { return std::uint16_t(5); });
  const Bounds bounds = wide_bounds(source.lattice(), 5, 5);
  const auto message = [&](StreamOptions options) {
    const auto streamer = Streamer::create(source, bounds, options);
    return streamer ? std::string() : streamer.error().message;
  };
  StreamOptions options;
  options.budget_bytes = 1000;
  const std::string refused = message(options);
  EXPECT_THAT(refused, HasSubstr("give at least "));
  options.budget_bytes = std::stoull(refused.substr(refused.rfind(' ') + 1)) - 1;
  EXPECT_THAT(message(options), HasSubstr("give at least "));
  ++options.budget_bytes;
  EXPECT_EQ(message(options), "");
  options = {};
  options.max_loads = 4;
  EXPECT_THAT(message(options), HasSubstr("max_loads"));
  options = {};
  options.threads = 0;
  EXPECT_THAT(message(options), HasSubstr("threads"));
  options = {};
  options.retry_limit_s = 0.1;
  EXPECT_THAT(message(options), HasSubstr("retry"));
}

TEST(Streamer, NamesTheCoarsestPageThatCannotBeRead) {
  const FunctionSource source(square(1025), [](std::int32_t, std::int32_t) { return std::uint16_t(5); });
  const Bounds bounds = wide_bounds(source.lattice(), 5, 5);
  const SourceLoader inner(source);
  const FaultyLoader broken(inner, [](PageKey, int) { return 1; });
  const auto streamer = Streamer::create(broken, bounds, {});
  ASSERT_FALSE(streamer);
  EXPECT_THAT(streamer.error().message, HasSubstr("planted"));
  const FaultyLoader flaky(inner, [](PageKey, int attempt) { return attempt < 4 ? attempt : 0; });
  EXPECT_TRUE(Streamer::create(flaky, bounds, {}));
}

TEST(Streamer, DrawsTheWholeFieldFromTheStart) {
  StreamedField fixture;
  EXPECT_EQ(fixture.atlas().page_count(), 1u);
  const NodeResidency residency(fixture.atlas(), 32);
  const int coarsest = fixture.source.lattice().lods() - 1;
  EXPECT_TRUE(residency.is_resident(coarsest, 0, 0));
  EXPECT_TRUE(residency.is_resident(coarsest, 3, 3));
  EXPECT_FALSE(residency.is_resident(coarsest - 1, 0, 0));
}

TEST(Streamer, ReachesFullDetailAndHoldsTheSourcesSamples) {
  StreamedField fixture;
  const Viewpoint camera = eye(1000, 1020, 1000);
  fixture.settle(camera);
  EXPECT_TRUE(fixture.atlas().is_resident({0, 7, 7}));
  EXPECT_FALSE(fixture.atlas().is_resident({0, 0, 0}));
  EXPECT_EQ(fixture.stats().missing_pages, 0);
  EXPECT_EQ(residency_fault(fixture.atlas(), fixture.source, true), "");
  EXPECT_EQ(fixture.stats().discarded, 0);
}

TEST(Streamer, SaysNotLoadedWithANullPage) {
  StreamedField fixture;
  const auto absent = fixture.atlas().page({0, 0, 0});
  ASSERT_TRUE(absent);
  EXPECT_EQ(*absent, nullptr);
  const auto root = fixture.atlas().page({std::uint8_t(fixture.source.lattice().lods() - 1), 0, 0});
  ASSERT_TRUE(root);
  ASSERT_NE(*root, nullptr);
  EXPECT_EQ((*root)->max.size(), kPlaneSamples);
}

TEST(Streamer, AsksForCoarsePagesFirstAndParentsBeforeChildren) {
  StreamedField fixture;
  fixture.update(eye(1000, 1020, 1000));
  fixture.jobs.run_all();
  std::set<std::uint64_t> seen;
  const std::vector<PageKey>& order = fixture.loader.order;
  ASSERT_GT(order.size(), 20u);
  for (const PageKey key : order) {
    if (key.lod + 1 < fixture.source.lattice().lods()) {
      EXPECT_TRUE(seen.contains(PageKey{std::uint8_t(key.lod + 1), key.x / 2, key.z / 2}.packed()));
    }
    seen.insert(key.packed());
  }
}

TEST(Streamer, PlacesChildrenOnlyAfterTheirParent) {
  StreamedField fixture;
  const Viewpoint camera = eye(1000, 1020, 1000);
  fixture.update(camera);
  while (!fixture.jobs.waiting.empty()) {  // the last asked for first
    fixture.jobs.run_at(fixture.jobs.waiting.size() - 1);
    fixture.update(camera);
    ASSERT_EQ(residency_fault(fixture.atlas(), fixture.source, false), "");
  }
  EXPECT_EQ(fixture.stats().missing_pages, 0);
}

TEST(Streamer, NeverHoldsMoreThanItsBudget) {
  const std::int64_t before = live_bytes();
  StreamedField fixture(4097);
  const auto held = [&] { return live_bytes() - before; };
  constexpr std::int64_t kOwnOfTheTest = 300000;  // the order of loads that the loader keeps, the fixture itself
  for (int i = 0; i < 400; ++i) {
    fixture.update(eye(10.0 * i, 1020, 3000, 900));
    fixture.jobs.run_all();
    ASSERT_LE(fixture.stats().held_bytes, fixture.stats().budget_bytes);
    ASSERT_LE(held(), std::int64_t(fixture.stats().budget_bytes) + kOwnOfTheTest);
    ASSERT_EQ(residency_fault(fixture.atlas(), fixture.source, false), "");
  }
  EXPECT_GT(fixture.stats().evicted, 0);
  EXPECT_GE(held(), std::int64_t(fixture.stats().budget_bytes) * 9 / 10) << "the budget is not used";
  EXPECT_GT(fixture.stats().refused_pages, 0) << "the budget was never tight";
}

TEST(Streamer, TakesNoMoreOfItsBudgetThanTheFieldCanUse) {
  const std::int64_t before = live_bytes();
  StreamOptions options;
  options.budget_bytes = std::size_t(1) << 50;
  StreamedField fixture(1025, options);
  fixture.settle(eye(500, 1020, 500, 2000));
  EXPECT_EQ(fixture.stats().resident_pages, 64 + 16 + 4 + 1);
  EXPECT_EQ(fixture.stats().refused_pages, 0);
  EXPECT_LE(live_bytes() - before, std::int64_t(16) << 20);
}

TEST(Streamer, UpdatesWithoutAllocating) {
  StreamedField fixture(4097);
  fixture.fault = [](PageKey key, int attempt) { return (key.x + key.z + unsigned(attempt)) % 41 == 0 ? 1 : 0; };
  std::uint64_t allocations = 0;
  for (int i = 0; i < 300; ++i) {
    const double z = 2000 + 500 * std::sin(i * 0.05);
    const Viewpoint cameras[] = {eye(12.0 * i, 1020, z, 300), eye(4000 - 12.0 * i, 1020, z, 200)};
    if (i % 100 == 50) {
      fixture.bump_x = fixture.bump_z = 12 * i;
      fixture.inner.mark_edited({0, std::uint32_t(12 * i / kPageCells), std::uint32_t(12 * i / kPageCells)});
    }
    const std::uint64_t before = thread_allocations();
    fixture.streamer->update(cameras, i / 60.0);
    allocations += thread_allocations() - before;
    while (!fixture.jobs.waiting.empty() && fixture.jobs.waiting.size() > std::size_t(i % 40)) {
      fixture.jobs.run_next();
    }
  }
  EXPECT_EQ(allocations, 0u);
  EXPECT_GT(fixture.stats().evicted, 0);
  EXPECT_GT(fixture.stats().failed, 0);
}

TEST(Streamer, EvictsTheLeastRecentlyUsedAndNeverAPinnedPage) {
  StreamedField fixture(4097);
  for (int i = 0; i <= 20; ++i) {
    fixture.settle(eye(200.0 * i, 1020, 500, 250));
  }
  EXPECT_GT(fixture.stats().evicted, 0);
  EXPECT_FALSE(fixture.atlas().is_resident({0, 1, 3}));
  EXPECT_TRUE(fixture.atlas().is_resident({0, 30, 3}));
  const Lattice& lattice = fixture.source.lattice();
  for (int lod = lattice.lods() - 1; lod >= lattice.lods() - 3; --lod) {
    for (std::int32_t z = 0; z < lattice.pages_z(lod); ++z) {
      for (std::int32_t x = 0; x < lattice.pages_x(lod); ++x) {
        EXPECT_TRUE(fixture.atlas().is_resident({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)}));
      }
    }
  }
}

TEST(Streamer, CancelsWhatIsNoLongerWanted) {
  StreamedField fixture;
  fixture.update(eye(100, 1020, 100));
  const std::size_t queued = fixture.jobs.waiting.size();
  ASSERT_GT(queued, 10u);
  const std::size_t loaded = fixture.loader.order.size();
  fixture.update(eye(1900, 1020, 1900));
  EXPECT_GT(fixture.stats().cancelled, 0);
  fixture.jobs.run_all();
  const std::set<std::pair<std::uint32_t, std::uint32_t>> near{{0, 0}, {1, 0}, {0, 1}, {1, 1}};
  for (std::size_t i = loaded; i < fixture.loader.order.size(); ++i) {
    const PageKey key = fixture.loader.order[i];
    EXPECT_FALSE(key.lod == 0 && near.contains({key.x, key.z})) << "read a page of the place left behind";
  }
  fixture.settle(eye(1900, 1020, 1900));
}

TEST(Streamer, QueueIsBounded) {
  StreamOptions options = StreamedField::small();
  options.max_loads = 8;
  options.pinned_pages = 1;
  StreamedField fixture(2049, options);
  const Viewpoint camera = eye(1000, 1020, 1000, 400);
  for (int i = 0; i < 100; ++i) {
    fixture.update(camera);
    fixture.jobs.run_at(std::size_t(i) % 3);
  }
  EXPECT_EQ(fixture.jobs.most, 8u);
}

TEST(Streamer, LoadsAheadAlongThePath) {
  StreamedField fixture(4097);
  Viewpoint camera = eye(500, 1020, 500, 100);
  fixture.settle(camera);
  for (int i = 0; i < 5; ++i) {
    camera.x_m += 10;  // 600 m/s: the place 600 m ahead is looked at
    fixture.update(camera);
    fixture.jobs.run_all();
  }
  EXPECT_GT(fixture.stats().ahead_pages, 0);
  EXPECT_TRUE(fixture.atlas().is_resident({0, 8, 3}));
  EXPECT_FALSE(fixture.atlas().is_resident({0, 3, 8}));
  camera.x_m = 3000;  // a jump is no motion
  fixture.update(camera);
  EXPECT_EQ(fixture.stats().ahead_pages, 0);
}

TEST(Streamer, LoadsForLaterLeaveHalfOfTheLoadsToOthers) {
  StreamOptions options = StreamedField::small();
  options.max_loads = 8;
  StreamedField fixture(4097, options);
  Viewpoint camera = eye(500, 1020, 500, 100);
  fixture.settle(camera);
  for (int i = 0; i < 5; ++i) {
    camera.x_m += 0.5;  // 30 m/s: pages are wanted for later alone
    fixture.update(camera);
    if (fixture.stats().missing_pages == 0) {
      EXPECT_LE(fixture.jobs.waiting.size(), 4u);
    }
  }
  camera.x_m += 10;  // 600 m/s
  fixture.update(camera);
  EXPECT_EQ(fixture.stats().missing_pages, 0);
  EXPECT_EQ(fixture.jobs.waiting.size(), 4u);
}

TEST(Streamer, ManyCamerasShareTheAtlas) {
  StreamedField fixture(4097);
  const std::vector<Viewpoint> cameras{eye(300, 1020, 300, 100), eye(3700, 1020, 300, 100), eye(300, 1020, 3700, 100)};
  for (int i = 0; i < 60; ++i) {
    fixture.update(cameras);
    fixture.jobs.run_all();
  }
  EXPECT_EQ(fixture.stats().missing_pages, 0);
  EXPECT_TRUE(fixture.atlas().is_resident({0, 2, 2}));
  EXPECT_TRUE(fixture.atlas().is_resident({0, 28, 2}));
  EXPECT_TRUE(fixture.atlas().is_resident({0, 2, 28}));
  fixture.update(std::span<const Viewpoint>{});
  EXPECT_EQ(fixture.stats().missing_pages, 0);
}

TEST(Streamer, AShortBudgetIsSharedByUrgencyNotByOrder) {
  StreamedField fixture(8193);
  std::vector<Viewpoint> cameras;
  for (int i = 0; i < 4; ++i) {
    cameras.push_back(eye(1090 + 2048 * i, 1020, 4200, 450));
  }
  for (int i = 0; i < 100; ++i) {
    fixture.update(cameras);
    fixture.jobs.run_all();
  }
  EXPECT_GT(fixture.stats().refused_pages, 0) << "the budget was never tight";
  EXPECT_GE(fixture.stats().missing_pages, fixture.stats().refused_pages);
  std::set<int> finest;
  for (const Viewpoint& camera : cameras) {
    int lod = 0;
    while (!fixture.atlas().is_resident({std::uint8_t(lod), std::uint32_t(camera.x_m) / kPageCells >> lod,
                                         std::uint32_t(camera.z_m) / kPageCells >> lod})) {
      ++lod;
    }
    finest.insert(lod);
  }
  EXPECT_EQ(finest.size(), 1u) << "cameras that stand alike are treated alike";
}

TEST(Streamer, ReportsAndRetriesWithLongerAndLongerWaits) {
  StreamedField fixture(1025);
  const PageKey bad{0, 3, 3};
  fixture.fault = [&](PageKey key, int attempt) { return key == bad && attempt <= 4 ? attempt : 0; };
  const Viewpoint camera = eye(450, 1020, 450);
  std::vector<double> failed_at;
  for (int i = 0; i < 600 && !fixture.atlas().is_resident(bad); ++i) {
    fixture.update(camera);
    for (const LoadFailure& failure : fixture.streamer->failures()) {
      EXPECT_EQ(failure.key, bad);
      EXPECT_EQ(failure.attempts, int(failed_at.size()) + 1);
      EXPECT_FALSE(failure.message.empty());
      EXPECT_NEAR(failure.retry_at_s - fixture.time_s, 0.25 * std::exp2(double(failed_at.size())), 1e-9);
      failed_at.push_back(fixture.time_s);
    }
    ASSERT_EQ(residency_fault(fixture.atlas(), fixture.source, false), "");
    fixture.jobs.run_all();
  }
  EXPECT_EQ(failed_at.size(), 4u);
  EXPECT_EQ(fixture.stats().failed, 4);
  EXPECT_TRUE(fixture.atlas().is_resident(bad));
  EXPECT_EQ(residency_fault(fixture.atlas(), fixture.source, true), "") << "a failed load left its traces";
  EXPECT_EQ(std::count(fixture.loader.order.begin(), fixture.loader.order.end(), bad), 5);
}

TEST(Streamer, ABrokenPageHoldsUpNothingElse) {
  StreamedField fixture;
  const PageKey bad{2, 1, 1};
  fixture.fault = [&](PageKey key, int) { return key == bad ? 1 : 0; };
  const Viewpoint camera = eye(1000, 1020, 1000);
  for (int i = 0; i < 300; ++i) {
    fixture.update(camera);
    fixture.jobs.run_all();
  }
  EXPECT_FALSE(fixture.atlas().is_resident(bad));
  EXPECT_FALSE(fixture.atlas().is_resident({0, 7, 7})) << "below the broken page";
  EXPECT_TRUE(fixture.atlas().is_resident({0, 8, 8})) << "beside it";
  EXPECT_LT(fixture.loader.order.size(), 200u) << "asked again and again";
  EXPECT_EQ(residency_fault(fixture.atlas(), fixture.source, true), "");
}

// However many planes are held from outside, what a still camera sees is never given up for what it lacks.

TEST(Streamer, AStillCameraLosesNothing) {
  StreamOptions options = StreamedField::small();
  StreamedField fixture(4097, options);
  fixture.settle(eye(100, 1020, 100, 250));
  std::vector<PageKey> keys;
  std::vector<std::shared_ptr<const Page>> held;
  fixture.atlas().resident_keys(keys);
  for (const PageKey key : keys) {
    held.push_back(*fixture.atlas().page(key));
  }
  const Viewpoint camera = eye(2000, 1020, 3000, 700);
  std::int64_t missing = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < 60; ++i) {
    fixture.update(camera);
    fixture.jobs.run_all();
    if (i > 0) {
      EXPECT_LE(fixture.stats().missing_pages, missing) << "update " << i;
    }
    missing = fixture.stats().missing_pages;
  }
  EXPECT_GT(missing, 0) << "the budget was never tight";
}

// A plane given up is not even written to while frames under way may read it.

TEST(Streamer, SmallFieldsAreOnePinnedPage) {
  StreamedField fixture(2);
  fixture.settle(eye(0, 1020, 0));
  EXPECT_EQ(fixture.atlas().page_count(), 1u);
  EXPECT_EQ(fixture.stats().wanted_pages, 1);
}

}  // namespace
}  // namespace arete::test
