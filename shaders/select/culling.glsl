// Culling as cull.h has it, with room for the rounding of f32: a node is kept when it, or what its vertices may slide to,
// may be seen.

bool is_outside(int lod, ivec2 at) {
  Span x = span_of(lod, at.x, frame.last_stop_x);
  Span z = span_of(lod, at.y, frame.last_stop_z);
  NodeRange range = range_of(lod, at);
  vec3 low = vec3(offset_x(x.first), offset_y(range.min_max & 0xffffu), offset_z(z.first));
  vec3 high =
      vec3(offset_x(x.last), offset_y(kHasMax == 1 ? range.top_split & 0xffffu : range.min_max >> 16), offset_z(z.last));
  for (uint i = 0u; i < view.planes; ++i) {
    vec4 plane = view.frustum.at[i];
    vec3 farthest = max(plane.xyz * low, plane.xyz * high);
    vec3 terms = max(abs(plane.xyz * low), abs(plane.xyz * high));
    float room = 2e-6f * (terms.x + terms.y + terms.z + abs(plane.w));
    if (farthest.x + farthest.y + farthest.z + plane.w < -room) {
      return true;
    }
  }
  return false;
}

int kappa_at(int lod, int gx, int gz) {
  if (kHasKappa == 0) {
    return 0;
  }
  int nodes_x = int(kappas.at[3 * lod + 1]);
  int nodes_z = int(kappas.at[3 * lod + 2]);
  uint of_node = kappas.at[kappas.at[3 * lod] + uint(min(gz >> (lod + 5), nodes_z - 1) * nodes_x +
                                                      min(gx >> (lod + 5), nodes_x - 1))];
  int between = (64 << lod) - 1;
  int shift = ((gx & between) == 0 ? 8 : 0) + ((gz & between) == 0 ? 16 : 0);
  return int((of_node >> shift) & 0xffu);
}

float farther(float a, float b) { return max(abs(a), abs(b)); }

// Whether a vertex of the node may slide from `reached_lod` to the lod above it.
bool may_leave(int lod, ivec2 at, int reached_lod) {
  if (reached_lod >= coarsest) {
    return false;
  }
  Span x = span_of(lod, at.x, frame.last_stop_x);
  Span z = span_of(lod, at.y, frame.last_stop_z);
  NodeRange range = range_of(lod, at);
  ARETE_EXACT float far_x = farther(offset_x(x.first), offset_x(x.last));
  ARETE_EXACT float far_z = farther(offset_z(z.first), offset_z(z.last));
  ARETE_EXACT float far_y = farther(offset_y(range.min_max & 0xffffu), offset_y(range.min_max >> 16));
  ARETE_EXACT float far_sq = distance_sq(far_x, far_y, far_z);
  int side = kQuads << lod;
  ivec2 low = ivec2(stop_of(at.x * side, frame.last_stop_x), stop_of(at.y * side, frame.last_stop_z));
  ivec2 high = ivec2(stop_of(at.x * side + side, frame.last_stop_x), stop_of(at.y * side + side, frame.last_stop_z));
  int kappa = max(max(kappa_at(reached_lod, low.x, low.y), kappa_at(reached_lod, high.x, low.y)),
                  max(kappa_at(reached_lod, low.x, high.y), kappa_at(reached_lod, high.x, high.y)));
  ARETE_EXACT float scaled = scaled_distance_sq(far_sq, kappa, reached_lod);
  return scaled > frame.morph_start_sq;
}

bool is_kept(int lod, ivec2 at) {
  int reached = lod + findMSB(kQuads);
  while (is_outside(lod, at)) {
    if (!may_leave(lod, at, reached)) {
      return false;
    }
    lod = lod + 1;
    reached = reached + 1;
    at = at >> 1;
  }
  return true;
}
