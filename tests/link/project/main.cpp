// A field in memory: its cut and one node's vertices, a height, a ray, and the proof. Exit code 0 when all agree.
#include <arete/bake.h>
#include <arete/check.h>
#include <arete/collider.h>
#include <arete/cut.h>
#include <arete/mesh.h>

#include <cmath>
#include <cstdio>
#include <vector>

int readme_sample();

int main() {
  if (readme_sample() != 1) {
    std::puts("the sample of README.md found a store");
    return 1;
  }
  const arete::Lattice lattice{.stops_x = 200, .stops_z = 150, .spacing_x_m = 10, .spacing_z_m = 10, .step_m = 0.125};
  std::vector<std::uint16_t> steps;
  for (int z = 0; z < lattice.stops_z; ++z) {
    for (int x = 0; x < lattice.stops_x; ++x) {
      steps.push_back(static_cast<std::uint16_t>(4000 + 900 * std::sin(x / 9.0) * std::cos(z / 7.0)));
    }
  }
  const auto source = arete::MemorySource::build(lattice, steps);
  if (!source) {
    std::puts(source.error().message.c_str());
    return 1;
  }
  const arete::Bounds& bounds = (*source)->bounds();

  const arete::View view{.eye_x_m = 300, .eye_y_m = 900, .eye_z_m = 200, .frustum = {}};
  const arete::Ranges ranges = arete::make_ranges(bounds, view.pixels_per_radian, {.max_error_px = 4});
  arete::CutWorkspace workspace;
  arete::Cut cut;
  arete::select_cut(bounds, view, ranges, workspace, cut);
  const auto frame = arete::make_frame(bounds, view, ranges, arete::anchor_near(lattice, view.eye_x_m, view.eye_z_m));
  arete::NodeMesher mesher(**source, bounds);
  const auto layout = arete::engine_layout();
  std::vector<std::uint32_t> words(std::size_t(arete::node_vertices(ranges.node_quads) * layout.stride_words));
  if (!mesher.build(frame, ranges, cut.nodes.front(), layout, words)) {
    return 1;
  }

  const auto height = arete::height_at(**source, 500, 300);
  const auto hit = arete::raycast(**source, {.origin_m = {500, 5000, 300}, .direction = {0, -1, 0}});
  const auto report = arete::check_field(**source, bounds, {.views = 24});
  const bool agree = height && hit && report && height->y_m == lattice.height_m(steps[30 * 200 + 50]) &&
                     hit->status == arete::RayStatus::surface && std::abs(hit->position_m[1] - height->y_m) < 1e-6 &&
                     report->failures() == 0;
  std::printf("%zu nodes, height %g m, %s\n", cut.nodes.size(), height ? height->y_m : 0.0,
              agree ? "agreed" : "disagreed");
  return agree ? 0 : 1;
}
