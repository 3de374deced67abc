// Flights through the streamer over a large store: update() times, pages a second beside plain reads of the same bytes,
// time to full detail after a jump, and cracks in sampled frames.
//
//   bench_stream_flight STORE [--size STOPS] [--budget MIB] [--real SECONDS] [--virtual SECONDS] [--check-every
//   SECONDS]
//
// STORE is baked first when it is absent. Real flights keep to the clock with two loading threads; virtual ones have
// injected latency and failing loads, and as many updates a second as the processor makes.
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
  double real_s = 20;
  double virtual_s = 60;
  double check_every_s = 10;
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
constexpr Scenario kScenarios[] = {{"300 m/s", 300, 0}, {"5 km/s", 5000, 0}, {"jumps", 300, 10}};

struct Checks {
  std::int64_t frames = 0, triangles = 0, cracks = 0, gaps = 0;
};

void check_frame(const TileStore& store, const FlightMoment& moment, Checks& checks) {
  static CutWorkspace workspace;
  const Lattice& lattice = store.lattice();
  for (std::size_t camera = 0; camera < moment.views.size(); ++camera) {
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
}

void print(const char* kind, const Scenario& scenario, int cameras, const FlightReport& report, const Checks& checks) {
  std::printf(
      "%-22s %-8s %d  p50 %5.0f p99 %5.0f p99.9 %5.0f max %6.0f us  cpu p50 %.0f p99.9 %.0f max %.0f us  blocked %lld  "
      "held %.1f MiB over %lld  full %5.1f "
      "%%"
      "  missing %.2f  placed %lld failed %lld cancelled %lld in vain %lld",
      kind, scenario.name, cameras, report.update_p50_us, report.update_p99_us, report.update_p999_us,
      report.update_max_us, report.update_cpu_p50_us, report.update_cpu_p999_us, report.update_cpu_max_us,
      static_cast<long long>(report.blocked_updates), double(report.most_held_bytes) / (1 << 20),
      static_cast<long long>(report.over_budget_updates),
      100.0 * double(report.full_detail_updates) / double(report.updates), report.mean_missing_pages,
      static_cast<long long>(report.stats.placed), static_cast<long long>(report.stats.failed),
      static_cast<long long>(report.stats.cancelled), static_cast<long long>(report.stats.discarded));
  if (report.jumps > 0) {
    std::printf("  %lld jumps, full detail again %lld times after %.3f s mean %.3f s max",
                static_cast<long long>(report.jumps), static_cast<long long>(report.recoveries),
                report.detail_after_jump_mean_s, report.detail_after_jump_max_s);
  }
  if (checks.frames > 0) {
    std::printf("  %lld frames %.1f M triangles cracks %lld gaps %lld", static_cast<long long>(checks.frames),
                double(checks.triangles) * 1e-6, static_cast<long long>(checks.cracks),
                static_cast<long long>(checks.gaps));
  }
  std::printf("\n");
  std::fflush(stdout);
}

FlightReport fly(const PageLoader& loader, const TileStore& store, const Settings& settings, const Scenario& scenario,
                 int cameras, bool is_virtual, double latency_s, Checks& checks) {
  std::vector<FlightPath> paths;
  for (int camera = 0; camera < cameras; ++camera) {
    paths.push_back(make_path(store.bounds(), {.seconds = is_virtual ? settings.virtual_s : settings.real_s,
                                               .speed_m_s = scenario.speed_m_s,
                                               .clearance_m = 60,
                                               .jump_every_s = scenario.jump_every_s,
                                               .seed = std::uint64_t(camera) + 1}));
  }
  FlightOptions options;
  options.stream.budget_bytes = settings.budget_mib << 20;
  options.is_virtual = is_virtual;
  options.latency_s = latency_s;
  const std::int64_t every = std::int64_t(settings.check_every_s * options.updates_per_second);
  const auto on_update = [&](const FlightMoment& moment) {
    if (is_virtual && every > 0 && moment.update % every == every / 2) {
      check_frame(store, moment, checks);
    }
  };
  auto report = run_flight(loader, store.bounds(), paths, options, on_update);
  if (!report) {
    std::fprintf(stderr, "%s\n", report.error().message.c_str());
    std::exit(1);
  }
  return std::move(*report);
}

void print_floors(const TileStore& store, const Settings& settings) {
  const std::int64_t count = 20000;
  const std::uint64_t file_bytes = std::filesystem::file_size(settings.store);
  const auto statistics = store.statistics();
  const std::size_t blob = std::size_t(file_bytes) / std::size_t(std::max<std::int64_t>(statistics->pages, 1));
  std::printf("%lld pages, %.1f MB, %zu bytes a page\n", static_cast<long long>(statistics->pages),
              double(file_bytes) * 1e-6, blob);
  for (const bool is_cold : {true, false}) {
    for (const int threads : {1, 2}) {
      if (is_cold) forget_cached(settings.store);
      const double plain = plain_reads_per_s(settings.store, blob, count, threads);
      if (is_cold) forget_cached(settings.store);
      const double loads = loads_per_s(store, count, threads);
      std::printf("%s, %d threads: plain reads %.0f pages/s, loads (read, check, decode) %.0f pages/s\n",
                  is_cold ? "cold" : "warm", threads, plain, loads);
    }
  }
}

int run(const Settings& settings) {
  const std::unique_ptr<TileStore> store = open_or_bake(settings.store, settings.size);
  print_floors(*store, settings);
  const SourceLoader plain(*store);
  const FailingLoader failing(*store);
  for (const bool is_cold : {true, false}) {
    for (const Scenario& scenario : kScenarios) {
      for (const int cameras : {1, 3}) {
        if (is_cold) forget_cached(settings.store);
        Checks none;
        print(is_cold ? "real, cold" : "real, warm", scenario, cameras,
              fly(plain, *store, settings, scenario, cameras, false, 0, none), none);
      }
    }
  }
  bool is_right = true;
  for (const double latency_s : {0.0, 0.05}) {
    for (const Scenario& scenario : kScenarios) {
      for (const int cameras : {1, 3}) {
        Checks checks;
        const FlightReport report = fly(failing, *store, settings, scenario, cameras, true, latency_s, checks);
        print(latency_s == 0 ? "virtual, 1 % fail" : "virtual, 50 ms, 1 %", scenario, cameras, report, checks);
        is_right = is_right && checks.cracks + checks.gaps + report.over_budget_updates == 0;
      }
    }
  }
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace arete::bench

int main(int count, char** arguments) {
  arete::bench::Settings settings;
  for (int i = 1; i < count; ++i) {
    const std::string name = arguments[i];
    const double value = i + 1 < count ? std::atof(arguments[i + 1]) : 0;
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
    else
      settings.store = name;
  }
  if (settings.store.empty()) {
    std::fprintf(
        stderr,
        "usage: bench_stream_flight STORE [--size STOPS] [--budget MIB] [--real S] [--virtual S] [--check-every S]\n");
    return 2;
  }
  return arete::bench::run(settings);
}
