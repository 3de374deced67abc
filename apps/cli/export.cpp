// arete export: the heights of a store back as a raster.
#include <memory>
#include <nlohmann/json.hpp>

#include "arete/bake.h"
#include "arguments.h"

namespace arete::cli {

int run_export(const ExportArguments& arguments, const Globals& globals) {
  ExportOptions options;
  options.hillshade = arguments.hillshade;
  if (!arguments.sun.empty()) {
    const Result<std::vector<double>> sun = parse_numbers(arguments.sun, 2, "--sun");
    if (!sun) {
      return fail(sun.error());
    }
    options.sun_azimuth_deg = (*sun)[0];
    options.sun_altitude_deg = (*sun)[1];
  }
  if (const Result<void> checked = check_output(arguments.output, {&arguments.store, 1}); !checked) {
    return fail(checked.error());
  }
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.store);
  if (!store) {
    return fail(store.error());
  }
  ProgressBar bar(globals, "exporting");
  const Result<ExportReport> report =
      export_raster(**store, (*store)->info(), arguments.output, options, bar.callback());
  if (!report) {
    return fail(report.error());
  }
  if (globals.json) {
    Json document;
    document["files"] = Json::array();
    for (const std::filesystem::path& file : report->files) {
      document["files"].push_back(file.string());
    }
    document["width"] = report->width;
    document["height"] = report->height;
    document["base"] = report->base_m;
    document["step"] = report->step_m;
    print_json(document);
    return kDone;
  }
  for (const std::filesystem::path& file : report->files) {
    print_text(globals, file.string() + "\n");
  }
  return kDone;
}

}  // namespace arete::cli
