// The stop nearest to a place of a rect's grid, for one field drawn through an arbitrary rect.
//
// Places are whole numbers of 1/Q texel, Q = 2^q: P(g) = P0 + g D for fine whole index g. Ties go to the greater stop.
// The closed forms equal the nearest-stop definition and are monotone in P (tests: property/lattice_test).
#ifndef ARETE_KERNEL_RECT_H
#define ARETE_KERNEL_RECT_H
#include "lattice.h"
ARETE_KERNEL_BEGIN

// `place` in 1/2^q texel from the field's edge (area) or first sample (point); `texels` is the axis's W >= 1.
ARETE_FN int nearest_stop(int64 place, int q, int texels, int is_area) {
  int64 unit = int64(1) << q;
  int64 last_texel = int64(texels - 1);
  if (is_area == 0) {
    int64 nearest = (place + place + unit) >> (q + 1);
    nearest = nearest < int64(0) ? int64(0) : nearest;
    nearest = nearest > last_texel ? last_texel : nearest;
    return int(nearest);
  }
  int64 quadrupled = place * int64(4);
  if (quadrupled < unit) {
    return 0;
  }
  if (quadrupled >= (int64(4) * int64(texels) - int64(1)) * unit) {
    return texels + 1;
  }
  int64 texel = place >> q;
  texel = texel < int64(0) ? int64(0) : texel;
  texel = texel > last_texel ? last_texel : texel;
  return 1 + int(texel);
}

ARETE_KERNEL_END
#endif
