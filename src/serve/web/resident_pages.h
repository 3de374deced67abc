// Pages that a page of the browser holds: the source that its meshes and queries read, and what its cuts may draw.
//
// What a frame wants is said page by page; pages that are wanted and absent are listed, coarse ones first, and what was
// wanted longest ago makes room. So coarse ground stands wherever fine ground is under way, and the bytes held never
// exceed the budget. For one thread.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "arete/core.h"
#include "arete/cut.h"

namespace arete::web {

class ResidentPages final : public SampleSource, public Residency {
 public:
  ResidentPages(const Lattice& lattice, int node_quads);

  const Lattice& lattice() const noexcept override { return lattice_; }
  // The page, or a null pointer where it is not here.
  Result<std::shared_ptr<const Page>> page(PageKey key) const override;
  // True when the node's page and all coarser ones above it are here.
  bool is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept override;

  PageKey page_of(int lod, std::uint32_t x, std::uint32_t z) const noexcept {
    return {std::uint8_t(lod), x >> page_shift_, z >> page_shift_};
  }

  // Begins a frame that wants nothing yet.
  void begin_wants();
  // Wants a page and those above it; the lesser `rank` comes first, then the coarser lod, then the lesser distance.
  void want(PageKey key, int rank, double distance);
  // The wanted pages that are absent, first things first, as many as find room beside what is wanted and here.
  std::span<const PageKey> missing();

  // Makes room and keeps the page. False, and nothing kept, when all that is here is wanted as well.
  bool place(std::shared_ptr<const Page> page);

  void set_budget(std::size_t bytes) { budget_bytes_ = bytes; }
  std::size_t bytes() const noexcept { return bytes_; }
  std::size_t count() const noexcept { return pages_.size(); }

 private:
  struct Kept {
    std::shared_ptr<const Page> page;
    std::uint64_t wanted = 0;  // the last frame that wanted it
  };
  struct Want {
    PageKey key;
    int rank;
    double distance;
  };
  static std::size_t page_bytes(PageKey key) {
    return sizeof(Page) + (key.lod == 0 ? 1 : 2) * kPlaneSamples * sizeof(std::uint16_t);
  }

  Lattice lattice_;
  int page_shift_;
  std::size_t budget_bytes_ = std::size_t(128) << 20;
  std::size_t bytes_ = 0;
  std::size_t wanted_bytes_ = 0;  // of what is here
  std::uint64_t frame_ = 0;
  std::unordered_map<std::uint64_t, Kept> pages_;
  std::unordered_map<std::uint64_t, Want> wants_;  // that are absent
  std::vector<PageKey> missing_;
};

}  // namespace arete::web
