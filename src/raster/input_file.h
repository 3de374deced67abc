// From a path to the name under which GDAL's file layer reads it: plain files, and the one raster inside a .zip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "arete/result.h"

namespace arete {

struct InputFile {
  std::string name;       // as the user wrote it, for messages
  std::string gdal_name;  // a path, or /vsizip/{path}/member
  std::uint64_t bytes = 0;
  std::string head;  // the first bytes, at most 1,024, for telling formats apart
};

// Refuses what does not exist, is a folder, is empty, cannot be read, or is a .zip without exactly one raster
// (`is_raw`: exactly one file). An .hgt whose name is no cell of the globe is refused as well: its place is its name.
Result<InputFile> find_input(const std::filesystem::path& path, bool is_raw);

// The lower-case ending of a name, with its dot, or "".
std::string extension_of(const std::string& name);

}  // namespace arete
