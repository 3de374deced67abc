// The words of vertices in a layout, as attribute_word() of kernel/attributes.h decides them.
#pragma once

#include <array>
#include <cstdint>

#include "kernel/layout.h"
#include "vertex_grid.h"

namespace arete::mesh {

// Which attribute each word of a layout holds.
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
inline constexpr int kMostWords = 32;  // of a vertex
struct WordTable {
  int stride = 0;
  int groups = 0;           // of four words, the last one may reach beyond the stride
  bool is_compact = false;  // position and packed normal, in this order, and no more
  bool has_normal = false;
  bool has_tangent = false;
  bool has_packed_normal = false;
  bool has_texture = false;  // uv0, uv1 or colour
  std::array<Attribute, kMostWords> words{};
};
WordTable word_table(const kernel::VertexLayout& layout);

// What stands between vertices and words, for vectors of up to kMostLanes lanes: kept from node to node at one place
// in a page of memory, since where a stack happens to lie beside the vertices costs a sixth.
struct alignas(4096) WordRoom {
  std::array<std::array<std::uint32_t, kMostLanes>, kAttributes> attributes;
  std::array<float, 4 * kMostLanes> normal_scales, tangent_scales;
  // Vertices of two vectors, and the two before them on their way. Words that are left may stand in front, a group may
  // reach beyond the last vertex. A store that crosses pages of memory waits for all that streams: each has its own.
  struct alignas(4096) Stage {
    std::array<std::uint32_t, kMostLanes + 2 * kMostLanes * kMostWords + kMostLanes> words;
  };
  std::array<Stage, 2> stages;
};

// Writes `count` vertices to stride x count words.
void write_vertices(const kernel::FrameConstants& frame, const WordTable& table, const VertexGrid& vertices, int count,
                    WordRoom& room, std::uint32_t* out);

}  // namespace arete::mesh
