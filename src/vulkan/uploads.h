// Host data to buffers and textures on the device.
#pragma once

#include <cstdint>
#include <span>

#include "vulkan/commands.h"
#include "vulkan/light_map.h"
#include "vulkan/memory.h"

namespace arete::vulkan {

// A device buffer that holds `bytes`. Waits for the device.
Result<Buffer> upload_buffer(const Gpu& gpu, CommandRunner& runner, std::span<const std::byte> bytes,
                             VkBufferUsageFlags usage, const std::string& what);

// A sampled image of width x height texels, row-major in `bytes`, ready for fragment shaders. Waits for the device.
Result<Image> upload_texture(const Gpu& gpu, CommandRunner& runner, std::span<const std::byte> bytes,
                             std::uint32_t width, std::uint32_t height, VkFormat format, const std::string& what);

// A light map with its levels, or one texel that sees everything where there is none. Waits for the device.
Result<Image> upload_light(const Gpu& gpu, CommandRunner& runner, const LightMap* light);

}  // namespace arete::vulkan
