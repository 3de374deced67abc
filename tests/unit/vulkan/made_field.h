// A made-up field behind SampleSource, with bounds that hold every height: enough for pictures without a store.
#pragma once

#include <algorithm>
#include <memory>

#include "arete/core.h"
#include "support/made_pages.h"
#include "support/terrain.h"

namespace arete::test {

class MadeField final : public SampleSource {
 public:
  // `step_m` is a power of two, as a lattice asks for: the words of CPU and GPU are equal for these alone.
  MadeField(Terrain kind, std::int32_t stops, double spacing_m, double step_m)
      : kind_(kind), lattice_(make_lattice(stops, spacing_m, step_m)) {
    std::uint16_t least = 65535, greatest = 0;
    for (const std::uint16_t steps : terrain_field(kind, 1, lattice_)) {
      if (steps == kHole) continue;
      least = std::min(least, steps);
      greatest = std::max(greatest, steps);
    }
    bounds_ = wide_bounds(lattice_, least, greatest);
  }

  const Lattice& lattice() const noexcept override { return lattice_; }
  const Bounds& bounds() const { return bounds_; }

  Result<std::shared_ptr<const Page>> page(PageKey key) const override {
    const auto steps = [this](std::int32_t x, std::int32_t z) {
      return terrain_steps(kind_, 1, x, z, lattice_.stops_x);
    };
    return std::shared_ptr<const Page>(made_page(lattice_, key, steps));
  }

 private:
  static Lattice make_lattice(std::int32_t stops, double spacing_m, double step_m) {
    Lattice lattice;
    lattice.stops_x = stops;
    lattice.stops_z = stops;
    lattice.spacing_x_m = spacing_m;
    lattice.spacing_z_m = spacing_m;
    lattice.step_m = step_m;
    return lattice;
  }

  Terrain kind_;
  Lattice lattice_;
  Bounds bounds_;
};

}  // namespace arete::test
