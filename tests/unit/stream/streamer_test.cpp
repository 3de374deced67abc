// The streamer with loads that complete when the test says so.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <set>

#include "support/allocations.h"
#include "unit/stream/stream_support.h"

namespace arete::test {
namespace {

using testing::HasSubstr;

constexpr std::uint16_t kLow = 900, kHigh = 1100;

struct Fixture {
  explicit Fixture(std::int32_t stops = 2049, StreamOptions options = small())
      : source(square(stops), [this](std::int32_t x, std::int32_t z) { return height(x, z); }),
        bounds(wide_bounds(source.lattice(), kLow, kHigh)),
        inner(source),
        loader(inner, [this](PageKey key, int attempt) { return fault ? fault(key, attempt) : 0; }) {
    options.jobs = &jobs;
    streamer = std::move(Streamer::create(loader, bounds, options).value());
  }
  static StreamOptions small() {
    StreamOptions options;
    options.budget_bytes = std::size_t(12) << 20;
    return options;
  }
  std::uint16_t height(std::int32_t x, std::int32_t z) const {
    const int bump = x >= bump_x && z >= bump_z && x <= bump_x + 4 && z <= bump_z + 4 ? 50 : 0;
    return std::uint16_t(1000 + x % 7 + z % 5 + bump);
  }
  void update(std::span<const Viewpoint> cameras) { streamer->update(cameras, time_s += 1.0 / 60); }
  void update(const Viewpoint& camera) { update({&camera, 1}); }
  // Until nothing more is under way.
  void settle(const Viewpoint& camera) {
    for (int i = 0; i < 200; ++i) {
      update(camera);
      if (jobs.waiting.empty() && streamer->stats().missing_pages == 0) {
        return;
      }
      jobs.run_all();
    }
    FAIL() << "still missing " << streamer->stats().missing_pages;
  }
  const StreamStats& stats() const { return streamer->stats(); }
  const Atlas& atlas() const { return streamer->atlas(); }

  int bump_x = -100, bump_z = -100;
  FunctionSource source;
  Bounds bounds;
  SourceLoader inner;
  FaultyLoader::Fault fault;
  FaultyLoader loader;
  ManualJobs jobs;
  std::unique_ptr<Streamer> streamer;
  double time_s = 0;
};

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
  Fixture fixture;
  EXPECT_EQ(fixture.atlas().page_count(), 1u);
  const NodeResidency residency(fixture.atlas(), 32);
  const int coarsest = fixture.source.lattice().lods() - 1;
  EXPECT_TRUE(residency.is_resident(coarsest, 0, 0));
  EXPECT_TRUE(residency.is_resident(coarsest, 3, 3));
  EXPECT_FALSE(residency.is_resident(coarsest - 1, 0, 0));
}

TEST(Streamer, ReachesFullDetailAndHoldsTheSourcesSamples) {
  Fixture fixture;
  const Viewpoint camera = eye(1000, 1020, 1000);
  fixture.settle(camera);
  EXPECT_TRUE(fixture.atlas().is_resident({0, 7, 7}));
  EXPECT_FALSE(fixture.atlas().is_resident({0, 0, 0}));
  EXPECT_EQ(fixture.stats().missing_pages, 0);
  EXPECT_EQ(residency_fault(fixture.atlas(), fixture.source, true), "");
  EXPECT_EQ(fixture.stats().discarded, 0);
}

TEST(Streamer, SaysNotLoadedWithANullPage) {
  Fixture fixture;
  const auto absent = fixture.atlas().page({0, 0, 0});
  ASSERT_TRUE(absent);
  EXPECT_EQ(*absent, nullptr);
  const auto root = fixture.atlas().page({std::uint8_t(fixture.source.lattice().lods() - 1), 0, 0});
  ASSERT_TRUE(root);
  ASSERT_NE(*root, nullptr);
  EXPECT_EQ((*root)->max.size(), kPlaneSamples);
}

TEST(Streamer, AsksForCoarsePagesFirstAndParentsBeforeChildren) {
  Fixture fixture;
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
  Fixture fixture;
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
  Fixture fixture(4097);
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
  Fixture fixture(1025, options);
  fixture.settle(eye(500, 1020, 500, 2000));
  EXPECT_EQ(fixture.stats().resident_pages, 64 + 16 + 4 + 1);
  EXPECT_EQ(fixture.stats().refused_pages, 0);
  EXPECT_LE(live_bytes() - before, std::int64_t(16) << 20);
}

TEST(Streamer, UpdatesWithoutAllocating) {
  Fixture fixture(4097);
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
  Fixture fixture(4097);
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
  Fixture fixture;
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
  StreamOptions options = Fixture::small();
  options.max_loads = 8;
  options.pinned_pages = 1;
  Fixture fixture(2049, options);
  const Viewpoint camera = eye(1000, 1020, 1000, 400);
  for (int i = 0; i < 100; ++i) {
    fixture.update(camera);
    fixture.jobs.run_at(std::size_t(i) % 3);
  }
  EXPECT_EQ(fixture.jobs.most, 8u);
}

TEST(Streamer, LoadsAheadAlongThePath) {
  Fixture fixture(4097);
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
  StreamOptions options = Fixture::small();
  options.max_loads = 8;
  Fixture fixture(4097, options);
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
  Fixture fixture(4097);
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
  Fixture fixture(8193);
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
  Fixture fixture(1025);
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
  Fixture fixture;
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

TEST(Streamer, HeldPagesOutliveTheirSlotAndShrinkNobodyElses) {
  Fixture fixture(4097);
  const Viewpoint camera = eye(100, 1020, 100, 250);
  fixture.settle(camera);
  const std::shared_ptr<const Page> held = *fixture.atlas().page({0, 0, 0});
  ASSERT_NE(held, nullptr);
  const Page copy = *held;  // NOLINT(performance-unnecessary-copy-initialization): as it is now
  for (int i = 0; i <= 20; ++i) {
    fixture.settle(eye(200.0 * i, 1020, 3000, 250));
  }
  ASSERT_FALSE(fixture.atlas().is_resident({0, 0, 0}));
  EXPECT_EQ(held->subsample, copy.subsample);
  EXPECT_EQ(held->key, copy.key);
}

// However many planes are held from outside, what a still camera sees is never given up for what it lacks.
TEST(Streamer, AStillCameraLosesNothing) {
  StreamOptions options = Fixture::small();
  Fixture fixture(4097, options);
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

TEST(Streamer, UploadsNameEveryChangedSlotOnce) {
  Fixture fixture(4097);
  std::vector<std::uint16_t> mirror_first(fixture.atlas().slot_count(), 0);
  const auto upload = [&] {
    std::set<std::uint32_t> slots;
    for (const SlotUpload& change : fixture.atlas().uploads()) {
      EXPECT_TRUE(slots.insert(change.slot).second);
      const Page* page = fixture.atlas().find(change.key);
      ASSERT_NE(page, nullptr) << describe(change.key) << " is gone";
      ASSERT_EQ(change.samples.data(), page->plane(change.plane).data());
      ASSERT_EQ(change.samples.size(), kPlaneSamples);
      mirror_first[change.slot] = change.samples[9000];
    }
    fixture.streamer->atlas().uploads_done();
    EXPECT_TRUE(fixture.atlas().uploads().empty());
  };
  const auto expect_mirrored = [&] {
    std::vector<PageKey> keys;
    fixture.atlas().resident_keys(keys);
    for (const PageKey key : keys) {
      const PageSlots slots = *fixture.atlas().slots(key);
      EXPECT_EQ(slots.subsample == slots.max, key.lod == 0);
      EXPECT_EQ(mirror_first[slots.subsample], fixture.atlas().find(key)->subsample[9000]);
      EXPECT_EQ(mirror_first[slots.max], fixture.atlas().find(key)->plane(HeightPlane::max)[9000]);
    }
  };
  for (int i = 0; i <= 40; ++i) {
    fixture.update(eye(50.0 * i, 1020, 1000 + 20 * i, 150));
    fixture.jobs.run_all();
    if (i % 3 == 0) {
      upload();
    }
  }
  upload();
  expect_mirrored();
  // Pages that come and go between two uploads.
  for (int i = 0; i <= 300; ++i) {
    fixture.update(eye(10.0 * i, 1020, 3000 - 7 * i, 400));
    fixture.jobs.run_all();
  }
  EXPECT_GT(fixture.stats().evicted, 100);
  upload();
  expect_mirrored();
}

TEST(Streamer, SlotsRestForTheFramesInFlight) {
  StreamOptions options = Fixture::small();
  options.frames_in_flight = 3;
  Fixture fixture(4097, options);
  std::vector<std::pair<std::uint64_t, int>> owner(fixture.atlas().slot_count(), {0, -1});  // key, last update seen
  for (int i = 0; i < 300; ++i) {
    fixture.update(eye(12.0 * i, 1020, 2000, 250));
    fixture.jobs.run_all();
    std::vector<PageKey> keys;
    fixture.atlas().resident_keys(keys);
    for (const PageKey key : keys) {
      const PageSlots slots = *fixture.atlas().slots(key);
      for (const std::uint32_t slot : {slots.subsample, slots.max}) {
        if (owner[slot].second >= 0 && owner[slot].first != key.packed()) {
          ASSERT_GT(i - owner[slot].second, 3) << "slot " << slot << " was used again too soon";
        }
        owner[slot] = {key.packed(), i};
      }
    }
  }
  EXPECT_GT(fixture.stats().evicted, 0);
}

// A plane given up is not even written to while frames under way may read it.
TEST(Streamer, PlanesRestForTheFramesInFlight) {
  class Watched final : public PageLoader {
   public:
    explicit Watched(const PageLoader& inner) : inner_(inner) {}
    const Lattice& lattice() const noexcept override { return inner_.lattice(); }
    Result<void> load(Page& page) const override {
      const auto at = seen.find(page.subsample.data());
      rest = at == seen.end() ? rest : std::min(rest, now - at->second);
      return inner_.load(page);
    }
    std::map<const std::uint16_t*, int> seen;  // when a plane was last resident
    int now = 0;
    mutable int rest = 1000;

   private:
    const PageLoader& inner_;
  };
  StreamOptions options = Fixture::small();
  options.frames_in_flight = 3;
  Fixture fixture(4097, options);
  Watched loader(fixture.inner);
  options.jobs = &fixture.jobs;
  fixture.streamer = std::move(Streamer::create(loader, fixture.bounds, options).value());
  for (; loader.now < 300; ++loader.now) {
    fixture.update(eye(12.0 * loader.now, 1020, 2000, 250));
    std::vector<PageKey> keys;
    fixture.atlas().resident_keys(keys);
    for (const PageKey key : keys) {
      loader.seen[fixture.atlas().find(key)->subsample.data()] = loader.now;
    }
    fixture.jobs.run_all();
  }
  EXPECT_EQ(loader.rest, 5) << "given up in the update behind the last, it rests for three more";
}

TEST(Streamer, WithoutMaxPlanesPagesTakeOneSlot) {
  StreamOptions options = Fixture::small();
  options.with_max = false;
  Fixture fixture(2049, options);
  fixture.settle(eye(1000, 1020, 1000));
  EXPECT_EQ(fixture.stats().used_bytes, std::size_t(fixture.stats().resident_pages) * kPlaneSamples * 2);
  EXPECT_EQ(residency_fault(fixture.atlas(), fixture.source, true), "");
}

TEST(Streamer, SmallFieldsAreOnePinnedPage) {
  Fixture fixture(2);
  fixture.settle(eye(0, 1020, 0));
  EXPECT_EQ(fixture.atlas().page_count(), 1u);
  EXPECT_EQ(fixture.stats().wanted_pages, 1);
}

}  // namespace
}  // namespace arete::test
