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
layout(constant_id = 15) const uint kParts = 1;              // workgroups a node: kParts kPasses kThreads >= its slot

const uint kPlaneStride = 131u;                  // a page's row of samples, apron included
const uint kPlaneWords = 131u * 131u / 2u + 1u;  // u16 pairs
const int kPageShift = 7;                        // 128 cells a side

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
  Words kappas;  // for each lod: first byte, nodes along x, nodes along z; then the bytes
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
// Where sample (0, 0) of the field would stand, in u16 from the atlas's start, were the pages of the node's lod and of
// the lod above boundless; modulo 2^32.
uint own_origin;
uint parent_origin;

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

uint height_at(uint index) {
  return (atlas.at[index >> 1] >> ((index & 1u) << 4)) & 0xffffu;
}

// The place of a sample in the subsample plane of the page of `lod` that holds the node.
uint place_of(int lod, int gx, int gz) { return origin_of(lod) + uint(gz >> lod) * kPlaneStride + uint(gx >> lod); }

uint drawn_place(int lod, uint place) { return kHasMax == 1 && lod > 0 ? place + 2u * kPlaneWords : place; }

int kappa_at(int lod, int gx, int gz) {
  if (kHasKappa == 0 || lod >= constants.coarsest_lod) {
    return 0;
  }
  int owner_lod = lod + 1;
  uint first = buffers.kappas.at[3 * owner_lod];
  int nodes_x = int(buffers.kappas.at[3 * owner_lod + 1]);
  int nodes_z = int(buffers.kappas.at[3 * owner_lod + 2]);
  int last_x = last_range_node(gx, owner_lod + 5, nodes_x);
  int last_z = last_range_node(gz, owner_lod + 5, nodes_z);
  int kappa = 0;
  for (int z = first_range_node(gz, owner_lod + 5, nodes_z); z <= last_z; ++z) {
    for (int x = first_range_node(gx, owner_lod + 5, nodes_x); x <= last_x; ++x) {
      uint index = first + uint(z * nodes_x + x);
      kappa = max(kappa, int((buffers.kappas.at[index >> 2] >> ((index & 3u) << 3)) & 0xffu));
    }
  }
  return kappa;
}

Sample fetch_sample(int lod, int gx, int gz) {
  uint place = place_of(lod, gx, gz);
  Sample result;
  result.half_x = stop_half(stop_of(gx, constants.last_stop_x), constants.last_stop_x, constants.is_area);
  result.half_z = stop_half(stop_of(gz, constants.last_stop_z), constants.last_stop_z, constants.is_area);
  result.anchor = height_at(place);
  result.drawn = kHasMax == 1 && lod > 0 ? height_at(drawn_place(lod, place)) : result.anchor;
  result.kappa = kappa_at(lod, gx, gz);
  return result;
}

Gradient fetch_gradient(int lod, int gx, int gz) {
  uint place = drawn_place(lod, place_of(lod, gx, gz));
  uint here = height_at(place);
  Gradient result;
  result.x = page_axis_gradient(height_at(place - 1u), here, height_at(place + 1u), gx, lod, constants.last_stop_x,
                                constants.is_area, constants.half_x_m, constants.inverse_half_x, constants.step_m);
  result.z = page_axis_gradient(height_at(place - kPlaneStride), here, height_at(place + kPlaneStride), gz, lod,
                                constants.last_stop_z, constants.is_area, constants.half_z_m, constants.inverse_half_z,
                                constants.step_m);
  return result;
}

#include "kernel/attributes.h"

// Words, so that a thread finds its own at constant offsets; compilers read four of them at once.
shared uint staged[kThreads * uint(kStride)];

void put(uint place, uint word) { staged[place] = word; }

uvec4 staged_four(uint four) {
  return uvec4(staged[4u * four], staged[4u * four + 1u], staged[4u * four + 2u], staged[4u * four + 3u]);
}

void stage(uint base, SurfaceVertex vertex) {
  SurfaceFrame axes = surface_frame(vertex.gradient);
  [[unroll]] for (int word = 0; word < kStride; ++word) {
    if (((kUnclaimed >> word) & 1u) != 0u) {
      put(base + uint(word), 0u);
    }
  }
  if (kPosition >= 0) {
    put(base + uint(kPosition), floatBitsToUint(vertex.x));
    put(base + uint(kPosition) + 1u, floatBitsToUint(vertex.y));
    put(base + uint(kPosition) + 2u, floatBitsToUint(vertex.z));
  }
  if (kNormal >= 0) {
    put(base + uint(kNormal), floatBitsToUint(axes.normal_x));
    put(base + uint(kNormal) + 1u, floatBitsToUint(axes.normal_y));
    put(base + uint(kNormal) + 2u, floatBitsToUint(axes.normal_z));
  }
  if (kTangent >= 0) {
    put(base + uint(kTangent), floatBitsToUint(axes.tangent_x));
    put(base + uint(kTangent) + 1u, floatBitsToUint(axes.tangent_y));
    put(base + uint(kTangent) + 2u, 0u);
    put(base + uint(kTangent) + 3u, floatBitsToUint(kTangentHandedness));
  }
  if (kUv0 >= 0) {
    ARETE_EXACT float u = texture_place(vertex.x, constants.uv0_scale_x, constants.uv0_offset_x);
    ARETE_EXACT float v = texture_place(vertex.z, constants.uv0_scale_z, constants.uv0_offset_z);
    put(base + uint(kUv0), floatBitsToUint(u));
    put(base + uint(kUv0) + 1u, floatBitsToUint(v));
  }
  if (kUv1 >= 0) {
    ARETE_EXACT float u = vertex.x * constants.uv1_scale_x;
    ARETE_EXACT float v = vertex.z * constants.uv1_scale_z;
    put(base + uint(kUv1), floatBitsToUint(u));
    put(base + uint(kUv1) + 1u, floatBitsToUint(v));
  }
  if (kColour >= 0) {
    put(base + uint(kColour), colour_word(vertex));
  }
  if (kPackedNormal >= 0) {
    put(base + uint(kPackedNormal), packed_normal_word(vertex, axes));
  }
}

void main() {
  const uint side = uint(kQuads) + 1u;
  const uint slot_vertices = (side * side + 3u) & ~3u;
  const uint pass_fours = kThreads / 4u * uint(kStride);  // words of 16 bytes that a pass stores
  uint group = first_group + gl_WorkGroupID.x;
  uint entry_index = group / kParts;
  uint part = group - entry_index * kParts;
  uint thread = gl_LocalInvocationID.x;
  uint base = thread * uint(kStride);
  atlas = buffers.atlas;
  NodeEntry entry = buffers.nodes.at[entry_index];
  node.lod = int(entry.lod_and_edges & 0xffu);
  node.x = int(entry.x);
  node.z = int(entry.z);
  node.quads = kQuads;
  node.coarse_mask = int((entry.lod_and_edges >> 8) & 0xffu);
  node.corner_lods = int((entry.lod_and_edges >> 16) & 0xffu);
  own_origin = page_origin(0, entry.first_word);
  parent_origin = page_origin(1, entry.parent_first_word);
  parent_page = entry.parent;
  Pool pool = buffers.pool;
  uint slot = entry.pool_slot * (slot_vertices / 4u * uint(kStride));
  for (uint pass = 0u; pass < kPasses; ++pass) {
    uint first = (part * kPasses + pass) * kThreads;
    if (first >= slot_vertices) {
      break;
    }
    uint inside = first + thread;
    if (inside < side * side) {
      uint k = inside / side;
      stage(base, node_vertex(constants, node, int(inside - k * side), int(k)));
    } else {
      [[unroll]] for (int word = 0; word < kStride; ++word) {
        put(base + uint(word), 0u);
      }
    }
    if (kStaged == 0) {
      if (inside < slot_vertices) {
        PoolWords words = PoolWords(buffers.pool);
        for (int word = 0; word < kStride; ++word) {
          words.at[4u * slot + inside * uint(kStride) + uint(word)] = staged[base + uint(word)];
        }
      }
      continue;
    }
    barrier();
    // Four vertices are kStride words of 16 bytes.
    uint first_four = first / 4u * uint(kStride);
    uint fours = min(pass_fours, slot_vertices / 4u * uint(kStride) - first_four);
    for (uint four = thread; four < fours; four += kThreads) {
      pool.at[slot + first_four + four] = staged_four(four);
    }
    if (kPasses > 1u) {
      barrier();
    }
  }
}
