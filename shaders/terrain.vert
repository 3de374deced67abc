#version 460
// One thread is one vertex of a node, read from the pool of vertex words by its index; with lines, one corner of a
// triangle, whose index it looks up itself, so that the fragment knows how far the triangle's edges are; of a wall, one
// corner of a triangle that hangs from the node's vertices on the rim, so that no gap opens whatever the lods.
#extension GL_EXT_buffer_reference : require
#include "shaders/common/scene.glsl"

layout(constant_id = 0) const bool kLines = false;

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint at[]; };

layout(push_constant) uniform Draw {
  Words words;
  Words indices;
  uint first_vertex;
  int lod;
  int is_wall;   // indices with kLow set stand on the floor
  int wall_side;  // of the edges -Z, +X, +Z, -X
} draw;

const uint kLow = 0x80000000u;
const vec3 kOutwards[4] = vec3[](vec3(0, 0, -1), vec3(1, 0, 0), vec3(0, 0, 1), vec3(-1, 0, 0));

layout(location = 0) out vec3 out_position;  // metres from the anchor
layout(location = 1) centroid out vec3 out_normal;
layout(location = 2) out vec2 out_uv;
layout(location = 3) out float out_alpha;
layout(location = 4) out vec3 out_corner;
layout(location = 5) flat out int out_lod;
layout(location = 6) flat out int out_is_wall;

void main() {
  uint vertex = uint(gl_VertexIndex);
  out_corner = vec3(1.0);
  if (kLines) {
    vertex = draw.first_vertex + draw.indices.at[gl_VertexIndex];
    int corner = gl_VertexIndex % 3;
    out_corner = vec3(corner == 0, corner == 1, corner == 2);
  }
  bool is_low = false;
  if (draw.is_wall == 1) {
    uint index = draw.indices.at[gl_VertexIndex];
    vertex = draw.first_vertex + (index & ~kLow);
    is_low = (index & kLow) != 0u;
  }
  uint base = vertex * uint(scene.layout_words.x);
  uint p = base + uint(scene.layout_words.y);
  uint n = base + uint(scene.layout_words.z);
  uint t = base + uint(scene.more_words.x);
  vec3 position = uintBitsToFloat(uvec3(draw.words.at[p], draw.words.at[p + 1], draw.words.at[p + 2]));
  if (is_low) {
    position.y = scene.up.w;
  }
  out_position = position;
  out_normal = uintBitsToFloat(uvec3(draw.words.at[n], draw.words.at[n + 1], draw.words.at[n + 2]));
  if (draw.is_wall == 1) {
    out_normal = kOutwards[draw.wall_side];
  }
  out_uv = uintBitsToFloat(uvec2(draw.words.at[t], draw.words.at[t + 1]));
  out_alpha = unpackUnorm4x8(draw.words.at[base + uint(scene.layout_words.w)]).a;
  out_lod = draw.lod;
  out_is_wall = draw.is_wall;
  gl_Position = scene.view_projection * vec4(position + scene.anchor_from_eye.xyz, 1.0);
}
