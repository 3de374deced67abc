// Light on the ground: one byte a sample.
#pragma once

#include <array>
#include <functional>
#include <span>

#include "arete/core.h"

namespace arete {

// Shades rows of metres (NaN: hole) that are asked for in order, north to south. Holes give 0, ground 1..255: 1 + 254
// max(0, n . l) for the unit normal n of central differences (one-sided at rims and beside holes) and the direction l
// to the sun.
class Hillshade {
 public:
  using RowReader = std::function<Result<void>(std::int64_t row, std::span<double> heights_m)>;
  Hillshade(std::int64_t width, std::int64_t height, double spacing_x_m, double spacing_z_m, double azimuth_deg,
            double altitude_deg, RowReader reader);
  Result<void> read(std::int64_t row, std::span<double> shade);

 private:
  std::int64_t width_, height_;
  double spacing_x_m_, spacing_z_m_;
  std::array<double, 3> light_;  // east, up, south
  RowReader reader_;
  std::array<std::vector<double>, 3> rows_;  // before, here, after
  std::int64_t next_ = 0;
};

}  // namespace arete
