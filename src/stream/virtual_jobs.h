// A job system on a virtual clock: a load is complete a fixed time after it was begun, a fixed number run side by side,
// and the owner's thread runs them when the clock has passed their end.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "arete/stream.h"

namespace arete::stream {

class VirtualJobs final : public JobSystem {
 public:
  // `capacity`: the most jobs out at a time.
  VirtualJobs(double latency_s, int lanes, int capacity)
      : latency_s_(latency_s), lane_free_s_(std::size_t(lanes), 0.0), waiting_(std::size_t(capacity)) {}

  void submit(Job& job) noexcept override {
    const auto lane = std::min_element(lane_free_s_.begin(), lane_free_s_.end());
    *lane = std::max(*lane, now_s_) + latency_s_;
    waiting_[(first_ + count_++) % waiting_.size()] = {&job, *lane};
  }
  int concurrency() const noexcept override { return 1; }
  void drain() noexcept override { advance(1e300); }

  // Moves the clock on and runs what is complete by then. Ends ascend in the order of submission.
  void advance(double now_s) noexcept {
    now_s_ = now_s;
    while (count_ > 0 && waiting_[first_].end_s <= now_s) {
      Job* job = waiting_[first_].job;
      first_ = (first_ + 1) % waiting_.size();
      --count_;
      job->run();
    }
  }

 private:
  struct Waiting {
    Job* job = nullptr;
    double end_s = 0;
  };
  double latency_s_;
  double now_s_ = 0;
  std::vector<double> lane_free_s_;
  std::vector<Waiting> waiting_;  // a ring
  std::size_t first_ = 0;
  std::size_t count_ = 0;
};

}  // namespace arete::stream
