// The 2:1 closure, from the finest lod upwards: no leaf beside one of more than a lod coarser.

// Whether a child of the node is split, or one that shares an edge with a child from outside.
bool must_be_split(int lod, ivec2 at) {
  for (int z = -1; z <= 2; ++z) {
    for (int x = -1; x <= 2; ++x) {
      bool is_corner = (x < 0 || x > 1) && (z < 0 || z > 1);
      if (!is_corner && is_split(lod - 1, 2 * at + ivec2(x, z))) {
        return true;
      }
    }
  }
  return false;
}

void close_splits() {
  const int cells = 1 << (2 * side_shift);
  for (int lod = 2; lod <= coarsest; ++lod) {
    for (int i = int(gl_LocalInvocationID.x); i < cells; i += int(kThreads)) {
      ivec2 in_window = in_window_of(i);
      ivec2 at = origin_of(lod) + in_window;
      if (is_in_field(lod, at) && !is_split(lod, at) && must_be_split(lod, at)) {
        mark_split(lod, in_window);
      }
    }
    barrier();
  }
}
