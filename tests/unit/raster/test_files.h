// Where test files are, and small writers of elevation formats for files that tests make up.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "arete/raster.h"
#include "support/scratch.h"

namespace arete::test {

using Path = std::filesystem::path;

inline Path data_folder() { return Path(ARETE_SOURCE_DIR) / "tests" / "data"; }

// A file of tests/data or data/; large ones may stand in the folder that ARETE_TEST_DATA names.
inline std::optional<Path> find_test_file(const std::string& name) {
  std::vector<Path> places{data_folder() / name, Path(ARETE_SOURCE_DIR) / "data" / Path(name).filename()};
  if (const char* more = std::getenv("ARETE_TEST_DATA"); more != nullptr) {
    places.push_back(Path(more) / name);
  }
  for (const Path& place : places) {
    if (std::filesystem::exists(place)) {
      return place;
    }
  }
  return {};
}

inline void write_file(const Path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}
inline std::string read_file(const Path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// The bytes of a number, least significant first or last.
template <class T>
std::string bytes_of(T value, bool big_endian = false) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return big_endian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}

// Uncompressed little-endian GeoTIFF of one band and one strip, built tag by tag.
template <class T>
struct TinyTiff {
  std::uint32_t width = 0, height = 0;
  std::vector<T> values;
  std::optional<std::string> nodata;
  std::vector<double> pixel_scale, tiepoint, transform;  // ModelPixelScale, ModelTiepoint, ModelTransformation
  std::vector<std::uint16_t> geo_keys;                   // whole GeoKeyDirectory

  // Keys of a projected (EPSG code) or geographic CRS; `is_point` is RasterPixelIsPoint.
  static std::vector<std::uint16_t> projected(std::uint16_t epsg, bool is_point = false) {
    return {1, 1, 0, 3, 1024, 0, 1, 1, 1025, 0, 1, std::uint16_t(is_point ? 2 : 1), 3072, 0, 1, epsg};
  }
  static std::vector<std::uint16_t> geographic(std::uint16_t epsg, bool is_point = false) {
    return {1, 1, 0, 3, 1024, 0, 1, 2, 1025, 0, 1, std::uint16_t(is_point ? 2 : 1), 2048, 0, 1, epsg};
  }

  std::string bytes() const {
    struct Tag {
      std::uint16_t id, type;
      std::uint32_t count;
      std::string data;
    };
    const std::uint16_t format = std::is_floating_point_v<T> ? 3 : std::is_signed_v<T> ? 2 : 1;
    const auto shorts = [](std::uint16_t id, std::vector<std::uint16_t> list) {
      std::string data;
      for (const auto v : list) data += bytes_of(v);
      return Tag{id, 3, std::uint32_t(list.size()), data};
    };
    const auto longs = [](std::uint16_t id, std::uint32_t value) { return Tag{id, 4, 1, bytes_of(value)}; };
    const auto doubles = [](std::uint16_t id, const std::vector<double>& list) {
      std::string data;
      for (const double v : list) data += bytes_of(v);
      return Tag{id, 12, std::uint32_t(list.size()), data};
    };
    std::vector<Tag> tags{
        longs(256, width),    longs(257, height), shorts(258, {sizeof(T) * 8}),
        shorts(259, {1}),     shorts(262, {1}),   longs(273, 8),
        shorts(277, {1}),     longs(278, height), longs(279, std::uint32_t(values.size() * sizeof(T))),
        shorts(339, {format})};
    if (!pixel_scale.empty()) tags.push_back(doubles(33550, pixel_scale));
    if (!tiepoint.empty()) tags.push_back(doubles(33922, tiepoint));
    if (!transform.empty()) tags.push_back(doubles(34264, transform));
    if (!geo_keys.empty()) tags.push_back(shorts(34735, geo_keys));
    if (nodata) tags.push_back({42113, 2, std::uint32_t(nodata->size() + 1), *nodata + '\0'});
    std::string body;
    for (const T v : values) body += bytes_of(v);
    body += body.size() % 2 ? std::string(1, '\0') : "";
    const std::uint32_t directory = std::uint32_t(8 + body.size());
    std::uint32_t extra = directory + 2 + std::uint32_t(tags.size()) * 12 + 4;
    std::string head = std::string("II*\0", 4) + bytes_of(directory) + body + bytes_of(std::uint16_t(tags.size()));
    std::string tail;
    for (Tag& tag : tags) {
      head += bytes_of(tag.id) + bytes_of(tag.type) + bytes_of(tag.count);
      if (tag.data.size() <= 4) {
        tag.data.resize(4, '\0');
        head += tag.data;
      } else {
        head += bytes_of(std::uint32_t(extra + tail.size()));
        tail += tag.data + (tag.data.size() % 2 ? std::string(1, '\0') : "");
      }
    }
    return head + bytes_of(std::uint32_t(0)) + tail;
  }
};

inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffu;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) {
      crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
  }
  return ~crc;
}

// A .zip of one file, stored.
inline std::string zip_bytes(const std::string& name, const std::string& data) {
  const std::string size = bytes_of(std::uint32_t(data.size()));
  const std::string entry = std::string("\x14\0\0\0\0\0\0\0\0\0", 10) + bytes_of(crc32(data)) + size + size +
                            bytes_of(std::uint16_t(name.size())) + std::string(2, '\0');
  const std::string local = "PK\3\4" + entry + name + data;
  const std::string directory = std::string("PK\1\2\x14\0", 6) + entry + std::string(14, '\0') + name;
  return local + directory + "PK\5\6" + std::string(4, '\0') + std::string("\1\0\1\0", 4) +
         bytes_of(std::uint32_t(directory.size())) + bytes_of(std::uint32_t(local.size())) + std::string(2, '\0');
}

// A PNG of unpacked samples (1, 3 or 4 channels of 8 or 16 bits), deflate-stored; `chunks` go between IHDR and IDAT.
inline std::string png_chunk(const std::string& kind, const std::string& data) {
  return bytes_of(std::uint32_t(data.size()), true) + kind + data + bytes_of(crc32(kind + data), true);
}
inline std::string png_bytes(std::uint32_t width, std::uint32_t height, int bits, int colour_type,
                             const std::string& samples, const std::string& chunks = {}) {
  std::string raw;
  const std::size_t row_bytes = samples.size() / height;
  for (std::uint32_t row = 0; row < height; ++row) {
    raw += '\0' + samples.substr(row * row_bytes, row_bytes);
  }
  std::uint32_t a = 1, b = 0;
  for (const char c : raw) {
    a = (a + static_cast<unsigned char>(c)) % 65521;
    b = (b + a) % 65521;
  }
  std::string zlib = "\x78\x01";
  for (std::size_t at = 0; at < raw.size(); at += 65535) {
    const std::size_t count = std::min<std::size_t>(65535, raw.size() - at);
    zlib += char(at + count == raw.size());
    zlib += bytes_of(std::uint16_t(count)) + bytes_of(std::uint16_t(~count)) + raw.substr(at, count);
  }
  zlib += bytes_of(b << 16 | a, true);
  std::string header = bytes_of(width, true) + bytes_of(height, true);
  header += {char(bits), char(colour_type), 0, 0, 0};
  return "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + chunks + png_chunk("IDAT", zlib) + png_chunk("IEND", "");
}

// Opens what must open.
inline std::unique_ptr<Raster> open(const Path& path, const RasterOptions& options = {}) {
  auto raster = Raster::open(path, options);
  if (!raster) {
    ADD_FAILURE() << raster.error().message;
    std::abort();
  }
  return *std::move(raster);
}
// Whether a word stands in one of the warnings.
inline bool warns(const std::vector<std::string>& warnings, const std::string& word) {
  return std::any_of(warnings.begin(), warnings.end(),
                     [&](const std::string& line) { return line.find(word) != std::string::npos; });
}

// Every height of a raster, row-major; fails the test where it cannot be read.
inline std::vector<double> read_all(Raster& raster) {
  const auto width = std::size_t(raster.info().width);
  std::vector<double> heights(width * std::size_t(raster.info().height));
  for (std::int64_t row = 0; row < raster.info().height; ++row) {
    const auto done = raster.read_row(row, std::span(heights).subspan(std::size_t(row) * width, width));
    if (!done) {
      ADD_FAILURE() << done.error().message;
      break;
    }
  }
  return heights;
}
inline std::vector<double> read_all(const Path& path, const RasterOptions& options = {}) {
  auto raster = Raster::open(path, options);
  if (!raster) {
    ADD_FAILURE() << raster.error().message;
    return {};
  }
  return read_all(**raster);
}
// What opening and reading a file says when it fails; empty when nothing fails.
inline std::string refusal(const Path& path, const RasterOptions& options = {}) {
  auto raster = Raster::open(path, options);
  if (!raster) {
    return raster.error().message;
  }
  auto statistics = (*raster)->statistics();
  return statistics ? "" : statistics.error().message;
}

}  // namespace arete::test
