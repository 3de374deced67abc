// The cut of random cameras beside a bare CDLOD selection of as many nodes, and a cut's vertices beside streaming
// stores of as many bytes.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <thread>

#if defined(__SSE2__)
#include <emmintrin.h>
#else
#include <cstring>
#endif

#include "arete/cut.h"
#include "arete/mesh.h"
#include "cdlod.h"
#include "crew.h"
#include "figures.h"
#include "turns.h"

namespace arete::figures {
namespace {

// Fills whole lines past the caches.
void stream(std::uint32_t* begin, std::size_t words) {
#if defined(__SSE2__)
  const std::size_t to_line = (64 - reinterpret_cast<std::uintptr_t>(begin) % 64) % 64 / sizeof(std::uint32_t);
  auto* at = reinterpret_cast<__m128i*>(begin + to_line);
  const __m128i value = _mm_set1_epi32(7);
  for (std::size_t i = 0; i + 4 <= words / 4; i += 4, at += 4) {
    _mm_stream_si128(at, value);
    _mm_stream_si128(at + 1, value);
    _mm_stream_si128(at + 2, value);
    _mm_stream_si128(at + 3, value);
  }
  _mm_sfence();
#else
  std::memset(begin, 7, words * sizeof(std::uint32_t));
#endif
  keep(begin);
}

// The range of lod 0 at which `count` nodes are selected on average, by bisection.
template <class Count>
double range_for(const Bounds& bounds, double nodes, const Count& count) {
  double low = bounds.lattice().spacing_x_m, high = 4 * (bounds.lattice().width_m() + bounds.lattice().depth_m() + 1);
  for (int i = 0; i < 30; ++i) {
    const double middle = std::sqrt(low * high);
    (count(middle) < nodes ? low : high) = middle;
  }
  return low;
}

// Cameras anywhere, among the summits.
std::vector<View> views_of(const Bounds& bounds, std::size_t count) {
  const Lattice& lattice = bounds.lattice();
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<View> views(count);
  for (View& view : views) {
    view.eye_x_m = unit(random) * lattice.width_m();
    view.eye_z_m = unit(random) * lattice.depth_m();
    const double low_m = lattice.height_m(bounds.field_min), high_m = lattice.height_m(bounds.field_max);
    view.eye_y_m = low_m + (0.5 + 0.5 * unit(random)) * (high_m - low_m);
  }
  return views;
}

// The field's bounds side by side until they cover 16,385 stops an axis: small fields have too few nodes to choose
// from.
Bounds repeated(const Bounds& field) {
  constexpr std::int32_t kStops = 16385;
  Lattice lattice = field.lattice();
  const int field_lods = lattice.lods();
  lattice.stops_x = std::max(lattice.stops_x, kStops);
  lattice.stops_z = std::max(lattice.stops_z, kStops);
  Bounds bounds(lattice);
  bounds.field_min = field.field_min;
  bounds.field_max = field.field_max;
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (int z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (int x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x) {
        NodeBounds& node = bounds.at(lod, x, z);
        if (lod < field_lods) {
          node = field.at(lod, x % field.lattice().nodes_x(lod, kBoundsQuads),
                          z % field.lattice().nodes_z(lod, kBoundsQuads));
        } else {
          node = {.min = field.field_min, .max = field.field_max, .top = field.field_max};
        }
      }
    }
  }
  bounds.finish();
  return bounds;
}

// About `count` nodes of lod 0 around the field's middle, in the order of a cut.
std::vector<Node> nodes_amid(const Lattice& lattice, int quads, std::size_t count) {
  const std::int32_t side = std::int32_t(std::sqrt(double(count)));
  const std::int32_t nodes_x = lattice.nodes_x(0, quads), nodes_z = lattice.nodes_z(0, quads);
  const std::int32_t first_x = std::max(0, (nodes_x - side) / 2), first_z = std::max(0, (nodes_z - side) / 2);
  std::vector<Node> nodes;
  for (std::int32_t z = first_z; z < std::min(first_z + side, nodes_z); ++z) {
    for (std::int32_t x = first_x; x < std::min(first_x + side, nodes_x); ++x) {
      nodes.push_back({.x = std::uint32_t(x), .z = std::uint32_t(z)});
    }
  }
  std::sort(nodes.begin(), nodes.end(),
            [](const Node& a, const Node& b) { return morton(a.x, a.z) < morton(b.x, b.z); });
  return nodes;
}

Figure cut_figure(const Bounds& bounds) {
  // Cameras that were not seen lately: branches are not learnt by heart.
  const std::vector<View> views = views_of(bounds, 4096);
  constexpr std::size_t kTurn = 64;
  CutWorkspace workspace;
  Cut cut;
  CdlodSelection cdlod(bounds);
  const auto select = [&](std::size_t first, const Ranges& ranges) {
    std::size_t nodes = 0;
    for (const View& view : std::span(views).subspan(first, kTurn)) {
      select_cut(bounds, view, ranges, workspace, cut);
      nodes += cut.nodes.size();
    }
    return double(nodes);
  };
  const auto select_cdlod = [&](std::size_t first, double range) {
    std::size_t nodes = 0;
    for (const View& view : std::span(views).subspan(first, kTurn)) {
      nodes += cdlod.select(view, float(range)).size();
    }
    keep(nodes);
    return double(nodes);
  };
  const Ranges ranges =
      make_ranges(range_for(bounds, 300 * kTurn, [&](double range) { return select(0, make_ranges(range, {})); }), {});
  const double chosen = select(0, ranges);
  const double cdlod_range = range_for(bounds, chosen, [&](double range) { return select_cdlod(0, range); });
  std::size_t turn = 0, cdlod_turn = 0;
  return by_turns(
      "cut", chosen * 1e-6, "M nodes/s", [&] { select(kTurn * (turn++ % (views.size() / kTurn)), ranges); },
      "a bare CDLOD selection of as many nodes",
      [&] { select_cdlod(kTurn * (cdlod_turn++ % (views.size() / kTurn)), cdlod_range); });
}

// Nodes as one camera draws them.
struct Drawn {
  Ranges ranges;
  std::vector<Node> nodes;
  kernel::FrameConstants frame;
};

// The vertices of all nodes in one pool, or as many bytes alone, each thread its own share of the nodes.
Result<Figure> vertex_figure(std::string name, const TileStore& store, const Drawn& drawn,
                             const kernel::VertexLayout& layout, int threads) {
  const std::size_t nodes = drawn.nodes.size(), stride = std::size_t(layout.stride_words);
  const std::size_t size = std::size_t(node_slot_vertices(drawn.ranges.node_quads)) * stride;
  const std::size_t written = std::size_t(node_vertices(drawn.ranges.node_quads)) * stride * nodes;
  std::vector<std::uint32_t> pool(nodes * size + 16);
  Crew crew(threads);
  std::deque<NodeMesher> meshers;  // which stay where they are
  for (int member = 0; member < threads; ++member) {
    meshers.emplace_back(store, store.bounds());
  }
  std::vector<Result<void>> results(meshers.size());
  const auto share = [&](std::size_t all, std::size_t member) { return all * member / meshers.size(); };
  const auto build = [&](int of) {
    const std::size_t member = std::size_t(of);
    for (std::size_t i = share(nodes, member); i < share(nodes, member + 1); ++i) {
      Result<void> built = meshers[member].build(drawn.frame, drawn.ranges, drawn.nodes[i], layout,
                                                 std::span(pool).subspan(i * size, size));
      if (!built) {
        results[member] = std::move(built);
      }
    }
  };
  const auto fill = [&](int of) {
    const std::size_t first = share(nodes, std::size_t(of)), count = share(nodes, std::size_t(of) + 1) - first;
    stream(pool.data() + first * size, count * (written / nodes));
  };
  const auto fill_all = [&] { crew.run(fill); };
  // Lines that the work has left in caches of other cores hinder the floor: it begins with a pool that it has cleared.
  Figure figure = by_turns(
      std::move(name), double(written) * 4e-9, "GB/s", [&] { crew.run(build); }, "streaming stores of as many bytes",
      fill_all, fill_all);
  figure.threads = threads;
  for (const Result<void>& result : results) {
    if (!result) {
      return Unexpected{result.error()};
    }
  }
  return figure;
}

}  // namespace

Result<void> add_nodes(const TileStore& store, std::vector<Figure>& figures) {
  const Bounds& bounds = store.bounds();
  const Lattice& lattice = bounds.lattice();
  figures.push_back(cut_figure(repeated(bounds)));
  // A camera low over the middle, with as many nodes as fill the caches.
  View view = views_of(bounds, 1).front();
  view.eye_x_m = lattice.width_m() / 2;
  view.eye_z_m = lattice.depth_m() / 2;
  CutWorkspace workspace;
  Cut cut;
  const double range_m = range_for(bounds, 600, [&](double range) {
    select_cut(bounds, view, make_ranges(range, {}), workspace, cut);
    return double(cut.nodes.size());
  });
  // What that camera draws, and as many nodes of the finest lod beside it that lie before their bands.
  const auto drawn = [&](double of_m) {
    const Ranges ranges = make_ranges(of_m, {});
    return Drawn{.ranges = ranges, .nodes = {}, .frame = make_frame(bounds, view, ranges, {})};
  };
  Drawn mixed = drawn(range_m), resting = drawn(1e3 * (range_m + lattice.width_m() + lattice.depth_m()));
  select_cut(bounds, view, mixed.ranges, workspace, cut);
  mixed.nodes = cut.nodes;
  resting.nodes = nodes_amid(lattice, resting.ranges.node_quads, cut.nodes.size());
  struct Named {
    const char* name;
    kernel::VertexLayout layout;
    const Drawn& drawn;
  };
  for (const bool all : {false, true}) {
    const int threads = all ? std::max(1, int(std::thread::hardware_concurrency())) : 1;
    for (const Named& named :
         {Named{"vertices_engine", engine_layout(), mixed}, Named{"vertices_compact", compact_layout(), mixed},
          Named{"vertices_resting", compact_layout(), resting}}) {
      Result<Figure> figure =
          vertex_figure(named.name + std::string(all ? "_all" : ""), store, named.drawn, named.layout, threads);
      if (!figure) {
        return Unexpected{figure.error()};
      }
      figures.push_back(*std::move(figure));
    }
  }
  return {};
}

}  // namespace arete::figures
