// A flight: cameras on their paths, one update a tick, and what the streamer did.
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>
#include <thread>

#include "arete/stream.h"
#include "stream/virtual_jobs.h"

namespace arete {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_between(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

double thread_cpu_us() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e6 + double(time.tv_nsec) * 1e-3;
}

// How often this thread has left its processor: to wait for something, and because the system took it away.
rusage thread_usage() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage;
}

bool jumps_between(const FlightPath& path, double after_s, double until_s) {
  return std::adjacent_find(path.begin(), path.end(), [&](const Waypoint& a, const Waypoint& b) {
           return a.time_s == b.time_s && a.time_s > after_s && a.time_s <= until_s;
         }) != path.end();
}

double percentile(std::vector<float>& sorted, double part) {
  return sorted.empty() ? 0 : sorted[std::min(sorted.size() - 1, std::size_t(double(sorted.size()) * part))];
}

// Measures one flight; the streamer is made by the caller.
class Flight {
 public:
  Flight(const Bounds& bounds, std::span<const FlightPath> paths, const FlightOptions& options)
      : paths_(paths), options_(options), views_(paths.size()), ranges_(paths.size()) {
    for (const FlightPath& path : paths) {
      report_.seconds = std::max(report_.seconds, path.back().time_s);
    }
    const Ranges ranges = make_ranges(bounds, options.pixels_per_radian, options.ranges);
    std::fill(ranges_.begin(), ranges_.end(), ranges);
    viewpoints_.resize(paths.size());
    update_cpu_us_.reserve(std::size_t(report_.seconds * options.updates_per_second) + 2);
    update_us_.reserve(std::size_t(report_.seconds * options.updates_per_second) + 2);
  }

  Result<FlightReport> fly(Streamer& streamer, stream::VirtualJobs* virtual_jobs,
                           const std::function<Result<void>(const FlightMoment&)>& on_update) {
    const double tick_s = 1 / options_.updates_per_second;
    const std::int64_t ticks = std::int64_t(std::floor(report_.seconds * options_.updates_per_second + 1e-9)) + 1;
    const Clock::time_point start = Clock::now();
    double last_s = -tick_s;
    for (std::int64_t tick = 0; tick < ticks; ++tick) {
      const double time_s = double(tick) * tick_s;
      if (virtual_jobs != nullptr) {
        virtual_jobs->advance(time_s);
      } else {
        std::this_thread::sleep_until(
            start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(time_s)));
      }
      place_cameras(time_s);
      timed_update(streamer, time_s);
      observe(streamer, last_s, time_s);
      last_s = time_s;
      if (on_update) {
        if (const Result<void> done = on_update({tick, time_s, views_, ranges_, &streamer}); !done) {
          return Unexpected{done.error()};
        }
      }
    }
    report_.wall_seconds = seconds_between(start, Clock::now());
    finish(streamer);
    return report_;
  }

 private:
  void place_cameras(double time_s) {
    for (std::size_t camera = 0; camera < paths_.size(); ++camera) {
      const Waypoint at = place_on(paths_[camera], time_s);
      views_[camera].eye_x_m = at.x_m;
      views_[camera].eye_y_m = at.y_m;
      views_[camera].eye_z_m = at.z_m;
      views_[camera].pixels_per_radian = options_.pixels_per_radian;
      viewpoints_[camera] = viewpoint(views_[camera], ranges_[camera]);
    }
  }

  void timed_update(Streamer& streamer, double time_s) {
    const rusage before = thread_usage();
    const Clock::time_point begin = Clock::now();
    const double begin_cpu_us = thread_cpu_us();
    streamer.update(viewpoints_, time_s);
    update_cpu_us_.push_back(float(thread_cpu_us() - begin_cpu_us));
    update_us_.push_back(float(seconds_between(begin, Clock::now()) * 1e6));
    const rusage after = thread_usage();
    report_.blocked_updates += after.ru_nvcsw != before.ru_nvcsw ? 1 : 0;
    report_.preempted_updates += after.ru_nivcsw != before.ru_nivcsw ? 1 : 0;
  }

  void observe(Streamer& streamer, double last_s, double time_s) {
    const StreamStats& stats = streamer.stats();
    ++report_.updates;
    report_.most_held_bytes = std::max(report_.most_held_bytes, stats.held_bytes);
    report_.over_budget_updates += stats.held_bytes > stats.budget_bytes ? 1 : 0;
    report_.full_detail_updates += stats.missing_pages == 0 ? 1 : 0;
    report_.mean_missing_pages += double(stats.missing_pages);
    for (const LoadFailure& failure : streamer.failures()) {
      if (report_.first_failures.size() < 8) {
        report_.first_failures.push_back(failure.message);
      }
    }
    for (const FlightPath& path : paths_) {
      if (jumps_between(path, last_s, time_s)) {
        ++report_.jumps;
        jumped_at_s_ = jumped_at_s_.value_or(time_s);
      }
    }
    if (jumped_at_s_ && stats.missing_pages == 0) {
      const double waited_s = time_s - *jumped_at_s_;
      report_.detail_after_jump_max_s = std::max(report_.detail_after_jump_max_s, waited_s);
      report_.detail_after_jump_mean_s += waited_s;
      ++report_.recoveries;
      jumped_at_s_.reset();
    }
  }

  void finish(const Streamer& streamer) {
    std::sort(update_us_.begin(), update_us_.end());
    report_.update_p50_us = percentile(update_us_, 0.5);
    report_.update_p99_us = percentile(update_us_, 0.99);
    report_.update_p999_us = percentile(update_us_, 0.999);
    report_.update_max_us = percentile(update_us_, 1);
    std::sort(update_cpu_us_.begin(), update_cpu_us_.end());
    report_.update_cpu_p50_us = percentile(update_cpu_us_, 0.5);
    report_.update_cpu_p999_us = percentile(update_cpu_us_, 0.999);
    report_.update_cpu_max_us = percentile(update_cpu_us_, 1);
    report_.mean_missing_pages /= double(report_.updates);
    report_.detail_after_jump_mean_s /= std::max(1.0, double(report_.recoveries));
    report_.stats = streamer.stats();
    report_.pages_per_s = double(report_.stats.placed) / report_.wall_seconds;
    report_.loaded_bytes = std::size_t(report_.stats.placed_bytes);
  }

  std::span<const FlightPath> paths_;
  const FlightOptions& options_;
  std::vector<View> views_;
  std::vector<Ranges> ranges_;
  std::vector<Viewpoint> viewpoints_;
  std::vector<float> update_us_;
  std::vector<float> update_cpu_us_;
  std::optional<double> jumped_at_s_;  // the first jump since full detail
  FlightReport report_;
};

}  // namespace

Result<FlightReport> run_flight(const PageLoader& loader, const Bounds& bounds, std::span<const FlightPath> paths,
                                const FlightOptions& options,
                                const std::function<Result<void>(const FlightMoment&)>& on_update) {
  if (paths.empty() || std::any_of(paths.begin(), paths.end(), [](const FlightPath& path) { return path.empty(); })) {
    return usage_error("a flight needs a path of at least one waypoint for each camera");
  }
  if (!(options.updates_per_second > 0) || !(options.latency_s >= 0) || options.lanes < 1) {
    return usage_error("flight options: updates_per_second must be above 0, latency_s at least 0, lanes at least 1");
  }
  std::optional<stream::VirtualJobs> virtual_jobs;
  StreamOptions stream_options = options.stream;
  if (options.is_virtual) {
    virtual_jobs.emplace(options.latency_s, options.lanes, std::max(options.stream.max_loads, 1));
    stream_options.jobs = &*virtual_jobs;
  }
  Result<std::unique_ptr<Streamer>> streamer = Streamer::create(loader, bounds, stream_options);
  if (!streamer) {
    return Unexpected{streamer.error()};
  }
  return Flight(bounds, paths, options).fly(**streamer, virtual_jobs ? &*virtual_jobs : nullptr, on_update);
}

}  // namespace arete
