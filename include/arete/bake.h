// Baking: rasters in, one store of pages out; and the way back, from a store to a raster file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arete/raster.h"
#include "arete/tiles.h"

namespace arete {

struct BakeOptions {
  RasterOptions raster;
  std::optional<double> height_step_m;  // a power of two; unset: chosen from the data
  int jobs = 0;                         // threads that make pages; 0: one a processor
  // Bytes that the whole process may hold. More than a bake needs keeps pages at hand that are else read again.
  std::int64_t memory_bytes = std::int64_t(512) << 20;
};

struct BakeReport {
  StoreInfo info;
  Lattice lattice;
  std::int64_t pages = 0;
  TileStoreWriter::Encoded encoded;   // by this run: fewer than `pages` where it went on behind a kill
  std::vector<std::string> warnings;  // one line each; also kept in the store
};

// Bakes `input` to `output` through `output`.partial, reading it twice: once for its statistics, once for its rows.
// The store is the same for any jobs and memory. Refused (usage) when the memory does not hold a few rows of pages and
// of the file's blocks. Fails in one line and leaves nothing behind; only a bake that is killed, or that cannot be
// written, leaves its part, which the same bake goes on with.
Result<BakeReport> bake(const std::filesystem::path& input, const std::filesystem::path& output,
                        const BakeOptions& options = {}, const Progress& progress = {});
// Several inputs make a mosaic (see Raster::open).
Result<BakeReport> bake(std::span<const std::filesystem::path> inputs, const std::filesystem::path& output,
                        const BakeOptions& options = {}, const Progress& progress = {});

// The steps that a bake would store, without pages: 2 bytes a sample. Refused where there are more than 2^30.
struct LoadedStops {
  Lattice lattice;
  std::vector<std::uint16_t> stops;  // row-major, stops_x * stops_z steps, 0 = hole
  StoreInfo info;
};
Result<LoadedStops> load_stops(std::span<const std::filesystem::path> inputs, const BakeOptions& options = {},
                               const Progress& progress = {});

// A raster held as pages in memory, for commands that need no store. Refused where it has more than 2^30 samples.
struct LoadedRaster {
  std::unique_ptr<MemorySource> source;
  StoreInfo info;
};
Result<LoadedRaster> load_raster_and_info(std::span<const std::filesystem::path> inputs,
                                          const BakeOptions& options = {});
Result<std::unique_ptr<MemorySource>> load_raster(const std::filesystem::path& input, const BakeOptions& options = {});

// ---- The way back ---------------------------------------------------------------------------------------------------

struct ExportOptions {
  bool hillshade = false;        // 8 bits of light instead of heights; .tif and .png
  double sun_azimuth_deg = 315;  // clockwise from north
  double sun_altitude_deg = 45;  // above the horizon, 0..90
};

struct ExportReport {
  std::vector<std::filesystem::path> files;  // what was written, the raster first
  std::int64_t width = 0, height = 0;
  double base_m = 0, step_m = 1;  // metres = base + step * number in .png and .r16; 0 and 1 in .tif
};

// Writes the stored heights as a raster by the ending of `output`, with the source's georeference: .tif holds metres
// (Int16 where every height is a whole metre that fits, else Float32, which is exact); .png and .r16 hold u16, 0 for
// holes, which are whole metres where all heights are whole and fit, else steps, and a JSON sidecar X.png.json or
// X.r16.json says what they mean. The duplicated rims of area rasters are left out, so a raster that was baked comes
// back within half a step, and without loss where it held whole metres. Memory: one row of pages. Fails in one line and
// leaves nothing behind.
Result<ExportReport> export_raster(const SampleSource& source, const StoreInfo& info,
                                   const std::filesystem::path& output, const ExportOptions& options = {},
                                   const Progress& progress = {});

}  // namespace arete
