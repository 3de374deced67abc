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

// The index of lod `lod` that stands for fine whole index `index`: the one at or before it, except that the field's last
// stop stays on the lattice of every lod, as the first index that clamps to it. So the lattices nest for sizes that no
// power of two divides, the rim never slides inwards, and all indices beyond it are one vertex.
ARETE_FN int lod_index(int index, int lod, int last_stop) {
  int low_bits = (1 << lod) - 1;
  int at = index < last_stop ? index : last_stop + low_bits;
  return at & ~low_bits;
}

ARETE_KERNEL_END
#endif
