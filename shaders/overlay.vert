#version 460
// One thread is one corner of a triangle over the picture: five words, place in points, place in the texture and sRGB.
#extension GL_EXT_buffer_reference : require

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint at[]; };

layout(push_constant) uniform Overlay {
  Words words;
  vec2 clip_per_point;
} overlay;

layout(location = 0) out vec2 out_uv;
layout(location = 1) out vec4 out_colour;

void main() {
  uint base = 5u * uint(gl_VertexIndex);
  vec2 place = uintBitsToFloat(uvec2(overlay.words.at[base], overlay.words.at[base + 1]));
  out_uv = uintBitsToFloat(uvec2(overlay.words.at[base + 2], overlay.words.at[base + 3]));
  vec4 srgb = unpackUnorm4x8(overlay.words.at[base + 4]);
  vec3 linear = mix(srgb.rgb / 12.92, pow((srgb.rgb + 0.055) / 1.055, vec3(2.4)), step(vec3(0.04045), srgb.rgb));
  out_colour = vec4(linear, srgb.a);
  gl_Position = vec4(place * overlay.clip_per_point - 1.0, 1.0, 1.0);
}
