// What the fuzzers share: bytes as a file under a name that decides how they are read, and the promise of one line.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>

#include "arete/result.h"

namespace arete::fuzz {

// A file alone in a folder of this process, gone with the object. `ending` begins with a dot.
class InputFile {
 public:
  InputFile(std::span<const std::uint8_t> bytes, const std::string& ending)
      : folder_(std::filesystem::temp_directory_path() / ("arete_fuzz_" + std::to_string(::getpid()))),
        path_(folder_ / ("input" + ending)) {
    std::filesystem::create_directory(folder_);
    std::ofstream file(path_, std::ios::binary | std::ios::trunc);
    file.write(reinterpret_cast<const char*>(bytes.data()), std::streamsize(bytes.size()));
  }
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path folder_, path_;
};

// Ends the process when an error says nothing or more than a line.
inline void expect_one_line(const Error& error) {
  if (error.message.empty() || error.message.find('\n') != std::string::npos) {
    std::abort();
  }
}

}  // namespace arete::fuzz
