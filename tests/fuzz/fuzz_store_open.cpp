// A whole store from any bytes: opening, verifying and reading every page either works or says one line.
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "arete/tiles.h"

namespace {

void expect_one_line(const arete::Error& error) {
  if (error.message.empty() || error.message.find('\n') != std::string::npos) {
    std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arete;
  static const std::string path =
      (std::filesystem::temp_directory_path() / ("arete_fuzz_" + std::to_string(::getpid()))).string();
  {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(data), std::streamsize(size));
  }
  auto store = TileStore::open(path, 1 << 20);
  if (!store) {
    expect_one_line(store.error());
    std::filesystem::remove(path);
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
  store = usage_error("closed");
  std::filesystem::remove(path);
  return 0;
}
