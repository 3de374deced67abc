// What is drawn of the leaves: a node entry and an indexed draw each, in order, as far as the pool has room.

void write_node(uint place, int lod, ivec2 at, uint lod_and_edges) {
  uint page = page_entry_of(lod, at);
  NodeEntry entry;
  entry.x = uint(at.x);
  entry.z = uint(at.y);
  entry.lod_and_edges = lod_and_edges;
  entry.pool_slot = view.first_slot + place;
  entry.first_word = pages.at[page].first_word;
  entry.parent = pages.at[page].parent;
  entry.parent_first_word = pages.at[entry.parent].first_word;
  entry.padding = 0u;
  view.nodes.at[place] = entry;
  // On the rim every list but the plain one may leave out what is drawn.
  ivec2 cells = (ivec2(frame.last_stop_x, frame.last_stop_z) + ((1 << lod) - 1)) >> lod;
  bool is_whole = (at.x + 1) * kQuads <= cells.x && (at.y + 1) * kQuads <= cells.y;
  uint mask = is_whole ? (lod_and_edges >> 8) & 15u : 0u;
  Draw draw;
  draw.first_index = first_indices.at[mask];
  draw.indices = first_indices.at[mask + 1u] - draw.first_index;
  draw.instances = 1u;
  draw.vertex_offset = int(entry.pool_slot * slot_vertices);
  draw.first_instance = 0u;
  view.draws.at[place] = draw;
}

// Finishes the listed leaves, each thread one a round; gives how many want to be drawn.
uint draw_leaves(uint listed) {
  uint thread = gl_LocalInvocationID.x;
  uint wanted = 0u;
  for (uint round = 0u; round * kThreads < listed; ++round) {
    uint index = round * kThreads + thread;
    bool is_drawn = false;
    int lod = 0;
    ivec2 at = ivec2(0);
    uint lod_and_edges = 0u;
    if (index < listed) {
      lod = int(view.leaves.at[index].lod_and_edges);
      at = ivec2(view.leaves.at[index].x, view.leaves.at[index].z);
      lod_and_edges = uint(lod) | edges_of(lod, at);
      is_drawn = is_kept(lod, at);
    }
    uint in_round;
    uint drawn = wanted + count_before(round, is_drawn, in_round);
    wanted += in_round;
    if (index < listed) {
      bool has_room = is_drawn && drawn < view.most_drawn;
      view.leaves.at[index].lod_and_edges = lod_and_edges;
      view.leaves.at[index].drawn = has_room ? drawn : kNotDrawn;
      if (has_room) {
        write_node(drawn, lod, at, lod_and_edges);
      }
    }
  }
  return wanted;
}

// The draws from `first` on draw nothing.
void fill_draws(uint first) {
  Draw nothing;
  nothing.indices = 0u;
  nothing.instances = 0u;
  nothing.first_index = 0u;
  nothing.vertex_offset = 0;
  nothing.first_instance = 0u;
  for (uint i = first + gl_LocalInvocationID.x; i < view.most_drawn; i += kThreads) {
    view.draws.at[i] = nothing;
  }
}
