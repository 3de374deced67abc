// The gradient of a sample of a page along one axis, from the neighbours that the page's apron guarantees.
#ifndef ARETE_KERNEL_PAGE_GRADIENT_H
#define ARETE_KERNEL_PAGE_GRADIENT_H
#include "lattice.h"
#include "normal.h"
ARETE_KERNEL_BEGIN

// The gradient of a sample whose neighbours both stand 2^lod samples away, with the bits of axis_gradient():
// exact_reciprocal() commutes with powers of two. `inverse_half` is exact_reciprocal(half_m).
ARETE_FN float inner_axis_gradient(uint below, uint here, uint above, int lod, float inverse_half, float step_m) {
  int low = below == 0u ? int(here) : int(below);
  int high = above == 0u ? int(here) : int(above);
  int steps_2 = below == 0u || above == 0u ? 1 : 2;  // 2^steps_2 halves of a step lie between the two
  ARETE_EXACT float rise = float(high - low) * step_m;
  ARETE_EXACT float inverse = inverse_half * power_of_two(-lod - steps_2);
  ARETE_EXACT float gradient = rise * inverse;
  return here == 0u ? 0.0f : gradient;
}

// `g` is the sample's fine whole index at `lod`; `below` and `above` are the plane's steps one sample before and after it.
// The field's rim has no neighbour beyond it, whatever the apron repeats there.
ARETE_FN float page_axis_gradient(uint below, uint here, uint above, int g, int lod, int last_stop, int is_area,
                                  float half_m, float inverse_half, float step_m) {
  int step = 1 << lod;
  if (g > step && g < last_stop - step) {
    return inner_axis_gradient(below, here, above, lod, inverse_half, step_m);
  }
  int stop = stop_of(g, last_stop);
  int stop_below = g > 0 ? g - step : stop;
  int stop_above = g < last_stop ? stop_of(g + step, last_stop) : stop;
  return axis_gradient(g > 0 ? below : here, here, g < last_stop ? above : here,
                       stop_half(stop_below, last_stop, is_area), stop_half(stop, last_stop, is_area),
                       stop_half(stop_above, last_stop, is_area), half_m, step_m);
}

ARETE_KERNEL_END
#endif
