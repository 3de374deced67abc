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

// `x` and `z` name the sample of `lod`.
ARETE_FN Gradient field_gradient(TestField field, FrameConstants frame, int lod, AxisPlace x, AxisPlace z) {
  FrameAxis axis_x = frame_axis_x(frame);
  FrameAxis axis_z = frame_axis_z(frame);
  int stride = 1 << lod;
  int gx = x.index << lod;
  int gz = z.index << lod;
  int x_stop = stop_of(gx, field.last_stop_x);
  int z_stop = stop_of(gz, field.last_stop_z);
  uint here = field_drawn(field, lod, x_stop, z_stop);
  uint west = field_drawn(field, lod, gx - stride < 0 ? 0 : stop_of(gx - stride, field.last_stop_x), z_stop);
  uint east = field_drawn(field, lod, stop_of(gx + stride, field.last_stop_x), z_stop);
  uint north = field_drawn(field, lod, x_stop, gz - stride < 0 ? 0 : stop_of(gz - stride, field.last_stop_z));
  uint south = field_drawn(field, lod, x_stop, stop_of(gz + stride, field.last_stop_z));
  Gradient result;
  if (is_inside(axis_x, lod, gx, gx) == 1) {
    result.x = inside_gradient(axis_x, lod, west, here, east, frame.step_m);
  } else {
    result.x = page_axis_gradient(axis_x, lod, gx, west, here, east, frame.step_m);
  }
  if (is_inside(axis_z, lod, gz, gz) == 1) {
    result.z = inside_gradient(axis_z, lod, north, here, south, frame.step_m);
  } else {
    result.z = page_axis_gradient(axis_z, lod, gz, north, here, south, frame.step_m);
  }
  return result;
}

ARETE_FN Sample field_sample(TestField field, FrameConstants frame, int lod, int gx, int gz) {
  FrameAxis axis_x = frame_axis_x(frame);
  FrameAxis axis_z = frame_axis_z(frame);
  Sample result;
  result.x = axis_place(axis_x, lod, gx);
  if (is_inside(axis_x, lod, gx, gx) == 1) {
    result.x = inside_place(axis_x, lod, gx);
  }
  result.z = axis_place(axis_z, lod, gz);
  if (is_inside(axis_z, lod, gz, gz) == 1) {
    result.z = inside_place(axis_z, lod, gz);
  }
  int at_x = result.x.index << lod;
  int at_z = result.z.index << lod;
  result.anchor = field_anchor(field, stop_of(at_x, field.last_stop_x), stop_of(at_z, field.last_stop_z));
  result.drawn = field_drawn(field, lod, stop_of(at_x, field.last_stop_x), stop_of(at_z, field.last_stop_z));
  result.kappa = 0;
  if (field.kappa_range > 1 && lod < field.coarsest_lod) {
    uint block = mixed_pair(uint(at_x >> (lod + 4)), uint(at_z >> (lod + 4)));
    result.kappa = int(mixed_pair(block, uint(lod)) % uint(field.kappa_range));
  }
  result.gradient = field_gradient(field, frame, lod, result.x, result.z);
  return result;
}

ARETE_KERNEL_END
#endif
