// Pages come in, get their ray bounds, and go again when the budget is full.
#include "page_cache.h"

#include <algorithm>
#include <string>

#include "block_reduce.h"

namespace arete::collider {
namespace {
constexpr std::size_t kLeastPages = 4;
constexpr std::size_t kSlots = 64 * 64;

std::uint64_t place_key(std::int32_t x, std::int32_t z) {
  return PageKey{0, static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(z)}.packed();
}
}  // namespace

PageCache::PageCache(const SampleSource& source, const PageColliderOptions& options)
    : source_(source),
      bounds_(options.bounds),
      field_(make_field(source.lattice())),
      most_pages_(std::max(options.budget_bytes / page_bytes(), kLeastPages)),
      slots_(kSlots) {
  ARETE_ASSERT(bounds_ == nullptr || (bounds_->lattice().stops_x == source.lattice().stops_x &&
                                      bounds_->lattice().stops_z == source.lattice().stops_z));
}

Error PageCache::take_error() {
  Error error = *std::move(error_);
  error_.reset();
  return error;
}

KeptPage* PageCache::load(Slot& slot, std::int32_t x, std::int32_t z) {
  const std::uint64_t key = place_key(x, z);
  const auto found = pages_.find(key);
  if (found != pages_.end()) {
    slot = {found->second.get(), x, z};
    slot.page->used = clearings_;
    return slot.page;
  }
  auto page = source_.page(PageKey::unpack(key));
  if (!page) {
    error_ = page.error();
    return nullptr;
  }
  if (*page == nullptr) {
    return nullptr;
  }
  if ((*page)->subsample.size() != kPlaneSamples) {
    error_ = data_error("page (0, " + std::to_string(x) + ", " + std::to_string(z) + ") of the source has " +
                        std::to_string((*page)->subsample.size()) + " samples, expected " +
                        std::to_string(kPlaneSamples) + "; make the source again")
                 .error;
    return nullptr;
  }
  make_room();
  auto kept = std::make_unique<KeptPage>();
  kept->x = x;
  kept->z = z;
  kept->page = *std::move(page);
  kept->origin = kept->page->subsample.data() + Page::index(0, 0);
  kept->used = clearings_;
  std::uint32_t* words = kept->blocks.data();
  reduce_cells(kept->origin, kPageStride, kPageSamples, kPageSamples, 0, kPageCells / 4 - 1,
               words + kPageBlockOffset[2]);
  for (int level = 3; level <= kPageLevel; ++level) {
    const std::int32_t finer = kPageCells >> (level - 1);
    reduce_blocks(words + kPageBlockOffset[std::size_t(level) - 1], finer, finer, 0, finer / 2 - 1,
                  words + kPageBlockOffset[std::size_t(level)]);
  }
  if (!agrees_with_bounds(*kept)) {
    return nullptr;
  }
  slot = {kept.get(), x, z};
  pages_.emplace(key, std::move(kept));
  return slot.page;
}

bool PageCache::agrees_with_bounds(const KeptPage& kept) {
  if (bounds_ == nullptr) {
    return true;
  }
  std::uint32_t least = bounds_->field_min;
  std::uint32_t greatest = bounds_->field_max;
  if (bounds_->lattice().lods() > 2) {  // a lod-2 node of 32 quads is this page
    least = bounds_->at(2, kept.x, kept.z).min;
    greatest = bounds_->at(2, kept.x, kept.z).max;
  }
  const std::uint32_t page_greatest = kept.top_word() & 0xffffu;
  const std::uint32_t page_least = kept.top_word() >> 16;
  if (page_greatest <= greatest && (page_least == 0 || page_least >= least)) {
    return true;
  }
  error_ =
      data_error("page (0, " + std::to_string(kept.x) + ", " + std::to_string(kept.z) + ") holds steps " +
                 std::to_string(page_least) + " to " + std::to_string(page_greatest) + ", its bounds say " +
                 std::to_string(least) + " to " + std::to_string(greatest) + "; build the bounds again from the pages")
          .error;
  return false;
}

void PageCache::make_room() {
  if (pages_.size() < most_pages_) {
    return;
  }
  // First what was not used since the last clearing; where all of it was, a quarter of the rest.
  std::size_t quota = pages_.size();
  for (int round = 0; round < 2 && pages_.size() >= most_pages_; ++round) {
    std::erase_if(pages_, [&](const auto& entry) {
      const KeptPage& kept = *entry.second;
      if (kept.pins > 0 || quota == 0 || (round == 0 && kept.used == clearings_)) {
        return false;
      }
      Slot& slot = slot_of(kept.x, kept.z);
      if (slot.page == &kept) {
        slot = {};
      }
      --quota;
      return true;
    });
    quota = pages_.size() / 4 + 1;
  }
  ++clearings_;
}

void PageCache::forget(PageKey key) {
  const auto found = key.lod == 0 ? pages_.find(key.packed()) : pages_.end();
  if (found == pages_.end()) {
    return;
  }
  Slot& slot = slot_of(std::int32_t(key.x), std::int32_t(key.z));
  if (slot.page == found->second.get()) {
    slot = {};
  }
  pages_.erase(found);
}

void PageCache::forget_replaced() {
  for (auto entry = pages_.begin(); entry != pages_.end();) {
    const PageKey key = PageKey::unpack(entry->first);
    const Page* kept = entry->second->page.get();
    ++entry;  // forget() takes the one before
    const auto now = source_.page(key);
    if (!now || now->get() != kept) {
      forget(key);
    }
  }
}

void PageCache::forget_all() {
  slots_.assign(kSlots, {});
  pages_.clear();
}

}  // namespace arete::collider
