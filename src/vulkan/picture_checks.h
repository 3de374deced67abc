// What is asked of a device, a camera and options before a picture is drawn.
#pragma once

#include <string>

#include "vulkan/gpu.h"

namespace arete::vulkan {

// Error (gpu): the device cannot draw pictures.
Result<void> check_samples(const Gpu& gpu, const std::string& device_name);
// Error (usage): what no device could draw.
Result<void> check_options(const Camera& camera, const PictureOptions& options);
// The same, and what is too large for this one.
Result<void> check_picture(const Gpu& gpu, const Camera& camera, const PictureOptions& options);

}  // namespace arete::vulkan
