// arete bake: rasters in, one store of pages out.
#include "arete/bake.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "info_json.h"
#include "raster_arguments.h"

namespace arete::cli {
int run_bake(const BakeArguments& arguments, const Globals& globals) {
  const Result<RasterOptions> raster = raster_options(arguments.raster);
  if (!raster) {
    return fail(raster.error());
  }
  if (const Result<void> checked = check_output(arguments.output, arguments.inputs); !checked) {
    return fail(checked.error());
  }
  const std::vector<std::filesystem::path> inputs(arguments.inputs.begin(), arguments.inputs.end());
  ProgressBar bar(globals, "baking");
  const BakeOptions options{.raster = *raster,
                            .height_step_m = arguments.height_step_m,
                            .jobs = globals.jobs,
                            .memory_bytes = std::int64_t(std::min<std::uint64_t>(
                                arguments.memory_bytes, std::numeric_limits<std::int64_t>::max()))};
  const Result<BakeReport> report = bake(inputs, arguments.output, options, bar.callback());
  if (!report) {
    return fail(report.error());
  }
  const Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.output);
  if (!store) {
    return fail(store.error());
  }
  const Result<StoreStatistics> statistics = (*store)->statistics();
  if (!statistics) {
    return fail(statistics.error());
  }
  for (const std::string& warning : report->warnings) {
    warn(globals, warning);
  }
  const double seconds = bar.seconds();
  if (globals.json) {
    Json document = store_json(**store, *statistics);
    document["store"] = arguments.output;
    document["encoded_pages"] = report->encoded.pages;
    document["encoded_bytes"] = report->encoded.bytes;
    document["seconds"] = seconds;
    print_json(document);
  } else {
    print_text(globals,
               fmt::format("{}\n{}baked in {:.1f} s\n", arguments.output, store_text(**store, *statistics), seconds));
  }
  return kDone;
}

}  // namespace arete::cli
