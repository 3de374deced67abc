// Distances and morph weights: how far a vertex has slid towards the place that it holds one lod coarser.
//
// w = (d^2 2^(kappa - 2 lod) - M_0^2) K_0: 0 or less before the band, 1 or more behind it. The scale by a power of two
// has the same bits as scaled M and K. The cut's distances to boxes use the same expressions, and f32 rounding is monotone, so a
// leaf's vertices are never nearer than its box (after Strugar, "Continuous Distance-Dependent Level of Detail for
// Rendering Heightmaps", 2009; the cascade that makes it exact is in vertex.h).
#ifndef ARETE_KERNEL_MORPH_H
#define ARETE_KERNEL_MORPH_H
#include "height.h"
#include "layout.h"
#include "normal.h"
ARETE_KERNEL_BEGIN

// Metres from the camera along one axis of half-texel place `at`; |at - camera_half| < 2^24 keeps the conversion exact.
ARETE_FN float camera_offset(int at, int camera_half, float half_m, float camera_rest) {
  ARETE_EXACT float scaled = float(at - camera_half) * half_m;
  ARETE_EXACT float offset = scaled - camera_rest;
  return offset;
}

ARETE_FN float sum_of_squares(float xx, float zz, float y) {
  ARETE_EXACT float yy = y * y;
  ARETE_EXACT float plan = xx + zz;
  ARETE_EXACT float sum = plan + yy;
  return sum;
}

ARETE_FN float distance_sq(float x, float y, float z) {
  ARETE_EXACT float xx = x * x;
  ARETE_EXACT float zz = z * z;
  return sum_of_squares(xx, zz, y);
}

// The squared distance in units of lod 0's range: d^2 2^(kappa - 2 lod).
ARETE_FN float scaled_distance_sq(float distance_sq_m2, int kappa, int lod) {
  ARETE_EXACT float scaled = distance_sq_m2 * power_of_two(kappa - lod - lod);
  return scaled;
}

// The nearest offset to 0 within [low, high]: an axis's part of the distance to a box.
ARETE_FN float nearest_offset(float low, float high) {
  float above = low > 0.0f ? low : 0.0f;
  float below = high < 0.0f ? high : 0.0f;
  ARETE_EXACT float nearest = above + below;
  return nearest;
}

// The weight of a vertex `camera_sq_x` and `camera_sq_z` squared metres from the camera along X and Z.
ARETE_FN float morph_weight(FrameConstants frame, float camera_sq_x, float camera_sq_z, uint anchor_steps, int kappa,
                            int lod) {
  if (lod >= frame.coarsest_lod) {
    return 0.0f;
  }
  uint steps = anchor_steps == 0u ? frame.hole_steps : anchor_steps;
  ARETE_EXACT float height = height_m(steps, frame.base_m, frame.step_m);
  ARETE_EXACT float y = height - frame.camera_y;
  ARETE_EXACT float d2 = sum_of_squares(camera_sq_x, camera_sq_z, y);
  ARETE_EXACT float scaled = scaled_distance_sq(d2, kappa, lod);
  ARETE_EXACT float past = scaled - frame.morph_start_sq;
  ARETE_EXACT float weight = past * frame.morph_scale;
  return weight;
}

// a + (b - a) w, for 0 < w < 1; the ends of the band return a and b themselves instead.
ARETE_FN float blend(float a, float b, float weight) {
  ARETE_EXACT float difference = b - a;
  ARETE_EXACT float part = difference * weight;
  ARETE_EXACT float result = a + part;
  return result;
}

ARETE_KERNEL_END
#endif
