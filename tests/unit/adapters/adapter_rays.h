// Fields and rays on which physics engines must agree with the collider.
#pragma once

#include <random>
#include <vector>

#include "support/field_pages.h"
#include "support/terrain.h"

namespace arete::test {

// 129 x 97 stops of 4 x 2.5 m, relief of about 130 m.
inline TestField adapter_field(Registration registration, bool has_holes) {
  const Lattice lattice{.stops_x = 129,
                        .stops_z = 97,
                        .registration = registration,
                        .spacing_x_m = 4,
                        .spacing_z_m = 2.5,
                        .base_m = 100,
                        .step_m = 0.001953125};
  return TestField(lattice, terrain_field(has_holes ? Terrain::holes : Terrain::fractal, 6, lattice));
}

// From above, level to steep, aimed inside; places and directions are f32.
inline std::vector<Ray> adapter_rays(const Lattice& lattice, int count) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<Ray> rays;
  for (int i = 0; i < count; ++i) {
    const float tx = float(lattice.width_m() * (0.03 + 0.94 * unit(random)));
    const float tz = float(lattice.depth_m() * (0.03 + 0.94 * unit(random)));
    const float height = float(lattice.height_m(65535)) + 5;
    const float dx = float(2 * unit(random) - 1), dz = float(2 * unit(random) - 1), dy = -float(0.3 + unit(random));
    rays.push_back({{tx, height, tz}, {dx, dy, dz}, 400});
  }
  return rays;
}

}  // namespace arete::test
