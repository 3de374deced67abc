// Whole-field meshes of a cut and what can be wrong with them, judged by the exact bits of positions.
//
// A mesh is closed when every directed edge has its opposite, except along the field's outer rim. Triangles that touch
// a hole count too, with the hole flag as part of a vertex: then the drawn ones are open exactly where they face a
// hole.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "arete/mesh.h"

namespace arete::test {

struct Corner {
  std::uint32_t x = 0, y = 0, z = 0;  // position bits
  std::uint32_t hole = 0;
  friend auto operator<=>(const Corner&, const Corner&) = default;
};
using Triangle = std::array<Corner, 3>;

inline float real(std::uint32_t bits) { return std::bit_cast<float>(bits); }

// Position and colour: all that the laws of positions need.
inline kernel::VertexLayout corner_layout() {
  return {.stride_words = 4,
          .position = 0,
          .normal = -1,
          .tangent = -1,
          .uv0 = -1,
          .uv1 = -1,
          .colour = 3,
          .joints = -1,
          .weights = -1,
          .packed_normal = -1};
}

// Calls visit(a, b, c) for every triangle of a cut that repeats no vertex. `is_stitched` false draws every node without
// its edge rule, as valid cuts allow.
class WorldMesher {
 public:
  WorldMesher(const SampleSource& source, const Bounds& bounds) : mesher_(source, bounds), bounds_(bounds) {}

  template <class Visit>
  void each_triangle(const View& view, const Ranges& ranges, Anchor anchor, const std::vector<Node>& nodes,
                     bool is_stitched, const Visit& visit) {
    const int quads = ranges.node_quads;
    const kernel::FrameConstants frame = make_frame(bounds_, view, ranges, anchor);
    if (indices_.size() != std::size_t(6 * quads * quads)) {
      indices_ = node_indices(quads);
    }
    words_.resize(std::size_t(node_vertices(quads)) * 4);
    for (Node node : nodes) {
      if (!is_stitched) {
        node.coarse_mask = 0;
        node.corner_lods = 0;
      }
      const Result<void> built = mesher_.build(frame, ranges, node, corner_layout(), words_);
      if (!built) {
        throw std::runtime_error(built.error().message);
      }
      const auto corner = [&](std::uint32_t index) {
        const std::uint32_t* at = words_.data() + 4 * std::size_t(index);
        return Corner{at[0], at[1], at[2], at[3] >> 24 == 0 ? 1u : 0u};
      };
      for (std::size_t i = 0; i < indices_.size(); i += 3) {
        const Corner a = corner(indices_[i]);
        const Corner b = corner(indices_[i + 1]);
        const Corner c = corner(indices_[i + 2]);
        if (a != b && b != c && c != a) {
          visit(a, b, c);
        }
      }
    }
  }

  // The triangles with distinct vertices in an order that depends on their places alone.
  std::vector<Triangle> sorted_triangles(const View& view, const Ranges& ranges, Anchor anchor,
                                         const std::vector<Node>& nodes, bool is_stitched) {
    std::vector<Triangle> triangles;
    each_triangle(view, ranges, anchor, nodes, is_stitched, [&](const Corner& a, const Corner& b, const Corner& c) {
      Triangle triangle{a, b, c};
      std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
      triangles.push_back(triangle);
    });
    std::sort(triangles.begin(), triangles.end());
    return triangles;
  }

 private:
  NodeMesher mesher_;
  const Bounds& bounds_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint32_t> words_;
};

// Welds triangles by position bits and counts edges without their opposite.
class EdgeCounter {
 public:
  // The rim's positions as emitted with `anchor`.
  EdgeCounter(const Lattice& lattice, Anchor anchor) {
    const auto place = [](std::int32_t half, std::int32_t anchor_half, float half_m) {
      return std::bit_cast<std::uint32_t>(float(half - anchor_half) * half_m);
    };
    west_ = place(0, anchor.half_x, lattice.half_x_m());
    east_ = place(lattice.half_x(lattice.last_stop_x()), anchor.half_x, lattice.half_x_m());
    north_ = place(0, anchor.half_z, lattice.half_z_m());
    south_ = place(lattice.half_z(lattice.last_stop_z()), anchor.half_z, lattice.half_z_m());
    vertices_.resize(1 << 12);
    edges_.resize(1 << 13);
  }

  void clear() {
    corners_.clear();
    edge_count_ = 0;
    std::fill(vertices_.begin(), vertices_.end(), 0u);
    std::fill(edges_.begin(), edges_.end(), Edge{});
    area_ = 0;
    triangles = 0;
  }

  void add(const Corner& a, const Corner& b, const Corner& c) {
    ++triangles;
    const std::uint32_t ids[3] = {weld(a), weld(b), weld(c)};
    for (int i = 0; i < 3; ++i) {
      count(ids[i], ids[(i + 1) % 3]);
    }
    const double abx = double(real(b.x)) - real(a.x), abz = double(real(b.z)) - real(a.z);
    const double acx = double(real(c.x)) - real(a.x), acz = double(real(c.z)) - real(a.z);
    area_ += (abz * acx - abx * acz) / 2;
  }

  std::int64_t triangles = 0;
  // Signed area in plan, seen from above: a mesh that covers the field once has the field's.
  double area() const { return area_; }

  struct Report {
    std::int64_t edges = 0;
    std::int64_t cracks = 0;     // inner edges without their opposite
    std::int64_t crowded = 0;    // inner edges that are not used exactly twice
    std::int64_t misplaced = 0;  // rim edges that are not used once
    std::string first;
  };
  Report report() const {
    Report report;
    for (const Edge& edge : edges_) {
      if (edge.uses == 0) {
        continue;
      }
      ++report.edges;
      const Corner& a = corners_[edge.low];
      const Corner& b = corners_[edge.high];
      const bool on_rim =
          (a.x == b.x && (a.x == west_ || a.x == east_)) || (a.z == b.z && (a.z == north_ || a.z == south_));
      if (on_rim && edge.balance != 0) {
        report.misplaced += edge.uses == 1 ? 0 : 1;
        continue;
      }
      report.crowded += edge.uses == 2 ? 0 : 1;
      if (edge.balance != 0) {
        ++report.cracks;
        if (report.first.empty()) {
          report.first = "edge (" + text(a) + ") - (" + text(b) + ") balance " + std::to_string(edge.balance);
        }
      }
    }
    return report;
  }

 private:
  struct Edge {
    std::uint32_t low = 0, high = 0;
    std::int32_t balance = 0;
    std::uint32_t uses = 0;  // 0: a free place
  };
  static std::string text(const Corner& c) {
    return std::to_string(real(c.x)) + ' ' + std::to_string(real(c.y)) + ' ' + std::to_string(real(c.z)) +
           (c.hole != 0 ? " hole" : "");
  }
  static std::uint64_t mix(std::uint64_t h) {
    h ^= h >> 32;
    h *= 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
  }
  static std::uint64_t hash_of(const Corner& c) {
    return mix((std::uint64_t(c.x) << 32 | c.z) * 0xbf58476d1ce4e5b9ull ^ mix(std::uint64_t(c.y) << 1 | c.hole));
  }

  std::uint32_t weld(const Corner& corner) {
    if (2 * corners_.size() >= vertices_.size()) {
      vertices_.assign(vertices_.size() * 2, 0);
      for (std::uint32_t id = 0; id < corners_.size(); ++id) {
        std::size_t at = hash_of(corners_[id]) & (vertices_.size() - 1);
        while (vertices_[at] != 0) {
          at = (at + 1) & (vertices_.size() - 1);
        }
        vertices_[at] = id + 1;
      }
    }
    std::size_t at = hash_of(corner) & (vertices_.size() - 1);
    for (; vertices_[at] != 0; at = (at + 1) & (vertices_.size() - 1)) {
      if (corners_[vertices_[at] - 1] == corner) {
        return vertices_[at] - 1;
      }
    }
    corners_.push_back(corner);
    vertices_[at] = std::uint32_t(corners_.size());
    return std::uint32_t(corners_.size() - 1);
  }

  Edge& find(std::uint32_t low, std::uint32_t high) {
    std::size_t at = mix(std::uint64_t(low) << 32 | high) & (edges_.size() - 1);
    while (edges_[at].uses != 0 && (edges_[at].low != low || edges_[at].high != high)) {
      at = (at + 1) & (edges_.size() - 1);
    }
    return edges_[at];
  }
  void count(std::uint32_t from, std::uint32_t to) {
    if (2 * edge_count_ >= edges_.size()) {
      std::vector<Edge> old(edges_.size() * 2);
      old.swap(edges_);
      for (const Edge& edge : old) {
        if (edge.uses != 0) {
          find(edge.low, edge.high) = edge;
        }
      }
    }
    Edge& edge = find(std::min(from, to), std::max(from, to));
    edge_count_ += edge.uses == 0 ? 1 : 0;
    edge.low = std::min(from, to);
    edge.high = std::max(from, to);
    edge.balance += from < to ? 1 : -1;
    ++edge.uses;
  }

  std::uint32_t west_, east_, north_, south_;
  std::vector<Corner> corners_;
  std::vector<std::uint32_t> vertices_;  // id + 1, 0: a free place
  std::vector<Edge> edges_;
  std::size_t edge_count_ = 0;
  double area_ = 0;
};

}  // namespace arete::test
