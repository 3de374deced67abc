// The compressed record of a page, its checksum, and the running hash of a store's content.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arete/core.h"

namespace arete::tiles {

// One row of the store's page table.
struct PageRecord {
  PageKey key;
  std::uint64_t revision = 0;
  std::uint64_t checksum = 0;  // of the record
  std::uint64_t digest = 0;    // of the payload
  std::vector<std::uint8_t> blob;
};

// XXH3-64 over key and revision (8 bytes each, least significant first) and the blob.
std::uint64_t record_checksum(PageKey key, std::uint64_t revision, std::span<const std::uint8_t> blob);

// XXH3-64 over the payload: what a store's content hash knows of a page.
std::uint64_t payload_digest(std::span<const std::uint8_t> payload);

// Compresses a page to one zstd frame at level 1. Fails (data) only when memory for the compressor is short.
Result<PageRecord> encode_page(const Page& page);

// Checks the checksum and decompresses to exactly payload_bytes(lod) bytes. Safe on any bytes: room is known before,
// and whatever is wrong is named in one line that starts with the page.
Result<void> decode_payload(const PageRecord& record, std::vector<std::uint8_t>& payload);

// The same, down to planes.
Result<std::shared_ptr<const Page>> decode_page(const PageRecord& record);

// XXH3-128 over what is added, in order.
class RunningHash {
 public:
  RunningHash();
  ~RunningHash();
  RunningHash(const RunningHash&) = delete;
  RunningHash& operator=(const RunningHash&) = delete;
  void add(std::span<const std::uint8_t> bytes);
  void add(std::string_view text);
  // 8 bytes, least significant first.
  void add(std::uint64_t value);
  // 32 hex digits, most significant first.
  std::string hex() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arete::tiles
