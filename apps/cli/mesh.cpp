// arete mesh: one watertight adaptive mesh of a store or a raster.
#include <sys/resource.h>

#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>

#include "arete/bake.h"
#include "arete/export.h"
#include "info_json.h"
#include "raster_arguments.h"

namespace arete::cli {
namespace {

constexpr double kMebibyte = 1024 * 1024;

// A field to mesh: pages of a store, or a raster's steps in memory.
struct Field {
  std::unique_ptr<TileStore> store;
  LoadedStops raster;  // used where there is no store
  const StoreInfo& info() const { return store ? store->info() : raster.info; }
};

Result<Field> open_field(const MeshArguments& arguments, const Globals& globals) {
  Field field;
  if (is_store(arguments.input)) {
    if (const Result<void> refused = refuse_beside_store(arguments.raster, arguments.input); !refused) {
      return Unexpected{refused.error()};
    }
    Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.input);
    if (!store) {
      return Unexpected{store.error()};
    }
    field.store = *std::move(store);
    return field;
  }
  const Result<RasterOptions> options = raster_options(arguments.raster);
  if (!options) {
    return Unexpected{options.error()};
  }
  const std::filesystem::path inputs[] = {arguments.input};
  ProgressBar bar(globals, "reading");
  Result<LoadedStops> loaded = load_stops(inputs, {.raster = *options, .height_step_m = {}}, bar.callback());
  if (!loaded) {
    return Unexpected{loaded.error()};
  }
  field.raster = *std::move(loaded);
  return field;
}

Result<std::vector<Focus>> focus_discs(const std::vector<std::string>& texts) {
  std::vector<Focus> discs;
  for (const std::string& text : texts) {
    const Result<std::vector<double>> numbers = parse_numbers(text, 4, "--focus");
    if (!numbers) {
      return Unexpected{numbers.error()};
    }
    discs.push_back({(*numbers)[0], (*numbers)[1], (*numbers)[2], (*numbers)[3]});
  }
  return discs;
}

// The most memory that this process has held.
std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t(usage.ru_maxrss) * 1024;
}

}  // namespace

int run_mesh(const MeshArguments& arguments, const Globals& globals) {
  const auto start = std::chrono::steady_clock::now();
  if (const Result<MeshFormat> format = mesh_format(arguments.output); !format) {
    return fail(format.error());
  }
  const std::string inputs[] = {arguments.input, arguments.drape};
  if (const Result<void> checked = check_output(arguments.output, inputs); !checked) {
    return fail(checked.error());
  }
  const Result<std::vector<Focus>> focus = focus_discs(arguments.focus);
  if (!focus) {
    return fail(focus.error());
  }
  const Result<Field> field = open_field(arguments, globals);
  if (!field) {
    return fail(field.error());
  }
  ProgressBar bar(globals, "meshing");
  AdaptOptions adapt;
  adapt.max_error_m = arguments.max_error_m;
  adapt.quantisation_error_m = field->info().quantisation_error_m;
  adapt.max_triangles = arguments.max_triangles;
  adapt.focus = *focus;
  adapt.jobs = globals.jobs;
  adapt.progress = bar.callback();
  MeshFileOptions file;
  file.crs_wkt = field->info().crs_wkt;
  file.geotransform = field->info().geotransform;
  file.exaggerate = arguments.exaggerate;
  file.base_m = arguments.base_m;
  file.size_mm = arguments.size_mm;
  file.drape = arguments.drape;
  file.compress = arguments.compress;
  const Result<MeshReport> report =
      field->store ? mesh_field(*field->store, arguments.output, adapt, file)
                   : mesh_field(field->raster.lattice, field->raster.stops, arguments.output, adapt, file);
  if (!report) {
    const std::string& message = report.error().message;
    const bool names_file =
        message.starts_with(arguments.output) || (!arguments.drape.empty() && message.starts_with(arguments.drape));
    return fail({report.error().kind, (names_file ? "" : arguments.input + ": ") + message});
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (globals.json) {
    Json document;
    document["mesh"] = arguments.output;
    document["triangles"] = report->triangles;
    document["file_triangles"] = report->file.triangles;
    document["vertices"] = report->file.vertices;
    document["max_error"] = report->error_m;
    document["source_error"] = report->source_error_m;
    document["cracks"] = report->cracks;
    document["is_closed"] = report->file.is_closed;
    document["volume"] = report->file.volume_m3;
    document["min"] = report->measures.min_m;
    document["max"] = report->measures.max_m;
    document["plan_area"] = report->measures.plan_area_m2;
    document["surface_area"] = report->measures.surface_area_m2;
    document["bytes"] = report->file.bytes;
    document["mesh_seconds"] = report->mesh_seconds;
    document["write_seconds"] = report->write_seconds;
    document["seconds"] = seconds;
    document["peak_bytes"] = peak_bytes();
    print_json(document);
  } else {
    print_text(
        globals,
        fmt::format("{}: {} triangles, error at most {:.4g} m, {} open edges{}, {}; {:.2f} s, {:.0f} MiB at most\n",
                    arguments.output, with_commas(report->triangles), report->source_error_m,
                    with_commas(report->cracks),
                    report->file.is_closed ? fmt::format(", a solid of {:.6g} m3", report->file.volume_m3) : "",
                    file_size(report->file.bytes), seconds, double(peak_bytes()) / kMebibyte));
  }
  return report->cracks == 0 ? kDone : kFailed;
}

}  // namespace arete::cli
