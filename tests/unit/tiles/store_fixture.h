// Small stores in a folder of their own, for the tests of writing, reading and damage.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "arete/tiles.h"
#include "support/scratch.h"
#include "support/terrain.h"

namespace arete::test {

inline StoreInfo sample_info() {
  StoreInfo info;
  info.crs_wkt = "LOCAL_CS[\"a \"\"quoted\"\" name\nover two lines\"]";
  info.geotransform = {{500000.25, 30, 0, 4.1e6, 0, -30}};
  info.source_width = 300;
  info.source_height = 211;
  info.valid = 63299;
  info.missing = 1;
  info.min_m = -12.125;
  info.max_m = 0.1;
  info.sum_m = 1e17 / 3;
  info.first_min = {3, 4};
  info.first_max = {210, 299};
  info.corners_m = {1.5, 2.5, std::nan(""), -4};
  info.quantisation_error_m = 0.001;
  info.source_fingerprint = "fingerprint";
  info.warnings = "one\ntwo";
  return info;
}

// Builds pages of `field` straight into a writer; `before_row` may end the process in a test of kills.
inline Result<void> write_store(const std::filesystem::path& path, const Lattice& lattice,
                                const std::vector<std::uint16_t>& field, const StoreInfo& info = sample_info()) {
  auto writer = TileStoreWriter::create(path, lattice, info);
  if (!writer) {
    return Unexpected{writer.error()};
  }
  const auto rows = [&](std::int32_t z, std::span<std::uint16_t> row) -> Result<void> {
    std::copy_n(field.begin() + std::ptrdiff_t(z) * lattice.stops_x, row.size(), row.begin());
    return {};
  };
  auto bounds = build_pages(lattice, rows, **writer);
  if (!bounds) {
    return Unexpected{bounds.error()};
  }
  auto finished = (*writer)->finish(*bounds, info);
  return finished ? Result<void>() : Unexpected{finished.error()};
}

inline std::vector<std::uint8_t> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
}

inline bool same_bounds(const Bounds& a, const Bounds& b) {
  const Lattice& lattice = a.lattice();
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (std::int32_t x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x) {
        const NodeBounds &p = a.at(lod, x, z), &q = b.at(lod, x, z);
        if (p.min != q.min || p.max != q.max || p.top != q.top || p.error != q.error || p.error_max != q.error_max ||
            p.kappa != q.kappa || p.split != q.split) {
          return false;
        }
      }
    }
  }
  return a.field_min == b.field_min && a.field_max == b.field_max;
}

// One line that names the file and is not empty.
inline void expect_one_line(const Error& error, const std::filesystem::path& path) {
  EXPECT_EQ(error.message.find('\n'), std::string::npos) << error.message;
  EXPECT_EQ(error.message.rfind(path.string(), 0), 0u) << error.message;
  EXPECT_GT(error.message.size(), path.string().size() + 10) << error.message;
}

}  // namespace arete::test
