// What `info` and `bake` say of a store, and how a store is told from a raster.
#pragma once

#include <string>

#include "arete/tiles.h"
#include "command.h"

namespace arete::cli {

// True for any SQLite file; TileStore::open says whether it is a store.
bool is_store(const std::string& path);

Json store_json(const TileStore& store, const StoreStatistics& statistics);
std::string store_text(const TileStore& store, const StoreStatistics& statistics);

}  // namespace arete::cli
