// The parity table: case `index` as 12 words, the same on every compiler and device.
//
// Kinds take turns: nearest stops, reciprocals, gradients, weights, the cascade, the node vertex with its edge rule.
// Bands are laid around the distance of the very vertex that is asked for, so weights fall on, beside and far from 0
// and 1. Every number comes from integer hashes; arithmetic follows the kernel's rules.
#ifndef ARETE_TESTS_PARITY_CASES_H
#define ARETE_TESTS_PARITY_CASES_H
#include "cases_field.h"
#include "kernel/attributes.h"
#include "kernel/rect.h"
ARETE_KERNEL_BEGIN

const int kCaseKinds = 6;

struct CaseWords {
  uint words[12];
};

// 0..range - 1, the `which`-th number of case `index`.
ARETE_FN int case_number(uint index, uint which, int range) {
  return int(mixed_pair(index, which + 77u) % uint(range));
}

// A positive normal f32 between 2^low and 2^high.
ARETE_FN float case_float(uint index, uint which, int low, int high) {
  uint exponent = uint(127 + low + case_number(index, which, high - low));
  return float_from_bits(exponent << 23 | (mixed_pair(index, which + 177u) & 0x7fffffu));
}

ARETE_FN TestField case_field(uint index) {
  uint field = index / uint(kCaseKinds) / 16u;
  TestField result;
  result.seed = mixed(field);
  result.terrain = case_number(field, 1u, 3);
  int holes = case_number(field, 2u, 4);
  result.hole_one_in = holes == 0 ? 3 : (holes == 1 ? 40 : 0);
  result.kappa_range = case_number(field, 3u, 3) * 5;
  result.draws_max = case_number(field, 4u, 2);
  result.coarsest_lod = 1 + case_number(field, 5u, 7);
  result.last_stop_x = 1 + case_number(field, 6u, 5000);
  result.last_stop_z = 1 + case_number(field, 7u, 5000);
  result.is_area = case_number(field, 8u, 2);
  result.half_x_m = case_float(field, 9u, -3, 6);
  result.half_z_m = case_float(field, 10u, -3, 6);
  result.step_m = power_of_two(case_number(field, 11u, 10) - 8);
  return result;
}

// A frame whose band lies about the scaled squared distance of vertex (lod, gx, gz).
ARETE_SOURCE_FN FrameConstants case_frame(ARETE_SOURCE_PARAMETER TestField field, uint index, int lod, int gx, int gz) {
  FrameConstants frame;
  frame.camera_half_x = case_number(index, 20u, 12000) - 1000;
  frame.camera_half_z = case_number(index, 21u, 12000) - 1000;
  frame.camera_rest_x = case_float(index, 22u, -12, -4);
  frame.camera_rest_z = case_float(index, 23u, -12, -4);
  ARETE_EXACT float camera_y = case_float(index, 24u, 0, 13) - 500.0f;
  frame.camera_y = camera_y;
  frame.half_x_m = field.half_x_m;
  frame.half_z_m = field.half_z_m;
  frame.step_m = field.step_m;
  ARETE_EXACT float base = float(case_number(index, 25u, 20000) - 10000) * field.step_m;
  frame.base_m = base;
  frame.coarsest_lod = field.coarsest_lod;
  frame.anchor_half_x = case_number(index, 26u, 3) * 8192 - 8192;
  frame.anchor_half_z = case_number(index, 27u, 3) * 8192 - 8192;
  frame.hole_steps = 1u + uint(case_number(index, 28u, 500));
  frame.is_area = field.is_area;
  frame.last_stop_x = field.last_stop_x;
  frame.last_stop_z = field.last_stop_z;
  frame.uv0_scale_x = 0.0f;
  frame.uv0_scale_z = 0.0f;
  frame.uv0_offset_x = 0.0f;
  frame.uv0_offset_z = 0.0f;
  frame.uv1_scale_x = 0.0f;
  frame.uv1_scale_z = 0.0f;
  ARETE_EXACT float inverse_x = exact_reciprocal(field.half_x_m);
  ARETE_EXACT float inverse_z = exact_reciprocal(field.half_z_m);
  frame.inverse_half_x = inverse_x;
  frame.inverse_half_z = inverse_z;

  frame.morph_start_sq = 0.0f;
  frame.morph_scale = 0.0f;

  Sample at = ARETE_FETCH_SAMPLE(frame, lod, gx, gz);
  uint steps = at.anchor == 0u ? frame.hole_steps : at.anchor;
  ARETE_EXACT float y = height_m(steps, frame.base_m, frame.step_m) - frame.camera_y;
  ARETE_EXACT float d2 = sum_of_squares(at.x.camera_sq, at.z.camera_sq, y);
  ARETE_EXACT float scaled = scaled_distance_sq(d2, at.kappa, lod);
  int band = case_number(index, 29u, 4);
  int ulps = case_number(index, 30u, 7) - 3;
  ARETE_EXACT float fraction = case_float(index, 31u, -2, 1);
  ARETE_EXACT float width = scaled * case_float(index, 32u, -3, 1);
  ARETE_EXACT float scale = exact_reciprocal(width);
  ARETE_EXACT float start = scaled * fraction;
  if (band == 1) {
    start = float_from_bits(uint(int(bits_from_float(scaled)) + ulps));
  }
  if (band == 2) {
    start = scaled * 0.7f;
    ARETE_EXACT float rest = scaled - start;
    ARETE_EXACT float inverse = exact_reciprocal(rest);
    scale = float_from_bits(uint(int(bits_from_float(inverse)) + ulps));
  }
  frame.morph_start_sq = start;
  frame.morph_scale = scale;
  return frame;
}

ARETE_FN CaseWords no_words() {
  CaseWords result;
  for (int i = 0; i < 12; ++i) {
    result.words[i] = 0u;
  }
  return result;
}

ARETE_FN CaseWords vertex_words(SurfaceVertex vertex) {
  SurfaceFrame around = surface_frame(vertex.gradient);
  CaseWords result = no_words();
  result.words[0] = bits_from_float(vertex.x);
  result.words[1] = bits_from_float(vertex.y);
  result.words[2] = bits_from_float(vertex.z);
  result.words[3] = bits_from_float(vertex.gradient.x);
  result.words[4] = bits_from_float(vertex.gradient.z);
  result.words[5] = uint(vertex.is_hole);
  result.words[6] = bits_from_float(around.normal_x);
  result.words[7] = bits_from_float(around.normal_y);
  result.words[8] = bits_from_float(around.normal_z);
  result.words[9] = bits_from_float(around.tangent_x);
  result.words[10] = bits_from_float(around.tangent_y);
  result.words[11] = packed_normal_word(vertex);
  return result;
}

ARETE_FN CaseWords stop_words(uint index) {
  CaseWords result = no_words();
  int q = case_number(index, 40u, 12);
  int texels = 1 + case_number(index, 41u, 3000);
  int64 place = (int64(case_number(index, 42u, texels + 8) - 4) << q) + int64(case_number(index, 43u, 1 << q));
  result.words[0] = uint(nearest_stop(place, q, texels, 0));
  result.words[1] = uint(nearest_stop(place, q, texels, 1));
  return result;
}

ARETE_FN CaseWords reciprocal_words(uint index) {
  CaseWords result = no_words();
  ARETE_EXACT float value = case_float(index, 44u, -30, 30);
  ARETE_EXACT float above_one = case_float(index, 45u, 0, 60);
  ARETE_EXACT float inverse = exact_reciprocal(value);
  ARETE_EXACT float root = exact_rsqrt(above_one);
  result.words[0] = bits_from_float(inverse);
  result.words[1] = bits_from_float(root);
  return result;
}

// A sample at rest: its place on both axes, its height and its gradient.
ARETE_SOURCE_FN CaseWords rest_words(ARETE_SOURCE_PARAMETER TestField field, uint index) {
  int lod = case_number(index, 46u, field.coarsest_lod + 1);
  int gx = case_number(index, 47u, field.last_stop_x + 3);
  int gz = case_number(index, 48u, field.last_stop_z + 3);
  FrameConstants frame = case_frame(ARETE_SOURCE_ARGUMENT field, index, lod, gx, gz);
  return vertex_words(rest_vertex(frame, ARETE_FETCH_SAMPLE(frame, lod, gx, gz)));
}

ARETE_SOURCE_FN CaseWords run_case(ARETE_SOURCE_PARAMETER TestField field, uint index) {
  int kind = int(index % uint(kCaseKinds));
  if (kind == 0) {
    return stop_words(index);
  }
  if (kind == 1) {
    return reciprocal_words(index);
  }
  if (kind == 2) {
    return rest_words(ARETE_SOURCE_ARGUMENT field, index);
  }
  NodeRecord node;
  node.lod = case_number(index, 50u, field.coarsest_lod);
  node.quads = 4 << case_number(index, 51u, 4);
  node.x = case_number(index, 52u, 1 + (field.last_stop_x >> node.lod) / node.quads);
  node.z = case_number(index, 53u, 1 + (field.last_stop_z >> node.lod) / node.quads);
  node.coarse_mask = case_number(index, 54u, 16);
  node.corner_lods = 0;
  for (int corner = 0; corner < 4; ++corner) {
    int reach = field.coarsest_lod - node.lod;
    int lods = case_number(index, 55u + uint(corner), reach < 2 ? reach + 1 : 3);
    node.corner_lods = node.corner_lods | (lods << (corner + corner));
  }
  // Corners and edges are a tenth of a node; ask for them half of the time.
  int i = case_number(index, 60u, node.quads + 1);
  int k = case_number(index, 61u, node.quads + 1);
  if (case_number(index, 62u, 2) == 0) {
    i = case_number(index, 63u, 2) * node.quads;
    k = case_number(index, 64u, 3) == 0 ? case_number(index, 65u, 2) * node.quads : k;
  }
  int gx = (node.x * node.quads + i) << node.lod;
  int gz = (node.z * node.quads + k) << node.lod;
  FrameConstants frame = case_frame(ARETE_SOURCE_ARGUMENT field, index, node.lod, gx, gz);
  if (kind == 3) {
    CaseWords result = no_words();
    Sample at = ARETE_FETCH_SAMPLE(frame, node.lod, gx, gz);
    ARETE_EXACT float weight = sample_weight(frame, at, node.lod);
    ARETE_EXACT float mixed_up = blend(frame.camera_y, frame.base_m, weight);
    result.words[0] = bits_from_float(weight);
    result.words[1] = bits_from_float(mixed_up);
    result.words[2] = weight >= 1.0f ? 1u : 0u;
    return result;
  }
  if (kind == 4) {
    return vertex_words(cascade_vertex(ARETE_SOURCE_ARGUMENT frame, node.lod, gx, gz));
  }
  return vertex_words(node_vertex(ARETE_SOURCE_ARGUMENT frame, node, i, k));
}

ARETE_KERNEL_END
#endif
