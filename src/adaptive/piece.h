// One piece of a field becomes triangles: the quadtree loop of docs/adaptive.md between borders that are given.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "adaptive/border.h"
#include "adaptive/error_goal.h"
#include "adaptive/error_meter.h"
#include "adaptive/leaf_fit.h"
#include "adaptive/piece_tree.h"
#include "adaptive/strip_fit.h"

namespace arete::adaptive {

struct PieceMesh {
  std::vector<Place> vertices;
  std::vector<MeshTriangle> triangles;  // counter-clockwise from above
  double error = 0;                     // steps
};

// Scratch for meshing pieces one after another; one per thread.
class PieceMesher {
 public:
  // `cells` is a power of two, 2..1024.
  explicit PieceMesher(std::int32_t cells);

  // (x0, z0) is the piece's corner in the field, in stops; `has_neighbour` says over which sides (Side::Which) the
  // field goes on.
  void mesh(const SampleBlock& block, const ErrorGoal& goal, std::int32_t x0, std::int32_t z0,
            const std::array<bool, 4>& has_neighbour, PieceMesh& result);

 private:
  struct Box {
    std::int32_t x0, x1, z0, z1;
  };
  enum Holes : std::uint8_t { kNoHole = 0, kSomeHoles = 1, kAllHoles = 3 };

  Box box(Quad quad) const;
  void find_holes();
  Holes holes(Quad quad) const;
  void set_limit(Box box);
  Quad across(Quad quad, int side) const;
  bool touches(Quad quad, int side) const;
  // The part of a side's line that the quad covers.
  std::array<std::int32_t, 2> reach(Quad quad, int side) const;
  bool has_middle(Quad quad, int side) const;
  std::size_t side_index(Quad quad, int side) const;
  bool is_added(Quad quad, int side) const { return added_[std::size_t(quad.lod)][side_index(quad, side)] != 0; }
  bool may_add_middle(Quad quad, int side) const;
  bool add_middles(Quad quad);
  double side_error(Quad quad, int side) const;
  Ring ring(Quad quad, int more = 0) const;
  bool must_split(Quad quad) const;
  bool is_in_strip(Quad quad, int side) const;
  Quad leaf_on(int side, std::int32_t along) const;
  Strip strip(int side, std::int32_t from, std::int32_t to, int lod) const;
  bool settle_leaf(Quad quad);
  bool settle_strip(int side, std::int32_t from, std::int32_t to);
  void emit(Quad quad);
  void emit_triangle(PlaceTriangle places);
  std::uint32_t vertex(Place place);

  std::int32_t cells_;
  PieceTree tree_;
  // Middles that a leaf asked for: per lod and quad its -Z and -X side, with a row and a column beyond the last quads.
  std::vector<std::vector<std::uint8_t>> added_;
  std::vector<std::vector<Holes>> holes_;
  bool has_holes_ = false;
  std::vector<std::uint32_t> vertex_;  // of every stop, 0: none yet
  std::array<Border, 4> borders_;
  const SampleBlock* block_ = nullptr;
  const ErrorGoal* goal_ = nullptr;
  ErrorMeter meter_;
  std::int32_t x0_ = 0, z0_ = 0;
  LeafFit leaf_fit_;
  StripFit strip_fit_;
  PieceMesh* result_ = nullptr;
};

}  // namespace arete::adaptive
