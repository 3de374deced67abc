// Decoded pages kept for the next request, the least recently used dropped first.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "arete/core.h"

namespace arete::tiles {

// Thread-safe. Holds at most `capacity_bytes` of samples; pages that callers hold live on.
class PageCache {
 public:
  explicit PageCache(std::size_t capacity_bytes) : capacity_bytes_(capacity_bytes) {}

  std::shared_ptr<const Page> find(PageKey key) {
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(key.packed());
    if (found == places_.end()) {
      return nullptr;
    }
    pages_.splice(pages_.begin(), pages_, found->second);
    return pages_.front();
  }

  // Keeps the page, and returns it or the one that another thread has kept meanwhile.
  std::shared_ptr<const Page> insert(std::shared_ptr<const Page> page) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t key = page->key.packed();
    if (const auto found = places_.find(key); found != places_.end()) {
      return *found->second;
    }
    used_bytes_ += bytes(*page);
    pages_.push_front(page);
    places_[key] = pages_.begin();
    while (used_bytes_ > capacity_bytes_ && !pages_.empty()) {
      used_bytes_ -= bytes(*pages_.back());
      places_.erase(pages_.back()->key.packed());
      pages_.pop_back();
    }
    return page;
  }

 private:
  static std::size_t bytes(const Page& page) {
    return (page.subsample.size() + page.max.size()) * sizeof(std::uint16_t);
  }

  std::size_t capacity_bytes_;
  std::mutex mutex_;
  std::size_t used_bytes_ = 0;
  std::list<std::shared_ptr<const Page>> pages_;  // most recently used first
  std::unordered_map<std::uint64_t, std::list<std::shared_ptr<const Page>>::iterator> places_;
};

}  // namespace arete::tiles
