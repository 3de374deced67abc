// arete check: the proof, printed as counts; on request the device's node vertices beside the CPU's, word for word.
#include "arete/check.h"

#include <array>
#include <memory>
#include <nlohmann/json.hpp>

#include "arete/tiles.h"
#include "arete/vulkan.h"
#include "arguments.h"

namespace arete::cli {
namespace {

struct Counter {
  const char* key;
  const char* words;
  std::int64_t CheckReport::*value;
};
constexpr Counter kCounters[] = {
    {"cracks", "cracks", &CheckReport::cracks},
    {"t_junctions", "T-junctions", &CheckReport::t_junctions},
    {"merge_moves", "triangles moved by merges and splits", &CheckReport::merge_moves},
    {"collider_mismatches", "drawn but not collided", &CheckReport::collider_mismatches},
    {"border_mismatches", "page borders that differ", &CheckReport::border_mismatches},
    {"normal_mismatches", "normals that differ", &CheckReport::normal_mismatches},
    {"hole_mismatches", "holes drawn or ground hidden", &CheckReport::hole_mismatches},
    {"balance_violations", "neighbours two lods apart", &CheckReport::balance_violations},
    {"uncovered", "cells not covered once", &CheckReport::uncovered},
};

// Both height planes of a store on the device and on the CPU.
struct GpuReport {
  std::string device;
  bool is_rounding_fixed = false;
  std::int64_t vertices = 0, words = 0, differing_words = 0;
  std::array<std::string, 2> digests;  // of the subsample and the max plane
  std::string first_difference;
};

Result<GpuReport> compare_on_gpu(const TileStore& store, const CheckArguments& arguments) {
  GpuReport report;
  for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
    vulkan::MesherComparisonOptions options;
    options.device = {.device = arguments.device, .software = arguments.software, .validation = false};
    options.vertices = arguments.gpu_vertices;
    options.seed = arguments.options.seed;
    options.node_quads = arguments.options.node_quads;
    options.plane = plane;
    const Result<vulkan::MesherComparison> found = vulkan::compare_meshers(store, store.bounds(), options);
    if (!found) {
      return Unexpected{found.error()};
    }
    report.device = found->device;
    report.is_rounding_fixed = found->is_rounding_fixed;
    report.vertices += found->vertices;
    report.words += found->words;
    report.differing_words += found->differing_words;
    report.digests[std::size_t(plane)] = fmt::format("{:016x}", found->digest);
    if (report.first_difference.empty()) {
      report.first_difference = found->first_difference;
    }
  }
  return report;
}

void add_json(const GpuReport& gpu, Json& document) {
  document["gpu_device"] = gpu.device;
  document["gpu_rounding_fixed"] = gpu.is_rounding_fixed;
  document["gpu_vertices"] = gpu.vertices;
  document["gpu_words"] = gpu.words;
  document["gpu_differing_words"] = gpu.differing_words;
  document["gpu_digest_subsample"] = gpu.digests[0];
  document["gpu_digest_max"] = gpu.digests[1];
}

std::string gpu_text(const GpuReport& gpu) {
  return fmt::format(
      "{} vertices of 23 words on {}, {}\n  {:<40}{:>12}\n  {:<40}{:>12}\n  digests: subsample {}, max {}\n",
      with_commas(gpu.vertices), gpu.device,
      gpu.is_rounding_fixed ? "rounding to nearest by request" : "whose rounding is its own choice", "words compared",
      with_commas(gpu.words), "words that differ from the CPU's", with_commas(gpu.differing_words), gpu.digests[0],
      gpu.digests[1]);
}

void print_report(const CheckReport& report, const std::optional<GpuReport>& gpu, double seconds,
                  const Globals& globals) {
  if (globals.json) {
    Json document;
    document["views"] = report.views;
    document["nodes"] = report.nodes;
    document["triangles"] = report.triangles;
    document["vertices"] = report.vertices;
    document["interiors_checked"] = report.interiors_checked;
    document["collider_nodes"] = report.collider_nodes;
    document["changes_bisected"] = report.changes_bisected;
    document["pages"] = report.pages;
    for (const Counter& counter : kCounters) {
      document[counter.key] = report.*counter.value;
    }
    document["failures"] = report.failures();
    document["first_failures"] = report.first_failures;
    if (gpu) {
      add_json(*gpu, document);
    }
    document["seconds"] = seconds;
    print_json(document);
    return;
  }
  std::string table = fmt::format("{} views, {} nodes, {} triangles, {} cut changes, {} pages in {:.1f} s\n",
                                  with_commas(report.views), with_commas(report.nodes), with_commas(report.triangles),
                                  with_commas(report.changes_bisected), with_commas(report.pages), seconds);
  for (const Counter& counter : kCounters) {
    table += fmt::format("  {:<40}{:>12}\n", counter.words, with_commas(report.*counter.value));
  }
  table += report.failures() == 0 ? "every edge of every node met its twin, bit for bit\n"
                                  : fmt::format("{} failures\n", with_commas(report.failures()));
  print_text(globals, gpu ? table + gpu_text(*gpu) : table);
}

}  // namespace

int run_check(const CheckArguments& arguments, const Globals& globals) {
  if (!arguments.gpu && (arguments.software || !arguments.device.empty())) {
    return fail(usage_error("--device and --software: need --gpu").error);
  }
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.store);
  if (!store) {
    return fail(store.error());
  }
  CheckOptions options = arguments.options;
  options.jobs = globals.jobs;
  ProgressBar bar(globals, "checking");
  const Result<CheckReport> report = check_field(**store, (*store)->bounds(), options, bar.callback());
  if (!report) {
    return fail(report.error());
  }
  std::optional<GpuReport> gpu;
  if (arguments.gpu) {
    Result<GpuReport> compared = compare_on_gpu(**store, arguments);
    if (!compared) {
      return fail(compared.error());
    }
    gpu = *std::move(compared);
  }
  print_report(*report, gpu, bar.seconds(), globals);
  for (const std::string& line : report->first_failures) {
    print(stderr, "arete: " + line + "\n");
  }
  if (gpu && gpu->differing_words > 0) {
    print(stderr, "arete: " + gpu->first_difference + "\n");
  }
  return report->failures() == 0 && (!gpu || gpu->differing_words == 0) ? kDone : kFailed;
}

}  // namespace arete::cli
