// Threads that are started before the clock and do their parts of one piece of work at a time, each call all of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace arete::figures {

// They wait awake, since a sleeping thread takes longer to rise than what is measured takes to do: keep none beside
// what others measure. One caller at a time.
class Crew {
 public:
  // `size` is at least 1: the caller is the first of them.
  explicit Crew(int size) {
    for (int member = 1; member < size; ++member) {
      threads_.emplace_back([this, member] { serve(member); });
    }
  }
  ~Crew() {
    work_ = nullptr;
    turn_.fetch_add(1, std::memory_order_release);
    for (std::thread& thread : threads_) {
      thread.join();
    }
  }
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return int(threads_.size()) + 1; }

  // Lets each member do work(member), 0 <= member < size(), at the same time; returns when all have.
  void run(std::function<void(int)> work) {
    work_ = std::move(work);
    busy_.store(size() - 1, std::memory_order_relaxed);
    turn_.fetch_add(1, std::memory_order_release);
    work_(0);
    while (busy_.load(std::memory_order_acquire) > 0) {
      std::this_thread::yield();
    }
  }

 private:
  void serve(int member) {
    for (std::uint32_t seen = 0;; ++seen) {
      while (turn_.load(std::memory_order_acquire) == seen) {
        std::this_thread::yield();
      }
      if (!work_) {
        return;
      }
      work_(member);
      busy_.fetch_sub(1, std::memory_order_release);
    }
  }

  std::function<void(int)> work_;
  std::atomic<std::uint32_t> turn_ = 0;
  std::atomic<int> busy_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace arete::figures
