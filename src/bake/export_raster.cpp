// A field of pages back to a raster file; see export_raster in include/arete/bake.h.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>

#include "arete/bake.h"
#include "hillshade.h"
#include "sample_rows.h"

namespace arete {
namespace {

// Whether all heights are whole metres, and their range: what decides how they are written.
struct Survey {
  bool is_whole = true;
  bool has_holes = false;
  double min_m = std::numeric_limits<double>::infinity(), max_m = -min_m;
};

Result<Survey> survey(const SampleSource& source, const Progress& progress) {
  SampleRows rows(source);
  const Lattice& lattice = source.lattice();
  Survey found;
  std::vector<std::uint16_t> steps(static_cast<std::size_t>(rows.width()));
  for (std::int64_t row = 0; row < rows.height(); ++row) {
    if (auto done = rows.read(row, steps); !done) {
      return Unexpected{done.error()};
    }
    for (const std::uint16_t h : steps) {
      if (h == kHole) {
        found.has_holes = true;
        continue;
      }
      const double height = lattice.height_m(h);
      found.is_whole = found.is_whole && height == std::trunc(height);
      found.min_m = std::min(found.min_m, height);
      found.max_m = std::max(found.max_m, height);
    }
    if (progress) {
      progress(0.4 * double(row + 1) / double(rows.height()));
    }
  }
  return found;
}

std::string ending_of(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return ending;
}

// How heights become the file's numbers: number = (height - base) / step.
struct Plan {
  RasterSpec spec;
  double base_m = 0, step_m = 1;
};

Plan plan_export(const SampleSource& source, const StoreInfo& info, const Survey& found, const std::string& ending,
                 bool is_hillshade) {
  const Lattice& lattice = source.lattice();
  const SampleRows rows(source);
  Plan plan;
  RasterSpec& spec = plan.spec;
  spec.width = rows.width();
  spec.height = rows.height();
  spec.registration = lattice.registration;
  spec.crs_wkt = info.crs_wkt;
  spec.geotransform = info.geotransform;
  if (!spec.geotransform && info.spacing_is_known) {
    // Keeps the spacing, in metres from the first sample's texel.
    spec.geotransform = std::array<double, 6>{0, lattice.spacing_x_m, 0, 0, 0, -lattice.spacing_z_m};
  }
  if (is_hillshade) {
    spec.type = SampleType::u8;
    spec.nodata = 0;
    return plan;
  }
  spec.unit = std::string(1, 'm');
  if (ending == ".tif" || ending == ".tiff") {
    const bool fits = found.is_whole && found.min_m > -32768 && found.max_m <= 32767;
    spec.type = fits ? SampleType::i16 : SampleType::f32;
    if (found.has_holes) {
      spec.nodata = fits ? -32768.0 : found.min_m > -9999 ? -9999.0 : double(std::numeric_limits<float>::lowest());
    }
    return plan;
  }
  spec.type = SampleType::u16;
  const bool fits = found.is_whole && found.min_m >= (found.has_holes ? 1 : 0) && found.max_m <= 65535;
  if (!fits) {
    plan.base_m = lattice.base_m;
    plan.step_m = lattice.step_m;
  }
  spec.scale = plan.step_m;
  spec.offset = plan.base_m;
  if (found.has_holes) {
    spec.nodata = 0;
  }
  return plan;
}

std::string quoted(const std::string& text) {
  std::string json(1, '"');
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json.push_back('\\');
    }
    json.push_back(static_cast<unsigned char>(c) < 0x20 ? ' ' : c);
  }
  json.push_back('"');
  return json;
}

// What a program that knows neither GDAL nor this project needs to place and scale the numbers.
Result<void> write_sidecar(const std::filesystem::path& path, const Plan& plan, const Lattice& lattice,
                           const StoreInfo& info) {
  const RasterSpec& spec = plan.spec;
  std::string text = fmt::format(
      "{{\n  \"width\": {},\n  \"height\": {},\n  \"type\": {},\n  \"rows\": \"north to south\",\n  \"base_m\": {},\n"
      "  \"step_m\": {},\n  \"hole\": {},\n  \"spacing_x_m\": {},\n  \"spacing_z_m\": {},\n  \"registration\": "
      "\"{}\",\n"
      "  \"geotransform\": ",
      spec.width, spec.height, ending_of(path.stem()) == ".png" ? "\"u16\"" : "\"u16le\"", plan.base_m, plan.step_m,
      spec.nodata ? "0" : "null", lattice.spacing_x_m, lattice.spacing_z_m,
      spec.registration == Registration::area ? "area" : "point");
  if (info.geotransform) {
    const auto& g = *info.geotransform;
    text += fmt::format("[{}, {}, {}, {}, {}, {}]", g[0], g[1], g[2], g[3], g[4], g[5]);
  } else {
    text += "null";
  }
  text += fmt::format(",\n  \"crs\": {}\n}}\n", info.crs_wkt.empty() ? std::string("null") : quoted(info.crs_wkt));
  const std::filesystem::path part = path.string() + ".partial";
  std::ofstream file(part, std::ios::binary);
  file << text;
  file.close();
  std::error_code error;
  if (file) {
    std::filesystem::rename(part, path, error);
  }
  if (!file || error) {
    std::filesystem::remove(part, error);
    return io_error(fmt::format("{}: cannot be written; the disk may be full", path.string()));
  }
  return {};
}

}  // namespace

Result<ExportReport> export_raster(const SampleSource& source, const StoreInfo& info,
                                   const std::filesystem::path& output, const ExportOptions& options,
                                   const Progress& progress) {
  const std::string ending = ending_of(output);
  const bool is_tiff = ending == ".tif" || ending == ".tiff";
  if (!is_tiff && ending != ".png" && (ending != ".r16" || options.hillshade)) {
    return usage_error(fmt::format("{}: expected a name that ends in .tif, .png{}", output.string(),
                                   options.hillshade ? " for a hillshade" : " or .r16"));
  }
  if (!(options.sun_altitude_deg >= 0 && options.sun_altitude_deg <= 90) || !std::isfinite(options.sun_azimuth_deg)) {
    return usage_error(fmt::format("a sun at azimuth {}, altitude {}; expected an altitude from 0 to 90",
                                   options.sun_azimuth_deg, options.sun_altitude_deg));
  }
  const Lattice& lattice = source.lattice();
  auto found = options.hillshade ? Result<Survey>(Survey{}) : survey(source, progress);
  if (!found) {
    return Unexpected{found.error()};
  }
  const Plan plan = plan_export(source, info, *found, ending, options.hillshade);
  auto writer = RasterWriter::create(output, plan.spec);
  if (!writer) {
    return Unexpected{writer.error()};
  }
  SampleRows rows(source);
  std::vector<std::uint16_t> steps(static_cast<std::size_t>(rows.width()));
  const auto read_heights = [&](std::int64_t row, std::span<double> heights_m) -> Result<void> {
    if (auto done = rows.read(row, steps); !done) {
      return done;
    }
    for (std::size_t i = 0; i < steps.size(); ++i) {
      heights_m[i] = steps[i] == kHole ? std::numeric_limits<double>::quiet_NaN() : lattice.height_m(steps[i]);
    }
    return {};
  };
  Hillshade hillshade(rows.width(), rows.height(), lattice.spacing_x_m, lattice.spacing_z_m, options.sun_azimuth_deg,
                      options.sun_altitude_deg, read_heights);
  std::vector<double> numbers(steps.size());
  for (std::int64_t row = 0; row < rows.height(); ++row) {
    if (auto done = options.hillshade ? hillshade.read(row, numbers) : read_heights(row, numbers); !done) {
      return Unexpected{done.error()};
    }
    if (!options.hillshade) {
      for (double& number : numbers) {
        number = (number - plan.base_m) / plan.step_m;  // exact: a power of two
      }
    }
    if (auto written = (*writer)->write_row(numbers); !written) {
      return Unexpected{written.error()};
    }
    if (progress) {
      progress(0.4 + 0.6 * double(row + 1) / double(rows.height()));
    }
  }
  ExportReport report{{output}, rows.width(), rows.height(), plan.base_m, plan.step_m};
  if (!is_tiff && !options.hillshade) {
    const std::filesystem::path sidecar = output.string() + ".json";
    if (auto written = write_sidecar(sidecar, plan, lattice, info); !written) {
      return Unexpected{written.error()};
    }
    report.files.push_back(sidecar);
  }
  if (auto finished = (*writer)->finish(); !finished) {
    std::error_code ignored;
    if (report.files.size() > 1) {
      std::filesystem::remove(report.files.back(), ignored);
    }
    return Unexpected{finished.error()};
  }
  const std::filesystem::path notes = output.string() + ".aux.xml";
  if (std::error_code error; std::filesystem::exists(notes, error)) {
    report.files.push_back(notes);
  }
  return report;
}

}  // namespace arete
