// Which nodes of the windows are split: a bit each, shared by the workgroup.

shared LodWindow windows[kLods];
const int kRowWords = kMostSide / 32;
shared uint split_bits[kLods * kMostSide * kRowWords];

ivec2 origin_of(int lod) { return ivec2(windows[lod].x, windows[lod].z); }
bool is_in_field(int lod, ivec2 at) {
  return at.x >= 0 && at.y >= 0 && at.x < windows[lod].nodes_x && at.y < windows[lod].nodes_z;
}
int word_of(int lod, ivec2 in_window) { return (lod * kMostSide + in_window.y) * kRowWords + (in_window.x >> 5); }

// Roots are the children of nodes that are split always.
bool is_split(int lod, ivec2 at) {
  if (lod > coarsest) {
    return true;
  }
  ivec2 in_window = at - origin_of(lod);
  int side = 1 << side_shift;
  if (lod == 0 || in_window.x < 0 || in_window.y < 0 || in_window.x >= side || in_window.y >= side) {
    return false;
  }
  return ((split_bits[word_of(lod, in_window)] >> (in_window.x & 31)) & 1u) != 0u;
}
void mark_split(int lod, ivec2 in_window) {
  atomicOr(split_bits[word_of(lod, in_window)], 1u << (in_window.x & 31));
}
void mark_whole(int lod, ivec2 in_window) {
  atomicAnd(split_bits[word_of(lod, in_window)], ~(1u << (in_window.x & 31)));
}

// Row-major places of a window.
ivec2 in_window_of(int place) { return ivec2(place & ((1 << side_shift) - 1), place >> side_shift); }

void clear_splits() {
  for (uint i = gl_LocalInvocationID.x; i < uint(kLods); i += kThreads) {
    windows[i] = view.windows.at[i];
  }
  for (uint i = gl_LocalInvocationID.x; i < uint(kLods * kMostSide * kRowWords); i += kThreads) {
    split_bits[i] = 0u;
  }
}
