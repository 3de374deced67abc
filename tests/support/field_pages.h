// A field in memory and the same field as lod-0 pages, some of which may be absent: what a streamer's residents look
// like.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "arete/collider.h"

namespace arete::test {

struct TestField {
  Lattice lattice;
  std::vector<std::uint16_t> stops;

  TestField(const Lattice& of, std::vector<std::uint16_t> with) : lattice(of), stops(std::move(with)) {}
  TestField(const Lattice& of, const std::function<int(int, int)>& steps) : lattice(of) {
    for (std::int32_t z = 0; z < of.stops_z; ++z) {
      for (std::int32_t x = 0; x < of.stops_x; ++x) stops.push_back(std::uint16_t(steps(x, z)));
    }
  }
  HeightfieldView view() const { return {lattice, stops}; }
  RayBounds bounds() const { return RayBounds(view()); }
  std::uint16_t& at(std::int32_t x, std::int32_t z) {
    return stops[std::size_t(z) * std::size_t(lattice.stops_x) + std::size_t(x)];
  }
};

// Reads `field` at every call, so edits show in the next page that is asked for.
class FieldPages final : public SampleSource {
 public:
  explicit FieldPages(const TestField& field) : field_(field) {}
  const Lattice& lattice() const noexcept override { return field_.lattice; }
  Result<std::shared_ptr<const Page>> page(PageKey key) const override {
    ++loads;
    if (damaged.contains(key.packed())) return data_error("page is damaged");
    if (absent.contains(key.packed())) return std::shared_ptr<const Page>();
    auto page = std::make_shared<Page>();
    page->key = key;
    page->subsample.resize(kPlaneSamples);
    const auto clamped = [](std::int64_t stop, std::int32_t last) {
      return std::int32_t(stop < 0 ? 0 : stop > last ? last : stop);
    };
    const HeightfieldView view = field_.view();
    for (int k = -1; k <= kPageSamples; ++k) {
      const std::int32_t z = clamped((std::int64_t(key.z) * kPageCells + k) << key.lod, lattice().last_stop_z());
      for (int i = -1; i <= kPageSamples; ++i) {
        const std::int32_t x = clamped((std::int64_t(key.x) * kPageCells + i) << key.lod, lattice().last_stop_x());
        page->subsample[Page::index(i, k)] = view.at(x, z);
      }
    }
    if (key.lod > 0) page->max = page->subsample;
    return std::shared_ptr<const Page>(page);
  }

  std::set<std::uint64_t> absent;
  std::set<std::uint64_t> damaged;
  mutable int loads = 0;

 private:
  const TestField& field_;
};

}  // namespace arete::test
