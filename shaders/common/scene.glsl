// What every shader of the picture knows of its scene; mirrored by SceneConstants in src/vulkan/scene_constants.h.

const int kColourRelief = 0;
const int kColourSlope = 1;
const int kColourLod = 2;
const int kColourContour = 3;
const int kColourDrape = 4;

layout(std140, set = 0, binding = 0) uniform Scene {
  mat4 view_projection;  // metres from the eye to clip space, reversed depth
  vec4 anchor_from_eye;  // xyz: the anchor less the eye, metres; w: the eye's height
  vec4 right;            // the view's axes; right and up reach the picture's rim; w: the light map's level at 1 m, log2
  vec4 up;               // w: where walls end, metres
  vec4 forward;
  vec4 sun;              // xyz: towards the sun; w: extinction of the haze, 1/m
  vec4 heights;          // x: lowest, y: highest, z: sea level, w: depth of the haze, all metres
  vec4 light_map;        // uv of the light map: anchor metres x xy + zw
  vec4 style;            // x: contour step, metres; y: share of snow; z: share of rock; w: field's size, metres
  ivec4 mode;            // x: colour; y: 1 if there is a light map; z: 1 if lines are drawn; w: 1 if there is sea
  ivec4 layout_words;    // stride, position, normal, colour
  ivec4 more_words;      // x: uv0
} scene;

layout(set = 0, binding = 1) uniform sampler2D light_texture;
layout(set = 0, binding = 2) uniform sampler2D drape_texture;
