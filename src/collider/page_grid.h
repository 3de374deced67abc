// A source of pages as walk_ray() reads it: one page at a time, and the field's node bounds over whole pages where it
// has them.
#pragma once

#include <algorithm>

#include "page_cache.h"
#include "ray_walk.h"

namespace arete::collider {

class PageGrid {
 public:
  static constexpr int kGateLevel = kPageLevel;

  // Without `may_enter` the walk stops where it needs a page's own blocks.
  explicit PageGrid(PageCache& cache, bool may_enter = true)
      : cache_(cache), samples_{nullptr, 1, kPageStride}, may_enter_(may_enter) {}

  // For a walk that is under way in `page`, perhaps in one of its cells.
  void stand_in(const KeptPage* page) { current_ = page; }

  bool block(int level, std::int32_t x, std::int32_t z, std::uint32_t& word) {
    const std::int32_t page_x = x >> kPageLevel;
    const std::int32_t page_z = z >> kPageLevel;
    if (current_->x != page_x || current_->z != page_z) {
      if (level >= kPageLevel && has_bounds(level)) {
        word = bounds_word(level, x, z);
        return true;
      }
      const KeptPage* page = may_enter_ ? cache_.page(page_x, page_z) : nullptr;
      if (page == nullptr) {
        return false;
      }
      current_ = page;
    }
    if (level > kPageLevel) {
      word = bounds_word(level, x, z);
      return true;
    }
    const std::int32_t inside = kPageCells - 1;
    word = current_->word(level, (x & inside) >> level, (z & inside) >> level);
    return true;
  }

  // The cell may lie one before the current page: its apron has the samples.
  const std::uint16_t* corner(std::int32_t x, std::int32_t z) const {
    return current_->origin + std::ptrdiff_t(z - (current_->z << kPageLevel)) * kPageStride +
           (x - (current_->x << kPageLevel));
  }
  const Samples& samples() const { return samples_; }
  int top_level() const {
    return cache_.bounds() == nullptr ? kPageLevel : std::max(kPageLevel, cache_.lattice().lods() + 4);
  }
  int start_level() const { return has_bounds(kPageLevel) ? kPageLevel : kStartLevel; }
  std::uint32_t top_word() const {
    const Bounds* bounds = cache_.bounds();
    return bounds == nullptr ? 0xffffu : bounds->field_max | std::uint32_t(bounds->field_min) << 16;
  }
  Spot spot(double x_m, double z_m) {
    AxisPlace x;
    AxisPlace z;
    if (!locate(cache_.field().x, x_m, x) || !locate(cache_.field().z, z_m, z)) {
      return no_spot(Ground::outside);
    }
    const KeptPage* page = cache_.page(x.cell >> kPageLevel, z.cell >> kPageLevel);
    if (page == nullptr) {
      return no_spot(Ground::not_loaded);
    }
    current_ = page;
    return spot_at(samples_, corner(x.cell, z.cell), x.cell, z.cell, x.f, z.f);
  }

 private:
  // Node bounds of lod l cover blocks of 32 << l cells and exist for lods >= 1.
  bool has_bounds(int level) const { return cache_.bounds() != nullptr && level - 5 < cache_.lattice().lods(); }
  std::uint32_t bounds_word(int level, std::int32_t x, std::int32_t z) const {
    const NodeBounds& node = cache_.bounds()->at(level - 5, x >> level, z >> level);
    return node.max | std::uint32_t(node.min) << 16;
  }

  PageCache& cache_;
  const KeptPage* current_ = &kNowhere;
  Samples samples_;
  bool may_enter_;
};

}  // namespace arete::collider
