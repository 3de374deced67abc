// A file that appears under its name only when it is whole: written as PATH.partial, renamed at the end, removed on
// failure.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "arete/result.h"

namespace arete {

// Why a file could not be written: `error` as errno has it, or 0 and `otherwise`.
Result<void> write_failure(const std::filesystem::path& path, int error, const std::string& otherwise);

class WholeFile {
 public:
  explicit WholeFile(std::filesystem::path path);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  // Failures are kept until finish().
  void write(const void* bytes, std::size_t count);
  void write(std::string_view text) { write(text.data(), text.size()); }
  // Little-endian, as every machine that this runs on.
  template <class Value>
  void put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    write(&value, sizeof value);
  }
  // Formats one line or less, below 256 bytes.
  void print(const char* format, ...) __attribute__((format(printf, 2, 3)));
  std::int64_t bytes() const { return bytes_; }
  Result<void> finish();

 private:
  void flush();

  std::filesystem::path path_, partial_;
  std::FILE* file_ = nullptr;
  std::vector<char> buffer_;
  std::int64_t bytes_ = 0;
  int error_ = 0;
};

}  // namespace arete
