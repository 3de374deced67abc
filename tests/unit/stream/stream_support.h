// Fields, loaders and job systems whose every step a test decides.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "arete/stream.h"
#include "support/made_pages.h"
#include "support/terrain.h"

namespace arete::test {

// Pages of a function of the stop; nothing is kept. max = subsample + 1, so that the planes can be told apart.
class FunctionSource final : public SampleSource {
 public:
  using Function = std::function<std::uint16_t(std::int32_t x, std::int32_t z)>;
  FunctionSource(const Lattice& lattice, Function function) : lattice_(lattice), function_(std::move(function)) {}
  const Lattice& lattice() const noexcept override { return lattice_; }
  Result<std::shared_ptr<const Page>> page(PageKey key) const override {
    const std::shared_ptr<Page> page = made_page(lattice_, key, function_);
    for (std::uint16_t& sample : page->max) {
      ++sample;
    }
    return std::shared_ptr<const Page>(page);
  }

 private:
  Lattice lattice_;
  Function function_;
};

inline Lattice square(std::int32_t stops, double spacing_m = 1) {
  Lattice lattice;
  lattice.stops_x = lattice.stops_z = stops;
  lattice.spacing_x_m = lattice.spacing_z_m = spacing_m;
  return lattice;
}

// Jobs wait until the test runs them.
class ManualJobs final : public JobSystem {
 public:
  explicit ManualJobs(int concurrency = 4) : concurrency_(concurrency) { waiting.reserve(4096); }
  void submit(Job& job) noexcept override {
    waiting.push_back(&job);
    most = std::max(most, waiting.size());
  }
  int concurrency() const noexcept override { return concurrency_; }
  bool run_next() { return run_at(0); }
  bool run_at(std::size_t index) {
    if (index >= waiting.size()) {
      return false;
    }
    Job* job = waiting[index];
    waiting.erase(waiting.begin() + std::ptrdiff_t(index));
    job->run();
    return true;
  }
  void run_all() {
    while (run_next()) {
    }
  }
  void drain() noexcept override { run_all(); }
  std::vector<Job*> waiting;
  std::size_t most = 0;

 private:
  int concurrency_;
};

// Passes loads on and makes the n-th load of some pages go wrong: as an error, a short page, or an exception.
class FaultyLoader final : public PageLoader {
 public:
  // `fault(key, attempt)`: 0 none, 1 read error, 2 short page, 3 wrong key, 4 exception; attempts count from 1.
  using Fault = std::function<int(PageKey key, int attempt)>;
  FaultyLoader(const PageLoader& inner, Fault fault) : inner_(inner), fault_(std::move(fault)) {}
  const Lattice& lattice() const noexcept override { return inner_.lattice(); }
  std::uint64_t revision(PageKey key) const noexcept override { return inner_.revision(key); }
  std::uint64_t epoch() const noexcept override { return inner_.epoch(); }
  std::size_t scratch_bytes() const noexcept override { return inner_.scratch_bytes(); }
  Result<void> load(Page& page) const override {
    int attempt = 0;
    {
      const std::lock_guard lock(mutex_);
      order.push_back(page.key);
      attempt = int(std::count(order.begin(), order.end(), page.key));
    }
    switch (fault_(page.key, attempt)) {
      case 1:
        return io_error("planted: read failed");
      case 2:
        page.subsample.resize(100);
        return {};
      case 3:
        page.key.x += 1;
        return {};
      case 4:
        throw std::runtime_error("planted");
      default:
        return inner_.load(page);
    }
  }
  mutable std::vector<PageKey> order;  // of all loads, the failed ones too

 private:
  const PageLoader& inner_;
  Fault fault_;
  mutable std::mutex mutex_;
};

inline Viewpoint eye(double x_m, double y_m, double z_m, double range_0_m = 200, int node_quads = 32) {
  RangeOptions options;
  options.node_quads = node_quads;
  return {x_m, y_m, z_m, make_ranges(range_0_m, options)};
}

// Pending uploads name a slot once each, with the samples of the page that is resident now.
inline void expect_uploads_of_residents(const Atlas& atlas) {
  std::set<std::uint32_t> slots;
  for (const SlotUpload& change : atlas.uploads()) {
    EXPECT_TRUE(slots.insert(change.slot).second);
    const Page* page = atlas.find(change.key);
    ASSERT_NE(page, nullptr) << describe(change.key) << " is gone";
    ASSERT_EQ(change.samples.data(), page->plane(change.plane).data()) << describe(change.key);
    ASSERT_EQ(change.samples.size(), kPlaneSamples);
  }
}

// Every resident page's ancestors are resident and its samples are the source's.
inline std::string residency_fault(const Atlas& atlas, const SampleSource& source, bool compare_samples) {
  std::vector<PageKey> keys;
  atlas.resident_keys(keys);
  for (const PageKey key : keys) {
    const std::string name = std::to_string(key.lod) + "/" + std::to_string(key.x) + "/" + std::to_string(key.z);
    if (key.lod + 1 < atlas.lattice().lods() && !atlas.is_resident({std::uint8_t(key.lod + 1), key.x / 2, key.z / 2})) {
      return name + " has no parent";
    }
    if (compare_samples) {
      const Page& page = *atlas.find(key);
      const std::shared_ptr<const Page> truth = *source.page(key);
      if (page.subsample != truth->subsample || (!page.max.empty() && page.max != truth->max)) {
        return name + " holds other samples";
      }
    }
  }
  return {};
}

}  // namespace arete::test
