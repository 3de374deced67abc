// One answer of a source of samples; shaders define fetch_sample and fetch_gradient between this file and vertex.h.
#ifndef ARETE_KERNEL_SAMPLE_H
#define ARETE_KERNEL_SAMPLE_H
#include "dialect.h"
ARETE_KERNEL_BEGIN

// What a source answers for fine index (gx, gz) at a lod; steps of 0 are holes.
struct Sample {
  int half_x;    // the stop's place in half texels
  int half_z;
  uint anchor;   // lod-0 steps at the stop: the anchor of distances
  uint drawn;    // steps of the plane that is drawn at this lod (subsample or max)
  int kappa;     // local range, half lods
};

ARETE_KERNEL_END
#endif
