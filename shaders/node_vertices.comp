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

struct NodeEntry {
  NodeRecord node;
  uint page;       // the entry of its page
  uint pool_slot;
};

// A resident page of the cut; its parent's entry follows the cascade up.
struct PageEntry {
  uint first_word;  // of its planes in the atlas
  uint parent;
  int first_x;      // the lod index of its sample (0, 0)
  int first_z;
};

layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Words { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Nodes { NodeEntry at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Pages { PageEntry at[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) writeonly buffer Pool { uvec4 at[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer PoolWords { uint at[]; };
layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Frame {
  FrameConstants constants;
  Words atlas;
  Words kappas;  // for each lod: first byte, nodes along x, nodes along z; then the bytes
  Nodes nodes;
  Pages pages;
  Pool pool;
};

layout(push_constant) uniform Dispatch {
  Frame frame;
  uint first_vertex;   // of this dispatch, counted over all nodes' slots
  uint end_vertex;
};

NodeEntry current_node;
FrameConstants constants;

PageEntry page_of(int lod) {
  PageEntry entry = frame.pages.at[current_node.page];
  for (int up = current_node.node.lod; up < lod; ++up) {
    entry = frame.pages.at[entry.parent];
  }
  return entry;
}

uint height_at(uint first_word, uint index) {
  uint pair = frame.atlas.at[first_word + (index >> 1)];
  return (pair >> ((index & 1u) << 4)) & 0xffffu;
}

uint plane_index(PageEntry page, int lod, int gx, int gz) {
  return uint((gz >> lod) - page.first_z + 1) * kPlaneStride + uint((gx >> lod) - page.first_x + 1);
}

uint drawn_plane(PageEntry page, int lod) { return page.first_word + (kHasMax == 1 && lod > 0 ? kPlaneWords : 0u); }

int kappa_at(int lod, int gx, int gz) {
  if (kHasKappa == 0 || lod >= constants.coarsest_lod) {
    return 0;
  }
  int owner_lod = lod + 1;
  uint first = frame.kappas.at[3 * owner_lod];
  int nodes_x = int(frame.kappas.at[3 * owner_lod + 1]);
  int nodes_z = int(frame.kappas.at[3 * owner_lod + 2]);
  uint index = first + uint(min(gz >> (owner_lod + 5), nodes_z - 1) * nodes_x + min(gx >> (owner_lod + 5), nodes_x - 1));
  return int((frame.kappas.at[index >> 2] >> ((index & 3u) << 3)) & 0xffu);
}

Sample fetch_sample(int lod, int gx, int gz) {
  PageEntry page = page_of(lod);
  uint index = plane_index(page, lod, gx, gz);
  Sample result;
  result.half_x = stop_half(stop_of(gx, constants.last_stop_x), constants.last_stop_x, constants.is_area);
  result.half_z = stop_half(stop_of(gz, constants.last_stop_z), constants.last_stop_z, constants.is_area);
  result.anchor = height_at(page.first_word, index);
  result.drawn = kHasMax == 1 && lod > 0 ? height_at(drawn_plane(page, lod), index) : result.anchor;
  result.kappa = kappa_at(lod, gx, gz);
  return result;
}

Gradient fetch_gradient(int lod, int gx, int gz) {
  PageEntry page = page_of(lod);
  uint plane = drawn_plane(page, lod);
  uint index = plane_index(page, lod, gx, gz);
  uint here = height_at(plane, index);
  Gradient result;
  result.x = page_axis_gradient(height_at(plane, index - 1u), here, height_at(plane, index + 1u), gx, lod,
                                constants.last_stop_x, constants.is_area, constants.half_x_m, constants.step_m);
  result.z = page_axis_gradient(height_at(plane, index - kPlaneStride), here, height_at(plane, index + kPlaneStride), gz,
                                lod, constants.last_stop_z, constants.is_area, constants.half_z_m, constants.step_m);
  return result;
}

#include "kernel/attributes.h"

shared uint staged[kThreads * uint(kStride)];

void stage(uint base, SurfaceVertex vertex) {
  SurfaceFrame axes = surface_frame(vertex.gradient);
  for (int word = 0; word < kStride; ++word) {
    if (((kUnclaimed >> word) & 1u) != 0u) {
      staged[base + uint(word)] = 0u;
    }
  }
  if (kPosition >= 0) {
    staged[base + uint(kPosition)] = floatBitsToUint(vertex.x);
    staged[base + uint(kPosition) + 1u] = floatBitsToUint(vertex.y);
    staged[base + uint(kPosition) + 2u] = floatBitsToUint(vertex.z);
  }
  if (kNormal >= 0) {
    staged[base + uint(kNormal)] = floatBitsToUint(axes.normal_x);
    staged[base + uint(kNormal) + 1u] = floatBitsToUint(axes.normal_y);
    staged[base + uint(kNormal) + 2u] = floatBitsToUint(axes.normal_z);
  }
  if (kTangent >= 0) {
    staged[base + uint(kTangent)] = floatBitsToUint(axes.tangent_x);
    staged[base + uint(kTangent) + 1u] = floatBitsToUint(axes.tangent_y);
    staged[base + uint(kTangent) + 2u] = 0u;
    staged[base + uint(kTangent) + 3u] = floatBitsToUint(kTangentHandedness);
  }
  if (kUv0 >= 0) {
    ARETE_EXACT float u = texture_place(vertex.x, constants.uv0_scale_x, constants.uv0_offset_x);
    ARETE_EXACT float v = texture_place(vertex.z, constants.uv0_scale_z, constants.uv0_offset_z);
    staged[base + uint(kUv0)] = floatBitsToUint(u);
    staged[base + uint(kUv0) + 1u] = floatBitsToUint(v);
  }
  if (kUv1 >= 0) {
    ARETE_EXACT float u = vertex.x * constants.uv1_scale_x;
    ARETE_EXACT float v = vertex.z * constants.uv1_scale_z;
    staged[base + uint(kUv1)] = floatBitsToUint(u);
    staged[base + uint(kUv1) + 1u] = floatBitsToUint(v);
  }
  if (kColour >= 0) {
    staged[base + uint(kColour)] = colour_word(vertex);
  }
  if (kPackedNormal >= 0) {
    staged[base + uint(kPackedNormal)] = packed_normal_word(vertex, axes);
  }
}

void main() {
  const uint side = uint(kQuads) + 1u;
  const uint slot_vertices = (side * side + 3u) & ~3u;
  uint group_first = first_vertex + gl_WorkGroupID.x * kThreads;
  uint thread = gl_LocalInvocationID.x;
  uint vertex = group_first + thread;
  uint base = thread * uint(kStride);
  constants = frame.constants;
  uint node = min(vertex, end_vertex - 1u) / slot_vertices;
  uint inside = vertex - node * slot_vertices;
  current_node = frame.nodes.at[node];
  if (vertex < end_vertex && inside < side * side) {
    stage(base, node_vertex(constants, current_node.node, int(inside % side), int(inside / side)));
  } else {
    for (int word = 0; word < kStride; ++word) {
      staged[base + uint(word)] = 0u;
    }
  }
  if (kStaged == 0) {
    if (vertex < end_vertex) {
      PoolWords words = PoolWords(frame.pool);
      uint first = (current_node.pool_slot * slot_vertices + inside) * uint(kStride);
      for (int word = 0; word < kStride; ++word) {
        words.at[first + uint(word)] = staged[base + uint(word)];
      }
    }
    return;
  }
  barrier();
  // Four vertices are kStride words of 16 bytes.
  for (uint chunk = thread; chunk < kThreads / 4u * uint(kStride); chunk += kThreads) {
    uint of_four = chunk / uint(kStride);
    uint first_of_four = group_first + 4u * of_four;
    if (first_of_four < end_vertex) {
      uint of_node = first_of_four / slot_vertices;
      uint slot = frame.nodes.at[of_node].pool_slot;
      uint place = (slot * slot_vertices + (first_of_four - of_node * slot_vertices)) / 4u * uint(kStride);
      uint from = 4u * chunk;
      frame.pool.at[place + chunk - of_four * uint(kStride)] =
          uvec4(staged[from], staged[from + 1u], staged[from + 2u], staged[from + 3u]);
    }
  }
}
