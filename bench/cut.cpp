// The cut at cameras that it has not seen before, masks and balance included, beside a bare CDLOD selection of as many
// nodes. The field has 16,385 x 16,385 stops; its bounds are sampled from a fractal, since a cut reads nothing else.
#include "arete/cut.h"

#include <benchmark/benchmark.h>

#include <cmath>
#include <random>

#include "cdlod.h"
#include "support/terrain.h"

namespace {
using namespace arete;

const Bounds& fractal_bounds() {
  static const Bounds bounds = [] {
    const Lattice lattice{.stops_x = 16385, .stops_z = 16385, .spacing_x_m = 10, .spacing_z_m = 10, .step_m = 1.0 / 16};
    Bounds result(lattice);
    result.field_min = 1;
    result.field_max = 65535;
    for (int lod = 1; lod < lattice.lods(); ++lod) {
      for (int z = 0; z < lattice.nodes_z(lod, 32); ++z) {
        for (int x = 0; x < lattice.nodes_x(lod, 32); ++x) {
          NodeBounds& node = result.at(lod, x, z);
          node.min = 65535;
          for (int i = 0; i < (lod == 1 ? 25 : 4); ++i) {
            std::uint16_t low, high;
            if (lod == 1) {
              low = high =
                  test::terrain_steps(test::Terrain::fractal, 1, x * 64 + i % 5 * 16, z * 64 + i / 5 * 16, 16385);
            } else {
              const NodeBounds& child = result.at(lod - 1, 2 * x + i % 2, 2 * z + i / 2);
              low = child.min;
              high = child.max;
            }
            node.min = std::min(node.min, low);
            node.max = std::max(node.max, high);
            node.top = node.max;
          }
        }
      }
    }
    result.finish();
    return result;
  }();
  return bounds;
}

std::vector<View> cameras(bool has_frustum) {
  std::vector<View> views;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  const Bounds& bounds = fractal_bounds();
  for (int i = 0; i < 4096; ++i) {
    View view;
    view.eye_x_m = unit(random) * bounds.lattice().width_m();
    view.eye_z_m = unit(random) * bounds.lattice().depth_m();
    view.eye_y_m = 2000 + 1500 * unit(random);
    if (has_frustum) {
      const double yaw = 6.283 * unit(random), half = 0.6;
      for (const double side : {yaw + half, yaw - half}) {
        const double sign = side > yaw ? 1 : -1;
        const double nx = sign * std::sin(side), nz = -sign * std::cos(side);
        view.frustum.push_back({nx, 0, nz, -(nx * view.eye_x_m + nz * view.eye_z_m)});
      }
      const double nx = std::cos(yaw), nz = std::sin(yaw);
      view.frustum.push_back({nx, 0, nz, -(nx * view.eye_x_m + nz * view.eye_z_m)});
      view.frustum.push_back({nx, 1, nz, -(nx * view.eye_x_m + view.eye_y_m + nz * view.eye_z_m)});
      view.frustum.push_back({nx, -1, nz, -(nx * view.eye_x_m - view.eye_y_m + nz * view.eye_z_m)});
    }
    views.push_back(view);
  }
  return views;
}

// Range of lod 0 that gives about `nodes` on average, by bisection.
template <class Count>
double range_for(double nodes, const Count& count) {
  double low = 10, high = 20000;
  for (int i = 0; i < 30; ++i) {
    const double middle = std::sqrt(low * high);
    (count(middle) < nodes ? low : high) = middle;
  }
  return low;
}

void cut_select(benchmark::State& state) {
  const Bounds& bounds = fractal_bounds();
  const std::vector<View> views = cameras(state.range(1) != 0);
  CutWorkspace workspace;
  Cut cut;
  const auto mean = [&](double range) {
    const Ranges ranges = make_ranges(range, {});
    double sum = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      select_cut(bounds, views[i * 64], ranges, workspace, cut);
      sum += double(state.range(1) != 0 ? cut.drawn.size() : cut.nodes.size()) / 64;
    }
    return sum;
  };
  const Ranges ranges = make_ranges(range_for(double(state.range(0)), mean), {});
  std::size_t next = 0;
  double nodes = 0, drawn = 0, visited = 0;
  for (auto _ : state) {
    select_cut(bounds, views[next++ & 4095], ranges, workspace, cut);
    benchmark::DoNotOptimize(cut.nodes.data());
    nodes += double(cut.nodes.size());
    drawn += double(cut.drawn.size());
    visited += double(workspace.visited_nodes());
  }
  state.counters["nodes"] = benchmark::Counter(nodes, benchmark::Counter::kAvgIterations);
  state.counters["drawn"] = benchmark::Counter(drawn, benchmark::Counter::kAvgIterations);
  state.counters["visited"] = benchmark::Counter(visited, benchmark::Counter::kAvgIterations);
}

void cdlod_select(benchmark::State& state) {
  const std::vector<View> views = cameras(state.range(1) != 0);
  bench::CdlodSelection selection(fractal_bounds());
  const auto mean = [&](double range) {
    double sum = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      sum += double(selection.select(views[i * 64], float(range)).size()) / 64;
    }
    return sum;
  };
  const float range = float(range_for(double(state.range(0)), mean));
  std::size_t next = 0;
  double nodes = 0, visited = 0;
  for (auto _ : state) {
    const auto& selected = selection.select(views[next++ & 4095], range);
    benchmark::DoNotOptimize(selected.data());
    nodes += double(selected.size());
    visited += double(selection.visited());
  }
  state.counters["nodes"] = benchmark::Counter(nodes, benchmark::Counter::kAvgIterations);
  state.counters["visited"] = benchmark::Counter(visited, benchmark::Counter::kAvgIterations);
}

// Nodes drawn, and whether a frustum of 69 degrees drops the others.
BENCHMARK(cdlod_select)->ArgsProduct({{80, 300, 1000}, {0, 1}})->Unit(benchmark::kMicrosecond);
BENCHMARK(cut_select)->ArgsProduct({{80, 300, 1000}, {0, 1}})->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
