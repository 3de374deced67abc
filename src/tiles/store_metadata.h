// The store's names, numbers and text entries (docs/store_format.md).
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "arete/tiles.h"
#include "tiles/database.h"

namespace arete::tiles {

inline constexpr std::uint32_t kApplicationId = 0x41524554;  // "ARET"
// major * 1000 + minor: readers refuse other majors and ignore names that a later minor adds.
inline constexpr std::uint32_t kFormatVersion = 1000;
inline constexpr std::uint32_t kVersionsPerMajor = 1000;

inline constexpr const char* kCreatePages =
    "CREATE TABLE pages(key INTEGER PRIMARY KEY, revision INTEGER NOT NULL, checksum INTEGER NOT NULL, digest INTEGER "
    "NOT NULL, blob BLOB NOT NULL)";
inline constexpr const char* kCreateBounds = "CREATE TABLE bounds(key INTEGER PRIMARY KEY, nodes BLOB NOT NULL)";
inline constexpr const char* kCreateMetadata =
    "CREATE TABLE metadata(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID";

// Names that no content hash covers.
inline constexpr const char* kState = "state";  // "baking" or "complete"
inline constexpr const char* kContentHash = "content_hash";
inline constexpr const char* kBoundsHash = "bounds_hash";
inline constexpr const char* kMetadataHash = "metadata_hash";
inline constexpr const char* kPages = "pages";

// Entries by name, in the byte order of names.
using Metadata = std::map<std::string, std::string>;

// What a store says of its data, apart from pages and nodes.
struct StoreHead {
  Lattice lattice;
  StoreInfo info;
  std::uint16_t field_min = 0;
  std::uint16_t field_max = 0;
};

Metadata to_metadata(const StoreHead& head);
// Refuses (data) missing or malformed entries by name, and lattices that do not hold.
Result<StoreHead> from_metadata(const Metadata& metadata);

// Name, zero byte, value, zero byte of each entry: all but kMetadataHash, or those that the content hash covers.
std::string canonical_text(const Metadata& metadata, bool content_alone);

Result<Metadata> read_metadata(const Database& database);
Result<void> write_metadata(Database& database, const Metadata& metadata);

// A page's 4 x 4 nodes as a row of the bounds table.
inline constexpr std::size_t kNodeBytes = 12;
inline constexpr std::size_t kNodesBytes = kNodeBytes * kBoundsPerPage * kBoundsPerPage;
std::array<std::uint8_t, kNodesBytes> nodes_to_bytes(const Bounds& bounds, PageKey key);
// Refuses (data) a kappa beyond the limit and nodes outside the field that are not zero.
Result<void> nodes_from_bytes(std::span<const std::uint8_t> bytes, PageKey key, Bounds& bounds);

// The hash of the bounds table, in key order.
Result<std::string> hash_bounds(const Database& database);
struct PageDigest {
  std::uint64_t key = 0, digest = 0;  // as in the table of pages
};
// Of all pages, in key order.
Result<std::vector<PageDigest>> read_digests(const Database& database);
// The hash of metadata and of the digests of all pages, which come in key order.
std::string hash_content(const Metadata& metadata, std::span<const PageDigest> digests);
// Looks up every page by its key, as readers do, and compares it with its checksum and its digest. `progress` may be
// empty.
Result<void> verify_pages(const Database& database, std::span<const PageKey> keys, const Progress& progress);

}  // namespace arete::tiles
