#version 460
// Builds the vertices of a cut's nodes in the vertex pool: one thread is one vertex.
//
// A thread places its vertex by the kernel's vertex function from the resident pages, and leaves its words in shared
// memory; then the workgroup stores them as aligned words of 16 bytes. A node's slot is a whole number of four vertices, so no such
// word spans two slots. Vertices behind a slot's last one are zero.
#extension GL_EXT_buffer_reference : require
#ifdef ARETE_ROUND_TO_NEAREST
#extension GL_EXT_spirv_intrinsics : require
spirv_execution_mode(extensions = ["SPV_KHR_float_controls"], capabilities = [4467], 4462, 32);
#endif

#include "kernel/layout.h"
#include "kernel/page_gradient.h"
#include "kernel/sample.h"

layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint kThreads = 128;
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

const uint kPlaneStride = 131u;             // a page's row of samples, apron included
const uint kPlaneWords = 131u * 131u / 2u + 1u;  // u16 pairs
const int kPageShift = 7;                   // 128 cells a side

struct NodeEntry {
  NodeRecord node;
  uint pool_slot;
  uint first_word;         // of its page's planes in the atlas
  uint parent_first_word;  // likewise for the page one lod coarser
  uint parent;             // the entry of that page, from where the cascade may climb on
  uint padding[2];
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
  uint first_vertex;   // of this dispatch, counted over all nodes' slots
  uint end_vertex;
};

NodeEntry current_node;
Words atlas;

uint page_first_word(int lod) {
  int up = lod - current_node.node.lod;
  if (up == 0) {
    return current_node.first_word;
  }
  uint first_word = current_node.parent_first_word;
  uint page = current_node.parent;
  for (int step = 1; step < up; ++step) {
    page = buffers.pages.at[page].parent;
    first_word = buffers.pages.at[page].first_word;
  }
  return first_word;
}

uint height_at(uint first_word, uint index) {
  uint pair = atlas.at[first_word + (index >> 1)];
  return (pair >> ((index & 1u) << 4)) & 0xffffu;
}

// The place of a sample in the planes of the page of `lod` that holds the node.
uint plane_index(int lod, int gx, int gz) {
  int shift = kPageShift + lod - current_node.node.lod;
  int first_x = ((current_node.node.x * kQuads) >> shift) << kPageShift;
  int first_z = ((current_node.node.z * kQuads) >> shift) << kPageShift;
  return uint((gz >> lod) - first_z + 1) * kPlaneStride + uint((gx >> lod) - first_x + 1);
}

uint drawn_plane(uint first_word, int lod) { return first_word + (kHasMax == 1 && lod > 0 ? kPlaneWords : 0u); }

int kappa_at(int lod, int gx, int gz) {
  if (kHasKappa == 0 || lod >= constants.coarsest_lod) {
    return 0;
  }
  int owner_lod = lod + 1;
  uint first = buffers.kappas.at[3 * owner_lod];
  int nodes_x = int(buffers.kappas.at[3 * owner_lod + 1]);
  int nodes_z = int(buffers.kappas.at[3 * owner_lod + 2]);
  uint index = first + uint(min(gz >> (owner_lod + 5), nodes_z - 1) * nodes_x + min(gx >> (owner_lod + 5), nodes_x - 1));
  return int((buffers.kappas.at[index >> 2] >> ((index & 3u) << 3)) & 0xffu);
}

Sample fetch_sample(int lod, int gx, int gz) {
  uint first_word = page_first_word(lod);
  uint index = plane_index(lod, gx, gz);
  Sample result;
  result.half_x = stop_half(stop_of(gx, constants.last_stop_x), constants.last_stop_x, constants.is_area);
  result.half_z = stop_half(stop_of(gz, constants.last_stop_z), constants.last_stop_z, constants.is_area);
  result.anchor = height_at(first_word, index);
  result.drawn = kHasMax == 1 && lod > 0 ? height_at(drawn_plane(first_word, lod), index) : result.anchor;
  result.kappa = kappa_at(lod, gx, gz);
  return result;
}

Gradient fetch_gradient(int lod, int gx, int gz) {
  uint plane = drawn_plane(page_first_word(lod), lod);
  uint index = plane_index(lod, gx, gz);
  uint here = height_at(plane, index);
  Gradient result;
  result.x = page_axis_gradient(height_at(plane, index - 1u), here, height_at(plane, index + 1u), gx, lod,
                                constants.last_stop_x, constants.is_area, constants.half_x_m, constants.step_m);
  result.z = page_axis_gradient(height_at(plane, index - kPlaneStride), here, height_at(plane, index + kPlaneStride), gz,
                                lod, constants.last_stop_z, constants.is_area, constants.half_z_m, constants.step_m);
  return result;
}

#include "kernel/attributes.h"

shared uvec4 staged[kThreads / 4u * uint(kStride)];

void put(uint place, uint word) { staged[place >> 2][place & 3u] = word; }

void stage(uint base, SurfaceVertex vertex) {
  SurfaceFrame axes = surface_frame(vertex.gradient);
  for (int word = 0; word < kStride; ++word) {
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

// Where the four vertices that a thread of them begins stand in the pool, in words of 16 bytes; past the end none.
shared uint place_of_four[kThreads / 4u];
const uint kNoPlace = 0xffffffffu;

void main() {
  const uint side = uint(kQuads) + 1u;
  const uint slot_vertices = (side * side + 3u) & ~3u;
  uint thread = gl_LocalInvocationID.x;
  uint vertex = first_vertex + gl_WorkGroupID.x * kThreads + thread;
  uint base = thread * uint(kStride);
  atlas = buffers.atlas;
  uint node = min(vertex, end_vertex - 1u) / slot_vertices;
  uint inside = vertex - node * slot_vertices;
  current_node = buffers.nodes.at[node];
  if ((thread & 3u) == 0u) {
    uint place = (current_node.pool_slot * slot_vertices + inside) / 4u * uint(kStride);
    place_of_four[thread / 4u] = vertex < end_vertex ? place : kNoPlace;
  }
  if (vertex < end_vertex && inside < side * side) {
    stage(base, node_vertex(constants, current_node.node, int(inside % side), int(inside / side)));
  } else {
    for (int word = 0; word < kStride; ++word) {
      put(base + uint(word), 0u);
    }
  }
  if (kStaged == 0) {
    if (vertex < end_vertex) {
      PoolWords words = PoolWords(buffers.pool);
      uint first = (current_node.pool_slot * slot_vertices + inside) * uint(kStride);
      for (int word = 0; word < kStride; ++word) {
        uint place = base + uint(word);
        words.at[first + uint(word)] = staged[place >> 2][place & 3u];
      }
    }
    return;
  }
  barrier();
  // Four vertices are kStride words of 16 bytes.
  Pool pool = buffers.pool;
  for (uint chunk = thread; chunk < kThreads / 4u * uint(kStride); chunk += kThreads) {
    uint of_four = chunk / uint(kStride);
    uint place = place_of_four[of_four];
    if (place != kNoPlace) {
      pool.at[place + chunk - of_four * uint(kStride)] = staged[chunk];
    }
  }
}
