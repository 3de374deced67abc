// arete check: the proof, printed as counts.
#include "arete/check.h"

#include <memory>
#include <nlohmann/json.hpp>

#include "arete/tiles.h"
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

void print_report(const CheckReport& report, double seconds, const Globals& globals) {
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
  print_text(globals, table);
}

}  // namespace

int run_check(const CheckArguments& arguments, const Globals& globals) {
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
  print_report(*report, bar.seconds(), globals);
  if (report->failures() == 0) {
    return kDone;
  }
  for (const std::string& line : report->first_failures) {
    fmt::print(stderr, "arete: {}\n", line);
  }
  return kFailed;
}

}  // namespace arete::cli
