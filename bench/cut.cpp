// The cut at cameras that it has not seen before, masks and balance included, beside a bare CDLOD selection of as many
// nodes: by turns, 32 cameras each, so that the ratio of the two is one run's. The field has 16,385 x 16,385 stops; its
// bounds are sampled from a fractal, since a cut reads nothing else.
#include "arete/cut.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <random>
#include <span>

#include "figures/cdlod.h"
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

// Among the summits, or above all of them.
std::vector<View> cameras(bool has_frustum, bool is_above) {
  std::vector<View> views;
  std::mt19937 random(7);
  std::uniform_real_distribution<double> unit(0, 1);
  const Bounds& bounds = fractal_bounds();
  for (int i = 0; i < 4096; ++i) {
    View view;
    view.eye_x_m = unit(random) * bounds.lattice().width_m();
    view.eye_z_m = unit(random) * bounds.lattice().depth_m();
    view.eye_y_m = is_above ? 4200 + 200 * unit(random) : 2000 + 1500 * unit(random);
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

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Nodes that both choose on average, and whether a frustum of 69 degrees is given: CDLOD descends within it alone, a
// cut covers the field and marks what is drawn.
void cut_beside_cdlod(benchmark::State& state) {
  const double wanted = double(state.range(0));
  const Bounds& bounds = fractal_bounds();
  const std::vector<View> views = cameras(state.range(1) != 0, state.range(2) != 0);
  CutWorkspace workspace;
  Cut cut;
  figures::CdlodSelection cdlod(bounds);
  const auto mean = [&](const auto& count) {
    double sum = 0;
    for (std::size_t i = 0; i < 64; ++i) {
      sum += double(count(views[i * 64])) / 64;
    }
    return sum;
  };
  const auto nodes_of_cut = [&](const View& view, const Ranges& ranges) {
    select_cut(bounds, view, ranges, workspace, cut);
    return cut.nodes.size();
  };
  const Ranges ranges =
      make_ranges(range_for(wanted,
                            [&](double range) {
                              const Ranges tried = make_ranges(range, {});
                              return mean([&](const View& view) { return nodes_of_cut(view, tried); });
                            }),
                  {});
  const float cdlod_range = float(range_for(wanted, [&](double range) {
    return mean([&](const View& view) { return cdlod.select(view, float(range)).size(); });
  }));
  constexpr std::size_t kTurn = 32;
  std::size_t next = 0;
  double nodes = 0, drawn = 0, visited = 0, cdlod_nodes = 0, cdlod_visited = 0, cut_s = 0, cdlod_s = 0;
  std::vector<double> ratios;
  for (auto _ : state) {
    const std::span<const View> turn = std::span(views).subspan(next, kTurn);
    next = (next + kTurn) % views.size();
    const double start = seconds_now();
    for (const View& view : turn) {
      nodes += double(nodes_of_cut(view, ranges));
      drawn += double(cut.drawn.size());
      visited += double(workspace.visited_nodes());
    }
    const double middle = seconds_now();
    for (const View& view : turn) {
      cdlod_nodes += double(cdlod.select(view, cdlod_range).size());
      cdlod_visited += double(cdlod.visited());
    }
    const double end = seconds_now();
    state.SetIterationTime(end - start);
    cut_s += middle - start;
    cdlod_s += end - middle;
    ratios.push_back((middle - start) / (end - middle));
  }
  std::sort(ratios.begin(), ratios.end());
  const double cuts = double(ratios.size() * kTurn);
  state.counters["cut_us"] = cut_s / cuts * 1e6;
  state.counters["cdlod_us"] = cdlod_s / cuts * 1e6;
  state.counters["ratio_median"] = ratios[ratios.size() / 2];
  state.counters["ratio_p90"] = ratios[ratios.size() * 9 / 10];
  state.counters["nodes"] = nodes / cuts;
  state.counters["drawn"] = drawn / cuts;
  state.counters["visited"] = visited / cuts;
  state.counters["cdlod_nodes"] = cdlod_nodes / cuts;
  state.counters["cdlod_visited"] = cdlod_visited / cuts;
}

BENCHMARK(cut_beside_cdlod)
    ->ArgNames({"nodes", "frustum", "above"})
    ->ArgsProduct({{80, 300, 1000}, {0, 1}, {0, 1}})
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace

BENCHMARK_MAIN();
