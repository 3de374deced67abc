// Files out: pictures.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "arete/result.h"

namespace arete {

// Row-major RGBA8, sRGB, the top row first.
struct PngImage {
  int width = 0;
  int height = 0;
  std::vector<std::uint8_t> rgba;  // 4 width height
};

// Writes a picture of 4 width height bytes; without alpha when every pixel is opaque. The file appears under its name
// only when whole. Error (io): names the path and the reason.
Result<void> write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgba);

// Reads any PNG as RGBA8 sRGB; at most 2^28 pixels. Errors: no such file (io), not a PNG or damaged (data).
Result<PngImage> read_png(const std::filesystem::path& path);

}  // namespace arete
