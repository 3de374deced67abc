// Work that several threads share out among themselves.
#pragma once

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "arete/result.h"

namespace arete {

// `wanted` threads, or the processor's when it is 0.
inline int worker_count(int wanted) {
  return wanted > 0 ? wanted : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

// Runs work(has_failed), a Result<void>, on this thread and on workers - 1 others until all have returned, and gives
// the first error. `has_failed` is true once one has failed: the others should then return.
template <class Work>
Result<void> run_workers(int workers, const Work& work) {
  std::atomic<bool> has_failed = false;
  std::mutex mutex;
  std::optional<Error> error;
  const auto run = [&] {
    if (const Result<void> done = work(std::as_const(has_failed)); !done) {
      const std::lock_guard lock(mutex);
      error = error ? error : done.error();
      has_failed = true;
    }
  };
  std::vector<std::thread> threads;
  for (int worker = 1; worker < workers; ++worker) {
    threads.emplace_back(run);
  }
  run();
  for (std::thread& thread : threads) {
    thread.join();
  }
  if (error) {
    return Unexpected{*std::move(error)};
  }
  return {};
}

}  // namespace arete
