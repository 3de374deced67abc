// A fixed table from page keys to indices: open addressing, linear probing, deletion by shifting back, so that it never
// grows, allocates or fills with gravestones. At most half full. Clearing starts another generation of places.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "arete/core.h"

namespace arete::stream {

class PageTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;

  // `capacity`: the most keys at a time.
  explicit PageTable(std::size_t capacity)
      : places_(std::bit_ceil(2 * capacity + 2)), shift_(64 - std::countr_zero(places_.size())) {}

  static std::size_t bytes(std::size_t capacity) { return std::bit_ceil(2 * capacity + 2) * sizeof(Place); }

  std::uint32_t find(PageKey page) const noexcept {
    const std::uint64_t key = pack(page);
    for (std::size_t at = home(key);; at = next(at)) {
      const Place& place = places_[at];
      if (!is_used(place)) {
        return kAbsent;
      }
      if (place.key == key) {
        return place.value;
      }
    }
  }

  // The key must be absent.
  void insert(PageKey page, std::uint32_t value) noexcept {
    const std::uint64_t key = pack(page);
    std::size_t at = home(key);
    while (is_used(places_[at])) {
      at = next(at);
    }
    places_[at] = {key, value, generation_};
  }

  void erase(PageKey page) noexcept {
    const std::uint64_t key = pack(page);
    std::size_t hole = home(key);
    while (is_used(places_[hole]) && places_[hole].key != key) {
      hole = next(hole);
    }
    if (!is_used(places_[hole])) {
      return;
    }
    for (std::size_t at = next(hole); is_used(places_[at]); at = next(at)) {
      // An entry may move back into the hole unless its home lies between the hole and its place.
      const std::size_t from_home = (at - home(places_[at].key)) & (places_.size() - 1);
      const std::size_t from_hole = (at - hole) & (places_.size() - 1);
      if (from_home >= from_hole) {
        places_[hole] = places_[at];
        hole = at;
      }
    }
    places_[hole].generation = 0;
  }

  void clear() noexcept {
    if (++generation_ == 0) {
      for (Place& place : places_) {
        place.generation = 0;
      }
      generation_ = 1;
    }
  }

  // Cheaper than the store's key: nothing here needs the Morton order.
  static std::uint64_t pack(PageKey key) noexcept {
    return std::uint64_t(key.lod) << 58 | std::uint64_t(key.z) << 29 | key.x;
  }

 private:
  struct Place {
    std::uint64_t key = 0;
    std::uint32_t value = 0;
    std::uint32_t generation = 0;
  };
  bool is_used(const Place& place) const noexcept { return place.generation == generation_; }
  std::size_t home(std::uint64_t key) const noexcept { return std::size_t(key * 0x9e3779b97f4a7c15ull >> shift_); }
  std::size_t next(std::size_t at) const noexcept { return (at + 1) & (places_.size() - 1); }

  std::vector<Place> places_;
  std::uint32_t generation_ = 1;
  int shift_;
};

}  // namespace arete::stream
