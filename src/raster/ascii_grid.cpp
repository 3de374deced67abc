// Counts and parses every word of an ESRI ASCII grid; see ascii_grid.h.
#include "ascii_grid.h"

#include <cpl_vsi.h>
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "band.h"

namespace arete {
namespace {

// Hands out the blank-separated words of a file.
class Words {
 public:
  explicit Words(const std::string& gdal_name) : file_(VSIFOpenL(gdal_name.c_str(), "rb")), buffer_(1 << 16) {}
  ~Words() {
    if (file_ != nullptr) {
      VSIFCloseL(file_);
    }
  }
  Words(const Words&) = delete;
  Words& operator=(const Words&) = delete;
  bool is_open() const { return file_ != nullptr; }

  // The next word, lower-case with decimal points; empty at the end. Words are cut at 64 characters.
  const std::string& next() {
    word_.clear();
    for (int c = get(); c >= 0; c = get()) {
      if (std::isspace(c) == 0) {
        if (word_.size() < 64) {
          word_ += c == ',' ? '.' : static_cast<char>(std::tolower(c));
        }
      } else if (!word_.empty()) {
        break;
      }
    }
    return word_;
  }

 private:
  int get() {
    if (at_ == filled_) {
      filled_ = VSIFReadL(buffer_.data(), 1, buffer_.size(), file_);
      at_ = 0;
      if (filled_ == 0) {
        return -1;
      }
    }
    return static_cast<unsigned char>(buffer_[at_++]);
  }
  VSILFILE* file_;
  std::vector<char> buffer_;
  std::size_t at_ = 0, filled_ = 0;
  std::string word_;
};

std::optional<double> number(const std::string& word) {
  if (word.find("1.#") != std::string::npos) {
    return std::nan("");
  }
  const char* first = word.data() + (word.starts_with('+') ? 1 : 0);
  const char* last = word.data() + word.size();
  double value = 0;
  const auto [end, error] = std::from_chars(first, last, value);
  if (end != last || first == last || error == std::errc::invalid_argument) {
    return {};
  }
  return value;
}

bool is_header_key(const std::string& word) {
  for (const char* key : {"ncols", "nrows", "xllcorner", "yllcorner", "xllcenter", "yllcenter", "cellsize", "dx", "dy",
                          "nodata_value", "byteorder"}) {
    if (word == key) {
      return true;
    }
  }
  return false;
}

bool is_fraction(double value) { return !(std::abs(value) < 2147483648.0) || value != std::trunc(value); }

}  // namespace

bool is_ascii_grid(const InputFile& file) {
  std::string first;
  for (const char c : file.head) {
    if (std::isspace(static_cast<unsigned char>(c)) == 0) {
      first += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!first.empty()) {
      break;
    }
  }
  const std::string ending = extension_of(file.gdal_name);
  return is_header_key(first) && ending != ".hdr" && file.head.find('\0') == std::string::npos;
}

Result<AsciiGridFacts> check_ascii_grid(const InputFile& file) {
  Words words(file.gdal_name);
  if (!words.is_open()) {
    return io_error(fmt::format("{}: cannot be opened for reading", file.name));
  }
  double columns = 0, rows = 0;
  std::string word = words.next();
  for (; is_header_key(word); word = words.next()) {
    const double value = number(words.next()).value_or(0);
    if (word == "ncols") {
      columns = value;
    } else if (word == "nrows") {
      rows = value;
    }
  }
  if (!(columns >= 1) || !(rows >= 1) || columns > double(kMaxSide) || rows > double(kMaxSide)) {
    return data_error(fmt::format("{}: the header says {:.0f} columns and {:.0f} rows, expected 1 to {} of each",
                                  file.name, columns, rows, kMaxSide));
  }
  const auto width = static_cast<std::uint64_t>(columns), height = static_cast<std::uint64_t>(rows);
  // Every value takes a digit and a blank; the last one may go without the blank.
  if (width * height > file.bytes / 2 + 1) {
    return data_error(fmt::format("{}: the header says {} x {} values, which {} bytes cannot hold", file.name, width,
                                  height, file.bytes));
  }
  AsciiGridFacts facts;
  std::uint64_t count = 0;
  for (; !word.empty(); word = words.next(), ++count) {
    const std::optional<double> value = number(word);
    if (!value) {
      return data_error(fmt::format("{}: row {}, column {}: expected a number, found '{}'", file.name, count / width,
                                    count % width, word));
    }
    facts.has_fractions = facts.has_fractions || is_fraction(*value);
  }
  if (count != width * height) {
    return data_error(fmt::format("{}: the values end in row {}, column {}: expected {} of {} x {}, found {}",
                                  file.name, count / width, count % width, width * height, width, height, count));
  }
  return facts;
}

}  // namespace arete
