// Where nodes stand from the camera, and which ask to be split: the f32 expressions of kernel/morph.h, as the CPU's
// select_cut has them.

NodeRange range_of(int lod, ivec2 at) {
  NodeRange range;
  if (coarsest == 0) {
    range.min_max = view.field_steps;
    range.top_split = view.field_steps >> 16;
    return range;
  }
  int table_lod = max(lod, 1);
  ivec2 entry = (lod == 0 ? at >> 1 : at) >> kRangeShift;
  LodWindow window = windows[table_lod];
  return ranges.at[window.ranges_first + entry.y * window.ranges_w + entry.x];
}

// The node's stops, [first, last] along each axis, in half texels.
struct Span {
  int first;
  int last;
};
Span span_of(int lod, int index, int last_stop) {
  Span span;
  int side = kQuads << lod;
  span.first = stop_half(stop_of(index * side, last_stop), last_stop, frame.is_area);
  span.last = stop_half(stop_of(index * side + side, last_stop), last_stop, frame.is_area);
  return span;
}

float offset_x(int half_place) {
  return camera_offset(half_place, frame.camera_half_x, frame.half_x_m, frame.camera_rest_x);
}
float offset_z(int half_place) {
  return camera_offset(half_place, frame.camera_half_z, frame.half_z_m, frame.camera_rest_z);
}
float offset_y(uint steps) {
  ARETE_EXACT float height = height_m(steps, frame.base_m, frame.step_m);
  ARETE_EXACT float offset = height - frame.camera_y;
  return offset;
}

float lagged_nearest(float low, float high) {
  ARETE_EXACT float lagged_low = low - view.lag_m;
  ARETE_EXACT float lagged_high = high + view.lag_m;
  return nearest_offset(lagged_low, lagged_high);
}

bool asks_to_split(int lod, ivec2 at) {
  Span x = span_of(lod, at.x, frame.last_stop_x);
  Span z = span_of(lod, at.y, frame.last_stop_z);
  NodeRange range = range_of(lod, at);
  ARETE_EXACT float x_low = offset_x(x.first);
  ARETE_EXACT float x_high = offset_x(x.last);
  ARETE_EXACT float z_low = offset_z(z.first);
  ARETE_EXACT float z_high = offset_z(z.last);
  ARETE_EXACT float y_low = offset_y(range.min_max & 0xffffu);
  ARETE_EXACT float y_high = offset_y(range.min_max >> 16);
  ARETE_EXACT float near_x = lagged_nearest(x_low, x_high);
  ARETE_EXACT float near_y = lagged_nearest(y_low, y_high);
  ARETE_EXACT float near_z = lagged_nearest(z_low, z_high);
  ARETE_EXACT float near_sq = distance_sq(near_x, near_y, near_z);
  ARETE_EXACT float scaled = scaled_distance_sq(near_sq, int(range.top_split >> 16), lod - 1);
  return scaled < view.select_sq;
}

// Marks the nodes of all windows that ask to be split.
void ask_all() {
  const int cells = 1 << (2 * side_shift);
  for (int i = int(gl_LocalInvocationID.x); i < coarsest * cells; i += int(kThreads)) {
    int lod = 1 + (i >> (2 * side_shift));
    ivec2 in_window = in_window_of(i & (cells - 1));
    ivec2 at = origin_of(lod) + in_window;
    if (is_in_field(lod, at) && asks_to_split(lod, at)) {
      mark_split(lod, in_window);
    }
  }
  barrier();
}
