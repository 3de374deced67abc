// Pages and bounds that a test writes down by a function, without the machinery that builds them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "arete/core.h"

namespace arete::test {

// The page whose sample at stop (x, z) is steps(x, z); its max plane is the same.
template <class Steps>
std::shared_ptr<Page> made_page(const Lattice& lattice, PageKey key, Steps&& steps) {
  const auto stop = [&](std::uint32_t page, int i, std::int32_t last) {
    const std::int64_t at = (std::int64_t(page) * kPageCells + i) * (std::int64_t(1) << key.lod);
    return std::int32_t(std::clamp<std::int64_t>(at, 0, last));
  };
  auto page = std::make_shared<Page>();
  page->key = key;
  page->subsample.resize(kPlaneSamples);
  for (int k = -1; k <= kPageSamples; ++k) {
    const std::int32_t z = stop(key.z, k, lattice.last_stop_z());
    for (int i = -1; i <= kPageSamples; ++i) {
      page->subsample[Page::index(i, k)] = std::uint16_t(steps(stop(key.x, i, lattice.last_stop_x()), z));
    }
  }
  if (key.lod > 0) {
    page->max = page->subsample;
  }
  return page;
}

// visit(lod, x, z) for every node that bounds know of.
template <class Visit>
void each_node(const Lattice& lattice, Visit&& visit) {
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (std::int32_t x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x) {
        visit(lod, x, z);
      }
    }
  }
}

// Bounds that every height in [low, high] keeps, with one error everywhere.
inline Bounds wide_bounds(const Lattice& lattice, std::uint16_t low, std::uint16_t high, std::uint16_t error = 1) {
  Bounds bounds(lattice);
  bounds.field_min = low;
  bounds.field_max = high;
  each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
    bounds.at(lod, x, z) = {.min = low, .max = high, .top = high, .error = error, .error_max = error};
  });
  bounds.finish();
  return bounds;
}

}  // namespace arete::test
