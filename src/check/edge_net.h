// The net of triangle edges of one view, welded by exact position bits: what is left once every edge has met its
// reverse.
//
// A closed surface leaves the field's rim alone, and edges that face a hole. Whatever else is left is a crack, or a
// T-junction where a left-over vertex stands inside a left-over edge as seen from above.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace arete::check {

using Words3 = std::array<std::uint32_t, 3>;

class EdgeNet {
 public:
  // Forgets every edge and vertex but keeps the memory.
  void clear();
  // The id of the vertex at these position bits; one that stands for a hole never equals a drawn one.
  std::uint32_t vertex(const Words3& position, bool is_hole);
  // A directed edge of a drawn triangle, or of one that is left out over a hole.
  void add_drawn(std::uint32_t from, std::uint32_t to) { add(from, to, false); }
  void add_hole(std::uint32_t from, std::uint32_t to) { add(from, to, true); }

  // Places of the field's rim as drawn: edges along them have one side only.
  struct Rim {
    std::uint32_t west, east, north, south;  // bits of x, x, z, z
  };
  struct Opening {
    std::int64_t cracks = 0;                    // edges without their reverse and no vertex inside
    std::int64_t t_junctions = 0;               // (edge, vertex inside) pairs
    std::optional<std::array<float, 6>> first;  // an edge of them: from x y z, to x y z
  };
  Opening open_edges(const Rim& rim) const;

 private:
  struct Vertex {
    Words3 position;
    bool is_hole;
  };
  struct Edge {
    std::uint64_t key;   // lesser id << 32 | greater id
    std::int32_t drawn;  // uses from the lesser to the greater id, less those back
    std::int32_t hole;
  };
  struct Loose {
    float from, to;  // along the line, from < to
    std::uint32_t axis, line;
    std::array<float, 6> ends;
  };

  void add(std::uint32_t from, std::uint32_t to, bool is_hole);
  void grow_vertices();
  void grow_edges();
  static void classify(std::vector<Loose>& loose, Opening& opening);

  std::vector<Vertex> vertices_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> vertex_slots_;  // index + 1 of an entry, 0 where free; a power of two long
  std::vector<std::uint32_t> edge_slots_;
};

}  // namespace arete::check
