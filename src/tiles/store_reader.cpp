// Reading a store: everything but the pages is checked when it is opened, each page when it is asked for.
//
// Nothing in the file is trusted: the header is looked at before SQLite sees it, the tables must be the format's own,
// and sizes are compared with the file's before memory is taken.
#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <mutex>

#include "arete/tiles.h"
#include "tiles/absent_page.h"
#include "tiles/database.h"
#include "tiles/node_bounds.h"
#include "tiles/page_cache.h"
#include "tiles/page_record.h"
#include "tiles/store_metadata.h"

namespace arete {

struct TileStore::State {
  explicit State(std::size_t cache_bytes) : cache(cache_bytes) {}

  std::string name;
  std::filesystem::path path;
  tiles::StoreHead head;
  tiles::Metadata metadata;
  Bounds bounds;
  mutable std::mutex mutex;  // guards the connection
  tiles::Database database;
  mutable tiles::Statement select;
  mutable tiles::PageCache cache;

  Unexpected damage(const std::string& what) const {
    return data_error(fmt::format("{}: {}: bake it again", name, what));
  }
  Result<void> open();
  Result<std::uint64_t> check_header() const;
  Result<void> check_tables() const;
  Result<void> load_metadata();
  Result<void> load_bounds(std::uint64_t file_bytes);
};

namespace {

std::uint32_t big_endian(const std::array<unsigned char, 100>& bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) {
    value = value << 8 | bytes[at + i];
  }
  return value;
}

}  // namespace

// Looks at the first 100 bytes (SQLite's documented header) and returns the file's size.
Result<std::uint64_t> TileStore::State::check_header() const {
  std::error_code code;
  const std::uint64_t size = std::filesystem::file_size(path, code);
  if (code) {
    return io_error(fmt::format("{}: cannot be opened: {}", name, code.message()));
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    return io_error(fmt::format("{}: cannot be opened for reading: {}", name, std::strerror(errno)));
  }
  std::array<unsigned char, 100> header{};
  file.read(reinterpret_cast<char*>(header.data()), std::streamsize(header.size()));
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  if (!file || std::string_view(reinterpret_cast<char*>(header.data()), kMagic.size()) != kMagic ||
      big_endian(header, 68, 4) != tiles::kApplicationId) {
    return data_error(fmt::format("{}: not an arete store: make one with 'arete bake'", name));
  }
  const std::uint32_t version = big_endian(header, 60, 4);
  if (version / tiles::kVersionsPerMajor != tiles::kFormatVersion / tiles::kVersionsPerMajor) {
    return data_error(
        fmt::format("{}: store format version {}, this program reads version {}: bake it again or use "
                    "the matching program",
                    name, version / tiles::kVersionsPerMajor, tiles::kFormatVersion / tiles::kVersionsPerMajor));
  }
  if (header[18] != 1 || header[19] != 1) {
    return data_error(fmt::format("{}: a bake that is not finished: run the same bake again", name));
  }
  const std::uint32_t stated = big_endian(header, 16, 2);
  const std::uint64_t expected = std::uint64_t(stated == 1 ? 65536 : stated) * big_endian(header, 28, 4);
  if (size < expected) {
    return damage(fmt::format("cut short: {} bytes expected, {} found", expected, size));
  }
  return size;
}

// A table under the format's name with any other definition (a view, a virtual table) is no store.
Result<void> TileStore::State::check_tables() const {
  auto schema = database.prepare("SELECT count(*) FROM sqlite_schema WHERE sql IN (?1, ?2, ?3)");
  if (!schema) {
    return Unexpected{schema.error()};
  }
  auto row = schema->bind(1, std::string_view(tiles::kCreatePages))
                 .bind(2, std::string_view(tiles::kCreateBounds))
                 .bind(3, std::string_view(tiles::kCreateMetadata))
                 .step();
  if (!row) {
    return Unexpected{row.error()};
  }
  if (schema->integer(0) != 3) {
    return damage("its tables are not those of a store");
  }
  return {};
}

Result<void> TileStore::State::load_metadata() {
  auto entries = tiles::read_metadata(database);
  if (!entries) {
    return Unexpected{entries.error()};
  }
  metadata = *std::move(entries);
  if (metadata[tiles::kState] == "baking") {
    return data_error(fmt::format("{}: a bake that is not finished: run the same bake again", name));
  }
  tiles::RunningHash hash;
  hash.add(tiles::canonical_text(metadata, false));
  if (metadata[tiles::kMetadataHash] != hash.hex()) {
    return damage("its metadata do not match their hash");
  }
  auto found = tiles::from_metadata(metadata);
  if (!found) {
    return damage(found.error().message);
  }
  head = *std::move(found);
  return {};
}

Result<void> TileStore::State::load_bounds(std::uint64_t file_bytes) {
  const Lattice& lattice = head.lattice;
  std::uint64_t expected = 0;
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    expected += std::uint64_t(lattice.pages_x(lod)) * std::uint64_t(lattice.pages_z(lod));
  }
  if (expected > file_bytes / tiles::kNodesBytes) {
    return damage(fmt::format("too small for the bounds of {} x {} stops", lattice.stops_x, lattice.stops_z));
  }
  bounds = Bounds(lattice);
  bounds.field_min = head.field_min;
  bounds.field_max = head.field_max;
  auto select_bounds = database.prepare("SELECT key, nodes FROM bounds ORDER BY key");
  if (!select_bounds) {
    return Unexpected{select_bounds.error()};
  }
  tiles::RunningHash hash;
  std::uint64_t rows = 0;
  while (true) {
    auto row = select_bounds->step();
    if (!row) {
      return Unexpected{row.error()};
    }
    if (!*row) {
      break;
    }
    const auto packed = std::uint64_t(select_bounds->integer(0));
    const PageKey key = PageKey::unpack(packed);
    if (++rows > expected || key.packed() != packed || key.lod == 0 || !tiles::check_key(lattice, key)) {
      return damage("bounds of pages that it cannot have");
    }
    if (auto read = tiles::nodes_from_bytes(select_bounds->blob(1), key, bounds); !read) {
      return damage(read.error().message);
    }
    hash.add(packed);
    hash.add(select_bounds->blob(1));
  }
  if (rows != expected || metadata[tiles::kBoundsHash] != hash.hex()) {
    return damage("its bounds do not match their hash");
  }
  bounds.finish();
  return {};
}

Result<void> TileStore::State::open() {
  auto file_bytes = check_header();
  if (!file_bytes) {
    return Unexpected{file_bytes.error()};
  }
  auto opened = tiles::Database::open_readonly(path);
  if (!opened) {
    return Unexpected{opened.error()};
  }
  database = *std::move(opened);
  if (auto tables = check_tables(); !tables) {
    return tables;
  }
  if (auto loaded = load_metadata(); !loaded) {
    return loaded;
  }
  if (auto loaded = load_bounds(*file_bytes); !loaded) {
    return loaded;
  }
  auto prepared = database.prepare("SELECT revision, checksum, blob FROM pages WHERE key = ?1");
  if (!prepared) {
    return Unexpected{prepared.error()};
  }
  select = *std::move(prepared);
  return {};
}

TileStore::TileStore() = default;
TileStore::~TileStore() = default;

Result<std::unique_ptr<TileStore>> TileStore::open(const std::filesystem::path& path, std::size_t cache_bytes) {
  std::unique_ptr<TileStore> store(new TileStore);
  store->state_ = std::make_unique<State>(cache_bytes);
  store->state_->path = path;
  store->state_->name = path.string();
  if (auto opened = store->state_->open(); !opened) {
    return Unexpected{opened.error()};
  }
  return store;
}

const Lattice& TileStore::lattice() const noexcept { return state_->head.lattice; }
const Bounds& TileStore::bounds() const noexcept { return state_->bounds; }
const StoreInfo& TileStore::info() const noexcept { return state_->head.info; }

Result<StoreStatistics> TileStore::statistics() const {
  std::error_code code;
  const auto bytes = std::filesystem::file_size(state_->path, code);
  if (code) {
    return io_error(fmt::format("{}: {}", state_->name, code.message()));
  }
  auto pages = keys();
  if (!pages) {
    return Unexpected{pages.error()};
  }
  return StoreStatistics{std::int64_t(pages->size()), std::int64_t(bytes), state_->metadata.at(tiles::kContentHash)};
}

Result<std::shared_ptr<const Page>> TileStore::page(PageKey key) const {
  const State& state = *state_;
  if (auto known = tiles::check_key(state.head.lattice, key); !known) {
    return Unexpected{known.error()};
  }
  if (auto cached = state.cache.find(key)) {
    return cached;
  }
  tiles::PageRecord record{key, 0, 0, 0, {}};
  {
    const std::lock_guard lock(state.mutex);
    auto row = state.select.bind(1, std::int64_t(key.packed())).step();
    if (!row) {
      return Unexpected{row.error()};
    }
    if (*row) {
      record.revision = std::uint64_t(state.select.integer(0));
      record.checksum = std::uint64_t(state.select.integer(1));
      const auto blob = state.select.blob(2);
      record.blob.assign(blob.begin(), blob.end());
    }
    state.select.reset();
    if (!*row) {
      if (tiles::page_has_data(state.bounds, key)) {
        return state.damage(describe(key) + " is missing");
      }
      return tiles::page_of_holes(key);
    }
  }
  auto page = tiles::decode_page(record);
  if (!page) {
    return state.damage(page.error().message);
  }
  return state.cache.insert(*std::move(page));
}

Result<std::vector<PageKey>> TileStore::keys() const {
  const std::lock_guard lock(state_->mutex);
  auto select = state_->database.prepare("SELECT key FROM pages ORDER BY key");
  if (!select) {
    return Unexpected{select.error()};
  }
  std::vector<PageKey> keys;
  while (true) {
    auto row = select->step();
    if (!row) {
      return Unexpected{row.error()};
    }
    if (!*row) {
      return keys;
    }
    const auto packed = std::uint64_t(select->integer(0));
    const PageKey key = PageKey::unpack(packed);
    if (key.packed() != packed || !tiles::check_key(state_->head.lattice, key) ||
        (!keys.empty() && packed <= keys.back().packed())) {
      return state_->damage(fmt::format("a page under the key {}, which the field has not", packed));
    }
    keys.push_back(key);
  }
}

Result<void> TileStore::verify(const Progress& progress) const {
  const State& state = *state_;
  auto stored = keys();
  if (!stored) {
    return Unexpected{stored.error()};
  }
  std::size_t at = 0;
  std::int64_t expected = 0;
  const Lattice& lattice = state.head.lattice;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.pages_z(lod); ++z) {
      for (std::int32_t x = 0; x < lattice.pages_x(lod); ++x) {
        const PageKey key{std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)};
        expected += tiles::page_has_data(state.bounds, key) ? 1 : 0;
      }
    }
  }
  for (const PageKey key : *stored) {
    at += tiles::page_has_data(state.bounds, key) ? 1 : 0;
  }
  if (at != stored->size() || std::int64_t(at) != expected) {
    return state.damage(fmt::format("{} pages with data expected by the bounds, {} found", expected, stored->size()));
  }
  const std::lock_guard lock(state.mutex);
  if (auto whole = tiles::verify_pages(state.database, *stored, progress); !whole) {
    return state.damage(whole.error().message);
  }
  const auto digests = tiles::read_digests(state.database);
  if (!digests) {
    return state.damage(digests.error().message);
  }
  const std::string &wanted = state.metadata.at(tiles::kContentHash),
                    found = tiles::hash_content(state.metadata, *digests);
  if (found != wanted) {
    return state.damage(fmt::format("content hash {} expected, {} found", wanted, found));
  }
  return {};
}

}  // namespace arete
