// The GPU's mesh kernel: the same words as the CPU's, and how fast beside a plain fill of the same bytes.
//
// usage: bench_vulkan_mesher [--verify VERTICES] [--device NAME] [--software]
// Times are GPU timestamps around all that TerrainMesher::record records (record copies, barriers, the build), the
// median of 31 submissions after 5 that warm up.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>

#include "arete/cut.h"
#include "arete/mesh.h"
#include "arete/tiles.h"
#include "arete/vulkan.h"
#include "support/terrain.h"
#include "vulkan/commands.h"
#include "vulkan/memory.h"

namespace {

using namespace arete;
using namespace arete::vulkan;

[[noreturn]] void fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.message.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result) fail(result.error());
  return std::move(*result);
}

void must(Result<void> result) {
  if (!result) fail(result.error());
}

std::unique_ptr<MemorySource> make_field(test::Terrain kind, std::int32_t stops, std::uint64_t seed, bool has_kappas) {
  Lattice lattice;
  lattice.stops_x = stops;
  lattice.stops_z = stops;
  lattice.registration = seed % 2 == 0 ? Registration::area : Registration::point;
  lattice.spacing_x_m = 10;
  lattice.spacing_z_m = 12.5;
  lattice.base_m = -1024;
  lattice.step_m = 0.0625;
  auto source = must(MemorySource::build(lattice, test::terrain_field(kind, seed, lattice)));
  if (has_kappas) {
    Bounds& bounds = source->bounds();
    for (int lod = 1; lod < lattice.lods(); ++lod) {
      for (int z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
        for (int x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x) {
          bounds.at(lod, x, z).kappa = std::uint8_t(test::hash(std::uint64_t(x), std::uint64_t(z), seed) % 6);
        }
      }
    }
    bounds.finish();
  }
  return source;
}

bool verify(const DeviceOptions& device, std::int64_t vertices) {
  const std::pair<const char*, test::Terrain> kinds[] = {{"random", test::Terrain::random},
                                                         {"cliff", test::Terrain::cliff},
                                                         {"fractal", test::Terrain::fractal},
                                                         {"smooth", test::Terrain::smooth},
                                                         {"holes", test::Terrain::holes}};
  std::int64_t compared = 0, differing = 0;
  std::uint64_t seed = 1;
  std::printf("terrain   plane      ranges  vertices     words          differing  digest\n");
  for (const auto& [name, kind] : kinds) {
    const bool has_kappas = kind != test::Terrain::fractal && kind != test::Terrain::holes;
    const auto source = make_field(kind, 1500, seed + (kind == test::Terrain::cliff ? 1 : 0), has_kappas);
    for (const auto plane : {HeightPlane::subsample, HeightPlane::max}) {
      MesherComparisonOptions options;
      options.device = device;
      options.vertices = vertices / 10;
      options.seed = seed++;
      options.plane = plane;
      const MesherComparison result = must(compare_meshers(*source, source->bounds(), options));
      compared += result.vertices;
      differing += result.differing_words;
      std::printf("%-9s %-10s %-7s %-12lld %-14lld %-10lld %016llx%s\n", name,
                  plane == HeightPlane::max ? "max" : "subsample", has_kappas ? "local" : "global",
                  static_cast<long long>(result.vertices), static_cast<long long>(result.words),
                  static_cast<long long>(result.differing_words), static_cast<unsigned long long>(result.digest),
                  result.is_rounding_fixed ? "" : " (rounding not promised)");
      if (!result.first_difference.empty()) std::printf("  %s\n", result.first_difference.c_str());
      std::fflush(stdout);
    }
  }
  std::printf("%lld vertices compared, %lld words differ\n\n", static_cast<long long>(compared),
              static_cast<long long>(differing));
  return differing == 0;
}

// GPU milliseconds of what `record` puts into a command buffer.
class Timer {
 public:
  explicit Timer(const Gpu& gpu) : gpu_(gpu), runner_(must(CommandRunner::create(gpu))) {
    VkQueryPoolCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
    info.queryType = VK_QUERY_TYPE_TIMESTAMP;
    info.queryCount = 2;
    must(check(gpu.functions.CreateQueryPool(gpu.device, &info, nullptr, &queries_), "creating a query pool"));
  }
  ~Timer() { gpu_.functions.DestroyQueryPool(gpu_.device, queries_, nullptr); }
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;

  double median_ms(const std::function<void(VkCommandBuffer)>& record) {
    std::vector<double> times;
    for (int i = 0; i < 36; ++i) {
      const VkCommandBuffer commands = must(runner_.begin());
      gpu_.functions.CmdResetQueryPool(commands, queries_, 0, 2);
      gpu_.functions.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_, 0);
      record(commands);
      gpu_.functions.CmdWriteTimestamp2(commands, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT, queries_, 1);
      must(runner_.submit_and_wait());
      std::uint64_t ticks[2] = {};
      must(check(gpu_.functions.GetQueryPoolResults(gpu_.device, queries_, 0, 2, sizeof ticks, ticks, 8,
                                                    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT),
                 "reading timestamps"));
      if (i >= 5) times.push_back(double(ticks[1] - ticks[0]) * gpu_.limits.timestampPeriod * 1e-6);
    }
    std::sort(times.begin(), times.end());
    return times[times.size() / 2];
  }

 private:
  const Gpu& gpu_;
  CommandRunner runner_;
  VkQueryPool queries_ = VK_NULL_HANDLE;
};

// The cut of a camera over the field's middle with about `nodes` drawn nodes.
struct Chosen {
  Cut cut;
  kernel::FrameConstants frame;
};
Chosen choose(const MemorySource& source, std::size_t nodes) {
  const Lattice& lattice = source.lattice();
  View view;
  view.eye_x_m = lattice.width_m() / 2 + 3;
  view.eye_z_m = lattice.depth_m() / 2 + 7;
  view.eye_y_m = lattice.height_m(source.bounds().field_max);
  CutWorkspace workspace;
  Chosen chosen;
  double low = 1, high = 1e7;
  for (int step = 0; step < 40; ++step) {
    const double middle = std::sqrt(low * high);
    const Ranges ranges = make_ranges(middle, RangeOptions{});
    select_cut(source.bounds(), view, ranges, workspace, chosen.cut);
    chosen.frame = make_frame(source.bounds(), view, ranges, {});
    (chosen.cut.drawn.size() < nodes ? low : high) = middle;
  }
  return chosen;
}

void measure(const DeviceOptions& device, std::int32_t stops, std::size_t many_nodes) {
  const auto context = must(Context::open(device));
  const Gpu& gpu = context->gpu();
  Timer timer(gpu);
  const auto source = make_field(test::Terrain::fractal, stops, 3, false);
  std::printf("%s; a fractal of %d x %d samples, nodes of 32 quads\n", context->device_name().c_str(), stops, stops);
  std::printf("layout   stores   nodes   MB       ms        GB/s     of fill\n");
  for (const kernel::VertexLayout& layout : {engine_layout(), compact_layout()}) {
    for (const std::size_t nodes : {std::size_t(500), many_nodes}) {
      const Chosen chosen = choose(*source, nodes);
      const std::size_t drawn = chosen.cut.drawn.size();
      const double bytes = double(drawn) * node_slot_vertices(32) * layout.stride_words * 4;
      const char* name = layout.stride_words == 23 ? "engine" : "compact";
      auto filled = must(Buffer::create(gpu, VkDeviceSize(bytes), VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::device,
                                        "a fill to compare"));
      const double fill_ms = timer.median_ms([&](VkCommandBuffer commands) {
        gpu.functions.CmdFillBuffer(commands, filled.handle(), 0, VK_WHOLE_SIZE, 0x3f800000);
      });
      const auto line = [&](const char* stores, double ms) {
        std::printf("%-8s %-8s %-7zu %-8.1f %-9.4f %-8.0f %.0f %%\n", name, stores, drawn, bytes * 1e-6, ms,
                    bytes * 1e-6 / ms, 100 * fill_ms / ms);
        std::fflush(stdout);
      };
      line("fill", fill_ms);
      for (const bool stores_directly : {false, true}) {
        TerrainMesherOptions options;
        options.layout = layout;
        options.pool_nodes = std::uint32_t(drawn);
        options.page_slots = 2048;
        options.page_uploads = 2048;
        options.rebuilds_all = true;
        options.frames_in_flight = 1;
        options.stores_directly = stores_directly;
        const auto mesher = must(TerrainMesher::create(context->borrowed(), source->bounds(), options));
        double host_ms = 0;
        const auto record_ms = [&](const Cut& cut) {
          return timer.median_ms([&](VkCommandBuffer commands) {
            const auto start = std::chrono::steady_clock::now();
            must(mesher->record(commands, *source, cut, chosen.frame));
            host_ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
          });
        };
        const double ms = record_ms(chosen.cut);
        const double recording_ms = host_ms;
        Cut one = chosen.cut;
        one.drawn.resize(1);
        line(stores_directly ? "direct" : "staged", ms);
        std::printf("  recording took the host %.3f ms; a frame of one node takes the device %.4f ms\n", recording_ms,
                    record_ms(one));
      }
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  DeviceOptions device;
  std::int64_t vertices = 2000000;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--software") {
      device.software = true;
    } else if (argument == "--device" && i + 1 < argc) {
      device.device = argv[++i];
    } else if (argument == "--verify" && i + 1 < argc) {
      vertices = std::atoll(argv[++i]);
    } else {
      std::fprintf(stderr, "usage: %s [--verify VERTICES] [--device NAME] [--software]\n", argv[0]);
      return 2;
    }
  }
  const bool is_equal = verify(device, vertices);
  measure(device, 4097, 4500);
  return is_equal ? 0 : 1;
}
