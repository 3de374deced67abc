// Edited pages are read again and replaced together, with the neighbours whose borders and aprons changed.
#include <gtest/gtest.h>

#include <array>
#include <utility>

#include "kernel/normal.h"
#include "unit/stream/stream_support.h"

namespace arete::test {
namespace {

struct Edited {
  Edited()
      : source(square(2049),
               [this](std::int32_t x, std::int32_t z) {
                 return std::uint16_t(x >= first_x && x <= last_x && z >= first_z && z <= last_z ? 1090 : 1000 + x % 3);
               }),
        bounds(wide_bounds(source.lattice(), 900, 1100)),
        inner(source),
        loader(inner, [this](PageKey key, int) { return fault ? fault(key) : 0; }) {
    StreamOptions options;
    options.budget_bytes = std::size_t(12) << 20;
    options.jobs = &jobs;
    streamer = std::move(Streamer::create(loader, bounds, options).value());
  }
  void update() { streamer->update({&camera, 1}, time_s += 1.0 / 60); }
  void settle() {
    for (int i = 0; i < 300; ++i) {
      update();
      if (jobs.waiting.empty() && streamer->stats().missing_pages == 0 && streamer->stats().stale_pages == 0) {
        return;
      }
      jobs.run_all();
    }
    FAIL() << "missing " << streamer->stats().missing_pages << ", stale " << streamer->stats().stale_pages;
  }
  // Raises the stops of a rect inside page (0, x, z).
  void edit(std::uint32_t x, std::uint32_t z, std::int32_t from, std::int32_t to) {
    first_x = std::int32_t(x) * kPageCells + from;
    last_x = std::int32_t(x) * kPageCells + to;
    first_z = std::int32_t(z) * kPageCells + from;
    last_z = std::int32_t(z) * kPageCells + to;
    inner.mark_edited({0, x, z});
  }
  std::int32_t first_x = -9, last_x = -9, first_z = -9, last_z = -9;
  FunctionSource source;
  Bounds bounds;
  SourceLoader inner;
  std::function<int(PageKey)> fault;
  FaultyLoader loader;
  ManualJobs jobs;
  Viewpoint camera = eye(1000, 1020, 1000);
  std::unique_ptr<Streamer> streamer;
  double time_s = 0;
};

// All resident pages hold the samples of one moment: those before the edit or those after it.
enum class Moment { before, after, mixed };
Moment moment(const Atlas& atlas, const SampleSource& before, const SampleSource& after) {
  const bool is_before = residency_fault(atlas, before, true).empty();
  const bool is_after = residency_fault(atlas, after, true).empty();
  return is_before ? Moment::before : is_after ? Moment::after : Moment::mixed;
}

TEST(EditedPages, AreReplacedTogetherInAnyOrderOfArrival) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Edited field;
    field.settle();
    const FunctionSource before(field.source.lattice(),
                                [](std::int32_t x, std::int32_t) { return std::uint16_t(1000 + x % 3); });
    field.edit(7, 7, 0, 128);  // to the border: all eight neighbours hold some of it
    bool has_changed = false;
    for (int i = 0; i < 400 && !has_changed; ++i) {
      field.update();
      const Moment now = moment(field.streamer->atlas(), before, field.source);
      ASSERT_NE(now, Moment::mixed) << "update " << i;
      has_changed = now == Moment::after;
      if (!field.jobs.waiting.empty()) {
        field.jobs.run_at((seed * 7919u + unsigned(i) * 31u) % field.jobs.waiting.size());
      }
    }
    EXPECT_TRUE(has_changed);
    EXPECT_EQ(field.streamer->stats().stale_pages, 0);
    field.settle();
    EXPECT_EQ(residency_fault(field.streamer->atlas(), field.source, true), "");
  }
}

TEST(EditedPages, NeighboursBordersAndApronsChange) {
  Edited field;
  field.settle();
  field.edit(7, 7, 127, 128);  // beside the far corner alone
  field.settle();
  const Atlas& atlas = field.streamer->atlas();
  EXPECT_EQ(atlas.find({0, 7, 7})->at(HeightPlane::subsample, 128, 128), 1090);
  EXPECT_EQ(atlas.find({0, 8, 8})->at(HeightPlane::subsample, 0, 0), 1090);
  EXPECT_EQ(atlas.find({0, 8, 8})->at(HeightPlane::subsample, -1, -1), 1090);
  EXPECT_EQ(atlas.find({0, 8, 7})->at(HeightPlane::subsample, -1, 128), 1090);
  EXPECT_EQ(atlas.find({3, 0, 0})->at(HeightPlane::subsample, 128, 128), 1090);
}

// maplibre-native#4281, mapsforge#993: shading steps along a tile's border after its neighbour was loaded again.
TEST(EditedPages, B53_NormalsOfABorderAreEqualFromBothSidesAfterAReload) {
  Edited field;
  field.settle();
  const Lattice& lattice = field.source.lattice();
  const auto slope = [&](std::uint32_t page_x, int i, int k) {
    const Page& page = *field.streamer->atlas().find({0, page_x, 7});
    const auto at = [&](int column) { return page.at(HeightPlane::subsample, column, k); };
    return kernel::axis_gradient(at(i - 1), at(i), at(i + 1), 0, 2, 4, lattice.half_x_m(), 1.0f);
  };
  std::array<float, kPageSamples> before{};
  for (int k = 0; k < kPageSamples; ++k) {
    before[std::size_t(k)] = slope(7, kPageCells, k);
    ASSERT_EQ(slope(8, 0, k), before[std::size_t(k)]);
  }
  field.edit(8, 7, 1, 128);  // the east page has other heights, up to the sample beside the border
  field.settle();
  for (int k = 1; k < kPageSamples; ++k) {
    ASSERT_EQ(slope(8, 0, k), slope(7, kPageCells, k)) << k;
    ASSERT_NE(slope(7, kPageCells, k), before[std::size_t(k)]) << "the west page shades the old neighbour at " << k;
  }
}

TEST(EditedPages, ALoadThatAnEditOvertookIsReadAgain) {
  Edited field;
  field.update();
  field.jobs.run_all();  // read before the edit, not yet placed
  field.edit(7, 7, 0, 128);
  field.settle();
  EXPECT_EQ(residency_fault(field.streamer->atlas(), field.source, true), "");
  EXPECT_GT(field.streamer->stats().discarded, 0);
}

// A load reads its samples, the field is edited and all that is resident replaced, and only then the load ends.
TEST(EditedPages, ALoadThatEndsAfterTheSwapIsReadAgain) {
  Edited field;
  class SlowLoader final : public PageLoader {
   public:
    explicit SlowLoader(const PageLoader& inner) : inner_(inner) {}
    const Lattice& lattice() const noexcept override { return inner_.lattice(); }
    std::uint64_t revision(PageKey key) const noexcept override { return inner_.revision(key); }
    std::uint64_t epoch() const noexcept override { return inner_.epoch(); }
    Result<void> load(Page& page) const override {
      auto done = inner_.load(page);
      if (page.key == PageKey{0, 7, 7} && meanwhile) {
        std::exchange(meanwhile, nullptr)();
      }
      return done;
    }
    mutable std::function<void()> meanwhile;

   private:
    const PageLoader& inner_;
  };
  const SlowLoader slow(field.inner);
  StreamOptions options;
  options.budget_bytes = std::size_t(12) << 20;
  options.jobs = &field.jobs;
  field.streamer = std::move(Streamer::create(slow, field.bounds, options).value());
  bool was_overtaken = false;
  slow.meanwhile = [&] {
    field.edit(7, 7, 0, 128);
    do {
      field.update();
      field.jobs.run_all();
    } while (field.streamer->stats().stale_pages > 0);
    was_overtaken = !field.streamer->atlas().is_resident({0, 7, 7});
  };
  field.settle();
  EXPECT_TRUE(was_overtaken);
  EXPECT_EQ(residency_fault(field.streamer->atlas(), field.source, true), "");
}

TEST(EditedPages, AFailingReloadIsDroppedNotKept) {
  Edited field;
  field.settle();
  const PageKey bad{0, 7, 7};
  field.fault = [&](PageKey key) { return key == bad ? 1 : 0; };
  field.edit(7, 7, 0, 128);
  for (int i = 0; i < 20; ++i) {
    field.update();
    field.jobs.run_all();
  }
  EXPECT_FALSE(field.streamer->atlas().is_resident(bad));
  EXPECT_EQ(field.streamer->stats().stale_pages, 0);
  EXPECT_EQ(residency_fault(field.streamer->atlas(), field.source, true), "") << "shows ground from before the edit";
  field.fault = nullptr;
  for (int i = 0; i < 600; ++i) {
    field.update();
    field.jobs.run_all();
  }
  EXPECT_TRUE(field.streamer->atlas().is_resident(bad));
}

TEST(EditedPages, EditsOfEverythingFitTheBudget) {
  Edited field;
  field.camera = eye(1000, 1020, 1000, 350);
  field.settle();
  field.first_x = field.first_z = 0;
  field.last_x = field.last_z = 2048;
  for (std::uint32_t z = 0; z < 16; ++z) {
    for (std::uint32_t x = 0; x < 16; ++x) {
      field.inner.mark_edited({0, x, z});
    }
  }
  for (int i = 0; i < 20; ++i) {
    field.update();
    field.jobs.run_all();
    ASSERT_LE(field.streamer->stats().held_bytes, field.streamer->stats().budget_bytes);
  }
  field.settle();
  EXPECT_EQ(residency_fault(field.streamer->atlas(), field.source, true), "");
}

// A camera over a field that is raised up to it, as by an editor.
TEST(EditedBounds, CountOnceTheStreamerIsToldOfThem) {
  Edited field;
  field.camera = eye(1000, 1400, 1000, 200);
  const auto has_finest = [&] { return field.streamer->atlas().is_resident({0, 7, 7}); };
  field.settle();
  EXPECT_FALSE(has_finest());
  field.bounds = wide_bounds(field.source.lattice(), 900, 1350);
  field.settle();
  EXPECT_FALSE(has_finest());
  field.streamer->bounds_changed();
  field.settle();
  EXPECT_TRUE(has_finest());
}

TEST(EditedPages, MarksThePagesThatHoldTheSampleAndNoFarOnes) {
  const FunctionSource source(square(4097), [](std::int32_t, std::int32_t) { return std::uint16_t(1); });
  SourceLoader loader(source);
  const auto revisions = [&](PageKey key) { return loader.revision(key); };
  const std::uint64_t epoch = loader.epoch();
  loader.mark_edited({0, 5, 5});
  EXPECT_NE(loader.epoch(), epoch);
  for (std::uint32_t z = 4; z <= 6; ++z) {
    for (std::uint32_t x = 4; x <= 6; ++x) {
      EXPECT_NE(revisions({0, x, z}), 0u);
    }
  }
  for (std::uint8_t lod = 1; lod < 6; ++lod) {
    EXPECT_NE(revisions({lod, 5u >> lod, 5u >> lod}), 0u);
  }
  EXPECT_EQ(revisions({0, 8, 5}), 0u);
  EXPECT_EQ(revisions({0, 2, 5}), 0u);
  EXPECT_EQ(revisions({1, 5, 2}), 0u);
}

// Edits may follow each other faster than a GPU's copies are made.
TEST(EditedPages, PendingUploadsAreOfWhatIsResidentNow) {
  Edited field;
  field.settle();
  const Atlas& atlas = field.streamer->atlas();
  std::vector<const std::uint16_t*> mirror(atlas.slot_count(), nullptr);
  for (int edit = 0; edit < 60; ++edit) {
    field.edit(std::uint32_t(7 + edit % 3), std::uint32_t(6 + edit % 4), 60, 64);
    field.settle();
    ASSERT_NO_FATAL_FAILURE(expect_uploads_of_residents(atlas));
    for (const SlotUpload& change : atlas.uploads()) {
      mirror[change.slot] = change.samples.data();
    }
    std::vector<PageKey> keys;
    atlas.resident_keys(keys);
    for (const PageKey key : keys) {
      const PageSlots at = *atlas.slots(key);
      EXPECT_EQ(mirror[at.subsample], atlas.find(key)->subsample.data()) << describe(key);
      EXPECT_EQ(mirror[at.max], atlas.find(key)->plane(HeightPlane::max).data()) << describe(key);
    }
    if (edit % 4 == 3) {
      field.streamer->atlas().uploads_done();
    }
  }
}

// A coarse sample's maximum looks at stops less than one coarse sample away; a page holds samples -1 to 129.
TEST(EditedPages, MarksEveryPageWhoseSamplesSeeTheEditedStops) {
  Lattice lattice = square(70000);
  lattice.stops_z = 1;
  const FunctionSource source(lattice, [](std::int32_t, std::int32_t) { return std::uint16_t(1); });
  int far = 0;
  for (std::int64_t edited = 0; edited < lattice.pages_x(0); ++edited) {
    SourceLoader loader(source);
    loader.mark_edited({0, std::uint32_t(edited), 0});
    const std::int64_t first_stop = edited * kPageCells, last_stop = first_stop + kPageCells;
    for (int lod = 0; lod < lattice.lods(); ++lod) {
      const std::int64_t stride = std::int64_t(1) << lod;
      for (std::int64_t page = 0; page < lattice.pages_x(lod); ++page) {
        // The first and the last stop that its samples see.
        const std::int64_t first = (page * kPageCells - 2) * stride + 1, last = (page * kPageCells + 130) * stride - 1;
        if (first <= last_stop && last >= first_stop) {
          ASSERT_NE(loader.revision({std::uint8_t(lod), std::uint32_t(page), 0}), 0u)
              << "page " << edited << " of lod 0, page " << page << " of lod " << lod;
        } else {
          far += loader.revision({std::uint8_t(lod), std::uint32_t(page), 0}) == 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(far, 100000);
}

}  // namespace
}  // namespace arete::test
