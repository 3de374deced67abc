// The leaves of the split nodes in the order (lod, Morton): a window is four blocks whose nodes are numbered in that order.

int even_bits(int bits) {
  bits &= 0x5555;
  bits = (bits | bits >> 1) & 0x3333;
  bits = (bits | bits >> 2) & 0x0f0f;
  return (bits | bits >> 4) & 0xff;
}

// The node at a place of a window in Morton order.
ivec2 node_at(int lod, int place) {
  int block = (windows[lod].order >> (2 * (place >> (2 * view.block_shift)))) & 3;
  int inner = place & ((1 << (2 * view.block_shift)) - 1);
  return origin_of(lod) + (ivec2(block & 1, block >> 1) << view.block_shift) +
         ivec2(even_bits(inner), even_bits(inner >> 1));
}

// Candidates in the cut's order: for each lod the parents of its leaves; for the coarsest the roots themselves. Bits of
// the leaves.
int leaves_of(int lod, ivec2 at) {
  if (lod == coarsest) {
    return is_in_field(lod, at) && !is_split(lod, at) ? 1 : 0;
  }
  if (!is_split(lod + 1, at)) {
    return 0;
  }
  int leaves = 0;
  for (int child = 0; child < 4; ++child) {
    ivec2 below = 2 * at + ivec2(child & 1, child >> 1);
    if (is_in_field(lod, below) && !is_split(lod, below)) {
      leaves |= 1 << child;
    }
  }
  return leaves;
}

// Lists the leaves of the view, each thread those of a run of candidates; gives their count, which may be more than are
// listed.
uint list_leaves() {
  const int cells = 1 << (2 * side_shift);
  int candidates = kLods * cells;
  int run = (candidates + int(kThreads) - 1) / int(kThreads);
  int first = min(int(gl_LocalInvocationID.x) * run, candidates);
  int end = min(first + run, candidates);
  uint count = 0u;
  for (int i = first; i < end; ++i) {
    int lod = i >> (2 * side_shift);
    int window_lod = min(lod + 1, coarsest);
    count += uint(bitCount(leaves_of(lod, node_at(window_lod, i & (cells - 1)))));
  }
  uint nodes;
  uint place = sum_before(count, nodes);
  for (int i = first; i < end; ++i) {
    int lod = i >> (2 * side_shift);
    int window_lod = min(lod + 1, coarsest);
    ivec2 at = node_at(window_lod, i & (cells - 1));
    int leaves = leaves_of(lod, at);
    for (int child = 0; child < 4; ++child) {
      if (((leaves >> child) & 1) != 0 && place < view.most_leaves) {
        ivec2 leaf = lod == coarsest ? at : 2 * at + ivec2(child & 1, child >> 1);
        view.leaves.at[place].x = uint(leaf.x);
        view.leaves.at[place].z = uint(leaf.y);
        view.leaves.at[place].lod_and_edges = uint(lod);
        ++place;
      }
    }
  }
  memoryBarrierBuffer();
  barrier();
  return nodes;
}
