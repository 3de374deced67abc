// A raster file from any bytes: the first byte chooses the name's ending and how heights are packed, the rest is the
// file.
#include <cstdint>
#include <iterator>
#include <span>

#include "fuzz/import_rows.h"

namespace {

struct Kind {
  const char* ending;
  arete::Encoding encoding;
  std::int64_t fill_samples;
};
using enum arete::Encoding;
constexpr Kind kKinds[] = {{".asc", none, 0},      {".lerc1", none, 0}, {".lerc2", none, 0}, {".exr", none, 0},
                           {".png", terrarium, 0}, {".png", mapbox, 0}, {".tif", none, 3},   {".dt0", none, 0}};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arete;
  if (size < 2) {
    return 0;
  }
  const Kind& kind = kKinds[data[0] % std::size(kKinds)];
  const fuzz::InputFile file(std::span(data + 1, size - 1), kind.ending);
  RasterOptions options;
  options.encoding = kind.encoding;
  options.fill_samples = kind.fill_samples;
  fuzz::import_rows(file.path(), options);
  return 0;
}
