// A raster's rows of metres become a lattice's rows of stops: area rasters repeat their rim, holes are 0.
#pragma once

#include <atomic>

#include "arete/bake.h"

namespace arete {

// What is known of a raster before its rows are read a second time.
struct BakePlan {
  std::unique_ptr<Raster> raster;
  HeightScale scale;
  Lattice lattice;
  StoreInfo info;  // the quantisation error is that of the rows read before, if any
  std::vector<std::string> warnings;
  // What lets a later bake know that it would plan the same; empty where it must read to find out.
  std::string stamp;
  std::vector<double> voids_m;
};
// Opens the inputs, takes their statistics and settles scale and lattice. What `unfinished` knows is not read again if
// inputs and options are what they were.
Result<BakePlan> plan_bake(std::span<const std::filesystem::path> inputs, const BakeOptions& options,
                           const std::optional<TileStoreWriter::Unfinished>& unfinished, const Progress& progress);
// Keeps with `writer` what plan_bake needs of an unfinished bake.
void remember_plan(const BakePlan& plan, TileStoreWriter& writer);
// And the greatest |stored - source| of the rows read so far.
void remember_error(double quantisation_error_m, TileStoreWriter& writer);

// Hands out the rows of stops in order, north to south.
class StopRows {
 public:
  explicit StopRows(BakePlan& plan);
  Result<void> read(std::int32_t z_stop, std::span<std::uint16_t> row);
  // The greatest |stored - source| of the rows read so far; from any thread.
  double quantisation_error_m() const { return error_m_; }

 private:
  Raster& raster_;
  HeightScale scale_;
  int rim_;                // stops before the first sample: 1 for area registration
  std::int64_t row_ = -1;  // the raster row that was read last
  std::vector<double> heights_m_;
  std::vector<std::uint16_t> steps_;  // of the first or last row, which an area raster repeats
  std::atomic<double> error_m_;
};

}  // namespace arete
