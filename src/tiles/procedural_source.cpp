// Pages evaluated from a function of the stop, by the same clamped subsampling as stored ones.
#include <algorithm>
#include <utility>

#include "arete/tiles.h"
#include "tiles/absent_page.h"

namespace arete {

ProceduralSource::ProceduralSource(const Lattice& lattice, Function function)
    : lattice_(lattice), function_(std::move(function)) {
  ARETE_ASSERT(function_ != nullptr);
}

Result<std::shared_ptr<const Page>> ProceduralSource::page(PageKey key) const {
  if (auto known = tiles::check_key(lattice_, key); !known) {
    return Unexpected{known.error()};
  }
  auto page = std::make_shared<Page>();
  page->key = key;
  page->subsample.resize(kPlaneSamples);
  const auto stop = [&](std::uint32_t page_index, int i, std::int32_t last) {
    const std::int64_t fine = (std::int64_t(page_index) * kPageCells + i) * (std::int64_t(1) << key.lod);
    return std::int32_t(std::clamp<std::int64_t>(fine, 0, last));
  };
  for (int k = -1; k <= kPageSamples; ++k) {
    for (int i = -1; i <= kPageSamples; ++i) {
      page->subsample[Page::index(i, k)] =
          function_(stop(key.x, i, lattice_.last_stop_x()), stop(key.z, k, lattice_.last_stop_z()));
    }
  }
  if (key.lod > 0) {
    page->max = page->subsample;
  }
  return std::shared_ptr<const Page>(std::move(page));
}

}  // namespace arete
