// The words of a vertex: what a layout's attributes hold once the vertex function has placed a vertex.
//
// `places` says where each attribute stands (layout.h). attribute_word() is the definition for every backend: a shader may write any word of a vertex by itself, in any order.
// f32 x and +, comparisons and one exact conversion to integer make every word the same bits everywhere.
#ifndef ARETE_KERNEL_ATTRIBUTES_H
#define ARETE_KERNEL_ATTRIBUTES_H
#include "vertex.h"
ARETE_KERNEL_BEGIN

// position * scale + offset.
ARETE_FN float texture_place(float position, float scale, float offset) {
  ARETE_EXACT float scaled = position * scale;
  ARETE_EXACT float place = scaled + offset;
  return place;
}

const uint kColourSurface = 0xffffffffu;  // RGBA8, red in the low byte: white, alpha 1
const uint kColourHole = 0x00ffffffu;     // alpha 0

ARETE_FN uint colour_word(SurfaceVertex vertex) { return vertex.is_hole == 1 ? kColourHole : kColourSurface; }

// From 1.5 x 2^23 floats are whole, and their low bits those of the difference to it: adding rounds to the nearest, ties to
// even.
const float kWhole = 12582912.0f;

// The unit normal's x and z as snorm16, each within 0.66 of a unit and never -32,768 (tests: unit/mesh).
ARETE_FN uint packed_normal_word(SurfaceVertex vertex) {
  ARETE_EXACT float normal_sq = normal_length_sq(vertex.gradient);
  ARETE_EXACT float scale = packed_rsqrt(normal_sq);
  ARETE_EXACT float x = vertex.gradient.x * scale;
  ARETE_EXACT float z = vertex.gradient.z * scale;
  ARETE_EXACT float whole_x = kWhole - x;
  ARETE_EXACT float whole_z = kWhole - z;
  uint packed = (bits_from_float(whole_x) & 0xffffu) | (bits_from_float(whole_z) << 16);
  return vertex.is_hole == 1 ? kPackedHole : packed;
}

// The bitangent, cross(normal, tangent) x handedness, points along +Z.
const float kTangentHandedness = -1.0f;

// Word `word` (0..stride_words - 1) of a vertex. Joints, weights and words that no attribute claims are 0.
ARETE_FN uint attribute_word(FrameConstants frame, VertexLayout places, SurfaceVertex vertex, SurfaceFrame axes,
                             int word) {
  int at = word - places.position;
  if (places.position >= 0 && at >= 0 && at < 3) {
    return bits_from_float(at == 0 ? vertex.x : (at == 1 ? vertex.y : vertex.z));
  }
  at = word - places.normal;
  if (places.normal >= 0 && at >= 0 && at < 3) {
    return bits_from_float(at == 0 ? axes.normal_x : (at == 1 ? axes.normal_y : axes.normal_z));
  }
  at = word - places.tangent;
  if (places.tangent >= 0 && at >= 0 && at < 4) {
    float high = at == 2 ? 0.0f : kTangentHandedness;
    return bits_from_float(at == 0 ? axes.tangent_x : (at == 1 ? axes.tangent_y : high));
  }
  at = word - places.uv0;
  if (places.uv0 >= 0 && at >= 0 && at < 2) {
    ARETE_EXACT float u = texture_place(vertex.x, frame.uv0_scale_x, frame.uv0_offset_x);
    ARETE_EXACT float v = texture_place(vertex.z, frame.uv0_scale_z, frame.uv0_offset_z);
    return bits_from_float(at == 0 ? u : v);
  }
  at = word - places.uv1;
  if (places.uv1 >= 0 && at >= 0 && at < 2) {
    ARETE_EXACT float u = vertex.x * frame.uv1_scale_x;
    ARETE_EXACT float v = vertex.z * frame.uv1_scale_z;
    return bits_from_float(at == 0 ? u : v);
  }
  if (places.colour >= 0 && word == places.colour) {
    return colour_word(vertex);
  }
  if (places.packed_normal >= 0 && word == places.packed_normal) {
    return packed_normal_word(vertex);
  }
  return 0u;
}

ARETE_KERNEL_END
#endif
