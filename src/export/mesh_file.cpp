// Which writer a path asks for, what the format can carry, and the report; from a field to a file in one call.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <functional>

#include "export/mesh_writers.h"

namespace arete {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Result<void> check(const std::filesystem::path& path, MeshFormat format, const MeshFileOptions& options) {
  const auto refuse = [&](const std::string& what) { return usage_error(path.string() + ": " + what); };
  if (!(options.exaggerate > 0) || !std::isfinite(options.exaggerate)) {
    return refuse("heights can only be multiplied by a positive number");
  }
  if (options.base_m && (!(*options.base_m > 0) || !std::isfinite(*options.base_m))) {
    return refuse("a base needs a thickness of more than 0 metres");
  }
  if (options.size_mm && format != MeshFormat::stl) {
    return refuse("a size in millimetres is for STL; the other formats keep metres");
  }
  if (options.size_mm && !(*options.size_mm >= 1e-3 && *options.size_mm <= 1e9)) {
    return refuse("a size must be 0.001 to 1e9 millimetres");
  }
  if (!options.drape.empty() && format != MeshFormat::glb) {
    return refuse("only GLB carries a drape");
  }
  if (options.compress && format != MeshFormat::glb) {
    return refuse("only GLB can be compressed");
  }
  return {};
}

}  // namespace

Result<MeshFormat> mesh_format(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  if (ending == ".glb") return MeshFormat::glb;
  if (ending == ".ply") return MeshFormat::ply;
  if (ending == ".obj") return MeshFormat::obj;
  if (ending == ".stl") return MeshFormat::stl;
  return usage_error(path.string() + ": expected a name that ends in .glb, .ply, .obj or .stl");
}

Result<MeshFileReport> write_mesh(const std::filesystem::path& path, const Lattice& lattice, const LatticeMesh& mesh,
                                  const MeshFileOptions& options) {
  const auto format = mesh_format(path);
  if (!format) {
    return Unexpected{format.error()};
  }
  if (auto valid = check(path, *format, options); !valid) {
    return Unexpected{valid.error()};
  }
  if (mesh.triangles.empty()) {
    return data_error(path.string() + ": a mesh without triangles is not written");
  }
  const MeshGeometry geometry(lattice, mesh, options);
  const double steepest_m = std::max({std::abs(geometry.lowest_m()), std::abs(geometry.highest_m()),
                                      std::abs(geometry.lowest_m() - options.base_m.value_or(0))});
  // A millimetre scale and surface normals stay within f32 as well.
  constexpr double kGreatest_m = 1e12;
  if (!(steepest_m * options.exaggerate <= kGreatest_m)) {
    return usage_error(
        fmt::format("{}: heights up to {:.6g} m times {:g} leave what a mesh file holds; multiply by {:.3g} at most",
                    path.string(), steepest_m, options.exaggerate, kGreatest_m / steepest_m));
  }
  MeshFileReport report;
  report.vertices = geometry.vertices();
  report.triangles = geometry.triangles();
  report.is_closed = geometry.is_solid();
  report.volume_m3 = geometry.volume_m3();
  if (*format == MeshFormat::stl && report.triangles > std::int64_t(0xffffffff)) {
    return data_error(path.string() + ": an STL holds at most 2^32 - 1 triangles");
  }
  WholeFile file(path);
  switch (*format) {
    case MeshFormat::glb:
      if (auto written = write_glb(file, geometry, options, report); !written) {
        return Unexpected{written.error()};
      }
      break;
    case MeshFormat::ply:
      write_ply(file, geometry, options);
      break;
    case MeshFormat::obj:
      write_obj(file, geometry, options);
      break;
    case MeshFormat::stl:
      write_stl(file, geometry, options);
      break;
  }
  report.bytes = file.bytes();
  if (auto finished = file.finish(); !finished) {
    return Unexpected{finished.error()};
  }
  return report;
}

namespace {

// `make_mesh` runs the mesh once the file's options are known to be good.
Result<MeshReport> mesh_to_file(const std::filesystem::path& path, const AdaptOptions& adapt_options,
                                const MeshFileOptions& file_options,
                                const std::function<Result<AdaptedMesh>()>& make_mesh) {
  const auto format = mesh_format(path);
  if (!format) {
    return Unexpected{format.error()};
  }
  if (auto valid = check(path, *format, file_options); !valid) {
    return Unexpected{valid.error()};
  }
  const auto start = Clock::now();
  const auto adapted = make_mesh();
  if (!adapted) {
    return Unexpected{adapted.error()};
  }
  MeshReport report;
  report.mesh_seconds = seconds_since(start);
  report.triangles = std::int64_t(adapted->mesh.triangles.size());
  report.error_m = adapted->error_m;
  report.source_error_m = adapted->error_m + adapt_options.quantisation_error_m;
  report.measures = measure(adapted->lattice, adapted->mesh, 0);
  report.measures.volume_m3 -= report.measures.min_m[1] * report.measures.plan_area_m2;
  report.cracks = report.measures.open_edges;
  const auto written_from = Clock::now();
  auto file = write_mesh(path, adapted->lattice, adapted->mesh, file_options);
  if (!file) {
    return Unexpected{file.error()};
  }
  report.write_seconds = seconds_since(written_from);
  report.file = *file;
  return report;
}

}  // namespace

Result<MeshReport> mesh_field(const SampleSource& source, const std::filesystem::path& path,
                              const AdaptOptions& adapt_options, const MeshFileOptions& file_options) {
  return mesh_to_file(path, adapt_options, file_options, [&] { return adapt(source, adapt_options); });
}

Result<MeshReport> mesh_field(const Lattice& lattice, std::span<const std::uint16_t> stops,
                              const std::filesystem::path& path, const AdaptOptions& adapt_options,
                              const MeshFileOptions& file_options) {
  return mesh_to_file(path, adapt_options, file_options, [&] { return adapt(lattice, stops, adapt_options); });
}

}  // namespace arete
