// Threads that share the pages of a row.
#pragma once

#include <tbb/global_control.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>

#include "arete/result.h"

namespace arete::tiles {

class Workers {
 public:
  // `jobs` threads, the caller's among them; 0: one a processor.
  explicit Workers(int jobs) : arena_(jobs > 0 ? jobs : tbb::task_arena::automatic) {
    if (jobs > tbb::info::default_concurrency()) {
      more_.emplace(tbb::global_control::max_allowed_parallelism, std::size_t(jobs));
    }
  }

  // Runs work(i) for 0 <= i < count, each once, in no order and at the same time, and waits. After a failure no more of
  // them start; one of the failures is returned.
  template <class Work>
  Result<void> each(std::int32_t count, const Work& work) {
    Result<void> result;
    std::mutex mutex;
    std::atomic<bool> has_failed = false;
    std::atomic<std::int32_t> finished = 0;  // orders the work before the return where TBB cannot be seen into
    arena_.execute([&] {
      const auto one = [&](std::int32_t i) {
        if (has_failed) {
          return;
        }
        if (auto done = work(i); !done) {
          const std::lock_guard lock(mutex);
          has_failed = true;
          result = done;
        }
        finished.fetch_add(1, std::memory_order_release);
      };
      // One by one: a page is work enough, and no thread is left with several at the end of a row.
      tbb::parallel_for(std::int32_t(0), count, one, tbb::simple_partitioner());
    });
    (void)finished.load(std::memory_order_acquire);
    return result;
  }

 private:
  std::optional<tbb::global_control> more_;  // than one a processor
  tbb::task_arena arena_;
};

}  // namespace arete::tiles
