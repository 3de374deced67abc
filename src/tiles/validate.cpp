// The checks of a lattice that comes from a caller or a file.
#include "tiles/validate.h"

#include <fmt/format.h>

#include <cmath>

namespace arete::tiles {
namespace {
bool is_length(double metres) { return std::isfinite(metres) && metres > 0 && std::isfinite(float(metres)); }

bool is_power_of_two(double value) {
  int exponent = 0;
  return std::isfinite(value) && value > 0 && std::frexp(value, &exponent) == 0.5;
}
}  // namespace

Result<void> validate(const Lattice& lattice) {
  const std::int32_t least = lattice.is_area() != 0 ? 3 : 1;
  for (const std::int32_t stops : {lattice.stops_x, lattice.stops_z}) {
    if (stops < least || stops > kStopsLimit) {
      return data_error(fmt::format("a lattice of {} x {} stops: each axis must have {} to {}", lattice.stops_x,
                                    lattice.stops_z, least, kStopsLimit));
    }
  }
  if (!is_length(lattice.spacing_x_m) || !is_length(lattice.spacing_z_m)) {
    return data_error(fmt::format("a lattice with spacings {} x {} m: both must be positive and finite",
                                  lattice.spacing_x_m, lattice.spacing_z_m));
  }
  if (!is_power_of_two(lattice.step_m) || lattice.step_m < 0x1p-60 || lattice.step_m > 0x1p60) {
    return data_error(fmt::format("a height step of {} m: it must be a power of two", lattice.step_m));
  }
  const double base_steps = lattice.base_m / lattice.step_m;
  if (!std::isfinite(base_steps) || std::floor(base_steps) != base_steps || std::fabs(base_steps) > 0x1p24 ||
      std::fabs(base_steps + 65535) > 0x1p24) {
    return data_error(
        fmt::format("a base height of {} m with steps of {} m: it must be a whole number of steps, at most 2^24",
                    lattice.base_m, lattice.step_m));
  }
  return {};
}

}  // namespace arete::tiles
