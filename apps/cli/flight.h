// Flights: cameras along a smooth path through given points.
#pragma once

#include <string>
#include <vector>

#include "arete/vulkan.h"

namespace arete::cli {

// Reads {"points": [{"eye": [x,y,z], "target": [x,y,z], "fov": degrees?}, ...]} (two points or more, metres) and gives
// `frames` >= 2 cameras, evenly in the points' parameter, on a Catmull-Rom curve through them. Errors name the file and
// the point.
Result<std::vector<vulkan::Camera>> read_flight(const std::string& path, int frames);

}  // namespace arete::cli
