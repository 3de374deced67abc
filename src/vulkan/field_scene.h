// A field's nodes as a scene's vertices, with walls along its rim.
#pragma once

#include <vector>

#include "arete/vulkan.h"

namespace arete::vulkan {

// Nine words: position 3, normal 3, uv0 2, colour 1.
kernel::VertexLayout picture_layout();

struct FieldScene {
  Scene scene;  // its words point into `words`
  std::vector<std::uint32_t> words;
};

// Meshes the cut's drawn nodes, and with `has_walls` every node on the rim and the walls below them down to `floor_m`.
Result<FieldScene> make_field_scene(const SampleSource& source, const Bounds& bounds, const Cut& cut,
                                    const kernel::FrameConstants& frame, const Ranges& ranges, Anchor anchor,
                                    bool has_walls, double floor_m);

}  // namespace arete::vulkan
