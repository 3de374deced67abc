#include "export/whole_file.h"

#include <cerrno>
#include <cstdarg>

namespace arete {
namespace {
constexpr std::size_t kBufferBytes = std::size_t(1) << 20;
}

WholeFile::WholeFile(std::filesystem::path path) : path_(std::move(path)), partial_(path_.string() + ".partial") {
  file_ = std::fopen(partial_.c_str(), "wb");
  error_ = file_ == nullptr ? errno : 0;
  buffer_.reserve(kBufferBytes);
}

WholeFile::~WholeFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
  }
}

void WholeFile::write(const void* bytes, std::size_t count) {
  bytes_ += std::int64_t(count);
  if (buffer_.size() + count > kBufferBytes) {
    flush();
  }
  const char* from = static_cast<const char*>(bytes);
  if (count > kBufferBytes) {
    if (error_ == 0 && std::fwrite(from, 1, count, file_) != count) {
      error_ = errno;
    }
    return;
  }
  buffer_.insert(buffer_.end(), from, from + count);
}

void WholeFile::print(const char* format, ...) {
  char line[256];
  std::va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  write(line, std::size_t(length));
}

void WholeFile::flush() {
  if (error_ == 0 && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) != buffer_.size()) {
    error_ = errno;
  }
  buffer_.clear();
}

Result<void> WholeFile::finish() {
  if (file_ != nullptr) {
    flush();
    if (std::fclose(file_) != 0 && error_ == 0) {
      error_ = errno;
    }
    file_ = nullptr;
  }
  std::error_code failure;
  if (error_ == 0) {
    std::filesystem::rename(partial_, path_, failure);
    if (!failure) {
      return {};
    }
  }
  Result<void> refusal = write_failure(path_, error_, failure.message());
  std::filesystem::remove(partial_, failure);
  return refusal;
}

Result<void> write_failure(const std::filesystem::path& path, int error, const std::string& otherwise) {
  return io_error(path.string() + (error == ENOSPC
                                       ? ": the disk is full: make room and run the same command again"
                                       : ": cannot be written: " + (error != 0 ? std::strerror(error) : otherwise)));
}

}  // namespace arete
