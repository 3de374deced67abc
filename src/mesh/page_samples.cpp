// Reading the pages of a node.
#include "page_samples.h"

namespace arete::mesh {
namespace {
constexpr std::array<std::uint16_t, kPlaneSamples> kHoles{};
}

void PageSamples::begin(const Node& node, int quads, HeightPlane plane) {
  plane_ = plane;
  lod_ = node.lod;
  page_x_ = node.x * std::uint32_t(quads) / kPageCells;
  page_z_ = node.z * std::uint32_t(quads) / kPageCells;
  views_.fill({});
  error_.reset();
}

void PageSamples::clear() {
  views_.fill({});
  pages_.fill(nullptr);
}

const PageSamples::View& PageSamples::read(int lod) const {
  const int up = lod - lod_;
  const PageKey key{std::uint8_t(lod), page_x_ >> up, page_z_ >> up};
  std::shared_ptr<const Page>& page = pages_[std::size_t(lod)];
  if (page == nullptr || !(page->key == key)) {
    Result<std::shared_ptr<const Page>> read = source_.require_page(key);
    if (read) {
      page = std::move(*read);
    } else {
      page = nullptr;
      if (!error_) {
        error_ = read.error();
      }
    }
  }
  View& view = views_[std::size_t(lod)];
  const std::size_t first = Page::index(0, 0);
  view.anchor = (page != nullptr ? page->subsample.data() : kHoles.data()) + first;
  view.drawn = (page != nullptr ? page->plane(plane_).data() : kHoles.data()) + first;
  view.first_x = int(key.x) * kPageCells;
  view.first_z = int(key.z) * kPageCells;
  return view;
}

}  // namespace arete::mesh
