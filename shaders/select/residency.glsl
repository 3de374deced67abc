// What is not resident is merged again, from the coarsest lod downwards, and the cut stays 2:1.

uint page_entry_of(int lod, ivec2 node) {
  LodWindow window = windows[lod];
  ivec2 page = (node >> kPageShift) - ivec2(window.pages_x, window.pages_z);
  if (page.x < 0 || page.y < 0 || page.x >= window.pages_w || page.y >= window.pages_d) {
    return kNoPage;
  }
  return view.directory.at[window.pages_first + page.y * window.pages_w + page.x];
}

// Whether a node that asks to be split may be: its parent is, so are the parent's neighbours beside it, and its children
// can be drawn.
bool may_be_split(int lod, ivec2 at) {
  ivec2 parent = at >> 1;
  ivec2 outward = 2 * (at & 1) - 1;
  ivec2 beside_x = parent + ivec2(outward.x, 0);
  ivec2 beside_z = parent + ivec2(0, outward.y);
  if (lod < coarsest) {
    if (!is_split(lod + 1, parent)) {
      return false;
    }
    if (is_in_field(lod + 1, beside_x) && !is_split(lod + 1, beside_x)) {
      return false;
    }
    if (is_in_field(lod + 1, beside_z) && !is_split(lod + 1, beside_z)) {
      return false;
    }
  }
  for (int child = 0; child < 4; ++child) {
    ivec2 below = 2 * at + ivec2(child & 1, child >> 1);
    if (is_in_field(lod - 1, below) && page_entry_of(lod - 1, below) == kNoPage) {
      return false;
    }
  }
  return true;
}

void merge_missing() {
  const int cells = 1 << (2 * side_shift);
  for (int lod = coarsest; lod >= 1; --lod) {
    for (int i = int(gl_LocalInvocationID.x); i < cells; i += int(kThreads)) {
      ivec2 in_window = in_window_of(i);
      ivec2 at = origin_of(lod) + in_window;
      if (is_split(lod, at) && !may_be_split(lod, at)) {
        mark_whole(lod, in_window);
      }
    }
    barrier();
  }
}
