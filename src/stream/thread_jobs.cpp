// Threads that run jobs: one producer writes a ring, the workers take from it by compare-and-swap and sleep on its end.
//
// No mutex: a worker that the system halts at any point delays nobody. The ring holds as many jobs as may be out at a
// time, so the producer never waits for room.
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>
#include <vector>

#include "arete/stream.h"

namespace arete {

struct ThreadJobs::State {
  explicit State(std::size_t capacity) : ring(std::bit_ceil(capacity)) {}

  void work() noexcept {
    // A batch thread that wakes does not take the processor from the thread that woke it, which is updating.
    const sched_param none{};
    sched_setscheduler(0, SCHED_BATCH, &none);
    for (;;) {
      std::uint32_t first = begin.load();
      const std::uint32_t last = end.load();
      if (first == last) {
        end.wait(last);
        continue;
      }
      Job* job = ring[first & (ring.size() - 1)].load();
      // Whoever moves `begin` on owns the job; a place is written again only after that.
      if (!begin.compare_exchange_weak(first, first + 1)) {
        continue;
      }
      if (job == nullptr) {
        return;
      }
      job->run();
    }
  }

  void push(Job* job) noexcept {
    ring[end.load() & (ring.size() - 1)].store(job);
    end.fetch_add(1);
    end.notify_one();
  }

  std::vector<std::atomic<Job*>> ring;
  std::atomic<std::uint32_t> begin{0};
  std::atomic<std::uint32_t> end{0};
  std::vector<std::thread> threads;
};

// Room for a null job a worker as well: it tells one worker to end.
ThreadJobs::ThreadJobs(int threads, int capacity)
    : state_(std::make_unique<State>(std::size_t(std::max(capacity, 1)) + std::size_t(std::max(threads, 1)))) {
  for (int i = 0; i < std::max(threads, 1); ++i) {
    state_->threads.emplace_back([state = state_.get()] { state->work(); });
  }
}

ThreadJobs::~ThreadJobs() {
  for (std::size_t i = 0; i < state_->threads.size(); ++i) {
    state_->push(nullptr);
  }
  for (std::thread& thread : state_->threads) {
    thread.join();
  }
}

void ThreadJobs::submit(Job& job) noexcept { state_->push(&job); }

int ThreadJobs::concurrency() const noexcept { return int(state_->threads.size()); }

}  // namespace arete
