// Flights through the streamer over a large store, and what they must show: no update that waits, no byte over the
// budget, no crack and no wrong sample in sampled frames, whatever the loads' latency and failures.
//
//   bench_stream_flight STORE [--size STOPS] [--budget MIB] [--real SECONDS] [--virtual SECONDS] [--check-every
//   SECONDS]
//                       [--only TEXT]
//
// STORE is baked first when it is absent. Three tables: plain reads and loads of the same bytes; virtual flights with
// injected latency; real flights, which keep to the clock with two loading threads and time update(). One load in a
// hundred fails in all of them.
// `--only` runs the rows whose name holds TEXT. Exit code 1: something that must be zero is not.
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "arete/stream.h"
#include "stream_field.h"
#include "support/watertight.h"

namespace arete::bench {
namespace {

struct Settings {
  std::filesystem::path store;
  std::int32_t size = 32769;
  std::size_t budget_mib = 64;
  double real_s = 60;
  double virtual_s = 600;
  double check_every_s = 200;
  std::string only;
};

// One load in a hundred fails: a read error, a short read or a wrong checksum.
class FailingLoader final : public PageLoader {
 public:
  explicit FailingLoader(const SampleSource& source) : inner_(source) {}
  const Lattice& lattice() const noexcept override { return inner_.lattice(); }
  std::size_t scratch_bytes() const noexcept override { return inner_.scratch_bytes(); }
  Result<void> load(Page& page) const override {
    const std::uint64_t dice = (page.key.packed() + 31 * ++loads_) * 0x9e3779b97f4a7c15ull >> 20;
    if (dice % 100 != 0) {
      return inner_.load(page);
    }
    std::fill(page.subsample.begin(), page.subsample.end(), std::uint16_t(65535));
    switch (dice / 100 % 3) {
      case 0:
        return io_error("planted: read failed");
      case 1:
        return data_error("planted: wrong checksum");
      default:
        page.subsample.resize(page.subsample.size() / 2);
        return {};
    }
  }

 private:
  SourceLoader inner_;
  mutable std::atomic<std::uint64_t> loads_{0};
};

struct Scenario {
  const char* name;
  double speed_m_s;
  double jump_every_s;
};
constexpr Scenario kScenarios[] = {{"300 m/s", 300, 0}, {"5 km/s", 5000, 0}, {"teleports", 300, 10}};

struct Row {
  bool is_virtual = false;
  bool is_cold = false;
  double latency_s = 0;
  const Scenario* scenario = nullptr;
  int cameras = 1;

  std::string name() const {
    const std::string time = is_virtual ? "virtual, " + std::to_string(int(latency_s * 1000)) + " ms" : "real";
    const std::string cache = is_virtual ? "" : is_cold ? ", cold" : ", warm";
    return time + cache + " | " + scenario->name + " | " + std::to_string(cameras);
  }
};

struct Checks {
  std::int64_t frames = 0, triangles = 0, cracks = 0, gaps = 0, wrong_pages = 0;
};

void check_samples(const TileStore& store, const Atlas& atlas, Checks& checks) {
  std::vector<PageKey> keys;
  atlas.resident_keys(keys);
  for (const PageKey key : keys) {
    const Page& resident = *atlas.find(key);
    const auto truth = store.page(key);
    const bool is_right = truth && resident.subsample == (*truth)->subsample && resident.max == (*truth)->max;
    checks.wrong_pages += is_right ? 0 : 1;
  }
}

// One camera's frame, of all cameras in turn.
void check_frame(const TileStore& store, const FlightMoment& moment, Checks& checks) {
  static CutWorkspace workspace;
  const Lattice& lattice = store.lattice();
  check_samples(store, moment.streamer->atlas(), checks);
  const std::size_t camera = std::size_t(checks.frames) % moment.views.size();
  const View& view = moment.views[camera];
  const Ranges& ranges = moment.ranges[camera];
  const NodeResidency residency(moment.streamer->atlas(), ranges.node_quads);
  Cut cut;
  select_cut(store.bounds(), view, ranges, workspace, cut, &residency);
  const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
  test::WorldMesher mesher(moment.streamer->atlas(), store.bounds());
  test::EdgeCounter edges(lattice, anchor);
  mesher.each_triangle(
      view, ranges, anchor, cut.nodes, true,
      [&](const test::Corner& a, const test::Corner& b, const test::Corner& c) { edges.add(a, b, c); });
  const test::EdgeCounter::Report report = edges.report();
  ++checks.frames;
  checks.triangles += edges.triangles;
  checks.cracks += report.cracks;
  const double area = lattice.width_m() * lattice.depth_m();
  checks.gaps += report.misplaced + (std::abs(edges.area() - area) > 1e-4 * area ? 1 : 0);
}

FlightReport fly(const PageLoader& loader, const TileStore& store, const Settings& settings, const Row& row,
                 Checks& checks) {
  std::vector<FlightPath> paths;
  paths.reserve(std::size_t(row.cameras));
  for (int camera = 0; camera < row.cameras; ++camera) {
    paths.push_back(make_path(store.bounds(), {.seconds = row.is_virtual ? settings.virtual_s : settings.real_s,
                                               .speed_m_s = row.scenario->speed_m_s,
                                               .clearance_m = 60,
                                               .jump_every_s = row.scenario->jump_every_s,
                                               .seed = std::uint64_t(camera) + 1}));
  }
  FlightOptions options;
  options.stream.budget_bytes = settings.budget_mib << 20;
  options.is_virtual = row.is_virtual;
  options.latency_s = row.latency_s;
  const std::int64_t every = std::int64_t(settings.check_every_s * options.updates_per_second);
  const auto on_update = [&](const FlightMoment& moment) -> Result<void> {
    if (row.is_virtual && every > 0 && moment.update % every == every / 2) {
      check_frame(store, moment, checks);
    }
    return {};
  };
  auto report = run_flight(loader, store.bounds(), paths, options, on_update);
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    std::exit(1);
  }
  return std::move(*report);
}

constexpr double kFrame_us = 1e6 / 60;

std::string after_jumps(const FlightReport& report) {
  char text[64] = "-";
  if (report.recoveries > 0) {
    std::snprintf(text, sizeof text, "%.2f / %.2f", report.detail_after_jump_mean_s, report.detail_after_jump_max_s);
  }
  return text;
}

void print(const Row& row, const FlightReport& report, const Checks& checks) {
  const StreamStats& stats = report.stats;
  const double full_percent = 100.0 * double(report.full_detail_updates) / double(report.updates);
  if (row.is_virtual) {
    std::printf("| %s | %lld | %lld | %.1f | %lld | %lld | %.1f | %lld | %lld | %lld | %lld | %.1f | %s |\n",
                row.name().c_str(), static_cast<long long>(report.blocked_updates),
                static_cast<long long>(report.over_budget_updates),
                100.0 * double(report.most_held_bytes) / double(stats.budget_bytes),
                static_cast<long long>(stats.placed), static_cast<long long>(stats.failed),
                double(checks.triangles) * 1e-6, static_cast<long long>(checks.frames),
                static_cast<long long>(checks.cracks), static_cast<long long>(checks.gaps),
                static_cast<long long>(checks.wrong_pages), full_percent, after_jumps(report).c_str());
  } else {
    std::printf("| %s | %lld | %lld | %.0f | %.0f | %.0f | %.2f | %.0f | %.0f | %.2f | %.1f | %.0f | %s |\n",
                row.name().c_str(), static_cast<long long>(report.blocked_updates),
                static_cast<long long>(report.preempted_updates), report.update_cpu_p50_us, report.update_cpu_p999_us,
                report.update_cpu_max_us, 100 * report.update_cpu_p999_us / kFrame_us, report.update_p50_us,
                report.update_p999_us, 100 * report.update_p999_us / kFrame_us, full_percent, report.pages_per_s,
                after_jumps(report).c_str());
  }
  std::fflush(stdout);
}

void print_head(std::initializer_list<const char*> columns) {
  std::printf("\n|");
  for (const char* column : columns) {
    std::printf(" %s |", column);
  }
  std::printf("\n|");
  for (std::size_t i = 0; i < columns.size(); ++i) {
    std::printf("---|");
  }
  std::printf("\n");
}

void print_reads(const TileStore& store, const Settings& settings) {
  constexpr std::int64_t kCount = 20000;
  const std::uint64_t file_bytes = std::filesystem::file_size(settings.store);
  const auto statistics = store.statistics();
  const std::size_t blob = std::size_t(file_bytes) / std::size_t(std::max<std::int64_t>(statistics->pages, 1));
  std::printf("%lld pages, %.1f MB, %zu bytes a page\n", static_cast<long long>(statistics->pages),
              double(file_bytes) * 1e-6, blob);
  print_head({"reads", "threads", "plain, pages/s", "loads, pages/s", "loads / plain"});
  for (const bool is_cold : {true, false}) {
    for (const int threads : {1, 2}) {
      if (is_cold) forget_cached(settings.store);
      const double plain = plain_reads_per_s(settings.store, blob, kCount, threads);
      if (is_cold) forget_cached(settings.store);
      const double loads = loads_per_s(store, kCount, threads);
      std::printf("| %s | %d | %.0f | %.0f | %.2f |\n", is_cold ? "cold" : "warm", threads, plain, loads,
                  loads / plain);
    }
  }
}

int run(const Settings& settings) {
  const std::unique_ptr<TileStore> store = open_or_bake(settings.store, settings.size);
  if (std::string("reads").find(settings.only) != std::string::npos) {
    print_reads(*store, settings);
  }
  const FailingLoader loader(*store);
  std::int64_t faults = 0;
  for (const bool is_virtual : {true, false}) {
    if (is_virtual) {
      print_head({"loads", "flight", "cameras", "blocked", "over budget", "held, % of budget", "pages placed",
                  "loads failed", "M triangles", "frames", "cracks", "gaps", "wrong pages", "full detail, % of updates",
                  "after a teleport, s mean / max"});
    } else {
      print_head({"loads", "flight", "cameras", "blocked", "preempted", "own p50, us", "own p99.9, us", "own max, us",
                  "own p99.9, % of a frame", "clock p50, us", "clock p99.9, us", "clock p99.9, % of a frame",
                  "full detail, % of updates", "pages/s", "after a teleport, s mean / max"});
    }
    for (const bool is_cold : {true, false}) {
      for (const double latency_s : {0.0, 0.05}) {
        for (const Scenario& scenario : kScenarios) {
          for (const int cameras : {1, 3}) {
            const Row row{is_virtual, is_cold, latency_s, &scenario, cameras};
            // Real loads take the time that they take; virtual ones do not know where their bytes come from.
            const bool is_other = is_virtual ? is_cold : latency_s > 0;
            if (is_other || row.name().find(settings.only) == std::string::npos) {
              continue;
            }
            if (is_cold) forget_cached(settings.store);
            Checks checks;
            const FlightReport report = fly(loader, *store, settings, row, checks);
            print(row, report, checks);
            faults +=
                report.blocked_updates + report.over_budget_updates + checks.cracks + checks.gaps + checks.wrong_pages;
          }
        }
      }
    }
  }
  return faults == 0 ? 0 : 1;
}

}  // namespace
}  // namespace arete::bench

int main(int count, char** arguments) {
  arete::bench::Settings settings;
  bool is_known = true;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    const char* text = i + 1 < count ? arguments[i + 1] : "";
    const double value = std::atof(text);
    if (name == "--size")
      settings.size = std::int32_t(value), ++i;
    else if (name == "--budget")
      settings.budget_mib = std::size_t(value), ++i;
    else if (name == "--real")
      settings.real_s = value, ++i;
    else if (name == "--virtual")
      settings.virtual_s = value, ++i;
    else if (name == "--check-every")
      settings.check_every_s = value, ++i;
    else if (name == "--only")
      settings.only = text, ++i;
    else if (settings.store.empty() && !name.starts_with("-"))
      settings.store = name;
    else
      is_known = false;
  }
  if (settings.store.empty() || !is_known) {
    std::fprintf(stderr,
                 "usage: bench_stream_flight STORE [--size STOPS] [--budget MIB] [--real S] [--virtual S] "
                 "[--check-every S] [--only TEXT]\n");
    return 2;
  }
  return arete::bench::run(settings);
}
