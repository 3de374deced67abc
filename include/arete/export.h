// Files out: pictures and meshes.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arete/adaptive.h"
#include "arete/result.h"

namespace arete {

// Row-major RGBA8, sRGB, the top row first.
struct PngImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  // 4 width height
};

// Writes a picture of 4 width height bytes; without alpha when every pixel is opaque. The file appears under its name
// only when whole. Error (io): names the path and the reason.
Result<void> write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgba);

// Reads any PNG as RGBA8 sRGB; at most 2^28 pixels. Errors: no such file (io), not a PNG or damaged (data).
Result<PngImage> read_png(const std::filesystem::path& path);

// ---- Meshes ---------------------------------------------------------------------------------------------------------

// GLB stands Y up (x east, y up, z south); PLY, OBJ and STL stand Z up (x east, y north, z up). All turn the same way.
enum class MeshFormat : std::uint8_t { glb, ply, obj, stl };

// By the path's ending, whatever its case. Error (usage): another ending, naming the four.
Result<MeshFormat> mesh_format(const std::filesystem::path& path);

struct MeshFileOptions {
  std::string crs_wkt;                                // empty: unknown
  std::optional<std::array<double, 6>> geotransform;  // GDAL's order, of the north-up raster
  double exaggerate = 1;                              // heights are multiplied by it, > 0
  // Closes the mesh, holes and all, with walls down to a floor this far below its lowest vertex: metres before
  // exaggeration, > 0.
  std::optional<double> base_m;
  // STL: scales the longer horizontal side to this many millimetres, 0.001 to 1e9. Unset: one unit a metre.
  std::optional<double> size_mm;
  std::filesystem::path drape;  // GLB: a PNG or JPEG over the whole field instead of relief colours
  // GLB: meshoptimizer's coding of vertices and triangles, without loss (EXT_meshopt_compression, required of readers).
  bool compress = false;
};

// What a mesh file holds, before exaggeration and scale.
struct MeshFileReport {
  std::int64_t vertices = 0;
  std::int64_t triangles = 0;  // walls and floor included
  bool is_closed = false;      // a solid: every edge has its twin
  double volume_m3 = 0;        // of the solid; 0 for an open surface
  std::int64_t bytes = 0;
};

// Writes a mesh with normals, uv (0..1 over the field) and relief colours where the format has them; the file appears
// under its name only when whole. GLB positions are f32 around the field's middle, with the f64 offset and the CRS in
// the asset's extras; PLY is placed in the CRS by f64 coordinates where that is projected in metres, else in metres
// from the field's origin. Errors: an option that the format cannot carry (usage), a mesh too large for the format
// (data), the disk (io).
Result<MeshFileReport> write_mesh(const std::filesystem::path& path, const Lattice& lattice, const LatticeMesh& mesh,
                                  const MeshFileOptions& options);

struct MeshReport {
  MeshFileReport file;
  std::int64_t triangles = 0;  // of the surface
  double error_m = 0;          // the greatest vertical distance to the full-resolution surface
  double source_error_m = 0;   // the same to the source: with its quantisation
  std::int64_t cracks = 0;     // 0 for a right mesh
  MeshMeasures measures;       // volume above the lowest vertex
  double mesh_seconds = 0;
  double write_seconds = 0;
};

// Field to file: adapt() and write_mesh() with one report.
Result<MeshReport> mesh_field(const SampleSource& source, const std::filesystem::path& path,
                              const AdaptOptions& adapt_options, const MeshFileOptions& file_options);

// The same from row-major steps in memory, without pages: the least memory for a raster that is meshed once.
Result<MeshReport> mesh_field(const Lattice& lattice, std::span<const std::uint16_t> stops,
                              const std::filesystem::path& path, const AdaptOptions& adapt_options,
                              const MeshFileOptions& file_options);

}  // namespace arete
