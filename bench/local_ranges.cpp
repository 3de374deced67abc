// What local ranges save and what they cost: nodes and triangles against one global range, and the greatest distance on
// the screen between every sample and what is drawn over it, morphing ground included, from 100 cameras 2 to 500 m
// above the ground.
//
//   bench_local_ranges [--views N] [--blocks] GROUND...
//
// GROUND is a raster, RASTER,SPACING,SCALE (metres between samples, factor of heights) or fractal,SIDE. --blocks adds
// ranges that are kept for blocks of ground instead of nodes.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include "arete/bake.h"
#include "arete/cut.h"
#include "arete/mesh.h"
#include "block_ranges.h"
#include "support/drawn_error.h"
#include "support/field.h"
#include "support/watertight.h"

namespace {
using namespace arete;

constexpr int kQuads = 32;
const double kPixelsPerRadian = 1080 / (2 * std::tan(3.14159265358979 / 6));  // 1,080 rows over 60 degrees

struct Ground {
  std::string name;
  LoadedStops field;
  std::unique_ptr<MemorySource> source;
};

[[noreturn]] void give_up(const std::string& message) {
  std::fprintf(stderr, "bench_local_ranges: %s\n", message.c_str());
  std::exit(1);
}

Ground load(const std::string& argument) {
  const std::size_t comma = argument.find(',');
  const std::filesystem::path path = argument.substr(0, comma);
  Ground ground{path.stem().string(), {}, nullptr};
  const char* numbers = comma == std::string::npos ? "" : argument.c_str() + comma + 1;
  if (path == "fractal") {
    const int side = std::atoi(numbers);
    if (side < 2) {
      give_up("fractal,SIDE expected with SIDE >= 2, found " + argument);
    }
    ground.field.lattice = {.stops_x = side, .stops_z = side, .spacing_x_m = 30, .spacing_z_m = 30, .step_m = 1.0 / 16};
    ground.field.stops = test::terrain_field(test::Terrain::fractal, 1, ground.field.lattice);
  } else {
    BakeOptions options;
    double spacing_m = 0, scale = 0;
    if (*numbers != 0) {
      if (std::sscanf(numbers, "%lf,%lf", &spacing_m, &scale) != 2) {
        give_up("RASTER,SPACING,SCALE expected, found " + argument);
      }
      options.raster.spacing_x_m = options.raster.spacing_z_m = spacing_m;
      options.raster.vertical_scale = scale;
    }
    auto loaded = load_stops(std::span(&path, 1), options);
    if (!loaded) {
      give_up(loaded.error().message);
    }
    ground.field = *std::move(loaded);
  }
  auto source = MemorySource::build(ground.field.lattice, ground.field.stops);
  if (!source) {
    give_up(source.error().message);
  }
  ground.source = *std::move(source);
  return ground;
}

// Over a place of the field: 2 to 500 m above the highest of the four samples around it, evenly by the logarithm.
std::vector<View> cameras(const Ground& ground, int count) {
  const Lattice& lattice = ground.field.lattice;
  test::Random random(7);
  std::vector<View> views;
  for (int i = 0; i < count; ++i) {
    const int x = random.below(lattice.stops_x - 1), z = random.below(lattice.stops_z - 1);
    int steps = ground.source->bounds().field_min;
    for (int corner = 0; corner < 4; ++corner) {
      const std::size_t at = std::size_t(z + corner / 2) * std::size_t(lattice.stops_x) + std::size_t(x + corner % 2);
      steps = std::max(steps, int(ground.field.stops[at]));
    }
    View view;
    view.pixels_per_radian = kPixelsPerRadian;
    view.eye_x_m = lattice.x_m(x) + random.unit() * (lattice.x_m(x + 1) - lattice.x_m(x));
    view.eye_z_m = lattice.z_m(z) + random.unit() * (lattice.z_m(z + 1) - lattice.z_m(z));
    view.eye_y_m = lattice.height_m(std::uint16_t(steps)) + 2 * std::pow(250, random.unit());
    views.push_back(view);
  }
  return views;
}

struct Figures {
  std::int64_t nodes = 0;
  std::int64_t triangles = 0;
  test::DrawnError error;
};

class Bench {
 public:
  Bench(const Ground& ground, const std::vector<View>& views)
      : ground_(ground), lattice_(ground.field.lattice), views_(views), judge_(lattice_, ground.field.stops) {}

  // With the ranges that the bounds hold.
  Figures with_bounds(double max_error_px) {
    const Bounds& bounds = ground_.source->bounds();
    test::WorldMesher mesher(*ground_.source, bounds);
    Figures figures;
    for (const View& view : views_) {
      const Ranges ranges = make_ranges(bounds, view.pixels_per_radian, {.max_error_px = max_error_px});
      select_cut(bounds, view, ranges, workspace_, cut_);
      count(figures);
      judge_.begin(view);
      const Anchor anchor = anchor_near(lattice_, view.eye_x_m, view.eye_z_m);
      const auto place = [&](const test::Corner& corner) {
        return test::DrawnCorner{anchor.half_x + double(test::real(corner.x)) / double(lattice_.half_x_m()),
                                 double(test::real(corner.y)),
                                 anchor.half_z + double(test::real(corner.z)) / double(lattice_.half_z_m())};
      };
      mesher.each_triangle(view, ranges, anchor, cut_.nodes, true,
                           [&](const test::Corner& a, const test::Corner& b, const test::Corner& c) {
                             if (a.hole + b.hole + c.hole == 0) {
                               judge_.add(place(a), place(b), place(c));
                             }
                           });
      judge_.end(max_error_px, figures.error);
    }
    return figures;
  }

  Figures with_blocks(bench::BlockRanges& blocks, double max_error_px) {
    const Bounds& bounds = ground_.source->bounds();
    const std::vector<std::uint32_t> indices = node_indices(kQuads);
    Figures figures;
    for (const View& view : views_) {
      const Ranges ranges = make_ranges(bounds, view.pixels_per_radian, {.max_error_px = max_error_px});
      blocks.look(view, std::sqrt(double(ranges.select_sq)));
      cut_from_splits(lattice_, kQuads, blocks, workspace_, cut_);
      count(figures);
      judge_.begin(view);
      const Anchor anchor = anchor_near(lattice_, view.eye_x_m, view.eye_z_m);
      const kernel::FrameConstants frame = make_frame(bounds, view, ranges, anchor);
      std::vector<kernel::SurfaceVertex> vertices;
      for (const Node& node : cut_.nodes) {
        vertices.clear();
        for (int i = 0; i < node_vertices(kQuads); ++i) {
          vertices.push_back(
              kernel::node_vertex(blocks, frame, node_record(node, kQuads), i % (kQuads + 1), i / (kQuads + 1)));
        }
        for (std::size_t i = 0; i < indices.size(); i += 3) {
          std::array<test::DrawnCorner, 3> corners{};
          bool has_ground = true;
          for (std::size_t corner = 0; corner < 3; ++corner) {
            const kernel::SurfaceVertex& vertex = vertices[indices[i + corner]];
            has_ground = has_ground && vertex.is_hole == 0;
            corners[corner] = {anchor.half_x + double(vertex.x) / double(frame.half_x_m), double(vertex.y),
                               anchor.half_z + double(vertex.z) / double(frame.half_z_m)};
          }
          if (has_ground) {
            judge_.add(corners[0], corners[1], corners[2]);
          }
        }
      }
      judge_.end(max_error_px, figures.error);
    }
    return figures;
  }

 private:
  // Triangles as sewn: those that repeat no vertex and lie in the field.
  void count(Figures& figures) {
    figures.nodes += std::int64_t(cut_.nodes.size());
    for (const Node& node : cut_.nodes) {
      const NodeCells cells = node_cells(lattice_, node, kQuads);
      std::int64_t& triangles = sewn_[{node.coarse_mask, cells.x, cells.z}];
      if (triangles == 0) {
        triangles = std::int64_t(sew_indices(kQuads, node.coarse_mask, cells).size() / 3);
      }
      figures.triangles += triangles;
    }
  }

  const Ground& ground_;
  const Lattice& lattice_;
  const std::vector<View>& views_;
  test::DrawnErrorJudge judge_;
  CutWorkspace workspace_;
  Cut cut_;
  std::map<std::array<int, 3>, std::int64_t> sewn_;
};

void print(const std::string& name, double max_error_px, const char* ranges, const Figures& figures,
           const Figures& global, std::size_t views) {
  const auto mean = [&](std::int64_t count) { return double(count) / double(views); };
  std::printf("| %s | %g | %s | %.0f | %.2f | %.0f | %.2f | %.2f | %.3f |\n", name.c_str(), max_error_px, ranges,
              mean(figures.nodes), double(global.nodes) / double(figures.nodes), mean(figures.triangles),
              double(global.triangles) / double(figures.triangles), figures.error.greatest_px / max_error_px,
              1e6 * double(figures.error.above) / double(figures.error.samples));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int count = 100;
  bool has_blocks = false;
  std::vector<std::string> grounds;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--views" && i + 1 < argc) {
      count = std::max(1, std::atoi(argv[++i]));
    } else if (argument == "--blocks") {
      has_blocks = true;
    } else {
      grounds.push_back(argument);
    }
  }
  if (grounds.empty()) {
    grounds.emplace_back("fractal,1025");
  }
  std::printf("| ground | px | ranges | nodes | fewer | triangles | fewer | greatest / asked | above, per million |\n");
  std::printf("|---|---|---|---|---|---|---|---|---|\n");
  for (const std::string& argument : grounds) {
    Ground ground = load(argument);
    const std::vector<View> views = cameras(ground, count);
    Bench bench(ground, views);
    std::optional<bench::BlockRanges> blocks;
    if (has_blocks) {
      blocks.emplace(*ground.source, ground.field.stops);
    }
    for (const double max_error_px : {1.0, 2.0}) {
      Bounds& bounds = ground.source->bounds();
      test::Random random(0);
      test::set_kappas(bounds, 0, random);
      const Figures global = bench.with_bounds(max_error_px);
      choose_local_ranges(bounds);
      const Figures local = bench.with_bounds(max_error_px);
      print(ground.name, max_error_px, "global", global, global, views.size());
      if (blocks) {
        print(ground.name, max_error_px, "blocks", bench.with_blocks(*blocks, max_error_px), global, views.size());
      }
      print(ground.name, max_error_px, "nodes", local, global, views.size());
    }
  }
}
