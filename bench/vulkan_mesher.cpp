// The GPU's mesh kernel: the same words as the CPU's, and how fast beside a plain fill of the same bytes.
//
// usage: bench_vulkan_mesher [--verify VERTICES] [--device NAME] [--software]
// Times are GPU timestamps around all that TerrainMesher::record records: record copies, barriers, the build. They are
// of one frame of several in a row, the fill's likewise, and of one behind fills that leave the caches cold.
#include <algorithm>
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
#include "gpu_timer.h"
#include "support/made_pages.h"
#include "support/terrain.h"
#include "support/wide_layout.h"
#include "vulkan/mesher_frame.h"

namespace {

using namespace arete;
using namespace arete::vulkan;

enum class Kappas { none, built, random };

std::unique_ptr<MemorySource> make_field(test::Terrain kind, std::int32_t stops, std::uint64_t seed, Kappas kappas) {
  Lattice lattice;
  lattice.stops_x = stops;
  lattice.stops_z = stops;
  lattice.registration = seed % 2 == 0 ? Registration::area : Registration::point;
  lattice.spacing_x_m = 10;
  lattice.spacing_z_m = 12.5;
  lattice.base_m = -1024;
  lattice.step_m = 0.0625;
  auto source = must(MemorySource::build(lattice, test::terrain_field(kind, seed, lattice)));
  if (kappas != Kappas::built) {
    Bounds& bounds = source->bounds();
    test::each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
      const std::uint64_t kappa = test::hash(std::uint64_t(x), std::uint64_t(z), seed) % 6;
      bounds.at(lod, x, z).kappa = kappas == Kappas::random ? std::uint8_t(kappa) : std::uint8_t(0);
    });
    bounds.finish();
  }
  return source;
}

struct NamedLayout {
  const char* name;
  kernel::VertexLayout layout;
};
std::vector<NamedLayout> layouts() {
  return {{"engine", engine_layout()}, {"compact", compact_layout()}, {"wide", test::wide_layout()}};
}

bool verify(const DeviceOptions& device, std::int64_t vertices) {
  const std::pair<const char*, test::Terrain> kinds[] = {{"random", test::Terrain::random},
                                                         {"cliff", test::Terrain::cliff},
                                                         {"fractal", test::Terrain::fractal},
                                                         {"smooth", test::Terrain::smooth},
                                                         {"holes", test::Terrain::holes}};
  std::int64_t compared = 0, words = 0, differing = 0;
  std::uint64_t seed = 1;
  std::printf("terrain   plane      ranges  layout   vertices    words         differing  digest\n");
  for (const auto& [name, kind] : kinds) {
    const bool has_kappas = kind != test::Terrain::fractal && kind != test::Terrain::holes;
    const Kappas kappas = has_kappas ? Kappas::random : Kappas::none;
    const auto source = make_field(kind, 1500, seed + (kind == test::Terrain::cliff ? 1 : 0), kappas);
    for (const auto plane : {HeightPlane::subsample, HeightPlane::max}) {
      for (const NamedLayout& layout : layouts()) {
        MesherComparisonOptions options;
        options.device = device;
        options.vertices = vertices / 30;
        options.seed = seed++;
        options.plane = plane;
        options.layout = layout.layout;
        const MesherComparison result = must(compare_meshers(*source, source->bounds(), options));
        compared += result.vertices;
        words += result.words;
        differing += result.differing_words;
        std::printf("%-9s %-10s %-7s %-8s %-11lld %-13lld %-10lld %016llx%s\n", name,
                    plane == HeightPlane::max ? "max" : "subsample", has_kappas ? "local" : "global", layout.name,
                    static_cast<long long>(result.vertices), static_cast<long long>(result.words),
                    static_cast<long long>(result.differing_words), static_cast<unsigned long long>(result.digest),
                    result.is_rounding_fixed ? "" : " (rounding not promised)");
        if (!result.first_difference.empty()) std::printf("  %s\n", result.first_difference.c_str());
        std::fflush(stdout);
      }
    }
  }
  std::printf("%lld vertices, %lld words compared, %lld differ\n\n", static_cast<long long>(compared),
              static_cast<long long>(words), static_cast<long long>(differing));
  return differing == 0;
}

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

void measure(const Context& context, bool is_software, std::int32_t stops, std::size_t many_nodes, Kappas kappas) {
  const Gpu& gpu = context.gpu();
  GpuTimer timer(gpu, is_software);
  const auto source = make_field(test::Terrain::fractal, stops, 3, kappas);
  std::printf("%s; a fractal of %d x %d samples, nodes of 32 quads, %s ranges\n", context.device_name().c_str(), stops,
              stops, kappas == Kappas::none ? "global" : "local");
  std::printf("layout   stores   nodes   MB       ms        GB/s     of fill  behind fills\n");
  for (const NamedLayout& named : layouts()) {
    for (const std::size_t nodes : {std::size_t(500), many_nodes}) {
      const Chosen chosen = choose(*source, nodes);
      const std::size_t drawn = chosen.cut.drawn.size();
      const double bytes = double(drawn) * node_slot_vertices(32) * named.layout.stride_words * 4;
      auto filled = must(Buffer::create(gpu, VkDeviceSize(bytes), VK_BUFFER_USAGE_TRANSFER_DST_BIT, MemoryKind::device,
                                        "a fill to compare"));
      const auto fill = [&](VkCommandBuffer commands) {
        gpu.functions.CmdFillBuffer(commands, filled.handle(), 0, VK_WHOLE_SIZE, 0x3f800000);
      };
      const double fill_ms = timer.steady_ms(fill);
      const auto line = [&](const char* stores, const std::function<void(VkCommandBuffer)>& record) {
        const double ms = timer.steady_ms(record);
        std::printf("%-8s %-8s %-7zu %-8.1f %-9.4f %-8.0f %-4.0f %%   %.4f ms\n", named.name, stores, drawn,
                    bytes * 1e-6, ms, bytes * 1e-6 / ms, 100 * fill_ms / ms, timer.median_ms(record));
        std::fflush(stdout);
      };
      line("fill", fill);
      for (const bool stores_directly : {false, true}) {
        TerrainMesherOptions options;
        options.layout = named.layout;
        options.pool_nodes = std::uint32_t(drawn);
        options.rebuilds_all = true;
        options.page_slots = options.page_uploads = count_pages(chosen.cut, 32, source->lattice().lods());
        options.frames_in_flight = GpuTimer::kInARow;
        options.stores_directly = stores_directly;
        const auto mesher = must(TerrainMesher::create(context.borrowed(), source->bounds(), options));
        line(stores_directly ? "direct" : "staged",
             [&](VkCommandBuffer commands) { must(mesher->record(commands, *source, chosen.cut, chosen.frame)); });
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
  // Open throughout: some drivers do not survive being unloaded dozens of times.
  const auto context = must(Context::open(device));
  const bool is_equal = verify(device, vertices);
  measure(*context, device.software, 4097, 4500, Kappas::none);
  measure(*context, device.software, 4097, 4500, Kappas::built);
  return is_equal ? 0 : 1;
}
