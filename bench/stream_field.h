// A made-up store of any size for measuring streaming, and reads of it without any of our code.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "arete/tiles.h"

namespace arete::bench {

// Opens the store at `path`, or first bakes a rough field of `stops` x `stops` stops at 1 m into it.
std::unique_ptr<TileStore> open_or_bake(const std::filesystem::path& path, std::int32_t stops);

// Drops the file from the system's cache of pages, as far as it can.
void forget_cached(const std::filesystem::path& path);

// Reads `count` blocks of `bytes` at random places of the file with pread on `threads` threads; returns blocks a
// second.
double plain_reads_per_s(const std::filesystem::path& path, std::size_t bytes, std::int64_t count, int threads);

// Loads `count` random lod-0 pages through the loader on `threads` threads; returns pages a second.
double loads_per_s(const SampleSource& source, std::int64_t count, int threads);

}  // namespace arete::bench
