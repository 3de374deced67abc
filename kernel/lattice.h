// Stops: the lattice lines of a field, counted in half texels along one axis.
//
// Point registration: a sample stands on every stop, stop j at half-texel 2j. Area registration: the field's two edges
// and its W texel centres, W+2 stops at 0, 1, 3, ..., 2W-1, 2W, so that border cells are half as wide; an edge stop
// repeats its nearest texel. Stop indices beyond the last clamp to it, which gives triangles without area.
#ifndef ARETE_KERNEL_LATTICE_H
#define ARETE_KERNEL_LATTICE_H
#include "dialect.h"
ARETE_KERNEL_BEGIN

// The stop that fine whole index `index` stands on; `last_stop` is the axis's greatest stop.
ARETE_FN int stop_of(int index, int last_stop) { return index < last_stop ? index : last_stop; }

// The place of `stop` in half texels; `is_area` is 1 for area registration, 0 for point.
ARETE_FN int stop_half(int stop, int last_stop, int is_area) {
  int doubled = stop + stop;
  if (is_area == 0 || stop == 0) {
    return doubled;
  }
  return stop == last_stop ? doubled - 2 : doubled - 1;
}

// The index that index `i` of lod `lod` becomes on the lattice of the next coarser lod, in fine whole indices.
ARETE_FN int parent_index(int index, int lod) { return index & ~((2 << lod) - 1); }

ARETE_KERNEL_END
#endif
