// Finds what to read behind a path; see input_file.h.
#include "input_file.h"

#include <cpl_string.h>
#include <cpl_vsi.h>
#include <fmt/format.h>
#include <gdal.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <vector>

#include "gdal_session.h"

namespace arete {
namespace {

constexpr std::size_t kHeadBytes = 1024;

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
  return text;
}

std::string base_name(const std::string& name) { return name.substr(name.find_last_of('/') + 1); }

// Reads the head; an error when the file cannot be opened.
Result<void> read_head(InputFile& file) {
  VSIStatBufL status{};
  const GdalTrap trap;
  VSILFILE* handle = VSIStatL(file.gdal_name.c_str(), &status) == 0 ? VSIFOpenL(file.gdal_name.c_str(), "rb") : nullptr;
  if (handle == nullptr) {
    const std::string fault = fmt::format("cannot be opened for reading: {}", std::strerror(errno));
    return io_error(fmt::format("{}: {}", file.name, trap.reason(file.gdal_name, fault)));
  }
  file.bytes = static_cast<std::uint64_t>(status.st_size);
  file.head.resize(kHeadBytes);
  file.head.resize(VSIFReadL(file.head.data(), 1, file.head.size(), handle));
  VSIFCloseL(handle);
  return {};
}

bool is_raster(const InputFile& file) {
  if (file.head.starts_with("Lerc2 ") || file.head.starts_with("CntZImage ") ||
      file.head.starts_with("\x76\x2f\x31\x01")) {
    return true;
  }
  const GdalTrap trap;
  return GDALIdentifyDriverEx(file.gdal_name.c_str(), GDAL_OF_RASTER, nullptr, nullptr) != nullptr;
}

// An SRTM cell by its ending, whole or not.
bool is_cell_file(const InputFile& file) { return extension_of(file.gdal_name) == ".hgt"; }

Result<InputFile> find_in_zip(const std::string& name, bool is_raw) {
  const std::string root = "/vsizip/{" + name + "}";
  std::vector<std::string> members;
  {
    const GdalTrap trap;
    char** listing = VSIReadDirRecursive(root.c_str());
    for (int i = 0; i < CSLCount(listing); ++i) {
      const std::string member = listing[i];
      const std::string base = base_name(member);
      if (!base.empty() && base[0] != '.' && !member.starts_with("__MACOSX")) {
        members.push_back(member);
      }
    }
    CSLDestroy(listing);
  }
  if (members.empty()) {
    return data_error(fmt::format("{}: not a zip archive, damaged, or empty", name));
  }
  std::vector<InputFile> rasters;
  for (const std::string& member : members) {
    InputFile file{name, fmt::format("{}/{}", root, member), 0, {}};
    if (auto head = read_head(file); !head) {
      return Unexpected{head.error()};
    }
    if (is_cell_file(file) || (file.bytes > 0 && (is_raw || is_raster(file)))) {
      rasters.push_back(std::move(file));
    }
  }
  if (rasters.size() != 1) {
    return data_error(
        fmt::format("{}: expected one raster in the archive, found {} among {} files; unpack it and name one", name,
                    rasters.size(), members.size()));
  }
  return rasters.front();
}

// SRTM cells are placed by their name alone: N44W072 is the cell whose south-west corner is 44 N, 72 W.
bool is_cell_name(const std::string& name) {
  const std::string cell = lower(base_name(name)).substr(0, 7);
  if (cell.size() < 7 || (cell[0] != 'n' && cell[0] != 's') || (cell[3] != 'e' && cell[3] != 'w')) {
    return false;
  }
  for (const int at : {1, 2, 4, 5, 6}) {
    if (std::isdigit(static_cast<unsigned char>(cell[std::size_t(at)])) == 0) {
      return false;
    }
  }
  const int latitude = std::stoi(cell.substr(1, 2)), longitude = std::stoi(cell.substr(4, 3));
  return latitude <= (cell[0] == 'n' ? 89 : 90) && longitude <= (cell[3] == 'e' ? 179 : 180);
}

}  // namespace

std::string extension_of(const std::string& name) {
  const std::string base = base_name(name);
  const std::size_t dot = base.find_last_of('.');
  return dot == std::string::npos ? "" : lower(base.substr(dot));
}

Result<InputFile> find_input(const std::filesystem::path& path, bool is_raw) {
  start_gdal();
  const std::string name = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) {
    return io_error(fmt::format("{}: no such file", name));
  }
  if (!std::filesystem::is_regular_file(status)) {
    return io_error(fmt::format("{}: is not a file; name an elevation file", name));
  }
  if (std::filesystem::file_size(path, error) == 0) {
    return data_error(fmt::format("{}: the file is empty", name));
  }
  InputFile file{name, name, 0, {}};
  if (extension_of(name) == ".zip") {
    auto member = find_in_zip(name, is_raw);
    if (!member) {
      return member;
    }
    file = *std::move(member);
  } else if (auto head = read_head(file); !head) {
    return Unexpected{head.error()};
  }
  if (is_raw || !is_cell_file(file)) {
    return file;
  }
  if (!is_cell_name(file.gdal_name)) {
    return data_error(
        fmt::format("{}: an .hgt file is placed by its name, expected one such as N44W072.hgt with the "
                    "south-west corner of a cell on the globe; rename it, or give --raw",
                    name));
  }
  if (!is_raster(file)) {
    const std::string member = file.gdal_name == name ? "" : base_name(file.gdal_name) + " ";
    return data_error(
        fmt::format("{}: {}holds {} bytes, expected {} (1201 x 1201 samples), {} (1801 x 3601) or {} (3601 x 3601); it "
                    "is damaged or cut short",
                    name, member, file.bytes, 2 * 1201 * 1201, 2 * 1801 * 3601, 2 * 3601 * 3601));
  }
  return file;
}

}  // namespace arete
