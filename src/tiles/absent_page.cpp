// Keys outside the quadtree are the caller's error; pages of holes alone are made where they are asked for.
#include "tiles/absent_page.h"

#include <fmt/format.h>

namespace arete::tiles {

Result<void> check_key(const Lattice& lattice, PageKey key) {
  if (key.lod >= lattice.lods()) {
    return usage_error(fmt::format("no page at lod {}: the field has {} lods", key.lod, lattice.lods()));
  }
  if (key.x >= std::uint32_t(lattice.pages_x(key.lod)) || key.z >= std::uint32_t(lattice.pages_z(key.lod))) {
    return usage_error(fmt::format("no page ({}, {}) at lod {}: the field has {} x {} there", key.x, key.z, key.lod,
                                   lattice.pages_x(key.lod), lattice.pages_z(key.lod)));
  }
  return {};
}

std::shared_ptr<const Page> page_of_holes(PageKey key) {
  auto page = std::make_shared<Page>();
  page->key = key;
  page->subsample.assign(kPlaneSamples, kHole);
  if (key.lod > 0) {
    page->max.assign(kPlaneSamples, kHole);
  }
  return page;
}

}  // namespace arete::tiles
