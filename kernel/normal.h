// Gradients of lattice samples and the frame (normal, tangent) that they span.
//
// The gradient of a lod-L sample is the rise over its neighbours at stride 2^L divided by their actual distance, one-sided
// at the field's rim and beside holes. Reciprocals come from an integer seed and Newton steps of x and - alone, so
// that every backend computes the same bits (division and square root differ between GPUs).
#ifndef ARETE_KERNEL_NORMAL_H
#define ARETE_KERNEL_NORMAL_H
#include "dialect.h"
ARETE_KERNEL_BEGIN

struct Gradient {
  float x;  // metres of rise a metre along +X
  float z;  // metres of rise a metre along +Z
};

// 2^exponent as f32, -126 <= exponent <= 127.
ARETE_FN float power_of_two(int exponent) { return float_from_bits(uint(exponent + 127) << 23); }

// 1/value for value > 0, by four Newton steps; within 1 ulp (tests: unit/core). The inverse of
// value x 2^k is the inverse of value x 2^-k, bit for bit.
ARETE_FN float exact_reciprocal(float value) {
  ARETE_EXACT float y = float_from_bits(0x7ef311c3u - bits_from_float(value));
  for (int step = 0; step < 4; ++step) {
    ARETE_EXACT float product = value * y;
    ARETE_EXACT float correction = 2.0f - product;
    y = y * correction;
  }
  return y;
}

// 1/sqrt(value) for value >= 1, by four Newton steps; relative error at most 1.2e-7 (tests: unit/core).
ARETE_FN float exact_rsqrt(float value) {
  ARETE_EXACT float half_value = 0.5f * value;
  ARETE_EXACT float y = float_from_bits(0x5f3759dfu - (bits_from_float(value) >> 1));
  for (int step = 0; step < 4; ++step) {
    ARETE_EXACT float square = y * y;
    ARETE_EXACT float product = half_value * square;
    ARETE_EXACT float correction = 1.5f - product;
    y = y * correction;
  }
  return y;
}

// 32767/sqrt(value) for value >= 1, by two Newton steps: a packed normal has 15 bits and a sign. At most 4.8e-6 of it too
// small or 1.7e-7 too great, a sixth of a packed unit (tests: unit/core, over all f32).
ARETE_FN float packed_rsqrt(float value) {
  ARETE_EXACT float half_value = 4.65689709e-10f * value;  // 0.5/32767^2
  ARETE_EXACT float y = float_from_bits(0x66b7586eu - (bits_from_float(value) >> 1));
  for (int step = 0; step < 2; ++step) {
    ARETE_EXACT float square = y * y;
    ARETE_EXACT float product = half_value * square;
    ARETE_EXACT float correction = 1.5f - product;
    y = y * correction;
  }
  return y;
}

// Rise a metre along one axis of the sample `here` (steps, 0 = hole) with neighbours `below` and `above` that stand at
// half-texel places `half_below` <= `half_here` <= `half_above`; a hole or absent neighbour gives a one-sided gradient.
ARETE_FN float axis_gradient(uint below, uint here, uint above, int half_below, int half_here, int half_above,
                             float half_m, float step_m) {
  int low = below == 0u ? int(here) : int(below);
  int low_half = below == 0u ? half_here : half_below;
  int high = above == 0u ? int(here) : int(above);
  int high_half = above == 0u ? half_here : half_above;
  int halves = high_half - low_half;
  if (here == 0u || halves <= 0) {
    return 0.0f;
  }
  ARETE_EXACT float rise = float(high - low) * step_m;
  ARETE_EXACT float run = float(halves) * half_m;
  ARETE_EXACT float inverse = exact_reciprocal(run);
  ARETE_EXACT float gradient = rise * inverse;
  return gradient;
}

// The square of the length of (-gx, 1, -gz).
ARETE_FN float normal_length_sq(Gradient gradient) {
  ARETE_EXACT float xx = gradient.x * gradient.x;
  ARETE_EXACT float zz = gradient.z * gradient.z;
  ARETE_EXACT float tangent_sq = xx + 1.0f;
  ARETE_EXACT float normal_sq = tangent_sq + zz;
  return normal_sq;
}

struct SurfaceFrame {
  float normal_x;
  float normal_y;
  float normal_z;
  float tangent_x;  // the tangent lies in the plane of +X and +Y: its z is 0
  float tangent_y;
};

// The unit normal (-gx, 1, -gz)/|.| and the unit tangent (1, gx, 0)/|.|.
ARETE_FN SurfaceFrame surface_frame(Gradient gradient) {
  ARETE_EXACT float xx = gradient.x * gradient.x;
  ARETE_EXACT float tangent_sq = xx + 1.0f;
  ARETE_EXACT float normal_sq = normal_length_sq(gradient);
  ARETE_EXACT float normal_scale = exact_rsqrt(normal_sq);
  ARETE_EXACT float tangent_scale = exact_rsqrt(tangent_sq);
  ARETE_EXACT float normal_x = gradient.x * normal_scale;
  ARETE_EXACT float normal_z = gradient.z * normal_scale;
  ARETE_EXACT float tangent_y = gradient.x * tangent_scale;
  SurfaceFrame result;
  result.normal_x = -normal_x;
  result.normal_y = normal_scale;
  result.normal_z = -normal_z;
  result.tangent_x = tangent_scale;
  result.tangent_y = tangent_y;
  return result;
}

ARETE_KERNEL_END
#endif
