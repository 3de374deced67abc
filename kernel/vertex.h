// The vertex function: the place and gradient of a lattice vertex as a node of a given lod draws it.
//
//   V(lod, g) = rest(lod, g)                                   w <= 0
//             = V(lod + 1, g')                                 w >= 1      g' = g on the parent's lattice
//             = rest + (V(lod + 1, g') - rest) w               otherwise
//
// The target is the parent's own vertex function, not its rest place: wherever a leaf lies behind the band of every finer
// lod, all of them compute the leaf's bits, so neighbours of any lods agree and a merge moves nothing. Indices g are
// fine whole indices (lod index << lod). Since the lattices nest, the cascade's index at lod l is lod_index(g, l), and no
// stack is needed.
#ifndef ARETE_KERNEL_VERTEX_H
#define ARETE_KERNEL_VERTEX_H
#include "lattice.h"
#include "morph.h"
#include "normal.h"
#include "sample.h"
ARETE_KERNEL_BEGIN

struct SurfaceVertex {
  float x;  // metres from the frame's anchor
  float y;  // metres
  float z;
  Gradient gradient;
  int is_hole;
};

ARETE_FN SurfaceVertex rest_vertex(FrameConstants frame, Sample at) {
  SurfaceVertex vertex;
  vertex.is_hole = at.drawn == 0u ? 1 : 0;
  uint steps = at.drawn == 0u ? frame.hole_steps : at.drawn;
  vertex.x = at.x.emitted;
  vertex.y = height_m(steps, frame.base_m, frame.step_m);
  vertex.z = at.z.emitted;
  vertex.gradient = at.gradient;
  return vertex;
}

// Both ends valid: per component. One end a hole: the finer one, so that holes keep their shape until the merge.
ARETE_FN SurfaceVertex blend_vertices(SurfaceVertex fine, SurfaceVertex coarse, float weight) {
  if (fine.is_hole + coarse.is_hole != 0) {
    return fine;
  }
  SurfaceVertex vertex;
  vertex.x = blend(fine.x, coarse.x, weight);
  vertex.y = blend(fine.y, coarse.y, weight);
  vertex.z = blend(fine.z, coarse.z, weight);
  vertex.gradient.x = blend(fine.gradient.x, coarse.gradient.x, weight);
  vertex.gradient.z = blend(fine.gradient.z, coarse.gradient.z, weight);
  vertex.is_hole = 0;
  return vertex;
}

ARETE_FN float sample_weight(FrameConstants frame, Sample at, int lod) {
  return morph_weight(frame, at.x.camera_sq, at.z.camera_sq, at.anchor, at.kappa, lod);
}

// V(lod, (gx, gz)) for any fine whole indices, those beyond the rim included. Few vertices climb further than one lod, so
// the first and the last sample of the climb are kept; those between are read again on the way back.
ARETE_SOURCE_FN SurfaceVertex cascade_vertex(ARETE_SOURCE_PARAMETER FrameConstants frame, int lod, int gx, int gz) {
  Sample own = ARETE_FETCH_SAMPLE(frame, lod, gx, gz);
  ARETE_EXACT float own_weight = sample_weight(frame, own, lod);
  int end = lod;
  Sample at = own;
  ARETE_EXACT float weight = own_weight;
  while (weight > 0.0f) {
    end = end + 1;
    at = ARETE_FETCH_SAMPLE(frame, end, gx, gz);
    weight = sample_weight(frame, at, end);
  }
  SurfaceVertex vertex = rest_vertex(frame, at);
  while (end > lod + 1) {
    end = end - 1;
    at = ARETE_FETCH_SAMPLE(frame, end, gx, gz);
    weight = sample_weight(frame, at, end);
    if (weight < 1.0f) {
      SurfaceVertex fine = rest_vertex(frame, at);
      vertex = blend_vertices(fine, vertex, weight);
    }
  }
  if (own_weight > 0.0f && own_weight < 1.0f) {
    SurfaceVertex fine = rest_vertex(frame, own);
    vertex = blend_vertices(fine, vertex, own_weight);
  }
  return vertex;
}

ARETE_FN int corner_lod(int corner_lods, int corner) { return (corner_lods >> (corner + corner)) & 3; }

// Where a node's grid vertex (i, k) is drawn after the edge rule: lod and fine whole indices.
struct DrawnIndex {
  int lod;
  int gx;
  int gz;
};

// The coarse rule: on a stitched edge every vertex is V(lod + 1, the even vertex at or before it, or the rim); a corner is
// V at the coarsest leaf that touches it.
ARETE_FN DrawnIndex drawn_index(FrameConstants frame, NodeRecord node, int i, int k) {
  DrawnIndex drawn;
  drawn.lod = node.lod;
  drawn.gx = (node.x * node.quads + i) << node.lod;
  drawn.gz = (node.z * node.quads + k) << node.lod;
  if ((node.coarse_mask | node.corner_lods) == 0) {
    return drawn;
  }
  int at_west = i == 0 ? 1 : 0;
  int at_east = i == node.quads ? 1 : 0;
  int at_north = k == 0 ? 1 : 0;
  int at_south = k == node.quads ? 1 : 0;
  int along_x = at_north * (node.coarse_mask & kEdgeMinusZ) + at_south * (node.coarse_mask & kEdgePlusZ);
  int along_z = at_east * (node.coarse_mask & kEdgePlusX) + at_west * (node.coarse_mask & kEdgeMinusX);
  if (along_x + along_z != 0) {
    drawn.lod = node.lod + 1;
    // The vertex before the first odd one is the corner, unless the rim holds the odd one.
    at_west = i == 1 && drawn.gx < frame.last_stop_x ? 1 : at_west;
    at_north = k == 1 && drawn.gz < frame.last_stop_z ? 1 : at_north;
  }
  if ((at_west + at_east) * (at_north + at_south) == 1) {
    int corner = at_north == 1 ? (at_west == 1 ? kCornerNorthWest : kCornerNorthEast)
                               : (at_west == 1 ? kCornerSouthWest : kCornerSouthEast);
    drawn.lod = node.lod + corner_lod(node.corner_lods, corner);
  }
  return drawn;
}

ARETE_SOURCE_FN SurfaceVertex node_vertex(ARETE_SOURCE_PARAMETER FrameConstants frame, NodeRecord node, int i, int k) {
  DrawnIndex drawn = drawn_index(frame, node, i, k);
  return cascade_vertex(ARETE_SOURCE_ARGUMENT frame, drawn.lod, drawn.gx, drawn.gz);
}

ARETE_KERNEL_END
#endif
