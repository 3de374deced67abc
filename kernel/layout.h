// Records that cross from the host to a GPU, word for word: 4-byte members alone, so C++ and std430 agree.
#ifndef ARETE_KERNEL_LAYOUT_H
#define ARETE_KERNEL_LAYOUT_H
#include "dialect.h"
ARETE_KERNEL_BEGIN

// Coarse edges, in the order -Z +X +Z -X.
const int kEdgeMinusZ = 1;
const int kEdgePlusX = 2;
const int kEdgePlusZ = 4;
const int kEdgeMinusX = 8;

// Corners, clockwise from the north-west: (-X,-Z) (+X,-Z) (+X,+Z) (-X,+Z); two bits each in corner_lods.
const int kCornerNorthWest = 0;
const int kCornerNorthEast = 1;
const int kCornerSouthEast = 2;
const int kCornerSouthWest = 3;

// The greatest kappa: keeps 2^(kappa - 2 lod) finite for every lod of the store format.
const int kKappaLimit = 60;

// What the morph needs of a camera and its ranges; made by make_frame() on the host.
struct FrameConstants {
  int camera_half_x;     // the camera's whole half-texel place c
  int camera_half_z;
  float camera_rest_x;   // what is left of it, in metres
  float camera_rest_z;
  float camera_y;        // metres
  float half_x_m;        // half a texel, metres
  float half_z_m;
  float base_m;          // y = base + step h
  float step_m;
  float morph_start_sq;  // M_0 squared, rounded up
  float morph_scale;     // K_0: (E_0^2 - M_0^2) K_0 >= 1 in f32
  int coarsest_lod;      // its nodes never morph
  int anchor_half_x;     // emitted x = (half-texel - anchor) half_x_m
  int anchor_half_z;
  uint hole_steps;       // the height that stands in for a hole in distances: the field's least
  int is_area;           // registration: 1 area, 0 point
  int last_stop_x;
  int last_stop_z;
  float uv0_scale_x;     // uv0 = position x scale + offset: 0..1 over the field
  float uv0_scale_z;
  float uv0_offset_x;
  float uv0_offset_z;
  float uv1_scale_x;     // uv1 = position x scale: texels from the anchor
  float uv1_scale_z;
  float inverse_half_x;  // exact_reciprocal(half_x_m)
  float inverse_half_z;
};

// One node of a cut with the edge rule that its neighbours ask for.
struct NodeRecord {
  int lod;
  int x;            // in nodes of its lod
  int z;
  int quads;        // quads a side, a power of two from 4 to 128
  int coarse_mask;  // edges whose neighbour is one lod coarser: kEdge bits
  int corner_lods;  // two bits a corner: how many lods coarser the coarsest leaf that touches it is
};

// Where each attribute stands in a vertex, in words; -1 leaves it out.
struct VertexLayout {
  int stride_words;     // 1..32
  int position;         // 3 words: x y z, metres from the frame's anchor
  int normal;           // 3 words
  int tangent;          // 4 words: x y z and handedness
  int uv0;              // 2 words: 0..1 over the field
  int uv1;              // 2 words: texels from the frame's anchor
  int colour;           // 1 word: RGBA8, alpha 0 at a hole
  int joints;           // 4 words of zero
  int weights;          // 4 words of zero
  int packed_normal;    // 1 word: normal x and z as snorm16; kPackedHole at a hole
};

const uint kPackedHole = 0x80008000u;

ARETE_KERNEL_END

#ifdef __cplusplus
static_assert(sizeof(arete::kernel::FrameConstants) == 104);
static_assert(sizeof(arete::kernel::NodeRecord) == 24);
static_assert(sizeof(arete::kernel::VertexLayout) == 40);
#endif
#endif
