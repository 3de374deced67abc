// Buffers and images: one allocation each, from the first memory type that suits.
#include "vulkan/memory.h"

#include <array>
#include <string>

namespace arete::vulkan {
namespace {

std::string size_text(VkDeviceSize bytes) {
  return bytes < (1u << 20) ? std::to_string(bytes) + " bytes" : std::to_string(bytes >> 20) + " MiB";
}

// Allocates for `requirements` from the first type with the first of `wishes` that any allowed type has.
Result<VkDeviceMemory> allocate(const Gpu& gpu, const VkMemoryRequirements& requirements, MemoryKind kind,
                                bool has_address, const std::string& what) {
  constexpr VkMemoryPropertyFlags kDevice = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
  constexpr VkMemoryPropertyFlags kHost = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  constexpr VkMemoryPropertyFlags kCached = kHost | VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
  std::array<VkMemoryPropertyFlags, 2> wishes{kDevice, 0};
  if (kind == MemoryKind::upload) wishes = {kHost, kHost};
  if (kind == MemoryKind::readback) wishes = {kCached, kHost};
  for (const VkMemoryPropertyFlags wish : wishes) {
    for (std::uint32_t type = 0; type < gpu.memory.memoryTypeCount; ++type) {
      const bool is_allowed = (requirements.memoryTypeBits >> type & 1) != 0;
      if (!is_allowed || (gpu.memory.memoryTypes[type].propertyFlags & wish) != wish) continue;
      VkMemoryAllocateFlagsInfo flags{};
      flags.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO;
      flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
      VkMemoryAllocateInfo info{};
      info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
      info.pNext = has_address ? &flags : nullptr;
      info.allocationSize = requirements.size;
      info.memoryTypeIndex = type;
      VkDeviceMemory memory = VK_NULL_HANDLE;
      ARETE_TRY(check(gpu.functions.AllocateMemory(gpu.device, &info, nullptr, &memory),
                      "allocating " + size_text(requirements.size) + " for " + what));
      return memory;
    }
  }
  return gpu_error("vulkan: the device has no memory type for " + what);
}

}  // namespace

Result<Buffer> Buffer::create(const Gpu& gpu, VkDeviceSize bytes, VkBufferUsageFlags usage, MemoryKind kind,
                              const std::string& what) {
  Buffer buffer;
  buffer.functions_ = &gpu.functions;
  buffer.device_ = gpu.device;
  buffer.bytes_ = bytes;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = usage;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  ARETE_TRY(check(gpu.functions.CreateBuffer(gpu.device, &info, nullptr, &buffer.buffer_),
                  "creating a buffer of " + size_text(bytes) + " for " + what));
  VkMemoryRequirements requirements{};
  gpu.functions.GetBufferMemoryRequirements(gpu.device, buffer.buffer_, &requirements);
  const bool has_address = (usage & VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT) != 0;
  auto memory = allocate(gpu, requirements, kind, has_address, what);
  if (!memory) return Unexpected{memory.error()};
  buffer.memory_ = *memory;
  ARETE_TRY(check(gpu.functions.BindBufferMemory(gpu.device, buffer.buffer_, buffer.memory_, 0), "binding " + what));
  if (kind != MemoryKind::device) {
    void* mapped = nullptr;
    ARETE_TRY(
        check(gpu.functions.MapMemory(gpu.device, buffer.memory_, 0, VK_WHOLE_SIZE, 0, &mapped), "mapping " + what));
    buffer.mapped_ = static_cast<std::byte*>(mapped);
  }
  if (has_address) {
    VkBufferDeviceAddressInfo address{};
    address.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO;
    address.buffer = buffer.buffer_;
    buffer.address_ = gpu.functions.GetBufferDeviceAddress(gpu.device, &address);
  }
  return buffer;
}

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(functions_, other.functions_);
  std::swap(device_, other.device_);
  std::swap(buffer_, other.buffer_);
  std::swap(memory_, other.memory_);
  std::swap(bytes_, other.bytes_);
  std::swap(address_, other.address_);
  std::swap(mapped_, other.mapped_);
  return *this;
}

void Buffer::destroy() noexcept {
  if (functions_ == nullptr) return;
  functions_->DestroyBuffer(device_, buffer_, nullptr);
  functions_->FreeMemory(device_, memory_, nullptr);
}

Result<Image> Image::create(const Gpu& gpu, const ImageShape& shape, const std::string& what) {
  Image image;
  image.functions_ = &gpu.functions;
  image.device_ = gpu.device;
  image.shape_ = shape;
  VkImageCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO;
  info.imageType = VK_IMAGE_TYPE_2D;
  info.format = shape.format;
  info.extent = {shape.width, shape.height, 1};
  info.mipLevels = shape.levels;
  info.arrayLayers = 1;
  info.samples = shape.samples;
  info.tiling = VK_IMAGE_TILING_OPTIMAL;
  info.usage = shape.usage;
  ARETE_TRY(check(gpu.functions.CreateImage(gpu.device, &info, nullptr, &image.image_), "creating " + what));
  VkMemoryRequirements requirements{};
  gpu.functions.GetImageMemoryRequirements(gpu.device, image.image_, &requirements);
  auto memory = allocate(gpu, requirements, MemoryKind::device, false, what);
  if (!memory) return Unexpected{memory.error()};
  image.memory_ = *memory;
  ARETE_TRY(check(gpu.functions.BindImageMemory(gpu.device, image.image_, image.memory_, 0), "binding " + what));
  VkImageViewCreateInfo view{};
  view.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO;
  view.image = image.image_;
  view.viewType = VK_IMAGE_VIEW_TYPE_2D;
  view.format = shape.format;
  view.subresourceRange = {shape.aspect, 0, shape.levels, 0, 1};
  ARETE_TRY(check(gpu.functions.CreateImageView(gpu.device, &view, nullptr, &image.view_), "viewing " + what));
  return image;
}

Image& Image::operator=(Image&& other) noexcept {
  std::swap(functions_, other.functions_);
  std::swap(device_, other.device_);
  std::swap(shape_, other.shape_);
  std::swap(image_, other.image_);
  std::swap(memory_, other.memory_);
  std::swap(view_, other.view_);
  return *this;
}

void Image::destroy() noexcept {
  if (functions_ == nullptr) return;
  functions_->DestroyImageView(device_, view_, nullptr);
  functions_->DestroyImage(device_, image_, nullptr);
  functions_->FreeMemory(device_, memory_, nullptr);
}

}  // namespace arete::vulkan
