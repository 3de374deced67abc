// A whole store from any bytes: opening, verifying and reading every page either works or says one line.
#include <algorithm>
#include <cstdint>
#include <span>

#include "arete/tiles.h"
#include "fuzz/fuzz_input.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arete;
  using fuzz::expect_one_line;
  const fuzz::InputFile file(std::span(data, size), ".arete");
  auto store = TileStore::open(file.path(), 1 << 20);
  if (!store) {
    expect_one_line(store.error());
    return 0;
  }
  if (const auto verified = (*store)->verify(); !verified) {
    expect_one_line(verified.error());
  }
  const Lattice& lattice = (*store)->lattice();
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < std::min(lattice.pages_z(lod), 4); ++z) {
      for (std::int32_t x = 0; x < std::min(lattice.pages_x(lod), 4); ++x) {
        const auto page = (*store)->page({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)});
        if (!page) {
          expect_one_line(page.error());
        }
      }
    }
  }
  if (const auto statistics = (*store)->statistics(); !statistics) {
    expect_one_line(statistics.error());
  }
  return 0;
}
