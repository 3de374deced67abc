// Pages at hand while nodes are judged: the checker's own way to samples, apart from the mesher's.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "arete/core.h"

namespace arete::check {

// Keeps up to kPagesKept pages. Not thread-safe. A failed read is kept in error() and reads as holes.
class PageReader {
 public:
  explicit PageReader(const SampleSource& source) : source_(source) {}

  // Steps at index (i, k) of a lod's lattice (fine index >> lod); indices beyond the last page clamp to it.
  std::uint16_t steps(HeightPlane plane, int lod, std::int32_t i, std::int32_t k) {
    const Lattice& lattice = source_.lattice();
    const std::int32_t x = std::min(i / kPageCells, lattice.pages_x(lod) - 1);
    const std::int32_t z = std::min(k / kPageCells, lattice.pages_z(lod) - 1);
    const Page* found =
        page({static_cast<std::uint8_t>(lod), static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(z)});
    return found == nullptr ? kHole : found->at(plane, i - x * kPageCells, k - z * kPageCells);
  }

  // The page, valid until the next call, or null after an error.
  const Page* page(PageKey key) {
    if (last_ != nullptr && key == last_key_) {
      return last_;
    }
    const std::uint64_t packed = key.packed();
    auto at = pages_.find(packed);
    if (at == pages_.end()) {
      if (pages_.size() >= kPagesKept) {
        clear();
      }
      Result<std::shared_ptr<const Page>> read = source_.require_page(key);
      if (!read) {
        error_ = error_ ? error_ : read.error();
        return nullptr;
      }
      at = pages_.emplace(packed, *std::move(read)).first;
    }
    last_ = at->second.get();
    last_key_ = key;
    return last_;
  }

  void clear() {
    pages_.clear();
    last_ = nullptr;
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  static constexpr std::size_t kPagesKept = 1024;  // 70 MB
  const SampleSource& source_;
  std::unordered_map<std::uint64_t, std::shared_ptr<const Page>> pages_;
  const Page* last_ = nullptr;
  PageKey last_key_;
  std::optional<Error> error_;
};

}  // namespace arete::check
