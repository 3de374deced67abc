// Slots and planes: who owns them, what changed in them, and how long they rest.
#include <gtest/gtest.h>

#include <map>

#include "unit/stream/streamed_field.h"

namespace arete::test {
namespace {

TEST(Atlas, HeldPagesOutliveTheirSlotAndShrinkNobodyElses) {
  StreamedField fixture(4097);
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

TEST(Atlas, UploadsNameEveryChangedSlotOnce) {
  StreamedField fixture(4097);
  std::vector<std::uint16_t> mirror_first(fixture.atlas().slot_count(), 0);
  const auto upload = [&] {
    ASSERT_NO_FATAL_FAILURE(expect_uploads_of_residents(fixture.atlas()));
    for (const SlotUpload& change : fixture.atlas().uploads()) {
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

TEST(Atlas, SlotsRestForTheFramesInFlight) {
  StreamOptions options = StreamedField::small();
  options.frames_in_flight = 3;
  StreamedField fixture(4097, options);
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

TEST(Atlas, PlanesRestForTheFramesInFlight) {
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
  StreamOptions options = StreamedField::small();
  options.frames_in_flight = 3;
  StreamedField fixture(4097, options);
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

TEST(Atlas, WithoutMaxPlanesPagesTakeOneSlot) {
  StreamOptions options = StreamedField::small();
  options.with_max = false;
  StreamedField fixture(2049, options);
  fixture.settle(eye(1000, 1020, 1000));
  EXPECT_EQ(fixture.stats().used_bytes, std::size_t(fixture.stats().resident_pages) * kPlaneSamples * 2);
  EXPECT_EQ(residency_fault(fixture.atlas(), fixture.source, true), "");
}

}  // namespace
}  // namespace arete::test
