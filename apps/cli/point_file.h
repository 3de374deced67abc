// JSON files of points along a path.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "command.h"

namespace arete::cli {

// The array `name` of the JSON object in a file, of `least` entries or more. What is nested more than four deep is left
// out: no file can nest so deep that its reader overflows. Errors name the file.
Result<Json> read_points(const std::string& path, const char* name, std::size_t least);

// What a point is, in one short piece for a refusal.
std::string describe_point(const Json& point);

}  // namespace arete::cli
