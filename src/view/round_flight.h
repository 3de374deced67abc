// The flight of a window that is not steered: once round what the first camera looks at.
#pragma once

#include <vector>

#include "arete/vulkan.h"

namespace arete::view {

// `frames` cameras, >= 1, evenly on a circle about the target, the given one first.
std::vector<vulkan::Camera> round_flight(const vulkan::Camera& camera, int frames);

}  // namespace arete::view
