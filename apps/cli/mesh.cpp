// arete mesh: one watertight adaptive mesh of a store or a raster.
#include <memory>
#include <nlohmann/json.hpp>

#include "arete/bake.h"
#include "arete/export.h"
#include "info_json.h"
#include "raster_arguments.h"

namespace arete::cli {
namespace {

// A field to mesh, whatever it came from.
struct Field {
  std::unique_ptr<SampleSource> source;
  StoreInfo info;
};

Result<Field> open_field(const MeshArguments& arguments) {
  if (is_store(arguments.input)) {
    Result<std::unique_ptr<TileStore>> store = TileStore::open(arguments.input);
    if (!store) {
      return Unexpected{store.error()};
    }
    const StoreInfo info = (*store)->info();
    return Field{*std::move(store), info};
  }
  const Result<RasterOptions> options = raster_options(arguments.raster);
  if (!options) {
    return Unexpected{options.error()};
  }
  const std::filesystem::path inputs[] = {arguments.input};
  Result<LoadedRaster> loaded = load_raster_and_info(inputs, {.raster = *options, .height_step_m = {}});
  if (!loaded) {
    return Unexpected{loaded.error()};
  }
  return Field{std::move(loaded->source), loaded->info};
}

}  // namespace

int run_mesh(const MeshArguments& arguments, const Globals& globals) {
  if (const Result<MeshFormat> format = mesh_format(arguments.output); !format) {
    return fail(format.error());
  }
  const Result<Field> field = open_field(arguments);
  if (!field) {
    return fail(field.error());
  }
  ProgressBar bar(globals, "meshing");
  AdaptOptions adapt;
  adapt.max_error_m = arguments.max_error_m;
  adapt.quantisation_error_m = field->info.quantisation_error_m;
  adapt.max_triangles = arguments.max_triangles;
  adapt.jobs = globals.jobs;
  adapt.progress = bar.callback();
  MeshFileOptions file;
  file.crs_wkt = field->info.crs_wkt;
  file.geotransform = field->info.geotransform;
  file.exaggerate = arguments.exaggerate;
  file.base_m = arguments.base_m;
  file.size_mm = arguments.size_mm;
  file.drape = arguments.drape;
  const Result<MeshReport> report = mesh_field(*field->source, arguments.output, adapt, file);
  if (!report) {
    return fail(report.error());
  }
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
    document["plan_area"] = report->measures.plan_area_m2;
    document["surface_area"] = report->measures.surface_area_m2;
    document["bytes"] = report->file.bytes;
    document["mesh_seconds"] = report->mesh_seconds;
    document["write_seconds"] = report->write_seconds;
    print_json(document);
  } else {
    print_text(
        globals,
        fmt::format("{}: {} triangles, error at most {:.4g} m, {} open edges{}, {} in {:.1f} s\n", arguments.output,
                    with_commas(report->triangles), report->source_error_m, with_commas(report->cracks),
                    report->file.is_closed ? fmt::format(", a solid of {:.6g} m3", report->file.volume_m3) : "",
                    file_size(report->file.bytes), report->mesh_seconds + report->write_seconds));
  }
  return report->cracks == 0 ? kDone : kFailed;
}

}  // namespace arete::cli
