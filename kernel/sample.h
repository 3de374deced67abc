// One answer of a source of samples, and which nodes give a vertex its local range; shaders define fetch_sample between
// this file and vertex.h.
#ifndef ARETE_KERNEL_SAMPLE_H
#define ARETE_KERNEL_SAMPLE_H
#include "axis.h"
#include "normal.h"
ARETE_KERNEL_BEGIN

// What a source answers for any fine whole index (gx, gz) at a lod; steps of 0 are holes.
struct Sample {
  AxisPlace x;
  AxisPlace z;
  uint anchor;        // lod-0 steps at the stop: the anchor of distances
  uint drawn;         // steps of the plane that is drawn at this lod (subsample or max)
  int kappa;          // local range, half lods: the greatest of the range nodes that hold it
  Gradient gradient;  // of the drawn plane
};

// Local ranges belong to nodes of 32 quads of the next lod, 2^node_shift fine indices a side. A vertex on the border between
// nodes takes the shortest range of those that touch it: along an axis, from the first to the last of these.
ARETE_FN int first_range_node(int index, int node_shift, int nodes) {
  int before = index > 0 ? (index - 1) >> node_shift : 0;
  return before < nodes ? before : nodes - 1;
}
ARETE_FN int last_range_node(int index, int node_shift, int nodes) {
  int at = index >> node_shift;
  return at < nodes ? at : nodes - 1;
}

ARETE_KERNEL_END
#endif
