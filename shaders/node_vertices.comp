#version 460
// Builds the vertices of a cut's nodes in the vertex pool: a workgroup builds a part of one node's slot, one thread one
// vertex at a time.
//
// A thread places its vertex by the kernel's vertex function from the resident pages, and leaves its words in shared
// memory; then the workgroup stores them as aligned words of 16 bytes. A node's slot is a whole number of four vertices.
// Vertices behind a slot's last one are zero.
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_control_flow_attributes : require
#ifdef ARETE_ROUND_TO_NEAREST
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
#endif

#include "kernel/layout.h"
#include "kernel/page_gradient.h"
#include "kernel/sample.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kThreads = 128;  // a multiple of 4
layout(constant_id = 1) const int kQuads = 32;
layout(constant_id = 2) const int kHasMax = 0;      // 1: slots hold a max plane, which lods >= 1 draw
layout(constant_id = 3) const int kHasKappa = 0;    // 0: every local range is the global one
layout(constant_id = 4) const int kStride = 23;     // the vertex layout (kernel/layout.h)
layout(constant_id = 5) const int kPosition = 0;
layout(constant_id = 6) const int kNormal = 3;
layout(constant_id = 7) const int kTangent = 6;
layout(constant_id = 8) const int kUv0 = 10;
layout(constant_id = 9) const int kUv1 = 12;
layout(constant_id = 10) const int kColour = 14;
layout(constant_id = 11) const int kPackedNormal = -1;
layout(constant_id = 12) const uint kUnclaimed = 0x7f8000u;  // a bit for each word that no attribute claims
layout(constant_id = 13) const int kStaged = 1;              // 0: threads store their own words, to compare
layout(constant_id = 14) const uint kPasses = 9;             // vertices a thread builds
layout(constant_id = 16) const uint kStagers = 64;            // threads whose words are staged at a time: divides kThreads, a multiple of 4
layout(constant_id = 15) const uint kParts = 1;              // workgroups a node: kParts kPasses kThreads >= its slot

const uint kPlaneStride = 131u;                  // a page's row of samples, apron included
const uint kPlaneWords = 131u * 131u / 2u + 1u;  // u16 pairs
const uint kMostWords = 0x3fffffffu;             // of the atlas: offsets in bytes fit 32 bits
const int kPageShift = 7;                        // 128 cells a side
const int kRangeNodeShift = 5;                   // 32 quads a side of the nodes that local ranges are listed for

struct NodeEntry {
  uint x;                  // in nodes of its lod
  uint z;
  uint lod_and_edges;      // lod, coarse edges from bit 8 on, corner lods from bit 16 on
  uint pool_slot;
  uint first_word;         // of its page's planes in the atlas
  uint parent_first_word;  // likewise for the page one lod coarser
  uint parent;             // the entry of that page, from where the cascade may climb on
  uint padding;
};

// A resident page of the cut.
struct PageEntry {
  uint first_word;
  uint parent;
};

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Nodes { NodeEntry at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Pages { PageEntry at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Pool { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer PoolWords { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Buffers {
  Words atlas;
  Words kappas;  // for each lod: first word, nodes along x and along z; then a word a node
  Nodes nodes;
  Pages pages;
  Pool pool;
};

layout(push_constant) uniform Dispatch {
  FrameConstants constants;
  Buffers buffers;
  uint first_group;  // of this dispatch, counted over all nodes' parts
};

Words atlas;
NodeRecord node;
uint parent_page;
// Whether all that the node's lod and the lod above ask for lies inside the field's rim.
bool is_inner;
// Where sample (0, 0) of the field would stand, in u16 from the atlas's start, were the pages of the node's lod and of
// the lod above boundless; modulo 2^32.
uint own_origin;
uint parent_origin;
uint own_kappas;
uint parent_kappas;

uint page_origin(int up, uint first_word) {
  int shift = kPageShift + up;
  int first_x = ((node.x * kQuads) >> shift) << kPageShift;
  int first_z = ((node.z * kQuads) >> shift) << kPageShift;
  return 2u * first_word - uint(first_z - 1) * kPlaneStride - uint(first_x - 1);
}

uint origin_of(int lod) {
  int up = lod - node.lod;
  if (up <= 1) {
    return up == 0 ? own_origin : parent_origin;
  }
  uint page = parent_page;
  for (int step = 1; step < up; ++step) {
    page = buffers.pages.at[page].parent;
  }
  return page_origin(up, buffers.pages.at[page].first_word);
}

// A sample's steps and its neighbours'.
struct Cross {
  uint here;
  uint west;
  uint east;
  uint north;
  uint south;
};

uint word_at(uint index) { return atlas.at[index & kMostWords]; }

// The cross of the sample at `place`, in u16 from the atlas's start: four words hold it, for rows of a plane begin at
// even and at odd places by turns.
Cross cross_at(uint place) {
  uint pair = (place + 1u) >> 1;
  uint west = word_at(pair - 1u);
  uint east = word_at(pair);
  uint north = word_at(pair - 66u);
  uint south = word_at(pair + 65u);
  bool is_odd = (place & 1u) == 1u;
  uint shift = is_odd ? 16u : 0u;
  uint other = 16u - shift;
  Cross cross;
  cross.here = ((is_odd ? west : east) >> shift) & 0xffffu;
  cross.west = (west >> other) & 0xffffu;
  cross.east = (east >> other) & 0xffffu;
  cross.north = (north >> other) & 0xffffu;
  cross.south = (south >> other) & 0xffffu;
  return cross;
}

uint height_at(uint place) { return (word_at(place >> 1) >> ((place & 1u) << 4)) & 0xffffu; }

// The local ranges of the samples of `lod` in the node of 32 quads that holds sample (x, z): a byte each for those inside,
// on its side between range nodes along x, along z, and on both.
uint kappas_at(int lod, int x, int z) {
  if (kHasKappa == 0 || lod >= constants.coarsest_lod) {
    return 0u;
  }
  uint first = buffers.kappas.at[3 * lod];
  int nodes_x = int(buffers.kappas.at[3 * lod + 1]);
  int nodes_z = int(buffers.kappas.at[3 * lod + 2]);
  int node_x = min(x >> kRangeNodeShift, nodes_x - 1);
  int node_z = min(z >> kRangeNodeShift, nodes_z - 1);
  return buffers.kappas.at[first + uint(node_z * nodes_x + node_x)];
}

// (x, z) in samples of `lod`.
int kappa_at(int lod, int x, int z) {
  if (kHasKappa == 0) {
    return 0;
  }
  uint kappas;
  if (kQuads <= 1 << kRangeNodeShift && lod <= node.lod + 1) {
    kappas = lod == node.lod ? own_kappas : parent_kappas;
  } else {
    kappas = kappas_at(lod, x, z);
  }
  const int between = (2 << kRangeNodeShift) - 1;
  int shift = ((x & between) == 0 ? 8 : 0) + ((z & between) == 0 ? 16 : 0);
  return int((kappas >> shift) & 0xffu);
}

Sample fetch_sample(FrameConstants frame, int lod, int gx, int gz) {
  FrameAxis axis_x = frame_axis_x(frame);
  FrameAxis axis_z = frame_axis_z(frame);
  bool has_inside = is_inner && lod <= node.lod + 1;
  Sample at;
  if (has_inside) {
    at.x = inside_place(axis_x, lod, gx);
    at.z = inside_place(axis_z, lod, gz);
  } else {
    at.x = axis_place(axis_x, lod, gx);
    at.z = axis_place(axis_z, lod, gz);
  }
  uint place = origin_of(lod) + uint(at.z.index) * kPlaneStride + uint(at.x.index);
  bool has_max = kHasMax == 1 && lod > 0;
  Cross cross = cross_at(has_max ? place + 2u * kPlaneWords : place);
  at.drawn = cross.here;
  at.anchor = has_max ? height_at(place) : cross.here;
  at.kappa = kappa_at(lod, at.x.index, at.z.index);
  if (has_inside) {
    at.gradient.x = inside_gradient(axis_x, lod, cross.west, cross.here, cross.east, frame.step_m);
    at.gradient.z = inside_gradient(axis_z, lod, cross.north, cross.here, cross.south, frame.step_m);
  } else {
    at.gradient.x = page_axis_gradient(axis_x, lod, at.x.index << lod, cross.west, cross.here, cross.east, frame.step_m);
    at.gradient.z = page_axis_gradient(axis_z, lod, at.z.index << lod, cross.north, cross.here, cross.south, frame.step_m);
  }
  return at;
}

#include "kernel/attributes.h"

// Words, so that a thread finds its own at constant offsets; compilers read four of them at once.
shared uint staged[kStagers * uint(kStride)];

void put(uint place, uint word) {
  if (kStaged == 1) {
    staged[place] = word;
  } else {
    PoolWords(buffers.pool).at[place] = word;
  }
}

uvec4 staged_four(uint four) {
  return uvec4(staged[4u * four], staged[4u * four + 1u], staged[4u * four + 2u], staged[4u * four + 3u]);
}

// What a layout may ask of a vertex.
struct Attributes {
  SurfaceVertex vertex;
  SurfaceFrame axes;
  float u0;
  float v0;
  float u1;
  float v1;
  uint colour;
  uint packed_normal;
};

Attributes attributes_of(SurfaceVertex vertex) {
  Attributes of;
  of.vertex = vertex;
  of.axes = surface_frame(vertex.gradient);
  ARETE_EXACT float u0 = texture_place(vertex.x, constants.uv0_scale_x, constants.uv0_offset_x);
  ARETE_EXACT float v0 = texture_place(vertex.z, constants.uv0_scale_z, constants.uv0_offset_z);
  ARETE_EXACT float u1 = vertex.x * constants.uv1_scale_x;
  ARETE_EXACT float v1 = vertex.z * constants.uv1_scale_z;
  of.u0 = u0;
  of.v0 = v0;
  of.u1 = u1;
  of.v1 = v1;
  of.colour = colour_word(vertex);
  of.packed_normal = packed_normal_word(vertex);
  return of;
}

// Words that are the same in every vertex.
void put_constants(uint base) {
  [[unroll]] for (int word = 0; word < kStride; ++word) {
    if (((kUnclaimed >> word) & 1u) != 0u) {
      put(base + uint(word), 0u);
    }
  }
  if (kTangent >= 0) {
    put(base + uint(kTangent) + 2u, 0u);
    put(base + uint(kTangent) + 3u, floatBitsToUint(kTangentHandedness));
  }
}

void put_attributes(uint base, Attributes of) {
  if (kPosition >= 0) {
    put(base + uint(kPosition), floatBitsToUint(of.vertex.x));
    put(base + uint(kPosition) + 1u, floatBitsToUint(of.vertex.y));
    put(base + uint(kPosition) + 2u, floatBitsToUint(of.vertex.z));
  }
  if (kNormal >= 0) {
    put(base + uint(kNormal), floatBitsToUint(of.axes.normal_x));
    put(base + uint(kNormal) + 1u, floatBitsToUint(of.axes.normal_y));
    put(base + uint(kNormal) + 2u, floatBitsToUint(of.axes.normal_z));
  }
  if (kTangent >= 0) {
    put(base + uint(kTangent), floatBitsToUint(of.axes.tangent_x));
    put(base + uint(kTangent) + 1u, floatBitsToUint(of.axes.tangent_y));
  }
  if (kUv0 >= 0) {
    put(base + uint(kUv0), floatBitsToUint(of.u0));
    put(base + uint(kUv0) + 1u, floatBitsToUint(of.v0));
  }
  if (kUv1 >= 0) {
    put(base + uint(kUv1), floatBitsToUint(of.u1));
    put(base + uint(kUv1) + 1u, floatBitsToUint(of.v1));
  }
  if (kColour >= 0) {
    put(base + uint(kColour), of.colour);
  }
  if (kPackedNormal >= 0) {
    put(base + uint(kPackedNormal), of.packed_normal);
  }
}

void put_nothing(uint base) {
  [[unroll]] for (int word = 0; word < kStride; ++word) {
    put(base + uint(word), 0u);
  }
}

void main() {
  const uint side = uint(kQuads) + 1u;
  const uint slot_vertices = (side * side + 3u) & ~3u;
  const uint slot_fours = slot_vertices / 4u * uint(kStride);  // words of 16 bytes
  const uint round_fours = kStagers / 4u * uint(kStride);
  const uint kStores = (round_fours + kThreads - 1u) / kThreads;
  uint thread = gl_LocalInvocationID.x;
  uint group = first_group + gl_WorkGroupID.x;
  uint entry_index = group / kParts;
  uint part = group - entry_index * kParts;
  atlas = buffers.atlas;
  NodeEntry entry = buffers.nodes.at[entry_index];
  node.lod = int(entry.lod_and_edges & 0xffu);
  node.x = int(entry.x);
  node.z = int(entry.z);
  node.quads = kQuads;
  node.coarse_mask = int((entry.lod_and_edges >> 8) & 0xffu);
  node.corner_lods = int((entry.lod_and_edges >> 16) & 0xffu);
  int first_x = (node.x * kQuads) << node.lod;
  int first_z = (node.z * kQuads) << node.lod;
  is_inner = is_inside(frame_axis_x(constants), node.lod, first_x, first_x + (kQuads << node.lod)) == 1 &&
             is_inside(frame_axis_z(constants), node.lod, first_z, first_z + (kQuads << node.lod)) == 1;
  own_origin = page_origin(0, entry.first_word);
  parent_origin = page_origin(1, entry.parent_first_word);
  parent_page = entry.parent;
  own_kappas = kappas_at(node.lod, node.x * kQuads, node.z * kQuads);
  parent_kappas = kappas_at(node.lod + 1, (node.x * kQuads) >> 1, (node.z * kQuads) >> 1);
  Pool pool = buffers.pool;
  uint slot = entry.pool_slot * slot_fours;
  if (kStaged == 1 && thread < kStagers) {
    put_constants(thread * uint(kStride));
  }
  for (uint pass = 0u; pass < kPasses; ++pass) {
    uint first = (part * kPasses + pass) * kThreads;
    if (first >= slot_vertices) {
      break;
    }
    uint inside = first + thread;
    bool is_vertex = inside < side * side;
    Attributes of;
    if (is_vertex) {
      uint k = inside / side;
      of = attributes_of(node_vertex(constants, node, int(inside - k * side), int(k)));
    }
    if (kStaged == 0) {
      uint base = 4u * slot + inside * uint(kStride);
      if (is_vertex) {
        put_constants(base);
        put_attributes(base, of);
      } else if (inside < slot_vertices) {
        put_nothing(base);
      }
      continue;
    }
    // Four vertices are kStride words of 16 bytes.
    for (uint stager = 0u; stager < kThreads; stager += kStagers) {
      if (thread - stager < kStagers) {
        uint base = (thread - stager) * uint(kStride);
        if (is_vertex) {
          put_attributes(base, of);
        } else {
          put_nothing(base);
        }
      }
      barrier();
      uint first_four = (first + stager) / 4u * uint(kStride);
      uint fours = min(round_fours, max(slot_fours, first_four) - first_four);
      uint to = slot + first_four + thread;
      [[unroll]] for (uint n = 0u; n < kStores; ++n) {
        if (thread + n * kThreads < fours) {
          pool.at[to + n * kThreads] = staged_four(thread + n * kThreads);
        }
      }
      barrier();
    }
  }
}
