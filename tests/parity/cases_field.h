// Made-up fields for the parity table: heights, holes and local ranges as a pure function of the case, in kernel text,
// so that every compiler and device reads the same samples without a buffer.
#ifndef ARETE_TESTS_PARITY_CASES_FIELD_H
#define ARETE_TESTS_PARITY_CASES_FIELD_H
#include "kernel/page_gradient.h"
#include "kernel/sample.h"
ARETE_KERNEL_BEGIN

const int kTerrainRandom = 0;    // 1..65,535 each its own
const int kTerrainSmooth = 1;    // a parabola in whole steps
const int kTerrainExtremes = 2;  // 1 or 65,535

struct TestField {
  uint seed;
  int terrain;
  int hole_one_in;  // 0: no holes
  int kappa_range;  // local ranges 0..kappa_range - 1; 0 and 1: the plain scheme
  int draws_max;    // 1: lods >= 1 draw heights above the anchors
  int coarsest_lod;
  int last_stop_x;
  int last_stop_z;
  int is_area;
  float half_x_m;
  float half_z_m;
  float step_m;
};

ARETE_FN uint mixed(uint value) {
  uint h = value;
  h = h ^ (h >> 16);
  h = h * 0x7feb352du;
  h = h ^ (h >> 15);
  h = h * 0x846ca68bu;
  h = h ^ (h >> 16);
  return h;
}

ARETE_FN uint mixed_pair(uint a, uint b) { return mixed(mixed(a) + b * 0x9e3779b9u); }

ARETE_FN uint field_anchor(TestField field, int x_stop, int z_stop) {
  uint h = mixed_pair(mixed_pair(field.seed, uint(x_stop)), uint(z_stop));
  if (field.hole_one_in > 0 && (h >> 20) % uint(field.hole_one_in) == 0u) {
    return 0u;
  }
  if (field.terrain == kTerrainSmooth) {
    return uint(1000 + (((x_stop * x_stop) >> 3) + ((z_stop * z_stop) >> 2)) % 60000);
  }
  if (field.terrain == kTerrainExtremes) {
    return (h & 1u) == 0u ? 1u : 65535u;
  }
  return 1u + (h & 0xffffu) % 65535u;
}

ARETE_FN uint field_drawn(TestField field, int lod, int x_stop, int z_stop) {
  uint anchor = field_anchor(field, x_stop, z_stop);
  if (field.draws_max == 0 || lod == 0) {
    return anchor;
  }
  uint h = mixed_pair(mixed_pair(field.seed + uint(lod), uint(x_stop)), uint(z_stop));
  uint raised = anchor + (h & 0x3ffu);
  return raised > 65535u ? 65535u : raised;
}

ARETE_FN Sample field_sample(TestField field, int lod, int gx, int gz) {
  int x_stop = stop_of(gx, field.last_stop_x);
  int z_stop = stop_of(gz, field.last_stop_z);
  Sample result;
  result.half_x = stop_half(x_stop, field.last_stop_x, field.is_area);
  result.half_z = stop_half(z_stop, field.last_stop_z, field.is_area);
  result.anchor = field_anchor(field, x_stop, z_stop);
  result.drawn = field_drawn(field, lod, x_stop, z_stop);
  result.kappa = 0;
  if (field.kappa_range > 1 && lod < field.coarsest_lod) {
    uint block = mixed_pair(uint(gx >> (lod + 4)), uint(gz >> (lod + 4)));
    result.kappa = int(mixed_pair(block, uint(lod)) % uint(field.kappa_range));
  }
  return result;
}

ARETE_FN Gradient field_gradient(TestField field, int lod, int gx, int gz) {
  int stride = 1 << lod;
  int x = stop_of(gx, field.last_stop_x);
  int z = stop_of(gz, field.last_stop_z);
  int west = gx - stride < 0 ? 0 : stop_of(gx - stride, field.last_stop_x);
  int north = gz - stride < 0 ? 0 : stop_of(gz - stride, field.last_stop_z);
  int east = stop_of(gx + stride, field.last_stop_x);
  int south = stop_of(gz + stride, field.last_stop_z);
  uint here = field_drawn(field, lod, x, z);
  ARETE_EXACT float inverse_x = exact_reciprocal(field.half_x_m);
  ARETE_EXACT float inverse_z = exact_reciprocal(field.half_z_m);
  Gradient result;
  result.x = page_axis_gradient(field_drawn(field, lod, west, z), here, field_drawn(field, lod, east, z), gx, lod,
                                field.last_stop_x, field.is_area, field.half_x_m, inverse_x, field.step_m);
  result.z = page_axis_gradient(field_drawn(field, lod, x, north), here, field_drawn(field, lod, x, south), gz, lod,
                                field.last_stop_z, field.is_area, field.half_z_m, inverse_z, field.step_m);
  return result;
}

ARETE_KERNEL_END
#endif
