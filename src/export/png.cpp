// PNG files through libpng's simplified interface, which reports errors as text and never jumps.
#include <png.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "arete/core.h"
#include "arete/export.h"
#include "whole_file.h"

namespace arete {
namespace {

constexpr std::int64_t kMaxPixels = std::int64_t(1) << 28;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

std::string reason() { return std::strerror(errno); }

// The pixels without alpha if all are opaque, else as they are.
std::vector<std::uint8_t> without_alpha(std::span<const std::uint8_t> rgba) {
  for (std::size_t i = 3; i < rgba.size(); i += 4) {
    if (rgba[i] != 255) return {};
  }
  std::vector<std::uint8_t> rgb(rgba.size() / 4 * 3);
  for (std::size_t from = 0, to = 0; from < rgba.size(); from += 4, to += 3) {
    rgb[to] = rgba[from];
    rgb[to + 1] = rgba[from + 1];
    rgb[to + 2] = rgba[from + 2];
  }
  return rgb;
}

}  // namespace

Result<void> write_png(const std::filesystem::path& path, int width, int height, std::span<const std::uint8_t> rgba) {
  ARETE_ASSERT(width > 0 && height > 0 && rgba.size() == std::size_t(4) * std::size_t(width) * std::size_t(height));
  const std::filesystem::path partial = path.string() + ".partial";
  File file(std::fopen(partial.c_str(), "wb"));
  if (!file) {
    return write_failure(path, errno, {});
  }
  const std::vector<std::uint8_t> rgb = without_alpha(rgba);
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(width);
  image.height = png_uint_32(height);
  image.format = rgb.empty() ? PNG_FORMAT_RGBA : PNG_FORMAT_RGB;
  const void* pixels = rgb.empty() ? static_cast<const void*>(rgba.data()) : rgb.data();
  errno = 0;
  const bool is_written = png_image_write_to_stdio(&image, file.get(), 0, pixels, 0, nullptr) != 0;
  const bool is_flushed = std::fflush(file.get()) == 0;
  const int failure = errno;
  file.reset();
  std::error_code error;
  if (is_written && is_flushed) {
    std::filesystem::rename(partial, path, error);
    if (!error) {
      return {};
    }
  }
  Result<void> refusal = write_failure(path, error ? 0 : failure, error ? error.message() : image.message);
  std::filesystem::remove(partial, error);
  return refusal;
}

Result<PngImage> read_png(const std::filesystem::path& path) {
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) {
    return io_error(path.string() + ": cannot be read: " + reason());
  }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (png_image_begin_read_from_stdio(&image, file.get()) == 0) {
    return data_error(path.string() + ": expected a PNG image: " + image.message);
  }
  if (std::int64_t(image.width) * std::int64_t(image.height) > kMaxPixels) {
    png_image_free(&image);
    return data_error(path.string() + ": " + std::to_string(image.width) + "x" + std::to_string(image.height) +
                      " pixels are more than 2^28; make the image smaller");
  }
  image.format = PNG_FORMAT_RGBA;
  PngImage read{int(image.width), int(image.height), std::vector<std::uint8_t>(PNG_IMAGE_SIZE(image))};
  if (png_image_finish_read(&image, nullptr, read.rgba.data(), 0, nullptr) == 0) {
    return data_error(path.string() + ": damaged PNG image: " + image.message);
  }
  return read;
}

}  // namespace arete
