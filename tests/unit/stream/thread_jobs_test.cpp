// Every job runs once, on a worker, and the destructor finishes what was submitted.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "arete/stream.h"

namespace arete {
namespace {

struct CountingJob final : Job {
  void run() noexcept override {
    thread = std::this_thread::get_id();
    ++runs;
  }
  std::atomic<int> runs{0};
  std::thread::id thread;
};

TEST(ThreadJobs, RunsEachJobOnce) {
  std::vector<CountingJob> jobs(1000);
  {
    ThreadJobs threads(4, 1000);
    EXPECT_EQ(threads.concurrency(), 4);
    for (CountingJob& job : jobs) {
      threads.submit(job);
    }
  }
  for (const CountingJob& job : jobs) {
    ASSERT_EQ(job.runs, 1);
    ASSERT_NE(job.thread, std::this_thread::get_id());
  }
}

TEST(ThreadJobs, WakesForJobsThatComeLater) {
  ThreadJobs threads(2, 1);
  for (int round = 1; round <= 500; ++round) {
    CountingJob job;
    threads.submit(job);
    while (job.runs == 0) {
      std::this_thread::yield();
    }
    ASSERT_EQ(job.runs, 1) << "round " << round;
  }
}

TEST(ThreadJobs, EndsIdle) {
  for (int round = 0; round < 50; ++round) {
    ThreadJobs threads(3, 8);
  }
}

}  // namespace
}  // namespace arete
