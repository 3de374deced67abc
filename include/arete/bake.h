// Baking: rasters in, one store of pages out.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "arete/raster.h"
#include "arete/tiles.h"

namespace arete {

struct BakeOptions {
  RasterOptions raster;
  std::optional<double> height_step_m;   // a power of two; unset: chosen from the data
};

struct BakeReport {
  StoreInfo info;
  Lattice lattice;
  std::int64_t pages = 0;
  std::vector<std::string> warnings;
};

// Bakes `input` to `output` through `output`.partial. Fails in one line and leaves no `output` behind.
Result<BakeReport> bake(const std::filesystem::path& input, const std::filesystem::path& output,
                        const BakeOptions& options = {}, const Progress& progress = {});

// A raster held as pages in memory, for commands that need no store.
Result<std::unique_ptr<MemorySource>> load_raster(const std::filesystem::path& input, const BakeOptions& options = {});

}  // namespace arete
