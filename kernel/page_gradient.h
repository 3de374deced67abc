// The gradient of a sample of a page along one axis, from the neighbours that the page's apron guarantees.
#ifndef ARETE_KERNEL_PAGE_GRADIENT_H
#define ARETE_KERNEL_PAGE_GRADIENT_H
#include "axis.h"
#include "normal.h"
ARETE_KERNEL_BEGIN

// `g` is the sample's fine whole index at `lod`; `below` and `above` are the plane's steps one sample before and after it.
// The field's rim has no neighbour beyond it, whatever the apron repeats there.
ARETE_FN float page_axis_gradient(FrameAxis axis, int lod, int g, uint below, uint here, uint above, float step_m) {
  int stop = stop_of(g, axis.last_stop);
  int stop_below = g > 0 ? g - (1 << lod) : stop;
  int stop_above = g < axis.last_stop ? stop_of(g + (1 << lod), axis.last_stop) : stop;
  return axis_gradient(g > 0 ? below : here, here, g < axis.last_stop ? above : here,
                       stop_half(stop_below, axis.last_stop, axis.is_area),
                       stop_half(stop, axis.last_stop, axis.is_area),
                       stop_half(stop_above, axis.last_stop, axis.is_area), axis.half_m, step_m);
}

// page_axis_gradient() of a sample whose neighbours lie inside the rim, both a whole step away: the same bits without a
// reciprocal of its own, for exact_reciprocal() commutes with powers of two.
ARETE_FN float inside_gradient(FrameAxis axis, int lod, uint below, uint here, uint above, float step_m) {
  int low = below == 0u ? int(here) : int(below);
  int high = above == 0u ? int(here) : int(above);
  ARETE_EXACT float rise = float(high - low) * step_m;
  ARETE_EXACT float inverse = axis.inverse_half * power_of_two(-lod - 2);
  ARETE_EXACT float one_sided = inverse + inverse;
  inverse = below == 0u || above == 0u ? one_sided : inverse;
  ARETE_EXACT float gradient = rise * inverse;
  return here == 0u ? 0.0f : gradient;
}

ARETE_KERNEL_END
#endif
