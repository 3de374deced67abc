// A frame whose cut the device selects beside one whose cut the host selects and uploads: what each takes of the device
// and of the host.
//
// usage: bench_vulkan_cut [--device NAME] [--software]
// Pages are resident; the device's part is timestamps around all that a frame records.
#include <chrono>
#include <cmath>
#include <cstring>
#include <string>

#include "arete/cut.h"
#include "arete/tiles.h"
#include "arete/vulkan.h"
#include "gpu_timer.h"
#include "support/made_pages.h"
#include "support/terrain.h"

namespace {

using namespace arete;
using namespace arete::vulkan;

std::unique_ptr<MemorySource> make_field(std::int32_t stops, bool has_kappas) {
  Lattice lattice;
  lattice.stops_x = stops;
  lattice.stops_z = stops;
  lattice.spacing_x_m = 10;
  lattice.spacing_z_m = 10;
  lattice.base_m = -1024;
  lattice.step_m = 0.0625;
  auto source = must(MemorySource::build(lattice, test::terrain_field(test::Terrain::fractal, 3, lattice)));
  Bounds& bounds = source->bounds();
  test::each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
    const std::uint64_t h = test::hash(std::uint64_t(x), std::uint64_t(z), 7);
    bounds.at(lod, x, z).kappa = has_kappas ? std::uint8_t(h % 4) : std::uint8_t(0);
  });
  bounds.finish();
  return source;
}

class HostClock {
 public:
  double ms() const {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A camera that looks down on the middle, whose cut has about `nodes` nodes.
DeviceView choose(const MemorySource& source, std::size_t nodes) {
  const Lattice& lattice = source.lattice();
  DeviceView view;
  view.view.eye_x_m = lattice.width_m() / 2 + 3;
  view.view.eye_z_m = lattice.depth_m() / 2 + 7;
  view.view.eye_y_m = lattice.height_m(source.bounds().field_max);
  CutWorkspace workspace;
  Cut cut;
  double low = 1, high = 1e7;
  for (int step = 0; step < 40; ++step) {
    const double middle = std::sqrt(low * high);
    view.ranges = make_ranges(middle, RangeOptions{});
    select_cut(source.bounds(), view.view, view.ranges, workspace, cut);
    (cut.nodes.size() < nodes ? low : high) = middle;
  }
  return view;
}

void measure(const Context& context, bool is_software, const MemorySource& source, std::size_t nodes,
             std::uint32_t count) {
  const Bounds& bounds = source.bounds();
  GpuTimer timer(context.gpu(), is_software);
  std::vector<DeviceView> views(count, choose(source, nodes));
  for (std::uint32_t i = 0; i < count; ++i) views[i].view.eye_x_m += 137.0 * i;
  TerrainMesherOptions options;
  options.pool_nodes = std::uint32_t((nodes + nodes / 2) * count);
  options.page_slots = options.page_uploads = 1200;
  options.most_views = count;
  options.frames_in_flight = 1;
  options.rebuilds_all = true;
  const auto mesher = must(TerrainMesher::create(context.borrowed(), bounds, options));
  CutWorkspace workspace;
  Cut cut;
  double host_ms = 0;
  std::size_t drawn = 0;
  const double uploaded_ms = timer.median_ms([&](VkCommandBuffer commands) {
    const HostClock clock;
    drawn = 0;
    for (const DeviceView& view : views) {
      select_cut(bounds, view.view, view.ranges, workspace, cut);
      drawn += cut.drawn.size();
      must(mesher->record(commands, source, cut, make_frame(bounds, view.view, view.ranges, view.anchor)));
    }
    host_ms = clock.ms();
  });
  const double uploaded_host_ms = host_ms;
  const double selected_ms = timer.median_ms([&](VkCommandBuffer commands) {
    const HostClock clock;
    must(mesher->select(commands, source, views));
    host_ms = clock.ms();
  });
  std::printf("%-6u %-8zu %-9s %-12.4f %-12.4f %-12.4f %-12.4f\n", count, drawn,
              bounds.is_uniform() ? "global" : "local", uploaded_ms, selected_ms, uploaded_host_ms, host_ms);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  DeviceOptions device;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--software") {
      device.software = true;
    } else if (argument == "--device" && i + 1 < argc) {
      device.device = argv[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--device NAME] [--software]\n", argv[0]);
      return 2;
    }
  }
  const auto context = must(Context::open(device));
  std::printf("%s; a fractal of 4097 x 4097 samples, nodes of 32 quads, 23 words a vertex\n",
              context->device_name().c_str());
  std::printf("                          device, ms                host, ms\n");
  std::printf("views  nodes    ranges    uploaded     selected     uploaded     selected\n");
  for (const bool has_kappas : {false, true}) {
    const auto source = make_field(4097, has_kappas);
    measure(*context, device.software, *source, 120, 1);
    measure(*context, device.software, *source, 500, 1);
    measure(*context, device.software, *source, 500, 4);
    measure(*context, device.software, *source, 4500, 1);
  }
  return 0;
}
