// What the vertex function needs of a sample along one axis: its place, its distance to the camera and the run between
// its neighbours.
#ifndef ARETE_KERNEL_AXIS_H
#define ARETE_KERNEL_AXIS_H
#include "lattice.h"
#include "morph.h"
ARETE_KERNEL_BEGIN

// One axis of a frame.
struct FrameAxis {
  int last_stop;
  int is_area;
  int camera_half;
  float camera_rest;
  int anchor_half;
  float half_m;
  float inverse_half;
};

ARETE_FN FrameAxis frame_axis_x(FrameConstants frame) {
  FrameAxis axis;
  axis.last_stop = frame.last_stop_x;
  axis.is_area = frame.is_area;
  axis.camera_half = frame.camera_half_x;
  axis.camera_rest = frame.camera_rest_x;
  axis.anchor_half = frame.anchor_half_x;
  axis.half_m = frame.half_x_m;
  axis.inverse_half = frame.inverse_half_x;
  return axis;
}

ARETE_FN FrameAxis frame_axis_z(FrameConstants frame) {
  FrameAxis axis;
  axis.last_stop = frame.last_stop_z;
  axis.is_area = frame.is_area;
  axis.camera_half = frame.camera_half_z;
  axis.camera_rest = frame.camera_rest_z;
  axis.anchor_half = frame.anchor_half_z;
  axis.half_m = frame.half_z_m;
  axis.inverse_half = frame.inverse_half_z;
  return axis;
}

struct AxisPlace {
  int index;        // the sample's, in samples of its lod
  float emitted;    // metres from the frame's anchor
  float camera_sq;  // square of the metres from the camera
};

// `half_at` is the place of the sample's stop in half texels.
ARETE_FN AxisPlace place_at(FrameAxis axis, int index, int half_at) {
  ARETE_EXACT float emitted = float(half_at - axis.anchor_half) * axis.half_m;
  ARETE_EXACT float offset = camera_offset(half_at, axis.camera_half, axis.half_m, axis.camera_rest);
  ARETE_EXACT float camera_sq = offset * offset;
  AxisPlace place;
  place.index = index;
  place.emitted = emitted;
  place.camera_sq = camera_sq;
  return place;
}

// The sample of `lod` that stands for any fine whole index `g`.
ARETE_FN AxisPlace axis_place(FrameAxis axis, int lod, int g) {
  int at = lod_index(g, lod, axis.last_stop);
  return place_at(axis, at >> lod, stop_half(stop_of(at, axis.last_stop), axis.last_stop, axis.is_area));
}

// Whether the samples of `lod` and of lod + 1 that stand for first..last, and their neighbours, lie inside the rim.
ARETE_FN int is_inside(FrameAxis axis, int lod, int first, int last) {
  int step = 2 << lod;
  return first > step + step && last < axis.last_stop - step ? 1 : 0;
}

// axis_place() inside the rim: the same bits with fewer steps.
ARETE_FN AxisPlace inside_place(FrameAxis axis, int lod, int g) {
  int index = g >> lod;
  return place_at(axis, index, (index << (lod + 1)) - axis.is_area);
}

ARETE_KERNEL_END
#endif
