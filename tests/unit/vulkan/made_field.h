// A made-up field behind SampleSource, with bounds that hold every height: enough for pictures without a store.
#pragma once

#include <algorithm>
#include <memory>

#include "arete/core.h"
#include "support/terrain.h"

namespace arete::test {

class MadeField final : public SampleSource {
 public:
  // `step_m` is a power of two, as a lattice asks for: the words of CPU and GPU are equal for these alone.
  MadeField(Terrain kind, std::int32_t stops, double spacing_m, double step_m)
      : kind_(kind), lattice_(make_lattice(stops, spacing_m, step_m)), bounds_(lattice_) {
    bounds_.field_min = 65535;
    for (const std::uint16_t steps : terrain_field(kind, 1, lattice_)) {
      if (steps == kHole) continue;
      bounds_.field_min = std::min(bounds_.field_min, steps);
      bounds_.field_max = std::max(bounds_.field_max, steps);
    }
    for (int lod = 1; lod < lattice_.lods(); ++lod) {
      for (int z = 0; z < lattice_.nodes_z(lod, kBoundsQuads); ++z) {
        for (int x = 0; x < lattice_.nodes_x(lod, kBoundsQuads); ++x) {
          bounds_.at(lod, x, z) = {
              .min = bounds_.field_min, .max = bounds_.field_max, .top = bounds_.field_max, .error = 1, .error_max = 1};
        }
      }
    }
    bounds_.finish();
  }

  const Lattice& lattice() const noexcept override { return lattice_; }
  const Bounds& bounds() const { return bounds_; }

  Result<std::shared_ptr<const Page>> page(PageKey key) const override {
    auto page = std::make_shared<Page>();
    page->key = key;
    page->subsample.resize(kPlaneSamples);
    for (int k = -1; k <= kPageSamples; ++k) {
      for (int i = -1; i <= kPageSamples; ++i) {
        page->subsample[Page::index(i, k)] =
            terrain_steps(kind_, 1, stop(key.x, i, key.lod, lattice_.last_stop_x()),
                          stop(key.z, k, key.lod, lattice_.last_stop_z()), lattice_.stops_x);
      }
    }
    if (key.lod > 0) page->max = page->subsample;
    return std::shared_ptr<const Page>(std::move(page));
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
  static std::int64_t stop(std::uint32_t page, int i, int lod, std::int32_t last) {
    return std::clamp<std::int64_t>((std::int64_t(page) * kPageCells + i) * (std::int64_t(1) << lod), 0, last);
  }

  Terrain kind_;
  Lattice lattice_;
  Bounds bounds_;
};

}  // namespace arete::test
