// A made field for machines without data: value noise of halving cells and heights (Perlin, "An Image Synthesizer",
// 1985), baked to a store.
#include <array>

#include "arete/figures.h"

namespace arete {
namespace {

constexpr int kOctaves = 9;
constexpr double kStep_m = 1.0 / 32;

// 0..1 of a lattice point of an octave.
double value_at(std::uint32_t x, std::uint32_t z, std::uint32_t octave) {
  std::uint32_t hash = x * 0x9e3779b1u ^ z * 0x85ebca77u ^ octave * 0xc2b2ae3du;
  hash = (hash ^ hash >> 15) * 0x2c1b3c6du;
  hash = (hash ^ hash >> 12) * 0x297a2d39u;
  return double(hash ^ hash >> 15) * 0x1p-32;
}

// One row of an octave, between the two rows of its lattice.
void add_octave(std::uint32_t z, int octave, double height, std::vector<double>& row) {
  const std::uint32_t cell = 1u << (kOctaves - 1 - octave);
  const std::uint32_t north = z / cell;
  const double down = double(z % cell) / cell;
  const auto line = [&](std::uint32_t column) {
    const double above = value_at(column, north, std::uint32_t(octave));
    return above + (value_at(column, north + 1, std::uint32_t(octave)) - above) * down;
  };
  double west = 0, east = line(0);
  for (std::uint32_t x = 0; x < row.size(); ++x) {
    if (x % cell == 0) {
      west = east;
      east = line(x / cell + 1);
    }
    row[x] += height * (west + (east - west) * (double(x % cell) / cell));
  }
}

}  // namespace

Result<void> write_fractal_store(const std::filesystem::path& path, int stops) {
  const Lattice lattice{.stops_x = stops, .stops_z = stops, .spacing_x_m = 10, .spacing_z_m = 10, .step_m = kStep_m};
  StoreInfo info;
  info.source_width = info.source_height = stops;
  info.valid = std::int64_t(stops) * stops;
  info.max_m = 1000;
  Result<std::unique_ptr<TileStoreWriter>> writer = TileStoreWriter::create(path, lattice, info);
  if (!writer) {
    return Unexpected{writer.error()};
  }
  std::vector<double> heights(static_cast<std::size_t>(stops));
  const Result<Bounds> bounds = build_pages(
      lattice,
      [&](std::int32_t z, std::span<std::uint16_t> row) -> Result<void> {
        std::fill(heights.begin(), heights.end(), 0.0);
        for (int octave = 0; octave < kOctaves; ++octave) {
          add_octave(std::uint32_t(z), octave, 500.0 / (1 << octave), heights);
        }
        for (std::size_t x = 0; x < row.size(); ++x) {
          row[x] = std::uint16_t(1 + heights[x] / kStep_m);
        }
        return {};
      },
      **writer);
  if (!bounds) {
    return Unexpected{bounds.error()};
  }
  if (const Result<StoreStatistics> finished = (*writer)->finish(*bounds, info); !finished) {
    return Unexpected{finished.error()};
  }
  return {};
}

}  // namespace arete
