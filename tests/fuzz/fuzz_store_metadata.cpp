// Metadata entries (name, zero byte, value, zero byte) from any bytes, and the rest of the input as rows of nodes.
// Entries that hold must come back the same.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "tiles/store_metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace arete;
  tiles::Metadata metadata;
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::size_t at = 0;
  while (at < size) {
    const std::size_t name_end = text.find('\0', at);
    const std::size_t value_end = name_end == std::string::npos ? name_end : text.find('\0', name_end + 1);
    if (value_end == std::string::npos) {
      break;
    }
    metadata[text.substr(at, name_end - at)] = text.substr(name_end + 1, value_end - name_end - 1);
    at = value_end + 1;
  }
  const auto head = tiles::from_metadata(metadata);
  if (!head) {
    if (head.error().message.empty()) {
      std::abort();
    }
    return 0;
  }
  const tiles::Metadata once = tiles::to_metadata(*head);
  const auto again = tiles::from_metadata(once);
  if (!again || tiles::to_metadata(*again) != once) {
    std::abort();
  }
  const Lattice& lattice = head->lattice;
  if (lattice.lods() < 2 || std::int64_t(lattice.stops_x) * lattice.stops_z > 1 << 22) {
    return 0;
  }
  Bounds bounds(lattice);
  if (tiles::nodes_from_bytes({data + at, size - at}, {1, 0, 0}, bounds)) {
    bounds.finish();
    const auto bytes = tiles::nodes_to_bytes(bounds, {1, 0, 0});
    if (bytes.size() != size - at) {
      std::abort();
    }
  }
  return 0;
}
