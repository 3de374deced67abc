// Streaming: pages of any source become resident in a fixed number of slots, chosen by where the cameras are and will
// be.
//
// A page is resident only together with its ancestors, and the coarsest page always is, so select_cut with
// NodeResidency covers the whole field without cracks whatever has arrived. Everything that the streamer ever holds is
// allocated once, within the byte budget; update() takes no lock, waits for nothing and allocates nothing.
// docs/streaming.md has the rules.
//
// Threads: update() is called by one thread at a time and while nobody reads the atlas; between two updates any number
// of threads may read. Handles that Atlas::page() gave stay valid through updates for as long as they are held.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arete/core.h"
#include "arete/cut.h"

namespace arete {

// ---- Where pages come from ------------------------------------------------------------------------------------------

// Anything that gives pages. Every function may be called from several threads at once.
class PageLoader {
 public:
  virtual ~PageLoader() = default;
  virtual const Lattice& lattice() const noexcept = 0;
  // Fills the planes of `page`, whose key is set. `subsample` holds kPlaneSamples; `max` as well, or nothing where it
  // is not wanted (lod 0, or a streamer without max planes). May block; an error leaves the planes in any state.
  virtual Result<void> load(Page& page) const = 0;
  // Differs once any sample of the page, its apron's included, has changed. Never blocks: update() asks too.
  virtual std::uint64_t revision(PageKey) const noexcept { return 0; }
  // Differs once any page's revision does: only then are resident pages looked at again. Never blocks.
  virtual std::uint64_t epoch() const noexcept { return 0; }
  // The most bytes that one running load holds beside the page that it fills; they count against the budget.
  virtual std::size_t scratch_bytes() const noexcept { return 0; }
};

// The pages of a SampleSource: a store, memory, a function, the user's own. The source outlives the loader.
class SourceLoader final : public PageLoader {
 public:
  explicit SourceLoader(const SampleSource& source);
  ~SourceLoader() override;
  const Lattice& lattice() const noexcept override;
  Result<void> load(Page& page) const override;
  std::uint64_t revision(PageKey key) const noexcept override;
  std::uint64_t epoch() const noexcept override;
  std::size_t scratch_bytes() const noexcept override;
  // Says that samples inside page `key` have changed: it, the neighbours whose borders and aprons hold some of them,
  // and the coarser pages above all of these get another revision. Call after the source has changed; from any thread.
  void mark_edited(PageKey key) noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// ---- Who runs the loads ---------------------------------------------------------------------------------------------

// One load, to be run once.
class Job {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~Job() = default;
};

// The caller's own job system, the built-in threads, or a test's hand.
class JobSystem {
 public:
  virtual ~JobSystem() = default;
  // Sees to it that job.run() is called once, on any thread but not from within submit(); returns at once. Called by
  // update() alone; at most StreamOptions::max_loads jobs are out at a time.
  virtual void submit(Job& job) noexcept = 0;
  // The most jobs that run at the same time.
  virtual int concurrency() const noexcept = 0;
  // Called when a streamer ends, after it has cancelled what is not running: helps its jobs to end, where they do not
  // end by themselves. Cancelled jobs read nothing.
  virtual void drain() noexcept {}
};

// Threads that run jobs in the order of their submission. The destructor finishes what was submitted.
class ThreadJobs final : public JobSystem {
 public:
  // `capacity`: the most jobs out at a time, >= 1.
  ThreadJobs(int threads, int capacity);
  ~ThreadJobs() override;
  void submit(Job& job) noexcept override;
  int concurrency() const noexcept override;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// ---- The atlas ------------------------------------------------------------------------------------------------------

// Where a resident page's planes lie: slots below Atlas::slot_count(), one plane each. Equal when the page has one
// plane.
struct PageSlots {
  std::uint32_t subsample = 0;
  std::uint32_t max = 0;
  friend bool operator==(const PageSlots&, const PageSlots&) = default;
};

// A slot whose samples have changed since the last uploads_done().
struct SlotUpload {
  std::uint32_t slot = 0;
  PageKey key;
  HeightPlane plane = HeightPlane::subsample;
  std::span<const std::uint16_t> samples;  // kPlaneSamples, valid until the next update
};

// The resident pages. As a SampleSource it gives resident pages alone and a null pointer for the others, from which the
// collider says "not loaded"; meshers and queries read it like any other source, and a GPU mirrors the slots from
// uploads().
class Atlas final : public SampleSource {
 public:
  ~Atlas() override;
  const Lattice& lattice() const noexcept override;
  // The resident page, without copying, or a null pointer. A slot whose page is still held is not used again.
  Result<std::shared_ptr<const Page>> page(PageKey key) const override;

  bool is_resident(PageKey key) const noexcept;
  // The page, or nullptr; valid until the next update.
  const Page* find(PageKey key) const noexcept;
  std::optional<PageSlots> slots(PageKey key) const noexcept;
  std::uint32_t slot_count() const noexcept;
  std::uint32_t page_count() const noexcept;
  // Every resident key in key order, into `keys`.
  void resident_keys(std::vector<PageKey>& keys) const;

  // Slots to copy to a GPU before the next frame reads them. A slot given up is not used again for
  // StreamOptions::frames_in_flight updates, so frames under way still find their pages.
  std::span<const SlotUpload> uploads() const noexcept;
  void uploads_done() noexcept;

 private:
  friend class Streamer;
  struct State;
  explicit Atlas(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// What select_cut asks: a node may be drawn when its page is resident (its ancestors then are as well).
class NodeResidency final : public Residency {
 public:
  NodeResidency(const Atlas& atlas, int node_quads);
  bool is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept override;

 private:
  const Atlas& atlas_;
  int page_shift_;  // nodes to pages
};

// ---- The streamer ---------------------------------------------------------------------------------------------------

struct StreamOptions {
  // Everything counts: slots, loads under way with their scratch, tables, and the field's bounds.
  std::size_t budget_bytes = std::size_t(256) << 20;
  int max_loads = 128;          // queued and running together, 8..4096
  int threads = 2;              // of the built-in job system, 1..64; unused with `jobs`
  JobSystem* jobs = nullptr;    // the caller's own; outlives the streamer
  int pinned_pages = 24;        // whole coarsest lods that fit this number always stay, >= 1
  bool with_max = true;         // keep max planes; without them the subsample stands in
  int frames_in_flight = 0;     // updates for which a slot given up is kept from being used again, 0..8
  double lookahead_s = 1.0;     // pages that the cameras will need within this time are loaded ahead; 0: none
  double teleport_m_s = 20000;  // faster than this is a jump, not a motion
  double retry_s = 0.25;        // after the first failure; doubles with each further one
  double retry_limit_s = 8.0;
};

// Where a picture is taken from and by which ranges its cut is selected.
struct Viewpoint {
  double x_m = 0, y_m = 0, z_m = 0;
  Ranges ranges;
};
inline Viewpoint viewpoint(const View& view, const Ranges& ranges) {
  return {view.eye_x_m, view.eye_y_m, view.eye_z_m, ranges};
}

// A load that failed in the last update; it is tried again at `retry_at_s`.
struct LoadFailure {
  PageKey key;
  int attempts = 0;
  double retry_at_s = 0;
  std::string message;
};

struct StreamStats {
  // Now.
  std::size_t budget_bytes = 0;
  std::size_t held_bytes = 0;  // allocated, whether in use or not, and the scratch of running loads: <= budget
  std::size_t used_bytes = 0;  // of these, planes that hold or await a page
  std::int64_t resident_pages = 0;
  std::int64_t loads = 0;          // queued, running, or arrived and waiting for their parent
  std::int64_t wanted_pages = 0;   // by the cuts of the cameras now
  std::int64_t missing_pages = 0;  // of these, not resident or refused: 0 means full detail
  std::int64_t ahead_pages = 0;    // wanted for where the cameras are going
  std::int64_t refused_pages = 0;  // of the missing, over the budget; what lies below them is not counted
  std::int64_t stale_pages = 0;    // edited, and shown as they were until all of them have arrived
  // Since the start.
  std::int64_t updates = 0;
  std::int64_t issued = 0;
  std::int64_t placed = 0;
  std::int64_t placed_bytes = 0;  // of samples
  std::int64_t cancelled = 0;     // no longer wanted before they were read
  std::int64_t discarded = 0;     // read in vain
  std::int64_t failed = 0;
  std::int64_t evicted = 0;
};

// Keeps the pages resident that the cameras' cuts ask for. Equal sequences of updates and of loads that are complete at
// each give equal residency, whatever runs the loads.
class Streamer {
 public:
  // Reads the coarsest page before it returns. Refused (usage): options out of range, a budget that cannot hold the
  // pinned pages and the loads (the message names the least one). `loader` and `bounds` outlive the streamer.
  static Result<std::unique_ptr<Streamer>> create(const PageLoader& loader, const Bounds& bounds,
                                                  const StreamOptions& options = {});
  // The same over any source through an own SourceLoader.
  static Result<std::unique_ptr<Streamer>> create(const SampleSource& source, const Bounds& bounds,
                                                  const StreamOptions& options = {});
  // Waits for the loads that are running.
  ~Streamer();
  Streamer(const Streamer&) = delete;
  Streamer& operator=(const Streamer&) = delete;

  // Places what has arrived, drops what is no longer wanted, asks for what is. `time_s` never falls; a camera's motion
  // is told from its place in the last update, so each keeps its index. Never blocks; allocates nothing for up to 64
  // cameras, and only the first 64 are followed for what lies ahead.
  void update(std::span<const Viewpoint> cameras, double time_s) noexcept;

  // The field's bounds were changed in place, as by an editor: reads all of them again. Not during update().
  void bounds_changed() noexcept;

  Atlas& atlas() noexcept;
  const Atlas& atlas() const noexcept;
  const StreamStats& stats() const noexcept;
  // Loads that failed in the last update; at most 64 are kept, stats().failed counts all.
  std::span<const LoadFailure> failures() const noexcept;

 private:
  struct State;
  explicit Streamer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- Flights --------------------------------------------------------------------------------------------------------

// A camera's place at a time; straight in between. Two with the same time are a jump.
struct Waypoint {
  double time_s = 0;  // ascending
  double x_m = 0, y_m = 0, z_m = 0;
};
using FlightPath = std::vector<Waypoint>;

struct PathOptions {
  double seconds = 60;
  double speed_m_s = 300;
  double clearance_m = 100;  // above the highest ground around
  double jump_every_s = 0;   // 0: never
  std::uint64_t seed = 1;
};
// A path over the field that turns back at its rim and follows the ground from above.
FlightPath make_path(const Bounds& bounds, const PathOptions& options);
// The place at a time, held at both ends; on a jump the place after it.
Waypoint place_on(const FlightPath& path, double time_s);

struct FlightOptions {
  StreamOptions stream;  // `jobs` is taken by a virtual flight
  RangeOptions ranges;
  double pixels_per_radian = 1000;
  double updates_per_second = 60;
  // In virtual time nothing waits: loads are read between updates by the calling thread and count as complete
  // `latency_s` after they were begun, `lanes` at a time. In real time updates keep to the clock and the streamer's
  // threads load.
  bool is_virtual = true;
  double latency_s = 0;
  int lanes = 64;
};

// After an update, for whoever draws or checks.
struct FlightMoment {
  std::int64_t update = 0;
  double time_s = 0;
  std::span<const View> views;  // one a camera
  std::span<const Ranges> ranges;
  Streamer* streamer = nullptr;
};

struct FlightReport {
  double seconds = 0;  // of the flight's own time
  double wall_seconds = 0;
  std::int64_t updates = 0;
  // Of update() by the wall's clock, and by the processor time of its thread (what a busy machine adds left out).
  double update_p50_us = 0, update_p99_us = 0, update_p999_us = 0, update_max_us = 0;
  double update_cpu_p50_us = 0, update_cpu_p999_us = 0, update_cpu_max_us = 0;
  std::int64_t blocked_updates = 0;    // in which the thread gave up the processor to wait (voluntary context switches)
  std::int64_t preempted_updates = 0;  // in which the system took the processor away (involuntary ones)
  std::size_t most_held_bytes = 0;
  std::int64_t over_budget_updates = 0;
  std::int64_t full_detail_updates = 0;
  double mean_missing_pages = 0;  // of the cuts of the moment
  std::int64_t jumps = 0;         // of all cameras
  std::int64_t recoveries = 0;  // times at which all cameras had full detail again after a jump; 0: the budget is short
  double detail_after_jump_mean_s = 0, detail_after_jump_max_s = 0;  // until every page of the cuts was resident
  double pages_per_s = 0;                                            // placed, over the wall's seconds
  std::size_t loaded_bytes = 0;                                      // decoded, placed
  StreamStats stats;                                                 // at the end
  std::vector<std::string> first_failures;                           // messages of loads, at most 8
};

// Flies one camera a path through a streamer until the longest path ends; `on_update` is not timed. Fails as
// Streamer::create does, and at once as `on_update` does; paths must hold at least one waypoint.
Result<FlightReport> run_flight(const PageLoader& loader, const Bounds& bounds, std::span<const FlightPath> paths,
                                const FlightOptions& options = {},
                                const std::function<Result<void>(const FlightMoment&)>& on_update = {});

}  // namespace arete
