// arete fly: scripted flights through the streamer, with figures and, on request, pictures of what was resident.
#include <cmath>
#include <filesystem>
#include <memory>

#include "arete/export.h"
#include "arete/stream.h"
#include "arete/tiles.h"
#include "arete/vulkan.h"
#include "arguments.h"
#include "point_file.h"

namespace arete::cli {
namespace {

constexpr double kLongest_s = 1e6;  // as --seconds allows

// {"waypoints": [{"t": seconds, "x":, "y":, "z":}, ...]}, times ascending from 0 or later.
Result<FlightPath> read_path(const std::string& path) {
  const Result<Json> waypoints = read_points(path, "waypoints", 1);
  if (!waypoints) {
    return Unexpected{waypoints.error()};
  }
  FlightPath flight;
  for (const Json& point : *waypoints) {
    Waypoint waypoint;
    for (const auto& [name, value] : {std::pair{"t", &waypoint.time_s}, std::pair{"x", &waypoint.x_m},
                                      std::pair{"y", &waypoint.y_m}, std::pair{"z", &waypoint.z_m}}) {
      if (!point.is_object() || !point.contains(name) || !point[name].is_number() ||
          std::abs(point[name].get<double>()) > kFarthest_m) {
        return data_error(fmt::format("{}: waypoint {}: expected numbers t, x, y and z, at most {}, found {}", path,
                                      flight.size(), number(kFarthest_m), describe_point(point)));
      }
      *value = point[name].get<double>();
    }
    const double earliest_s = flight.empty() ? 0 : flight.back().time_s;
    if (!(waypoint.time_s >= earliest_s && waypoint.time_s <= kLongest_s)) {
      return data_error(fmt::format("{}: waypoint {}: expected a time of {} to {}, found {}", path, flight.size(),
                                    number(earliest_s), number(kLongest_s), number(waypoint.time_s)));
    }
    flight.push_back(waypoint);
  }
  return flight;
}

Result<std::vector<FlightPath>> paths_for(const FlyArguments& arguments, const Bounds& bounds) {
  if (!arguments.path.empty()) {
    Result<FlightPath> path = read_path(arguments.path);
    if (!path) {
      return Unexpected{path.error()};
    }
    return std::vector<FlightPath>{*std::move(path)};
  }
  std::vector<FlightPath> paths;
  paths.reserve(std::size_t(arguments.cameras));
  for (int camera = 0; camera < arguments.cameras; ++camera) {
    paths.push_back(make_path(bounds, {.seconds = arguments.seconds,
                                       .speed_m_s = arguments.speed_m_s,
                                       .clearance_m = arguments.clearance_m,
                                       .jump_every_s = arguments.jump_every_s,
                                       .seed = arguments.seed + std::uint64_t(camera)}));
  }
  return paths;
}

// Draws the first camera's view from the atlas, looking ahead along its path.
class FlightPictures {
 public:
  FlightPictures(const FlyArguments& arguments, const Bounds& bounds, const FlightPath& path)
      : arguments_(arguments), bounds_(bounds), path_(path) {}

  // Refuses what could not be written before anything is flown.
  Result<void> start() {
    if (std::filesystem::path(arguments_.pictures).extension() != ".png") {
      return usage_error(fmt::format("{}: expected a name that ends in .png", arguments_.pictures));
    }
    if (Result<void> checked = check_output(numbered_path(arguments_.pictures, 0), {&arguments_.store, 1}); !checked) {
      return checked;
    }
    Result<std::unique_ptr<vulkan::Renderer>> renderer = vulkan::Renderer::create({});
    if (!renderer) {
      return Unexpected{renderer.error()};
    }
    renderer_ = *std::move(renderer);
    return {};
  }

  Result<void> draw(const FlightMoment& moment) {
    if (moment.time_s < next_s_) {
      return {};
    }
    next_s_ += arguments_.picture_every_s;
    const View& view = moment.views[0];
    const Waypoint ahead = place_on(path_, moment.time_s + 5);
    vulkan::Camera camera{view.eye_x_m, view.eye_y_m, view.eye_z_m, ahead.x_m, ahead.y_m, ahead.z_m};
    const double run_m = std::hypot(camera.target_x_m - camera.eye_x_m, camera.target_z_m - camera.eye_z_m);
    if (!(run_m > 0)) {
      camera.target_x_m += 1;
    }
    camera.target_y_m -= 0.25 * std::max(run_m, 1.0);
    vulkan::PictureOptions options;
    options.width = 960;
    options.height = 540;
    options.shadows = false;
    options.mesher = vulkan::MesherKind::vulkan;
    const RangeOptions ranges{.max_error_px = arguments_.error_px};
    const NodeResidency resident(moment.streamer->atlas(), ranges.node_quads);
    if (!field_) {
      field_.emplace(*renderer_, moment.streamer->atlas(), bounds_);
    }
    const Result<vulkan::DrawnPicture> drawn = field_->draw(camera, options, ranges, &resident);
    if (!drawn) {
      return Unexpected{drawn.error()};
    }
    const vulkan::Picture& picture = drawn->picture;
    return write_png(numbered_path(arguments_.pictures, count_++), picture.width, picture.height, picture.rgba);
  }

  int count() const { return count_; }

 private:
  const FlyArguments& arguments_;
  const Bounds& bounds_;
  const FlightPath& path_;
  std::unique_ptr<vulkan::Renderer> renderer_;
  std::optional<vulkan::FieldPictures> field_;  // of the flight's atlas
  double next_s_ = 0;
  int count_ = 0;
};

Json report_json(const FlightReport& report) {
  Json document;
  document["seconds"] = report.seconds;
  document["wall_seconds"] = report.wall_seconds;
  document["updates"] = report.updates;
  document["update_p50_us"] = report.update_p50_us;
  document["update_p99_us"] = report.update_p99_us;
  document["update_p999_us"] = report.update_p999_us;
  document["update_max_us"] = report.update_max_us;
  document["update_cpu_p50_us"] = report.update_cpu_p50_us;
  document["update_cpu_p999_us"] = report.update_cpu_p999_us;
  document["update_cpu_max_us"] = report.update_cpu_max_us;
  document["blocked_updates"] = report.blocked_updates;
  document["preempted_updates"] = report.preempted_updates;
  document["over_budget_updates"] = report.over_budget_updates;
  document["full_detail_updates"] = report.full_detail_updates;
  document["budget_bytes"] = report.stats.budget_bytes;
  document["most_held_bytes"] = report.most_held_bytes;
  document["mean_missing_pages"] = report.mean_missing_pages;
  document["jumps"] = report.jumps;
  document["recoveries"] = report.recoveries;
  document["detail_after_jump_mean_s"] = report.detail_after_jump_mean_s;
  document["detail_after_jump_max_s"] = report.detail_after_jump_max_s;
  document["pages_per_s"] = report.pages_per_s;
  document["loaded_bytes"] = report.loaded_bytes;
  document["placed_pages"] = report.stats.placed;
  document["evicted_pages"] = report.stats.evicted;
  document["failed_loads"] = report.stats.failed;
  document["first_failures"] = report.first_failures;
  return document;
}

std::string report_text(const FlightReport& report) {
  std::string text = fmt::format("{:.1f} s of flight in {:.1f} s, {} updates\n", report.seconds, report.wall_seconds,
                                 with_commas(report.updates));
  text += fmt::format("  update: p50 {:.0f} us, p99 {:.0f} us, p99.9 {:.0f} us, {} blocked\n", report.update_p50_us,
                      report.update_p99_us, report.update_p999_us, report.blocked_updates);
  text += fmt::format("  held at most {} of {}, over it {} times\n", file_size(std::int64_t(report.most_held_bytes)),
                      file_size(std::int64_t(report.stats.budget_bytes)), report.over_budget_updates);
  text +=
      fmt::format("  {} pages placed, {} given up, {} loads failed, {:.0f} pages/s\n", with_commas(report.stats.placed),
                  with_commas(report.stats.evicted), report.stats.failed, report.pages_per_s);
  text += fmt::format("  full detail in {:.1f} % of updates, {:.2f} pages missing on average\n",
                      report.updates > 0 ? 100.0 * double(report.full_detail_updates) / double(report.updates) : 0.0,
                      report.mean_missing_pages);
  if (report.jumps > 0) {
    text += fmt::format("  {} jumps, full detail {:.2f} s later on average, {:.2f} s at most\n", report.jumps,
                        report.detail_after_jump_mean_s, report.detail_after_jump_max_s);
  }
  return text;
}

}  // namespace

int run_fly(const FlyArguments& arguments, const Globals& globals) {
  if (arguments.pictures.empty() != (arguments.picture_every_s == 0)) {
    return fail(usage_error("--pictures and --picture-every: give both or neither").error);
  }
  // The streamer's slots are the cache.
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.store, 0);
  if (!store) {
    return fail(store.error());
  }
  const Bounds& bounds = (*store)->bounds();
  const Result<std::vector<FlightPath>> paths = paths_for(arguments, bounds);
  if (!paths) {
    return fail(paths.error());
  }
  FlightOptions options;
  options.stream.budget_bytes = static_cast<std::size_t>(arguments.budget_mib * 1048576);
  options.stream.threads = globals.jobs > 0 ? std::min(globals.jobs, 64) : options.stream.threads;
  options.ranges.max_error_px = arguments.error_px;
  options.is_virtual = !arguments.is_real;
  options.latency_s = arguments.latency_ms / 1000;
  FlightPictures pictures(arguments, bounds, paths->front());
  if (!arguments.pictures.empty()) {
    if (const Result<void> started = pictures.start(); !started) {
      return fail(started.error());
    }
  }
  ProgressBar bar(globals, "flying");
  const std::function<void(double)> progress = bar.callback();
  double longest_s = 0;
  for (const FlightPath& path : *paths) {
    longest_s = std::max(longest_s, path.back().time_s);
  }
  const SourceLoader loader(**store);
  const Result<FlightReport> report =
      run_flight(loader, bounds, *paths, options, [&](const FlightMoment& moment) -> Result<void> {
        if (progress && longest_s > 0) {
          progress(moment.time_s / longest_s);
        }
        return arguments.pictures.empty() ? Result<void>() : pictures.draw(moment);
      });
  if (!report) {
    return fail(report.error());
  }
  if (globals.json) {
    Json document = report_json(*report);
    document["pictures"] = pictures.count();
    print_json(document);
  } else {
    print_text(globals, report_text(*report));
  }
  for (const std::string& failure : report->first_failures) {
    warn(globals, failure);
  }
  return kDone;
}

}  // namespace arete::cli
