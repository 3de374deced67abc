// A store of made-up ground with holes, and what each test of the server does with it.
#pragma once

#include <gtest/gtest.h>

#include "support/scratch.h"
#include "unit/tiles/store_fixture.h"

namespace arete::test {

class StoreTest : public testing::Test {
 protected:
  StoreTest() {
    const auto written = write_store(path(), lattice, terrain_field(Terrain::holes, 5, lattice));
    if (!written) throw std::runtime_error(written.error().message);
    auto opened = TileStore::open(path());
    if (!opened) throw std::runtime_error(opened.error().message);
    store = *std::move(opened);
    statistics = store->statistics().value();
  }
  std::filesystem::path path() const { return folder / "field.arete"; }

  Scratch folder;
  Lattice lattice{.stops_x = 700,
                  .stops_z = 451,
                  .registration = Registration::area,
                  .spacing_x_m = 27.5,
                  .spacing_z_m = 30,
                  .base_m = -64,
                  .step_m = 0.03125};
  std::unique_ptr<TileStore> store;
  StoreStatistics statistics;
};

}  // namespace arete::test
