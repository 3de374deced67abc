// Flies over a store that need not fit in memory: pages stream within a budget while every frame draws closed ground.
//
//   05_stream STORE
#include <chrono>
#include <cstdio>
#include <thread>

#include "arete/mesh.h"
#include "arete/stream.h"
#include "arete/tiles.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: 05_stream STORE\n");
    return 2;
  }
  // The store keeps no decoded pages of its own: the streamer's slots are the cache.
  auto store = arete::TileStore::open(arguments[1], 0);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  const arete::Bounds& bounds = (*store)->bounds();
  auto streamer = arete::Streamer::create(**store, bounds, {.budget_bytes = std::size_t(64) << 20});
  if (!streamer) {
    std::fprintf(stderr, "%s\n", streamer.error().message.c_str());
    return 1;
  }

  const arete::Ranges ranges = arete::make_ranges(bounds, 1000, {.max_error_px = 1.5});
  const arete::NodeResidency residency((*streamer)->atlas(), ranges.node_quads);
  const arete::FlightPath path = arete::make_path(bounds, {.seconds = 5, .speed_m_s = 500});
  arete::CutWorkspace workspace;
  arete::Cut cut;
  arete::NodeMesher mesher((*streamer)->atlas(), bounds);
  const arete::kernel::VertexLayout layout = arete::compact_layout();
  std::vector<std::uint32_t> words(std::size_t(arete::node_vertices(ranges.node_quads)) * layout.stride_words);

  for (int frame = 0; frame < 300; ++frame) {
    const double time_s = frame / 60.0;
    const arete::Waypoint at = arete::place_on(path, time_s);
    arete::View view;
    view.eye_x_m = at.x_m;
    view.eye_y_m = at.y_m;
    view.eye_z_m = at.z_m;
    const arete::Viewpoint camera = arete::viewpoint(view, ranges);

    (*streamer)->update({&camera, 1}, time_s);  // never blocks
    mesher.clear();                             // pages may have changed
    arete::select_cut(bounds, view, ranges, workspace, cut, &residency);
    const auto constants =
        arete::make_frame(bounds, view, ranges, arete::anchor_near(bounds.lattice(), at.x_m, at.z_m));
    for (const arete::Node& node : cut.nodes) {
      if (const auto built = mesher.build(constants, ranges, node, layout, words); !built) {
        std::fprintf(stderr, "%s\n", built.error().message.c_str());
        return 1;
      }
    }
    if (frame % 60 == 0) {
      const arete::StreamStats& stats = (*streamer)->stats();
      std::printf("%.0f s: %zu nodes, %lld pages resident, %lld missing, %.1f MiB\n", time_s, cut.nodes.size(),
                  static_cast<long long>(stats.resident_pages), static_cast<long long>(stats.missing_pages),
                  double(stats.used_bytes) / (1 << 20));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(16));
  }
  return 0;
}
