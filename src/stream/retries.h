// Pages whose load has failed, and when each may be tried again: waits double up to a limit. A fixed ring; when it is
// full the oldest is forgotten, which only means that it is tried sooner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "stream/page_table.h"

namespace arete::stream {

class Retries {
 public:
  struct Retry {
    PageKey key;
    int attempts = 0;
    double at_s = 0;
    bool is_used = false;
  };

  Retries(double first_s, double limit_s) : first_s_(first_s), limit_s_(limit_s), ring_(kCapacity), table_(kCapacity) {}
  static std::size_t bytes() { return kCapacity * sizeof(Retry) + PageTable::bytes(kCapacity); }

  bool may_load(PageKey key, double time_s) const noexcept {
    if (count_ == 0) {
      return true;
    }
    const std::uint32_t index = table_.find(key);
    return index == PageTable::kAbsent || ring_[index].at_s <= time_s;
  }

  const Retry& add_failure(PageKey key, double time_s) noexcept {
    std::uint32_t index = table_.find(key);
    if (index == PageTable::kAbsent) {
      index = next_;
      next_ = (next_ + 1) % kCapacity;
      if (ring_[index].is_used) {
        forget(ring_[index]);
      }
      ring_[index] = {key, 0, 0, true};
      table_.insert(key, index);
      ++count_;
    }
    Retry& retry = ring_[index];
    ++retry.attempts;
    retry.at_s = time_s + std::min(limit_s_, std::ldexp(first_s_, std::min(retry.attempts - 1, 60)));
    return retry;
  }

  void add_success(PageKey key) noexcept {
    if (count_ == 0) {
      return;
    }
    const std::uint32_t index = table_.find(key);
    if (index != PageTable::kAbsent) {
      forget(ring_[index]);
    }
  }

 private:
  static constexpr std::uint32_t kCapacity = 1024;
  void forget(Retry& retry) noexcept {
    table_.erase(retry.key);
    retry.is_used = false;
    --count_;
  }

  double first_s_, limit_s_;
  std::vector<Retry> ring_;
  PageTable table_;
  std::uint32_t next_ = 0;
  std::uint32_t count_ = 0;
};

}  // namespace arete::stream
