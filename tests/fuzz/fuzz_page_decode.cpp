// A page's record from any bytes: lod, revision and blob under a checksum that fits, so that the decompressor and the
// planes see everything. What decodes must survive another round through the encoder.
#include <cstdint>
#include <cstdlib>

#include "fuzz/fuzz_input.h"
#include "tiles/page_payload.h"
#include "tiles/page_record.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arete;
  if (size < 2) {
    return 0;
  }
  tiles::PageRecord record{{std::uint8_t(data[0] % 30), data[1], 7}, data[1], 0, 0, {data + 2, data + size}};
  record.checksum = tiles::record_checksum(record.key, record.revision, record.blob);
  const auto page = tiles::decode_page(record);
  if (!page) {
    fuzz::expect_one_line(page.error());
    return 0;
  }
  const auto again = tiles::encode_page(**page);
  const auto back = again ? tiles::decode_page(*again) : page;
  if (!again || !back || (*back)->subsample != (*page)->subsample || (*back)->max != (*page)->max) {
    std::abort();
  }
  return 0;
}
