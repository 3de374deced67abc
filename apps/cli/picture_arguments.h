// What pictures and windows are asked for alike: the look, the camera, the device.
#pragma once

#include "arete/vulkan.h"
#include "arguments.h"

namespace arete::cli {

struct PictureJob {
  vulkan::PictureOptions picture;  // its drape is the one below
  RangeOptions ranges;
  vulkan::Picture drape;
};

// Reads the look into `job`, which then must stay where it is. Refused: what is out of range (usage), a drape that
// cannot be read.
Result<void> read_picture(const PictureArguments& arguments, PictureJob& job);
Result<vulkan::Camera> camera_for(const PictureArguments& arguments, const Bounds& bounds, const PictureJob& job);
vulkan::DeviceOptions device_options(const PictureArguments& arguments);

}  // namespace arete::cli
