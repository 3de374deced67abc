// Buffers and images with their own memory.
//
// One allocation each: arete makes a few large ones, so nothing is sub-allocated.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "vulkan/gpu.h"

namespace arete::vulkan {

enum class MemoryKind {
  device,    // on the device; not mapped
  upload,    // written by the host, coherent, mapped
  readback,  // read by the host, coherent, mapped, cached where offered
};

class Buffer {
 public:
  Buffer() = default;
  // `bytes` >= 1. Usage with SHADER_DEVICE_ADDRESS gets an address. Error (gpu): out of memory, named by `what`.
  static Result<Buffer> create(const Gpu& gpu, VkDeviceSize bytes, VkBufferUsageFlags usage, MemoryKind kind,
                               const std::string& what);
  ~Buffer() { destroy(); }
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept;

  VkBuffer handle() const noexcept { return buffer_; }
  VkDeviceSize bytes() const noexcept { return bytes_; }
  VkDeviceAddress address() const noexcept { return address_; }
  // The mapped bytes; empty for MemoryKind::device.
  std::span<std::byte> mapped() const noexcept { return {mapped_, mapped_ == nullptr ? 0 : std::size_t(bytes_)}; }
  template <class T>
  std::span<T> mapped_as() const noexcept {
    return {reinterpret_cast<T*>(mapped_), mapped_ == nullptr ? 0 : std::size_t(bytes_) / sizeof(T)};
  }

 private:
  void destroy() noexcept;
  const DeviceFunctions* functions_ = nullptr;
  VkDevice device_ = VK_NULL_HANDLE;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkDeviceSize bytes_ = 0;
  VkDeviceAddress address_ = 0;
  std::byte* mapped_ = nullptr;
};

struct ImageShape {
  std::uint32_t width = 1;
  std::uint32_t height = 1;
  VkFormat format = VK_FORMAT_UNDEFINED;
  VkImageUsageFlags usage = 0;
  VkSampleCountFlagBits samples = VK_SAMPLE_COUNT_1_BIT;
  VkImageAspectFlags aspect = VK_IMAGE_ASPECT_COLOR_BIT;
  std::uint32_t levels = 1;
};

// A 2-D image in device memory, with its view.
class Image {
 public:
  Image() = default;
  static Result<Image> create(const Gpu& gpu, const ImageShape& shape, const std::string& what);
  ~Image() { destroy(); }
  Image(Image&& other) noexcept { *this = std::move(other); }
  Image& operator=(Image&& other) noexcept;

  VkImage handle() const noexcept { return image_; }
  VkImageView view() const noexcept { return view_; }
  const ImageShape& shape() const noexcept { return shape_; }

 private:
  void destroy() noexcept;
  const DeviceFunctions* functions_ = nullptr;
  VkDevice device_ = VK_NULL_HANDLE;
  ImageShape shape_;
  VkImage image_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  VkImageView view_ = VK_NULL_HANDLE;
};

}  // namespace arete::vulkan
