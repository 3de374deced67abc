// All that a streamer holds, and the steps of an update in their order.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "arete/stream.h"
#include "stream/atlas_state.h"
#include "stream/load.h"
#include "stream/retries.h"
#include "stream/wanted.h"

namespace arete {

// How a budget is dealt out, once.
struct StreamPlan {
  std::size_t fixed_bytes = 0;  // everything but the scratch of running loads
  std::uint32_t planes = 0;
  int pinned_lod = 0;                 // this and coarser lods stay
  std::uint32_t admitted_planes = 0;  // the most that wanted pages may take; the rest is for turnover
};

struct Streamer::State {
  static constexpr std::size_t kMotions = stream::WantedPages::kCameras;  // cameras whose motion is followed
  static constexpr std::size_t kFailures = 64;                            // kept for the caller

  struct Track {
    double x_m = 0, y_m = 0, z_m = 0;
    stream::Motion motion;
    bool is_known = false;
  };

  State(const PageLoader& its_loader, const Bounds& its_bounds, const StreamOptions& its_options,
        const StreamPlan& its_plan);
  ~State();

  static Result<StreamPlan> plan_budget(const PageLoader& loader, const Lattice& lattice, const StreamOptions& options);
  static std::size_t fixed_bytes(std::uint32_t planes, const Lattice& lattice, const StreamOptions& options);
  Result<void> load_coarsest();
  void update(std::span<const Viewpoint> cameras, double time_s) noexcept;

  // The steps of an update.
  void choose(std::span<const Viewpoint> cameras) noexcept;
  void mark_used() noexcept;
  void notice_edits() noexcept;
  void take_results() noexcept;
  void take_result(std::uint32_t index) noexcept;
  void swap_edited() noexcept;
  void cancel_unwanted() noexcept;
  void ask_for_edited() noexcept;
  void ask_for_wanted() noexcept;
  void count() noexcept;

  const stream::Motion& follow(std::size_t camera, const Viewpoint& at) noexcept;
  std::uint32_t planes_of(PageKey key) const noexcept { return key.lod > 0 && options.with_max ? 2 : 1; }
  bool is_loading(PageKey key) const noexcept { return loading.find(key) != stream::PageTable::kAbsent; }
  // Takes planes and a record for the page and hands it to the job system; false when planes are short.
  bool submit(PageKey key, bool is_reload) noexcept;
  // Frees a done load's record; its box is the caller's.
  void finish(std::uint32_t index) noexcept;
  void discard(std::uint32_t index) noexcept;
  void count_placed(const stream::PageBox& box) noexcept;
  void report(stream::Load& load) noexcept;
  void count_stale() noexcept;
  // Evicts a page with all below it although this update wants them.
  void evict_wanted(PageKey key) noexcept;
  // Evicts the finest edited page that is not pinned with all below it; false when there is none.
  bool give_up_edited() noexcept;

  std::unique_ptr<SourceLoader> own_loader;
  const PageLoader& loader;
  const Bounds& bounds;
  const StreamOptions options;
  const StreamPlan plan;
  Atlas atlas;
  Atlas::State& pages;
  stream::WantedPages wanted;
  std::vector<stream::Load> loads;
  std::vector<std::uint32_t> free_loads;
  stream::PageTable loading;         // key to index in loads, of those under way
  std::vector<std::uint32_t> order;  // scratch: indices of loads
  std::vector<PageKey> asked;        // scratch: pages to ask for
  stream::Retries retries;
  std::vector<LoadFailure> failures;
  std::size_t failure_count = 0;
  std::array<Track, kMotions> tracks;
  double now_s = 0;
  double passed_s = 0;  // since the last update; 0 in the first
  std::uint64_t epoch = 0;
  std::uint32_t stale = 0;        // resident pages that await their replacement
  std::uint32_t loads_ahead = 0;  // loads under way for pages that are not wanted now
  StreamStats stats;
  std::unique_ptr<ThreadJobs> own_jobs;  // last: ends before what its jobs use
  JobSystem* jobs = nullptr;
};

}  // namespace arete
