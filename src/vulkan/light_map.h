// How much of the sun and of the sky each place of a field sees, as a texture over the field.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arete/vulkan.h"

namespace arete::vulkan {

// Two bytes a texel, row-major: the part of the sun's disc and the part of the sky (weighted as on level ground) that
// is seen. Texel (i, k) stands at stop (i 2^lod, k 2^lod); u = x u_scale + u_offset for x in metres, likewise v. Ground
// that is drawn coarser than the texels takes the mean over its cells from a further level: half as many texels a side
// (rounded down) each, down to one.
struct LightMap {
  int width = 1;
  int height = 1;
  int lod = 0;
  std::vector<std::vector<std::uint8_t>> levels;
  double u_scale = 0, u_offset = 0;
  double v_scale = 0, v_offset = 0;
};

// Heights on a regular grid of metres, for shading alone.
struct HeightGrid {
  int width = 0;
  int height = 0;
  double spacing_x_m = 1;
  double spacing_z_m = 1;
  std::vector<float> y_m;
};

// Adds to `seen` the part (0..1) of a light of angular radius `radius_rad` that each sample sees, times `weight`. The
// light stands at azimuth (clockwise from -Z) and altitude, radians, 0 < altitude - radius.
void add_visibility(const HeightGrid& grid, double azimuth_rad, double altitude_rad, double radius_rad, float weight,
                    std::vector<float>& seen);

// The next level of one of width x height texels: means of 2 x 2, the last row or column of an odd side left out.
std::vector<std::uint8_t> coarser_level(const std::vector<std::uint8_t>& level, int width, int height);

}  // namespace arete::vulkan
