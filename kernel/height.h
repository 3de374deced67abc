// The split contract: each cell is two triangles, (00,10,01) and (10,11,01), whose shared diagonal runs from the corner
// one sample along +Z to the corner one sample along +X. Mesh, height query, ray, normal and export all use it.
//
// Heights are whole steps (h = 0 is a hole); metres are made once, at the end, so that a stop returns its sample's bits.
#ifndef ARETE_KERNEL_HEIGHT_H
#define ARETE_KERNEL_HEIGHT_H
#include "dialect.h"
ARETE_KERNEL_BEGIN

// 1 when (fx, fz) in [0,1]^2 lies in the triangle (00,10,01), the diagonal included; 0 for (10,11,01).
ARETE_FN int in_lower_triangle(real fx, real fz) {
  ARETE_EXACT real sum = fx + fz;
  return sum <= real(1) ? 1 : 0;
}

// The height, in steps, on the plane of a triangle with its right angle at height `own`: `along_x` and `along_z` are the
// corners one sample from it along either axis, x and z how far the place is towards them.
ARETE_FN real triangle_height(real own, real along_x, real along_z, real x, real z) {
  ARETE_EXACT real rise_x = along_x - own;
  ARETE_EXACT real part_x = x * rise_x;
  ARETE_EXACT real rise_z = along_z - own;
  ARETE_EXACT real part_z = z * rise_z;
  ARETE_EXACT real on_edge = own + part_x;
  ARETE_EXACT real height = on_edge + part_z;
  return height;
}

// The height, in steps, at (fx, fz) of a cell whose corners are h_xz: h10 is one sample along +X, h01 one along +Z.
ARETE_FN real cell_height(real h00, real h10, real h01, real h11, real fx, real fz) {
  if (in_lower_triangle(fx, fz) == 1) {
    return triangle_height(h00, h10, h01, fx, fz);
  }
  ARETE_EXACT real back_x = real(1) - fx;
  ARETE_EXACT real back_z = real(1) - fz;
  return triangle_height(h11, h01, h10, back_x, back_z);
}

// Steps to metres. `step` is a power of two and `base` a multiple of it below 2^24 steps: exact for whole steps.
ARETE_FN float height_m(uint steps, float base_m, float step_m) {
  ARETE_EXACT float scaled = float(steps) * step_m;
  ARETE_EXACT float metres = base_m + scaled;
  return metres;
}

ARETE_KERNEL_END
#endif
