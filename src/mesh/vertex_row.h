// One row of a node's lattice at one lod, an array a component, and the vector loops over it.
//
// Every loop is a kernel function on as many vertices as the machine has lanes, operation by operation in the same
// order: the words are those of kernel/vertex.h and kernel/attributes.h on every target (tests: unit/mesh,
// property/mesher_test).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel/layout.h"

namespace arete::mesh {

// Vertices a side of the greatest node, and room behind them for a whole vector.
inline constexpr int kMostVertices = 129;
inline constexpr std::size_t kRowRoom = kMostVertices + 63;

// A row of vertices as SurfaceVertex holds one: `is_hole` is 0 or 1.
struct VertexRow {
  alignas(64) std::array<float, kRowRoom> x, y, z, gradient_x, gradient_z, weight;
  alignas(64) std::array<std::int32_t, kRowRoom> is_hole;
};

// The lattice of one lod along one axis of a node: places and what gradients and distances need of them.
struct LatticeAxis {
  int lod = 0;
  int first = 0;                                          // lod index of the first place
  int count = 0;                                          // places, 1 to 129
  int distinct = 0;                                       // those up to the rim; the others repeat the last of them
  bool at_start = false;                                  // the first place has no neighbour below it
  bool at_end = false;                                    // the last distinct place has none above it
  alignas(64) std::array<std::int32_t, kRowRoom> fine;    // fine whole indices, lod_index()
  alignas(64) std::array<std::int32_t, kRowRoom> parent;  // which place of the next lod's axis each one goes to
  alignas(64) std::array<float, kRowRoom> emitted;        // metres from the anchor
  alignas(64) std::array<float, kRowRoom> offset_sq;      // square metres from the camera
  // Reciprocals of a gradient's run: over both neighbours, from here upwards and from below to here.
  alignas(64) std::array<float, kRowRoom> inverse_both, inverse_above, inverse_below;
};

// What a row reads: samples from one place before the first on, and the row's own z.
struct RowSamples {
  const std::uint16_t* anchor;
  const std::uint16_t* here;
  const std::uint16_t* north;
  const std::uint16_t* south;
  const float* scale;  // 2^(kappa - 2 lod) of each place, or null at the coarsest lod
  float z;
  float offset_sq;
  float inverse_both, inverse_above, inverse_below;
};

// rest_vertex() and sample_weight() of every place; true when a weight is above 0.
bool rest_row(const kernel::FrameConstants& frame, const LatticeAxis& axis, const RowSamples& samples, VertexRow& row);

// Slides a row at rest towards `target` as cascade_vertex() does.
void morph_row(const LatticeAxis& axis, const VertexRow& target, VertexRow& row);

// Which attribute each word of a layout holds, as attribute_word() decides.
enum Attribute : std::uint8_t {
  kZero,
  kPositionX,
  kPositionY,
  kPositionZ,
  kNormalX,
  kNormalY,
  kNormalZ,
  kTangentX,
  kTangentY,
  kHandedness,
  kUv0X,
  kUv0Y,
  kUv1X,
  kUv1Y,
  kColour,
  kPackedNormal,
  kAttributes
};
struct WordTable {
  int stride = 0;
  int groups = 0;  // of four words, the last one may reach beyond the stride
  bool has_normal = false;
  bool has_tangent = false;
  bool has_packed_normal = false;
  bool has_texture = false;  // uv0, uv1 or colour
  std::array<Attribute, 32> words{};
};
WordTable word_table(const kernel::VertexLayout& layout);

// Writes `count` vertices. Up to three words behind the last one are overwritten, unless `is_end`.
void write_row(const kernel::FrameConstants& frame, const WordTable& table, const VertexRow& row, int count,
               bool is_end, std::uint32_t* out);

}  // namespace arete::mesh
