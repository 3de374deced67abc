// A streamer, its field and its loads, for tests that decide every step.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <utility>

#include "unit/stream/stream_support.h"

namespace arete::test {

inline constexpr std::uint16_t kLow = 900, kHigh = 1100;

// A streamer over a made-up field whose loads complete when the test says so.
struct StreamedField {
  explicit StreamedField(std::int32_t stops = 2049, StreamOptions options = small())
      : source(square(stops), [this](std::int32_t x, std::int32_t z) { return height(x, z); }),
        bounds(wide_bounds(source.lattice(), kLow, kHigh)),
        inner(source),
        loader(inner, [this](PageKey key, int attempt) { return fault ? fault(key, attempt) : 0; }) {
    options.jobs = &jobs;
    streamer = std::move(Streamer::create(loader, bounds, options).value());
  }
  static StreamOptions small() {
    StreamOptions options;
    options.budget_bytes = std::size_t(12) << 20;
    return options;
  }
  std::uint16_t height(std::int32_t x, std::int32_t z) const {
    const int bump = x >= bump_x && z >= bump_z && x <= bump_x + 4 && z <= bump_z + 4 ? 50 : 0;
    return std::uint16_t(1000 + x % 7 + z % 5 + bump);
  }
  void update(std::span<const Viewpoint> cameras) { streamer->update(cameras, time_s += 1.0 / 60); }
  void update(const Viewpoint& camera) { update({&camera, 1}); }
  // Until nothing more is under way.
  void settle(const Viewpoint& camera) {
    for (int i = 0; i < 200; ++i) {
      update(camera);
      if (jobs.waiting.empty() && streamer->stats().missing_pages == 0) {
        return;
      }
      jobs.run_all();
    }
    FAIL() << "still missing " << streamer->stats().missing_pages;
  }
  const StreamStats& stats() const { return streamer->stats(); }
  const Atlas& atlas() const { return streamer->atlas(); }

  int bump_x = -100, bump_z = -100;
  FunctionSource source;
  Bounds bounds;
  SourceLoader inner;
  FaultyLoader::Fault fault;
  FaultyLoader loader;
  ManualJobs jobs;
  std::unique_ptr<Streamer> streamer;
  double time_s = 0;
};

}  // namespace arete::test
