// Writing a store: pages go into PATH.partial, which a killed bake leaves behind for the next run, and the whole file
// is renamed to PATH at the end.
//
// The rollback journal makes each batch of rows all or nothing. A resumed run is known by the fingerprint of its inputs
// and options; it finds the rows that were kept in a table of their own, which the finished store has not.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <system_error>

#include "arete/tiles.h"
#include "tiles/absent_page.h"
#include "tiles/database.h"
#include "tiles/node_bounds.h"
#include "tiles/page_cache.h"
#include "tiles/page_record.h"
#include "tiles/record_writer.h"
#include "tiles/store_metadata.h"

namespace arete {
namespace {

using tiles::Database;
using tiles::Metadata;

constexpr const char* kSetUp =
    "PRAGMA auto_vacuum=NONE; PRAGMA cache_size=-16384; PRAGMA journal_mode=TRUNCATE; PRAGMA synchronous=NORMAL;";
constexpr const char* kCreateProgress =
    "CREATE TABLE IF NOT EXISTS progress(row INTEGER PRIMARY KEY, nodes BLOB NOT NULL)";
const std::string kNoteMark("note_");  // names of what is remembered: no entry of a whole store begins so
constexpr std::size_t kQueueBytes = std::size_t(16) << 20;  // of records on their way to the file

Result<void> sync_path(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  const int failed = descriptor < 0 || ::fsync(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0) {
    ::close(descriptor);
  }
  if (failed != 0) {
    return io_error(fmt::format("{}: could not be written to the disk: {}", path.string(), std::strerror(failed)));
  }
  return {};
}

Result<std::int64_t> single_number(const Database& database, const char* sql) {
  auto select = database.prepare(sql);
  if (!select) {
    return Unexpected{select.error()};
  }
  auto row = select->step();
  if (!row) {
    return Unexpected{row.error()};
  }
  return *row ? select->integer(0) : 0;
}

}  // namespace

struct TileStoreWriter::State {
  explicit State(std::size_t cache_bytes) : cache(cache_bytes) {}

  std::filesystem::path path;
  std::filesystem::path partial;
  Lattice lattice;
  bool is_resumed = false;
  Metadata texts;  // remembered
  Database database;
  std::unique_ptr<tiles::RecordWriter> records;
  mutable tiles::PageCache cache;
  std::mutex put_mutex;                    // guards what follows
  std::vector<tiles::PageDigest> digests;  // of the pages in the file and on their way there; the last of a key counts
  Encoded encoded;

  Result<void> open(const StoreInfo& info);
  Result<void> discard();
  Result<void> create_tables(const StoreInfo& info);
  Result<void> write_bounds(const Bounds& bounds);
  Result<Metadata> describe(const Bounds& bounds, const StoreInfo& info);
};

TileStoreWriter::TileStoreWriter() = default;

// Pages of an unfinished batch are lost, as in a kill: what was committed resumes.
TileStoreWriter::~TileStoreWriter() = default;

Result<std::unique_ptr<TileStoreWriter>> TileStoreWriter::create(const std::filesystem::path& path,
                                                                 const Lattice& lattice, const StoreInfo& info,
                                                                 std::size_t cache_bytes) {
  std::unique_ptr<TileStoreWriter> writer(new TileStoreWriter);
  writer->state_ = std::make_unique<State>(cache_bytes);
  writer->state_->path = path;
  writer->state_->partial = path.string() + ".partial";
  writer->state_->lattice = lattice;
  if (auto opened = writer->state_->open(info); !opened) {
    return Unexpected{opened.error()};
  }
  return writer;
}

Result<void> TileStoreWriter::State::open(const StoreInfo& info) {
  auto opened = Database::open_exclusive(partial);
  if (!opened) {
    return Unexpected{opened.error()};
  }
  database = *std::move(opened);
  if (auto locked = database.execute("BEGIN IMMEDIATE; COMMIT;"); !locked) {
    return locked.error().kind == Error::Kind::data
               ? Result<void>(
                     data_error(fmt::format("{}: not a bake in progress: remove it and bake again", partial.string())))
               : locked;
  }
  auto tables = single_number(database, "SELECT count(*) FROM sqlite_schema");
  if (!tables) {
    return Unexpected{tables.error()};
  }
  if (*tables != 0) {
    auto found = tiles::read_metadata(database);
    auto version = single_number(database, "PRAGMA user_version");
    if (!found || !version || *version != tiles::kFormatVersion) {
      return data_error(fmt::format("{}: not a bake in progress: remove it and bake again", partial.string()));
    }
    auto head = tiles::from_metadata(*found);
    const Metadata wanted = tiles::to_metadata({lattice, info, 0, 0});
    is_resumed = !info.source_fingerprint.empty();
    for (const char* name : {"source_fingerprint", "stops_x", "stops_z", "registration", "spacing_x_m", "spacing_z_m",
                             "base_m", "step_m"}) {
      if (is_resumed && (!head || (*found)[name] != wanted.at(name))) {
        return data_error(fmt::format(
            "{}: a bake of other inputs or options was begun here ({} differs): finish that one or remove this file",
            partial.string(), name));
      }
    }
    if (!is_resumed) {
      if (auto gone = discard(); !gone) {
        return gone;
      }
    }
  }
  if (auto ready = database.execute(kSetUp); !ready) {
    return ready;
  }
  if (!is_resumed) {
    if (auto created = create_tables(info); !created) {
      return created;
    }
  }
  // A bake that was killed after its last transaction has none: all is made again.
  if (auto created = database.execute(kCreateProgress); !created) {
    return created;
  }
  if (is_resumed) {
    auto found = tiles::read_digests(database);
    if (!found) {
      return Unexpected{found.error()};
    }
    digests = *std::move(found);
  }
  std::size_t pages = 0;
  for (int lod = 0; lod < lattice.lods(); ++lod) {
    pages += std::size_t(lattice.pages_x(lod)) * std::size_t(lattice.pages_z(lod));
  }
  digests.reserve(pages);
  auto started = tiles::RecordWriter::start(database, kQueueBytes);
  if (!started) {
    return Unexpected{started.error()};
  }
  records = *std::move(started);
  return {};
}

// Starts over in a fresh file: what stands there has no fingerprint to be resumed by.
Result<void> TileStoreWriter::State::discard() {
  database.close();
  for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
    std::error_code code;
    std::filesystem::remove(partial.string() + suffix, code);
    if (code) {
      return io_error(fmt::format("{}: cannot be removed: {}", partial.string() + suffix, code.message()));
    }
  }
  auto opened = Database::open_exclusive(partial);
  if (!opened) {
    return Unexpected{opened.error()};
  }
  database = *std::move(opened);
  return {};
}

Result<void> TileStoreWriter::State::create_tables(const StoreInfo& info) {
  Metadata metadata = tiles::to_metadata({lattice, info, 0, 0});
  metadata[tiles::kState] = std::string("baking");
  const std::string begin =
      fmt::format("BEGIN; PRAGMA application_id={}; PRAGMA user_version={}; {}; {}; {};", tiles::kApplicationId,
                  tiles::kFormatVersion, tiles::kCreatePages, tiles::kCreateBounds, tiles::kCreateMetadata);
  if (auto created = database.execute(begin.c_str()); !created) {
    return created;
  }
  if (auto written = tiles::write_metadata(database, metadata); !written) {
    return written;
  }
  return database.execute("COMMIT");
}

Result<void> TileStoreWriter::put(std::shared_ptr<const Page> page) {
  State& state = *state_;
  ARETE_ASSERT(state.records);
  if (auto known = tiles::check_key(state.lattice, page->key); !known) {
    return known;
  }
  auto record = tiles::encode_page(*page);
  if (page->key.lod == 0) {
    state.cache.insert(std::move(page));
  }
  if (!record) {
    return Unexpected{record.error()};
  }
  {
    const std::lock_guard lock(state.put_mutex);
    state.digests.push_back({record->key.packed(), record->digest});
    ++state.encoded.pages;
    state.encoded.bytes += std::int64_t(record->blob.size());
  }
  return state.records->put(*std::move(record));
}

Result<std::shared_ptr<const Page>> TileStoreWriter::get(PageKey key) const {
  ARETE_ASSERT(state_->records);
  if (auto cached = state_->cache.find(key)) {
    return cached;
  }
  auto found = state_->records->find(key);
  if (!found) {
    return Unexpected{found.error()};
  }
  if (!*found) {
    return data_error(
        fmt::format("{}: {} is missing: remove this file and bake again", state_->partial.string(), describe(key)));
  }
  auto page = tiles::decode_page(**found);
  if (!page) {
    return data_error(
        fmt::format("{}: {}: remove this file and bake again", state_->partial.string(), page.error().message));
  }
  return key.lod == 0 ? state_->cache.insert(*std::move(page)) : page;
}

Result<void> TileStoreWriter::keep_rows(std::vector<BuiltRow> rows) {
  ARETE_ASSERT(state_->records);
  return state_->records->keep(std::move(rows), state_->texts);
}

Result<std::vector<BuiltRow>> TileStoreWriter::kept_rows() const {
  auto select = state_->database.prepare("SELECT row, nodes FROM progress ORDER BY row");
  if (!select) {
    return Unexpected{select.error()};
  }
  std::vector<BuiltRow> rows;
  while (true) {
    auto row = select->step();
    if (!row) {
      return Unexpected{row.error()};
    }
    if (!*row) {
      return rows;
    }
    const auto bytes = select->blob(1);
    rows.push_back({std::int32_t(select->integer(0) >> 32),
                    std::int32_t(select->integer(0) & 0x7fffffff),
                    {bytes.begin(), bytes.end()}});
  }
}

TileStoreWriter::Encoded TileStoreWriter::encoded() const { return state_->encoded; }

void TileStoreWriter::remember(const std::string& name, const std::string& text) {
  state_->texts[kNoteMark + name] = text;
}

std::optional<TileStoreWriter::Unfinished> TileStoreWriter::find_unfinished(const std::filesystem::path& path) {
  const std::filesystem::path partial = path.string() + ".partial";
  std::error_code code;
  if (!std::filesystem::exists(partial, code)) {
    return {};
  }
  auto database = Database::open_exclusive(partial);
  if (!database) {
    return {};
  }
  auto metadata = tiles::read_metadata(*database);
  if (!metadata) {
    return {};
  }
  auto head = tiles::from_metadata(*metadata);
  if (!head) {
    return {};
  }
  Unfinished found{head->lattice, std::move(head->info), {}};
  for (const auto& [name, text] : *metadata) {
    if (name.starts_with(kNoteMark)) {
      found.texts[name.substr(kNoteMark.size())] = text;
    }
  }
  return found;
}

Result<void> TileStoreWriter::State::write_bounds(const Bounds& bounds) {
  auto row = database.prepare("INSERT INTO bounds(key, nodes) VALUES(?1, ?2)");
  if (!row) {
    return Unexpected{row.error()};
  }
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.pages_z(lod); ++z) {
      for (std::int32_t x = 0; x < lattice.pages_x(lod); ++x) {
        const PageKey key{std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)};
        const auto bytes = tiles::nodes_to_bytes(bounds, key);
        if (auto done = row->bind(1, std::int64_t(key.packed())).bind(2, std::span<const std::uint8_t>(bytes)).run();
            !done) {
          return done;
        }
      }
    }
  }
  return {};
}

// All entries of the finished store, hashes included. Pages and bounds must be written.
Result<Metadata> TileStoreWriter::State::describe(const Bounds& bounds, const StoreInfo& info) {
  Metadata metadata = tiles::to_metadata({lattice, info, bounds.field_min, bounds.field_max});
  auto nodes = tiles::hash_bounds(database);
  if (!nodes) {
    return Unexpected{nodes.error()};
  }
  using tiles::PageDigest;
  std::reverse(digests.begin(), digests.end());
  std::stable_sort(digests.begin(), digests.end(),
                   [](const PageDigest& a, const PageDigest& b) { return a.key < b.key; });
  digests.erase(std::unique(digests.begin(), digests.end(),
                            [](const PageDigest& a, const PageDigest& b) { return a.key == b.key; }),
                digests.end());
  metadata[tiles::kContentHash] = tiles::hash_content(metadata, digests);
  metadata[tiles::kBoundsHash] = *nodes;
  metadata[tiles::kPages] = fmt::format("{}", digests.size());
  metadata[tiles::kState] = std::string("complete");
  tiles::RunningHash hash;
  hash.add(tiles::canonical_text(metadata, false));
  metadata[tiles::kMetadataHash] = hash.hex();
  return metadata;
}

Result<StoreStatistics> TileStoreWriter::finish(const Bounds& bounds, const StoreInfo& info) {
  State& state = *state_;
  ARETE_ASSERT(state.records);
  if (auto committed = state.records->commit(); !committed) {
    return Unexpected{committed.error()};
  }
  state.records.reset();
  if (auto begun = state.database.execute("BEGIN; DELETE FROM bounds; DROP TABLE progress;"); !begun) {
    return Unexpected{begun.error()};
  }
  if (auto written = state.write_bounds(bounds); !written) {
    return Unexpected{written.error()};
  }
  auto metadata = state.describe(bounds, info);
  if (!metadata) {
    return Unexpected{metadata.error()};
  }
  if (auto written = tiles::write_metadata(state.database, *metadata); !written) {
    return Unexpected{written.error()};
  }
  if (auto closed = state.database.execute("COMMIT; PRAGMA journal_mode=DELETE;"); !closed) {
    return Unexpected{closed.error()};
  }
  state.database.close();
  if (auto synced = sync_path(state.partial, O_RDONLY); !synced) {
    return Unexpected{synced.error()};
  }
  std::error_code code;
  const auto bytes = std::filesystem::file_size(state.partial, code);
  std::filesystem::rename(state.partial, state.path, code);
  if (code) {
    return io_error(
        fmt::format("{}: cannot be renamed to {}: {}", state.partial.string(), state.path.string(), code.message()));
  }
  const std::filesystem::path folder = state.path.parent_path();
  if (auto synced = sync_path(folder.empty() ? "." : folder, O_RDONLY | O_DIRECTORY); !synced) {
    return Unexpected{synced.error()};
  }
  return StoreStatistics{std::stoll(metadata->at(tiles::kPages)), std::int64_t(bytes),
                         metadata->at(tiles::kContentHash)};
}

}  // namespace arete
