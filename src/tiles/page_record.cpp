// Compression by zstd (Collet and Kucherawy, RFC 8878) and checksums by XXH3 (Collet, xxHash).
//
// Decoding trusts nothing: the checksum is compared first, the frame must state the payload's exact size, and the
// decompressor writes into a buffer of that size.
#include "tiles/page_record.h"

#include <fmt/format.h>
#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <array>

#include "tiles/page_payload.h"

namespace arete::tiles {
namespace {

constexpr int kCompressionLevel = 1;

std::array<std::uint8_t, 8> little_endian(std::uint64_t value) {
  std::array<std::uint8_t, 8> bytes;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = std::uint8_t(value >> (8 * i));
  }
  return bytes;
}

struct FreeHash {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};
struct FreeCompressor {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
};
struct FreeDecompressor {
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

}  // namespace

std::uint64_t record_checksum(PageKey key, std::uint64_t revision, std::span<const std::uint8_t> blob) {
  static thread_local const std::unique_ptr<XXH3_state_t, FreeHash> state(XXH3_createState());
  XXH3_64bits_reset(state.get());
  for (const std::uint64_t value : {key.packed(), revision}) {
    const auto bytes = little_endian(value);
    XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
  }
  XXH3_64bits_update(state.get(), blob.data(), blob.size());
  return XXH3_64bits_digest(state.get());
}

std::uint64_t payload_digest(std::span<const std::uint8_t> payload) {
  return XXH3_64bits(payload.data(), payload.size());
}

Result<PageRecord> encode_page(const Page& page) {
  static thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> context(ZSTD_createCCtx());
  static thread_local std::vector<std::uint8_t> payload, frame;
  make_payload(page, payload);
  frame.resize(std::max(frame.size(), ZSTD_compressBound(payload.size())));
  const std::size_t size =
      ZSTD_compressCCtx(context.get(), frame.data(), frame.size(), payload.data(), payload.size(), kCompressionLevel);
  if (ZSTD_isError(size) != 0) {
    return data_error(fmt::format("{} could not be compressed: {}", describe(page.key), ZSTD_getErrorName(size)));
  }
  PageRecord record{
      page.key, page.revision, 0, payload_digest(payload), {frame.begin(), frame.begin() + std::ptrdiff_t(size)}};
  record.checksum = record_checksum(record.key, record.revision, record.blob);
  return record;
}

Result<void> decode_payload(const PageRecord& record, std::vector<std::uint8_t>& payload) {
  static thread_local const std::unique_ptr<ZSTD_DCtx, FreeDecompressor> context(ZSTD_createDCtx());
  const std::uint64_t found = record_checksum(record.key, record.revision, record.blob);
  if (found != record.checksum) {
    return data_error(fmt::format("{} is damaged: checksum {:016x} expected, {:016x} found", describe(record.key),
                                  record.checksum, found));
  }
  const std::size_t expected = payload_bytes(record.key.lod);
  const unsigned long long stated = ZSTD_getFrameContentSize(record.blob.data(), record.blob.size());
  const std::size_t frame = ZSTD_findFrameCompressedSize(record.blob.data(), record.blob.size());
  if (stated != expected || frame != record.blob.size()) {
    return data_error(
        fmt::format("{} is damaged: one zstd frame of {} bytes expected", describe(record.key), expected));
  }
  payload.resize(expected);
  const std::size_t size =
      ZSTD_decompressDCtx(context.get(), payload.data(), payload.size(), record.blob.data(), record.blob.size());
  if (size != expected) {
    return data_error(fmt::format("{} is damaged: {} bytes expected, {}", describe(record.key), expected,
                                  ZSTD_isError(size) != 0 ? ZSTD_getErrorName(size) : "fewer found"));
  }
  return {};
}

Result<std::shared_ptr<const Page>> decode_page(const PageRecord& record) {
  static thread_local std::vector<std::uint8_t> payload;
  if (auto decoded = decode_payload(record, payload); !decoded) {
    return Unexpected{decoded.error()};
  }
  auto page = std::make_shared<Page>();
  page->key = record.key;
  page->revision = record.revision;
  read_payload(payload, record.key.lod, *page);
  return std::shared_ptr<const Page>(std::move(page));
}

struct RunningHash::State {
  std::unique_ptr<XXH3_state_t, FreeHash> hash{XXH3_createState()};
};

RunningHash::RunningHash() : state_(std::make_unique<State>()) { XXH3_128bits_reset(state_->hash.get()); }
RunningHash::~RunningHash() = default;

void RunningHash::add(std::span<const std::uint8_t> bytes) {
  XXH3_128bits_update(state_->hash.get(), bytes.data(), bytes.size());
}
void RunningHash::add(std::string_view text) { XXH3_128bits_update(state_->hash.get(), text.data(), text.size()); }
void RunningHash::add(std::uint64_t value) {
  const auto bytes = little_endian(value);
  add(std::span<const std::uint8_t>(bytes));
}

std::string RunningHash::hex() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash.get());
  return fmt::format("{:016x}{:016x}", hash.high64, hash.low64);
}

}  // namespace arete::tiles
