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
#include "shaders/select/view.glsl"
#include "shaders/select/split_nodes.glsl"
#include "shaders/select/distances.glsl"
#include "shaders/select/closure.glsl"
#include "shaders/select/residency.glsl"
#include "shaders/select/sums.glsl"
#include "shaders/select/leaves.glsl"
#include "shaders/select/edges.glsl"
#include "shaders/select/culling.glsl"
#include "shaders/select/draws.glsl"

void main() {
  view = views.at[gl_WorkGroupID.x];
  frame = view.frame;
  coarsest = kLods - 1;
  side_shift = view.block_shift + 1;
  clear_flags();
  clear_splits();
  barrier();
  ask_all();
  close_splits();
  if (are_pages_missing != 0u) {
    merge_missing();
  }
  uint nodes = list_leaves();
  uint wanted = draw_leaves(min(nodes, view.most_leaves));
  uint drawn = min(wanted, view.most_drawn);
  fill_draws(drawn);
  if (gl_LocalInvocationID.x == 0u) {
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
