// Wants, room and residency of pages in memory.
#include "serve/web/resident_pages.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace arete::web {

ResidentPages::ResidentPages(const Lattice& lattice, int node_quads)
    : lattice_(lattice), page_shift_(std::countr_zero(unsigned(kPageCells / node_quads))) {}

Result<std::shared_ptr<const Page>> ResidentPages::page(PageKey key) const {
  const auto found = pages_.find(key.packed());
  return found == pages_.end() ? std::shared_ptr<const Page>() : found->second.page;
}

bool ResidentPages::is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept {
  PageKey key = page_of(lod, x, z);
  while (pages_.contains(key.packed())) {
    if (int(key.lod) + 1 == lattice_.lods()) {
      return true;
    }
    key = {std::uint8_t(key.lod + 1), key.x / 2, key.z / 2};
  }
  return false;
}

void ResidentPages::begin_wants() {
  ++frame_;
  wanted_bytes_ = 0;
  wants_.clear();
}

void ResidentPages::want(PageKey key, int rank, double distance) {
  for (; int(key.lod) < lattice_.lods(); key = {std::uint8_t(key.lod + 1), key.x / 2, key.z / 2}) {
    if (const auto found = pages_.find(key.packed()); found != pages_.end()) {
      if (found->second.wanted != frame_) {
        found->second.wanted = frame_;
        wanted_bytes_ += page_bytes(key);
      }
      continue;
    }
    const auto [entry, is_new] = wants_.try_emplace(key.packed(), Want{key, rank, distance});
    if (!is_new) {
      Want& known = entry->second;
      std::tie(known.rank, known.distance) = std::min(std::pair(known.rank, known.distance), std::pair(rank, distance));
    }
  }
}

std::span<const PageKey> ResidentPages::missing() {
  std::vector<Want> order;
  order.reserve(wants_.size());
  for (const auto& [packed, want] : wants_) {
    order.push_back(want);
  }
  std::sort(order.begin(), order.end(), [](const Want& a, const Want& b) {
    return std::tuple(a.rank, -int(a.key.lod), a.distance, a.key.packed()) <
           std::tuple(b.rank, -int(b.key.lod), b.distance, b.key.packed());
  });
  missing_.clear();
  std::size_t taken = wanted_bytes_;
  for (const Want& want : order) {
    taken += page_bytes(want.key);
    if (taken > budget_bytes_) {
      break;
    }
    missing_.push_back(want.key);
  }
  return missing_;
}

bool ResidentPages::place(std::shared_ptr<const Page> page) {
  const PageKey key = page->key;
  if (pages_.contains(key.packed())) {
    return true;
  }
  const std::size_t room = page_bytes(key);
  while (bytes_ + room > budget_bytes_) {
    // A page is wanted whenever one below it is: of those wanted longest ago the finest has nothing below it.
    const auto oldest = std::min_element(pages_.begin(), pages_.end(), [](const auto& a, const auto& b) {
      return std::tuple(a.second.wanted, a.first) < std::tuple(b.second.wanted, b.first);
    });
    if (oldest == pages_.end() || oldest->second.wanted == frame_) {
      return false;
    }
    bytes_ -= page_bytes(oldest->second.page->key);
    pages_.erase(oldest);
  }
  const bool is_wanted = wants_.erase(key.packed()) == 1;
  wanted_bytes_ += is_wanted ? room : 0;
  bytes_ += room;
  pages_.emplace(key.packed(), Kept{std::move(page), is_wanted ? frame_ : 0});
  return true;
}

}  // namespace arete::web
