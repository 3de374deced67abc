// arete view: a window to fly in, or one that flies by itself.
#include "arete/view.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "arete/export.h"
#include "arete/tiles.h"
#include "arguments.h"
#include "flight.h"
#include "picture_arguments.h"

namespace arete::cli {
namespace {

Json eye_json(const vulkan::Camera& camera) { return {camera.eye_x_m, camera.eye_y_m, camera.eye_z_m}; }
Json target_json(const vulkan::Camera& camera) { return {camera.target_x_m, camera.target_y_m, camera.target_z_m}; }

Json report_json(const ViewReport& report) {
  Json document;
  document["device"] = report.device;
  document["frames"] = report.frames;
  document["seconds"] = report.seconds;
  document["frames_per_second"] = report.seconds > 0 ? double(report.frames) / report.seconds : 0.0;
  document["cut_ms"] = report.cut_ms;
  document["build_ms"] = report.build_ms;
  document["draw_ms"] = report.draw_ms;
  document["eye"] = eye_json(report.camera);
  document["target"] = target_json(report.camera);
  document["cut_eye"] = eye_json(report.cut_camera);
  document["cut_target"] = target_json(report.cut_camera);
  document["nodes"] = report.nodes;
  document["cut_nodes"] = report.cut_nodes;
  document["triangles"] = report.triangles;
  document["built_vertices"] = report.built_vertices;
  document["missing_pages"] = report.missing_pages;
  document["failed_loads"] = report.failed_loads;
  return document;
}

// The last camera as options of render and view.
std::string camera_text(const vulkan::Camera& camera) {
  return fmt::format("--eye {:.1f},{:.1f},{:.1f} --target {:.1f},{:.1f},{:.1f}\n", camera.eye_x_m, camera.eye_y_m,
                     camera.eye_z_m, camera.target_x_m, camera.target_y_m, camera.target_z_m);
}

Result<void> check_picture_name(const ViewArguments& arguments) {
  if (arguments.output.empty()) {
    return {};
  }
  if (std::filesystem::path(arguments.output).extension() != ".png") {
    return usage_error(fmt::format("{}: expected a name that ends in .png", arguments.output));
  }
  return check_output(arguments.output, {&arguments.store, 1});
}

Result<ViewOptions> read_options(const ViewArguments& arguments, const Bounds& bounds, const PictureJob& job) {
  ViewOptions options;
  options.title = "arete: " + std::filesystem::path(arguments.store).filename().string();
  options.device = device_options(arguments.picture);
  options.picture = job.picture;
  options.ranges = job.ranges;
  options.has_panel = !arguments.no_panel;
  options.budget_bytes = static_cast<std::size_t>(arguments.budget_mib * 1048576);
  options.frames = arguments.frames;
  options.keeps_picture = !arguments.output.empty();
  if (arguments.flight.empty()) {
    const Result<vulkan::Camera> camera = camera_for(arguments.picture, bounds, job);
    if (!camera) {
      return Unexpected{camera.error()};
    }
    options.camera = *camera;
  } else {
    Result<std::vector<vulkan::Camera>> flight = read_flight(arguments.flight, arguments.frames);
    if (!flight) {
      return Unexpected{flight.error()};
    }
    options.flight = *std::move(flight);
    options.camera = options.flight.front();
  }
  return options;
}

}  // namespace

int run_view(const ViewArguments& arguments, const Globals& globals) {
  PictureJob job;
  if (const Result<void> read = read_picture(arguments.picture, job); !read) {
    return fail(read.error());
  }
  if (const Result<void> checked = check_picture_name(arguments); !checked) {
    return fail(checked.error());
  }
  // The streamer's slots are the cache.
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.store, 0);
  if (!store) {
    return fail(store.error());
  }
  const Result<ViewOptions> options = read_options(arguments, (*store)->bounds(), job);
  if (!options) {
    return fail(options.error());
  }
  const Result<ViewReport> report = arete::run_view(**store, (*store)->bounds(), *options);
  if (!report) {
    return fail(naming_store(report.error(), arguments.store));
  }
  if (!arguments.output.empty()) {
    if (!report->picture) {
      return fail(
          io_error(fmt::format("{}: not written: the window was closed before its flight's end", arguments.output))
              .error);
    }
    const vulkan::Picture& picture = *report->picture;
    if (const Result<void> written = write_png(arguments.output, picture.width, picture.height, picture.rgba);
        !written) {
      return fail(written.error());
    }
  }
  if (globals.json) {
    print_json(report_json(*report));
  } else {
    print_text(globals, camera_text(report->camera));
  }
  if (!report->first_failure.empty()) {
    warn(globals, "not all could be drawn: " + report->first_failure);
  }
  if (arguments.picture.validation && report->validation_messages > 0) {
    return fail(gpu_error(fmt::format("the validation layers printed {} messages", report->validation_messages)).error);
  }
  return kDone;
}

}  // namespace arete::cli
