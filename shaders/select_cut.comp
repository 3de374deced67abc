#version 460
// Selects the cuts of views from the node bounds on the device: one workgroup is one view.
//
// A node of lod >= 1 asks to be split by the f32 expressions of kernel/morph.h, as the CPU's select_cut does. Wherever it
// may, it lies in a square window of its lod (view_reach.h), so all nodes are asked at once; then the 2:1 closure runs from the
// finest lod upwards and what is not resident is merged again from the coarsest downwards, a lod a step. What is left
// split gives the leaves in the order (lod, Morton): a window is four blocks whose nodes are numbered in that order. At
// last each leaf gets its edge rule, is culled, and, if it is drawn, becomes a node entry and an indexed draw.
#extension GL_EXT_buffer_reference : require
#ifdef ARETE_ROUND_TO_NEAREST
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
#endif

#include "kernel/layout.h"
#include "kernel/lattice.h"
#include "kernel/morph.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kThreads = 1024;
layout(constant_id = 1) const int kQuads = 32;
layout(constant_id = 2) const int kHasMax = 0;
layout(constant_id = 3) const int kHasKappa = 0;
layout(constant_id = 4) const int kLods = 10;
layout(constant_id = 5) const int kMostSide = 64;   // nodes a side of a window, a multiple of 32
layout(constant_id = 6) const int kRangeShift = 0;  // nodes to entries of the range table
layout(constant_id = 7) const int kPageShift = 2;   // nodes to pages

// A lod's window: nodes [x, x + side) x [z, z + side), four blocks in `order`, two bits each: 1 east, 2 south.
struct LodWindow {
  int x;
  int z;
  int order;
  int nodes_x;       // in the field
  int nodes_z;
  int pages_first;   // entries of resident pages, row-major over pages_w x pages_d pages from (pages_x, pages_z)
  int pages_x;
  int pages_z;
  int pages_w;
  int pages_d;
  int ranges_first;  // the first node range of the lod
  int ranges_w;
};

// Heights and the split range of nodes (node_ranges.h), holes replaced.
struct NodeRange {
  uint min_max;    // min | max << 16, steps
  uint top_split;  // top | split << 16
};

// A leaf of the cut, in order.
struct Leaf {
  uint x;
  uint z;
  uint lod_and_edges;  // lod, coarse edges from bit 8 on, corner lods from bit 16 on
  uint drawn;          // which draw is the node's; kNotDrawn when it is culled or the pool is full
};
const uint kNotDrawn = 0xffffffffu;

// As node_vertices.comp reads it.
struct NodeEntry {
  uint x;
  uint z;
  uint lod_and_edges;
  uint pool_slot;
  uint first_word;
  uint parent_first_word;
  uint parent;
  uint padding;
};
struct PageEntry {
  uint first_word;
  uint parent;
};
const uint kNoPage = 0xffffffffu;

// VkDrawIndexedIndirectCommand
struct Draw {
  uint indices;
  uint instances;
  uint first_index;
  int vertex_offset;
  uint first_instance;
};

struct Counts {
  uint nodes;   // of the cut
  uint wanted;  // drawn, had the pool room for all
  uint drawn;
  uint groups;  // of the build: VkDispatchIndirectCommand
  uint groups_y;
  uint groups_z;
};

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Windows { LodWindow at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Ranges { NodeRange at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Pages { PageEntry at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Planes { vec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) coherent buffer Leaves { Leaf at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Nodes { NodeEntry at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Draws { Draw at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer CountsOut { Counts counts; };

struct View {
  FrameConstants frame;
  float lag_m;
  float select_sq;
  uint first_slot;   // of the vertex pool
  uint most_drawn;
  uint most_leaves;
  int block_shift;   // a window's side is 2 << block_shift nodes
  uint planes;       // of the frustum
  uint field_steps;  // least | greatest << 16
  Windows windows;
  Words directory;
  Planes frustum;    // metres from the camera
  Leaves leaves;
  Nodes nodes;
  Draws draws;
  CountsOut counts;
  CountsOut status;  // the same on the host, for a frame to come
};
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Views { View at[]; };

layout(push_constant) uniform Select {
  Views views;
  Ranges ranges;
  Words kappas;        // as node_vertices.comp reads them
  Words first_indices; // of the index list of each mask, and the end of the last one
  Pages pages;
  uint slot_vertices;
  uint groups_a_node;
  uint are_pages_missing;  // 0: all that the views may read are resident
  uint padding;
};

View view;
FrameConstants frame;
int coarsest;
int side_shift;

// ---- Split nodes ----

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

// ---- Distances ----

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

// ---- The 2:1 closure, and what is resident ----

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

// ---- Leaves ----

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

// How many lods coarser than `lod` the leaf is that lies where a node of it would, beyond the node's own parent.
uint coarser_at(int lod, ivec2 at) {
  if (!is_in_field(lod, at)) {
    return 0u;
  }
  if (is_split(lod + 1, at >> 1)) {
    return 0u;
  }
  return is_split(lod + 2, at >> 2) ? 1u : 2u;
}

// Coarse edges from bit 8 on, corner lods from bit 16 on.
uint edges_of(int lod, ivec2 at) {
  ivec2 outward = 2 * (at & 1) - 1;
  uint beside_x = coarser_at(lod, at + ivec2(outward.x, 0));
  uint beside_z = coarser_at(lod, at + ivec2(0, outward.y));
  uint across = coarser_at(lod, at + outward);
  bool is_east = outward.x > 0;
  bool is_south = outward.y > 0;
  int outer = is_south ? (is_east ? kCornerSouthEast : kCornerSouthWest)
                       : (is_east ? kCornerNorthEast : kCornerNorthWest);
  uint mask = beside_z * uint(is_south ? kEdgePlusZ : kEdgeMinusZ) | beside_x * uint(is_east ? kEdgePlusX : kEdgeMinusX);
  uint corners = max(max(beside_x, beside_z), across) << (2 * outer) | beside_z << (2 * (outer ^ 1)) |
                 beside_x << (2 * (3 - outer));
  return mask << 8 | corners << 16;
}

// ---- Culling (cull.h), with room for the rounding of f32 ----

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

// ---- The whole ----

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

shared uint sums[kThreads];
shared uint group_sums[32];
const uint kGroup = kThreads / 32u;

// The sum over the threads before this one; `total` is that over all.
uint sum_before(uint value, out uint total) {
  uint thread = gl_LocalInvocationID.x;
  sums[thread] = value;
  barrier();
  if (thread < 32u) {
    uint sum = 0u;
    for (uint i = 0u; i < kGroup; ++i) {
      sum += sums[thread * kGroup + i];
    }
    group_sums[thread] = sum;
  }
  barrier();
  uint group = thread / kGroup;
  uint before = 0u;
  total = 0u;
  for (uint i = 0u; i < 32u; ++i) {
    uint sum = group_sums[i];
    before += i < group ? sum : 0u;
    total += sum;
  }
  for (uint i = group * kGroup; i < thread; ++i) {
    before += sums[i];
  }
  return before;
}

// A bit for each thread of a round; three sets take turns, so that one barrier a round is enough.
const uint kFlagWords = (kThreads + 31u) / 32u;
shared uint flags[3u * kFlagWords];

// How many threads before this one, and how many in all, say so in this round.
uint count_before(uint round, bool says, out uint total) {
  uint thread = gl_LocalInvocationID.x;
  uint first = round % 3u * kFlagWords;
  if (says) {
    atomicOr(flags[first + thread / 32u], 1u << (thread & 31u));
  }
  barrier();
  uint before = 0u;
  total = 0u;
  for (uint i = 0u; i < kFlagWords; ++i) {
    uint count = uint(bitCount(flags[first + i]));
    before += i < thread / 32u ? count : 0u;
    total += count;
  }
  before += uint(bitCount(flags[first + thread / 32u] & ((1u << (thread & 31u)) - 1u)));
  if (thread < kFlagWords) {
    flags[(round + 2u) % 3u * kFlagWords + thread] = 0u;
  }
  return before;
}

void main() {
  uint thread = gl_LocalInvocationID.x;
  view = views.at[gl_WorkGroupID.x];
  frame = view.frame;
  coarsest = kLods - 1;
  side_shift = view.block_shift + 1;
  const int side = 1 << side_shift;
  const int cells = side * side;
  for (uint i = thread; i < 3u * kFlagWords; i += kThreads) {
    flags[i] = 0u;
  }
  for (uint i = thread; i < uint(kLods); i += kThreads) {
    windows[i] = view.windows.at[i];
  }
  for (uint i = thread; i < uint(kLods * kMostSide * kRowWords); i += kThreads) {
    split_bits[i] = 0u;
  }
  barrier();
  for (int i = int(thread); i < coarsest * cells; i += int(kThreads)) {
    int lod = 1 + (i >> (2 * side_shift));
    ivec2 in_window = ivec2(i & (side - 1), (i >> side_shift) & (side - 1));
    ivec2 at = origin_of(lod) + in_window;
    if (is_in_field(lod, at) && asks_to_split(lod, at)) {
      atomicOr(split_bits[word_of(lod, in_window)], 1u << (in_window.x & 31));
    }
  }
  barrier();
  for (int lod = 2; lod <= coarsest; ++lod) {
    for (int i = int(thread); i < cells; i += int(kThreads)) {
      ivec2 in_window = ivec2(i & (side - 1), i >> side_shift);
      ivec2 at = origin_of(lod) + in_window;
      if (is_in_field(lod, at) && !is_split(lod, at) && must_be_split(lod, at)) {
        atomicOr(split_bits[word_of(lod, in_window)], 1u << (in_window.x & 31));
      }
    }
    barrier();
  }
  for (int lod = are_pages_missing != 0u ? coarsest : 0; lod >= 1; --lod) {
    for (int i = int(thread); i < cells; i += int(kThreads)) {
      ivec2 in_window = ivec2(i & (side - 1), i >> side_shift);
      ivec2 at = origin_of(lod) + in_window;
      if (is_split(lod, at) && !may_be_split(lod, at)) {
        atomicAnd(split_bits[word_of(lod, in_window)], ~(1u << (in_window.x & 31)));
      }
    }
    barrier();
  }

  // Each thread lists the leaves of a run of candidates.
  int candidates = kLods * cells;
  int run = (candidates + int(kThreads) - 1) / int(kThreads);
  int first = min(int(thread) * run, candidates);
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

  // Each thread looks after one leaf a round.
  uint listed = min(nodes, view.most_leaves);
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
  uint drawn = min(wanted, view.most_drawn);
  for (uint i = drawn + thread; i < view.most_drawn; i += kThreads) {
    Draw nothing;
    nothing.indices = 0u;
    nothing.instances = 0u;
    nothing.first_index = 0u;
    nothing.vertex_offset = 0;
    nothing.first_instance = 0u;
    view.draws.at[i] = nothing;
  }
  if (thread == 0u) {
    Counts counts;
    counts.nodes = nodes;
    counts.wanted = wanted;
    counts.drawn = drawn;
    counts.groups = drawn * groups_a_node;
    counts.groups_y = 1u;
    counts.groups_z = 1u;
    view.counts.counts = counts;
    view.status.counts = counts;
  }
}
