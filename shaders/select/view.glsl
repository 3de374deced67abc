// What the selection of a cut reads and writes, and the view of this workgroup.

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
