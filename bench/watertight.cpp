// Meshes of at least 10^8 triangles over steep and random ground, each judged edge by edge by exact position bits.
// Prints counts; exits with 1 on the first crack. `bench_watertight [triangles]` asks for another total.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "support/field.h"
#include "support/watertight.h"

namespace {
using namespace arete;
using namespace arete::test;

struct Totals {
  std::int64_t meshes = 0, nodes = 0, triangles = 0, edges = 0, cracks = 0, uncovered = 0;
};

// Rows B01, B02, B08, B27 and B76 of the known faults of other engines, and fields without a name.
struct Ground {
  const char* name;
  Lattice lattice;
  std::vector<std::uint16_t> stops;
};

std::vector<Ground> grounds() {
  std::vector<Ground> result;
  const auto add = [&](const char* name, const Lattice& lattice, auto&& steps) {
    Ground ground{name, lattice, {}};
    for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
      for (std::int32_t x = 0; x < lattice.stops_x; ++x) {
        ground.stops.push_back(std::uint16_t(steps(x, z)));
      }
    }
    result.push_back(std::move(ground));
  };
  add("B01 cliff", {.stops_x = 1025, .stops_z = 513}, [](int x, int) { return x < 512 ? 1 : 1001; });
  add("B02 corner hill", {.stops_x = 1025, .stops_z = 1025},
      [](int x, int z) { return 1 + std::lround(300 * std::exp(-(x * x + z * z) / 2000.0)); });
  add("B08 ridge", {.stops_x = 1025, .stops_z = 513},
      [](int x, int z) { return 100 + 9000 / (1 + std::abs(x - 512 - z / 8)); });
  add("B27 single peaks", {.stops_x = 513, .stops_z = 513},
      [](int x, int z) { return hash(std::uint64_t(x), std::uint64_t(z), 27) % 4001 == 0 ? 801 : 1; });
  for (const Terrain kind : kTerrains) {
    const Lattice lattice{.stops_x = 1500,
                          .stops_z = 1100,
                          .registration = kind == Terrain::random ? Registration::point : Registration::area,
                          .spacing_x_m = 1,
                          .spacing_z_m = 1.25,
                          .step_m = 1.0 / 64};
    result.push_back({kind == Terrain::random ? "B76 random" : name(kind), lattice, terrain_field(kind, 76, lattice)});
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  const std::int64_t wanted = argc > 1 ? std::atoll(argv[1]) : 100'000'000;
  const std::vector<Ground> fields = grounds();
  Totals all;
  std::uint64_t round = 0;
  std::vector<Totals> totals(fields.size());
  while (all.triangles < wanted) {
    ++round;
    for (std::size_t f = 0; f < fields.size(); ++f) {
      const Ground& ground = fields[f];
      const auto source = make_field(ground.lattice, ground.stops);
      Bounds& bounds = source->bounds();
      Random random(round * 1000 + f);
      set_kappas(bounds, round % 2 == 1 ? 0 : 1 + random.below(kKappaKinds - 1), random);
      WorldMesher mesher(*source, bounds);
      CutWorkspace workspace;
      Cut cut;
      EdgeCounter edges(ground.lattice, {});
      for (int view_index = 0; view_index < 4; ++view_index) {
        const int quads = 8 << random.below(4);
        const Ranges ranges = make_ranges(
            quads * random.between(0.5, 8),
            {.morph_fraction = random.between(0.1, 0.9), .node_quads = quads, .plane = HeightPlane(random.below(2))});
        const View view = random_view(bounds, random);
        for (int kind = 0; kind < 4; ++kind) {
          // Valid and unstitched, valid and stitched, refined without reason, arbitrary with the coarse rule.
          std::vector<Node> nodes;
          select_cut(bounds, view, ranges, workspace, cut);
          nodes = cut.nodes;
          if (kind == 2) {
            const CutSplits valid(ground.lattice, quads, nodes);
            const RandomSplits finer(random.bits(), 0.2, &valid);
            nodes = bare_leaves(ground.lattice, quads, finer);
          }
          if (kind == 3) {
            cut_from_splits(ground.lattice, quads, RandomSplits(random.bits(), random.between(0.3, 0.9)), workspace,
                            cut);
            nodes = cut.nodes;
          }
          edges.clear();
          mesher.each_triangle(view, ranges, {}, nodes, kind % 2 == 1,
                               [&](const Corner& a, const Corner& b, const Corner& c) { edges.add(a, b, c); });
          const EdgeCounter::Report report = edges.report();
          const double area = ground.lattice.width_m() * ground.lattice.depth_m();
          const bool is_covered = std::abs(edges.area() - area) <= 1e-6 * area;
          for (Totals* total : {&totals[f], &all}) {
            ++total->meshes;
            total->nodes += std::int64_t(nodes.size());
            total->triangles += edges.triangles;
            total->edges += report.edges;
            total->cracks += report.cracks;
            total->uncovered += is_covered ? 0 : 1;
          }
          if (report.cracks != 0 || !is_covered) {
            std::printf("CRACK %s round %llu kind %d: %s %s\n", ground.name, static_cast<unsigned long long>(round),
                        kind, report.first.c_str(),
                        describe(ground.lattice, Terrain::random, ranges, view, round).c_str());
            return 1;
          }
        }
      }
    }
  }
  const auto print = [](const char* what, const Totals& t) {
    std::printf("%-18s %6lld meshes %9lld nodes %11lld triangles %11lld edges %lld cracks %lld uncovered\n", what,
                static_cast<long long>(t.meshes), static_cast<long long>(t.nodes), static_cast<long long>(t.triangles),
                static_cast<long long>(t.edges), static_cast<long long>(t.cracks), static_cast<long long>(t.uncovered));
  };
  for (std::size_t f = 0; f < fields.size(); ++f) {
    print(fields[f].name, totals[f]);
  }
  print("all", all);
  return 0;
}
