// The numbers that a picture's shaders read: the camera, the sun and the field, worked out once on the host.
#pragma once

#include <array>
#include <cstdint>

#include "arete/vulkan.h"
#include "vulkan/light_map.h"

namespace arete::vulkan {

using Vector4 = std::array<float, 4>;
using Integers4 = std::array<std::int32_t, 4>;

// Mirrors the block `Scene` of shaders/common/scene.glsl, whose comments say what each member is.
struct SceneConstants {
  std::array<float, 16> view_projection;  // by columns
  Vector4 anchor_from_eye;
  Vector4 right;
  Vector4 up;
  Vector4 forward;
  Vector4 sun;
  Vector4 heights;
  Vector4 light_map;
  Vector4 style;
  Integers4 mode;
  Integers4 layout_words;
  Integers4 more_words;
};
static_assert(sizeof(SceneConstants) == 64 + 11 * 16);

// `light` may be null. The options must have been checked.
SceneConstants make_scene_constants(const Scene& scene, const Camera& camera, const PictureOptions& options,
                                    const LightMap* light);

}  // namespace arete::vulkan
