// A headerless raster from any bytes: the first line is the layout that a user would give, the rest the file.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "fuzz/import_rows.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arete;
  const std::uint8_t* end_of_line = std::find(data, data + size, std::uint8_t('\n'));
  const std::string_view text(reinterpret_cast<const char*>(data), std::size_t(end_of_line - data));
  const auto layout = parse_raw_layout(text);
  if (!layout) {
    fuzz::expect_one_line(layout.error());
    return 0;
  }
  const std::span<const std::uint8_t> bytes(std::min(end_of_line + 1, data + size), data + size);
  const fuzz::InputFile file(bytes, ".raw");
  RasterOptions options;
  options.raw = *layout;
  fuzz::import_rows(file.path(), options);
  return 0;
}
