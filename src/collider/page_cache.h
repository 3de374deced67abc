// Lod-0 pages of a source with their ray bounds, kept within a budget for one thread's queries.
//
// A small table of places finds a page that was used before in a few cycles; behind it stands a map of all that are
// kept. Pages that were not used since the last clearing go first.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "arete/collider.h"
#include "field.h"

namespace arete::collider {

inline constexpr int kPageLevel = 7;  // a page is one block of 2^7 cells

// The words of a page's blocks, the whole page first: 1, 2 x 2, ..., 32 x 32. Rays that pass over read few lines.
inline constexpr std::array<std::int32_t, kPageLevel + 1> kPageBlockOffset = {0, 0, 341, 85, 21, 5, 1, 0};
inline constexpr std::int32_t kPageBlocks = 1365;  // and one word more, which batches may read

struct KeptPage {
  std::int32_t x = -1, z = -1;            // in pages
  const std::uint16_t* origin = nullptr;  // sample (0, 0)
  std::uint64_t used = 0;                 // the clearing before which it was used last
  std::int32_t pins = 0;                  // rays that stand in it now
  std::array<std::uint32_t, kPageBlocks + 1> blocks{};
  std::shared_ptr<const Page> page;

  std::uint32_t word(int level, std::int32_t x_block, std::int32_t z_block) const {
    const std::int32_t block = (z_block << (kPageLevel - level)) + x_block;
    return blocks[std::size_t(kPageBlockOffset[std::size_t(level)]) + std::size_t(block)];
  }
  std::uint32_t top_word() const { return blocks[0]; }
};

// No page of any field: where walks stand at first.
inline const KeptPage kNowhere;

class PageCache {
 public:
  PageCache(const SampleSource& source, const PageColliderOptions& options);

  const SampleSource& source() const { return source_; }
  const Lattice& lattice() const { return source_.lattice(); }
  const Field& field() const { return field_; }
  const Bounds* bounds() const { return bounds_; }

  // Page (x, z) of lod 0 where it is at hand, or nullptr.
  KeptPage* page_at_hand(std::int32_t x, std::int32_t z) {
    Slot& slot = slot_of(x, z);
    if (slot.page == nullptr || slot.x != x || slot.z != z) {
      return nullptr;
    }
    slot.page->used = clearings_;
    return slot.page;
  }
  // Page (x, z) of lod 0, or nullptr: then either error() is set or the page is not loaded.
  KeptPage* page(std::int32_t x, std::int32_t z) {
    KeptPage* page = page_at_hand(x, z);
    return page != nullptr ? page : load(slot_of(x, z), x, z);
  }
  // What the source said when a page could not be had; cleared by take_error().
  const std::optional<Error>& error() const { return error_; }
  Error take_error();

  void forget(PageKey key);
  void forget_all();
  void forget_replaced();
  std::size_t size() const { return pages_.size(); }
  static constexpr std::size_t page_bytes() { return kPlaneSamples * sizeof(std::uint16_t) + sizeof(KeptPage) + 64; }

 private:
  struct Slot {
    KeptPage* page = nullptr;
    std::int32_t x = 0, z = 0;
  };
  Slot& slot_of(std::int32_t x, std::int32_t z) { return slots_[std::size_t(z & 63) << 6 | std::size_t(x & 63)]; }
  KeptPage* load(Slot& slot, std::int32_t x, std::int32_t z);
  bool agrees_with_bounds(const KeptPage& kept);
  void make_room();

  const SampleSource& source_;
  const Bounds* bounds_;
  Field field_;
  std::size_t most_pages_;
  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::unique_ptr<KeptPage>> pages_;
  std::uint64_t clearings_ = 0;
  std::optional<Error> error_;
};

}  // namespace arete::collider
