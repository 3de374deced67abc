// Laws of streaming: what is drawn is closed whatever has arrived, budgets hold, and equal traces give equal residency.
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "arete/collider.h"
#include "arete/stream.h"
#include "stream/atlas_state.h"
#include "support/field.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

Lattice lattice_of(std::int32_t stops_x, std::int32_t stops_z) {
  Lattice lattice;
  lattice.stops_x = stops_x;
  lattice.stops_z = stops_z;
  lattice.spacing_x_m = 1;
  lattice.spacing_z_m = 1.5;
  lattice.step_m = 0.0078125;
  return lattice;
}

// Loads complete after a random virtual latency; 1 % of them go wrong in one of three ways.
class SlowJobs final : public JobSystem {
 public:
  explicit SlowJobs(std::uint64_t seed, bool is_backwards) : random_(seed), is_backwards_(is_backwards) {}
  void submit(Job& job) noexcept override { waiting_.push_back({&job, now_ + random_.below(6)}); }
  int concurrency() const noexcept override { return 2; }
  void drain() noexcept override { advance(1 << 30); }
  // What is complete at a tick runs in one of two orders, on this thread or another: neither may matter.
  void advance(int now) {
    now_ = now;
    const auto late =
        std::stable_partition(waiting_.begin(), waiting_.end(), [&](const auto& w) { return w.second <= now; });
    std::vector<std::pair<Job*, int>> ready(waiting_.begin(), late);
    waiting_.erase(waiting_.begin(), late);
    if (is_backwards_) {
      std::reverse(ready.begin(), ready.end());
      std::thread([&] { run(ready); }).join();
    } else {
      run(ready);
    }
  }

 private:
  static void run(const std::vector<std::pair<Job*, int>>& ready) {
    for (const auto& job : ready) {
      job.first->run();
    }
  }
  Random random_;
  bool is_backwards_;
  int now_ = 0;
  std::vector<std::pair<Job*, int>> waiting_;
};

class UnreliableLoader final : public PageLoader {
 public:
  UnreliableLoader(const SampleSource& source, std::uint64_t seed, int one_in)
      : inner_(source), seed_(seed), one_in_(one_in) {}
  const Lattice& lattice() const noexcept override { return inner_.lattice(); }
  std::size_t scratch_bytes() const noexcept override { return inner_.scratch_bytes(); }
  Result<void> load(Page& page) const override {
    const int attempt = ++attempts_[page.key.packed()];  // jobs of these tests never run side by side
    const std::uint64_t dice = hash(page.key.packed(), std::uint64_t(attempt), seed_);
    if (one_in_ > 0 && dice % std::uint64_t(one_in_) == 0) {
      std::fill(page.subsample.begin(), page.subsample.end(), std::uint16_t(65535));  // a load may leave rubbish
      switch (dice / 1000 % 3) {
        case 0:
          return io_error("planted: read failed");
        case 1:
          return data_error("planted: wrong checksum");
        default:
          page.subsample.resize(1000);
          return {};
      }
    }
    return inner_.load(page);
  }

 private:
  SourceLoader inner_;
  std::uint64_t seed_;
  int one_in_;
  mutable std::map<std::uint64_t, int> attempts_;
};

struct FlightCase {
  std::uint64_t seed;
  int cameras;
  double speed_m_s;
  bool has_jumps;
  int one_in;  // loads that fail
  std::size_t budget_bytes;
};

// Flies and checks; returns a digest of every update's residency.
std::uint64_t fly(const MemorySource& source, const FlightCase& flight, bool is_backwards, int check_every) {
  SCOPED_TRACE("seed " + std::to_string(flight.seed) + " cameras " + std::to_string(flight.cameras));
  const Bounds& bounds = source.bounds();
  const Lattice& lattice = source.lattice();
  const UnreliableLoader loader(source, flight.seed, flight.one_in);
  SlowJobs jobs(flight.seed, is_backwards);
  StreamOptions options;
  options.budget_bytes = flight.budget_bytes;
  options.jobs = &jobs;
  options.max_loads = 32;
  options.pinned_pages = 6;
  auto created = Streamer::create(loader, bounds, options);
  EXPECT_TRUE(created) << created.error().message;
  Streamer& streamer = **created;

  std::vector<FlightPath> paths;
  for (int camera = 0; camera < flight.cameras; ++camera) {
    paths.push_back(make_path(bounds, {.seconds = 10,
                                       .speed_m_s = flight.speed_m_s,
                                       .clearance_m = 30,
                                       .jump_every_s = flight.has_jumps ? 2.5 : 0,
                                       .seed = flight.seed * 10 + std::uint64_t(camera)}));
  }
  const Ranges ranges = make_ranges(160, {});
  const NodeResidency residency(streamer.atlas(), ranges.node_quads);
  CutWorkspace workspace;
  Cut cut;
  std::vector<PageKey> keys;
  std::uint64_t digest = 0;
  std::int64_t evictable = 0;
  for (int tick = 0; tick < 600; ++tick) {
    jobs.advance(tick);
    std::vector<View> views;
    std::vector<Viewpoint> cameras;
    for (const FlightPath& path : paths) {
      const Waypoint at = place_on(path, tick / 60.0);
      views.push_back({at.x_m, at.y_m, at.z_m, 1000, {}});
      cameras.push_back(viewpoint(views.back(), ranges));
    }
    streamer.update(cameras, tick / 60.0);
    const StreamStats& stats = streamer.stats();
    EXPECT_LE(stats.held_bytes, stats.budget_bytes);
    streamer.atlas().resident_keys(keys);
    for (const PageKey key : keys) {
      digest = hash(digest, key.packed(), 1);
      if (key.lod + 1 < lattice.lods() && !streamer.atlas().is_resident(stream::parent_key(key))) {
        ADD_FAILURE() << "a page without its parent at update " << tick;
        return 0;
      }
    }
    evictable = std::max(evictable, stats.evicted);
    if (check_every == 0 || tick % check_every != 0) {
      continue;
    }
    for (const PageKey key : keys) {
      if (streamer.atlas().find(key)->subsample != (*source.page(key))->subsample) {
        ADD_FAILURE() << "wrong heights at update " << tick;
        return 0;
      }
    }
    for (const View& view : views) {
      select_cut(bounds, view, ranges, workspace, cut, &residency);
      const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
      WorldMesher mesher(streamer.atlas(), bounds);
      EdgeCounter edges(lattice, anchor);
      for (const Node& node : cut.nodes) {
        EXPECT_TRUE(residency.is_resident(node.lod, node.x, node.z));
      }
      mesher.each_triangle(view, ranges, anchor, cut.nodes, true,
                           [&](const Corner& a, const Corner& b, const Corner& c) { edges.add(a, b, c); });
      const EdgeCounter::Report report = edges.report();
      EXPECT_EQ(report.cracks, 0) << report.first << " at update " << tick;
      EXPECT_EQ(report.misplaced, 0) << "at update " << tick;
      EXPECT_NEAR(edges.area(), lattice.width_m() * lattice.depth_m(), 1e-3 * lattice.width_m() * lattice.depth_m());
      if (stats.missing_pages == 0) {
        Cut ideal;
        select_cut(bounds, view, ranges, workspace, ideal);
        EXPECT_EQ(cut.nodes, ideal.nodes) << "full detail was claimed at update " << tick;
      }
    }
  }
  EXPECT_GT(evictable, 0) << "the budget was never tight";
  EXPECT_EQ(streamer.stats().failed > 0, flight.one_in > 0);
  return digest;
}

constexpr std::size_t kTight = std::size_t(4) << 20;

class Flights : public testing::Test {
 protected:
  static const MemorySource& field() {
    static const std::unique_ptr<MemorySource> source = make_field(Terrain::fractal, 3, lattice_of(1500, 1201));
    return *source;
  }
};

TEST_F(Flights, DrawClosedGroundWhateverHasArrived) {
  fly(field(), {1, 1, 300, false, 30, kTight}, false, 100);
  fly(field(), {9, 1, 3000, false, 30, kTight}, false, 100);
  fly(field(), {3, 3, 300, true, 30, kTight}, false, 150);
  fly(field(), {4, 1, 300, true, 3, kTight}, false, 100);
}

TEST_F(Flights, EqualTracesGiveEqualResidency) {
  for (std::uint64_t seed = 5; seed <= 8; ++seed) {
    const FlightCase flight{seed, seed % 2 == 0 ? 1 : 3, seed < 7 ? 300.0 : 3000.0, seed % 3 == 0, 50, kTight};
    const std::uint64_t first = fly(field(), flight, false, 0);
    EXPECT_NE(first, 0u);
    EXPECT_EQ(first, fly(field(), flight, true, 0)) << "seed " << seed;
  }
}

// Bytes of a store are damaged at random: pages that fail their checksum are reported and never drawn, the others are
// right, and the ground stays closed.
TEST(DamagedStores, DrawNoWrongHeight) {
  const Lattice lattice = lattice_of(769, 769);
  const std::vector<std::uint16_t> stops = terrain_field(Terrain::fractal, 5, lattice);
  const std::unique_ptr<MemorySource> truth = make_field(lattice, stops);
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / ("arete_damaged_" + std::to_string(::getpid()) + ".arete");
  {
    auto writer = TileStoreWriter::create(path, lattice, {});
    ASSERT_TRUE(writer) << writer.error().message;
    const auto rows = [&](std::int32_t z, std::span<std::uint16_t> row) -> Result<void> {
      std::copy_n(stops.begin() + std::ptrdiff_t(z) * lattice.stops_x, row.size(), row.begin());
      return {};
    };
    auto bounds = build_pages(lattice, rows, **writer);
    ASSERT_TRUE(bounds) << bounds.error().message;
    ASSERT_TRUE((*writer)->finish(*bounds, {}));
  }
  std::ifstream whole(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(whole), {}};
  int opened = 0;
  std::int64_t failed = 0;
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    std::string damaged = bytes;
    for (int i = 0; i < 4; ++i) {
      damaged[std::size_t(random.unit() * double(damaged.size()))] ^= char(1 + random.below(255));
    }
    std::ofstream(path, std::ios::binary) << damaged;
    const auto store = TileStore::open(path, 0);
    if (!store) {
      continue;
    }
    SlowJobs jobs(seed, false);
    StreamOptions options;
    options.budget_bytes = std::size_t(12) << 20;
    options.jobs = &jobs;
    const auto streamer = Streamer::create(**store, (*store)->bounds(), options);
    if (!streamer) {
      continue;  // the coarsest page itself is damaged: refused in words
    }
    ++opened;
    const Viewpoint camera{400, 300, 600, make_ranges(300, {})};
    std::vector<PageKey> keys;
    for (int tick = 0; tick < 30; ++tick) {
      jobs.advance(tick);
      (*streamer)->update({&camera, 1}, tick / 60.0);
      (*streamer)->atlas().resident_keys(keys);
      for (const PageKey key : keys) {
        const Page& page = *(*streamer)->atlas().find(key);
        const Page& right = **truth->page(key);
        ASSERT_EQ(page.subsample, right.subsample);
        ASSERT_EQ(page.max, right.max);
      }
    }
    failed += (*streamer)->stats().failed;
  }
  std::filesystem::remove(path);
  EXPECT_GT(opened, 10);
  EXPECT_GT(failed, 5);
}

// The height under a camera is lod 0's or "not loaded", never a coarser one's.
TEST_F(Flights, HeightsComeFromTheFinestPagesOrNotAtAll) {
  SlowJobs jobs(1, false);
  StreamOptions options;
  options.budget_bytes = std::size_t(12) << 20;
  options.jobs = &jobs;
  const std::unique_ptr<Streamer> streamer = std::move(Streamer::create(field(), field().bounds(), options).value());
  const Viewpoint camera{700, 300, 800, make_ranges(160, {})};
  int surface = 0, not_loaded = 0;
  for (int tick = 0; tick < 40; ++tick) {
    jobs.advance(tick);
    streamer->update({&camera, 1}, tick / 60.0);
    for (int i = 0; i < 50; ++i) {
      const double x = 650.25 + 2.5 * i, z = 760.5 + 1.75 * i;
      const Result<HeightAnswer> now = height_at(streamer->atlas(), x, z);
      ASSERT_TRUE(now) << now.error().message;
      if (now->ground == Ground::not_loaded) {
        ++not_loaded;
        continue;
      }
      ASSERT_EQ(now->ground, Ground::surface);
      ASSERT_EQ(now->y_m, height_at(field(), x, z)->y_m);
      ++surface;
    }
  }
  EXPECT_GT(not_loaded, 0);
  EXPECT_GT(surface, 1000);
  EXPECT_EQ(height_at(streamer->atlas(), 20, 20)->ground, Ground::not_loaded);
}

}  // namespace
}  // namespace arete::test
