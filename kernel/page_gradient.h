// The gradient of a sample of a page along one axis, from the neighbours that the page's apron guarantees.
#ifndef ARETE_KERNEL_PAGE_GRADIENT_H
#define ARETE_KERNEL_PAGE_GRADIENT_H
#include "lattice.h"
#include "normal.h"
ARETE_KERNEL_BEGIN

// `g` is the sample's fine whole index at `lod`; `below` and `above` are the plane's steps one sample before and after it.
// The field's rim has no neighbour beyond it, whatever the apron repeats there.
ARETE_FN float page_axis_gradient(uint below, uint here, uint above, int g, int lod, int last_stop, int is_area,
                                  float half_m, float step_m) {
  int stop = stop_of(g, last_stop);
  int stop_below = g > 0 ? g - (1 << lod) : stop;
  int stop_above = g < last_stop ? stop_of(g + (1 << lod), last_stop) : stop;
  return axis_gradient(g > 0 ? below : here, here, g < last_stop ? above : here,
                       stop_half(stop_below, last_stop, is_area), stop_half(stop, last_stop, is_area),
                       stop_half(stop_above, last_stop, is_area), half_m, step_m);
}

ARETE_KERNEL_END
#endif
