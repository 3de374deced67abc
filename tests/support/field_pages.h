// A field in memory and the same field as lod-0 pages, some of which may be absent: what a streamer's residents look
// like.
#pragma once

#include <functional>
#include <set>
#include <vector>

#include "arete/collider.h"
#include "support/made_pages.h"

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
    const HeightfieldView view = field_.view();
    return std::shared_ptr<const Page>(
        made_page(lattice(), key, [&](std::int32_t x, std::int32_t z) { return view.at(x, z); }));
  }

  std::set<std::uint64_t> absent;
  std::set<std::uint64_t> damaged;
  mutable int loads = 0;

 private:
  const TestField& field_;
};

}  // namespace arete::test
