// One watertight mesh of a whole field: a quadtree of quads of several lods, sewn so that no edge has a vertex in its
// middle, with an error that is measured exactly against the full-resolution surface (docs/adaptive.md).
//
// Two doors. sew() takes the caller's own quadtree and any heightmap. adapt() chooses the tree for an error bound in
// metres and works piece by piece: the subdivision of a border between two pieces follows from the samples on and
// beside it alone, so pieces meshed apart fit together and the whole is exactly its pieces, whatever the number of
// threads.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <unordered_set>
#include <vector>

#include "arete/core.h"

namespace arete {

// ---- Meshes on a lattice --------------------------------------------------------------------------------------------

struct MeshVertex {
  std::int32_t x = 0;  // stop, or lattice place of a caller's own tree
  std::int32_t z = 0;
  float y_m = 0;
  friend bool operator==(const MeshVertex&, const MeshVertex&) = default;
};

// Indices of three vertices, counter-clockwise seen from above (+Y); never without area in plan.
using MeshTriangle = std::array<std::uint32_t, 3>;

// Each vertex stands once: two triangles that meet share its index.
struct LatticeMesh {
  std::vector<MeshVertex> vertices;
  std::vector<MeshTriangle> triangles;
};

// ---- The caller's own quadtree --------------------------------------------------------------------------------------

// A tree of quads over the square of 2^depth cells a side; quad (lod, x, z) covers cells x 2^lod .. (x + 1) 2^lod. Only
// split quads take memory. Not safe to change from several threads.
class QuadTree {
 public:
  // `depth` is the root's lod, 0..28. The root alone exists.
  explicit QuadTree(int depth);
  int depth() const noexcept { return depth_; }
  std::int32_t cells() const noexcept { return std::int32_t(1) << depth_; }
  // Gives the quad four children, and its ancestors where they have none. 1 <= lod <= depth, x and z within the tree.
  void split(int lod, std::int32_t x, std::int32_t z);
  bool is_split(int lod, std::int32_t x, std::int32_t z) const;
  // The root, or a child of a split quad. False outside the tree.
  bool exists(int lod, std::int32_t x, std::int32_t z) const;
  // Splits as few quads as make edge neighbours differ by at most one lod.
  void balance();
  bool is_balanced() const;
  // Calls visit(lod, x, z) for every leaf, children in the order (0,0) (1,0) (0,1) (1,1).
  void for_each_leaf(const std::function<void(int, std::int32_t, std::int32_t)>& visit) const;

 private:
  std::uint64_t key(int lod, std::int32_t x, std::int32_t z) const;
  bool contains(int lod, std::int32_t x, std::int32_t z) const;
  int depth_;
  std::unordered_set<std::uint64_t> split_;
};

// The height in metres at a lattice place, 0 <= x, z <= tree.cells(). Asked once for each vertex.
using HeightAt = std::function<float(std::int32_t x, std::int32_t z)>;

struct SewOptions {
  bool balance = true;  // work on a balanced copy of the tree; false: sew the tree as it is, however steep its steps
};

// Meshes the leaves of `tree` without holes. A leaf whose neighbours over k of its edges are one lod finer has 2 + k
// triangles, fanned from a midpoint; beside neighbours that are finer still (balance = false) it is a fan around its
// centre. Both sides of an edge use the same vertices. A leaf of lod 0 has no neighbour that is finer.
LatticeMesh sew(const QuadTree& tree, const HeightAt& height_at, const SewOptions& options = {});

// ---- A mesh with an error bound -------------------------------------------------------------------------------------

// Asks for more detail in a disc: triangles that touch it keep to error_m.
struct Focus {
  double x_m = 0;
  double z_m = 0;
  double radius_m = 0;
  double error_m = 0;
};

struct AdaptOptions {
  // The greatest vertical distance between the mesh and the source, >= 0; infinity asks for the coarsest mesh.
  double max_error_m = 1;
  // The greatest |step - source| of heights that were quantised; taken off max_error_m.
  double quantisation_error_m = 0;
  // 0, or: look for the least error whose mesh has at most this many triangles. max_error_m is then ignored.
  std::int64_t max_triangles = 0;
  std::vector<Focus> focus = {};
  // Cells a side of the pieces that the field is worked in: a power of two, 2..1024. Part of the result: a border
  // between pieces has vertices that a larger piece could do without.
  std::int32_t piece_cells = 512;
  int jobs = 0;                               // threads; 0: as many as the machine has. Changes no bit of the result.
  std::function<void(double)> progress = {};  // the fraction done, from any one thread at a time
};

struct AdaptedMesh {
  Lattice lattice;
  LatticeMesh mesh;
  double error_m = 0;      // the greatest vertical distance to the full-resolution surface, exact up to its rounding up
  double max_error_m = 0;  // the bound that was kept, quantisation included
  std::int64_t pieces = 0;
};

// Meshes every cell triangle whose three samples are valid, and nothing else. Refused in one line: no such triangle
// (all holes, or a field one sample wide), a bound below the quantisation error, a triangle budget that cannot be met,
// NaN. `stops` is row-major, stops_x * stops_z steps, 0 = hole.
Result<AdaptedMesh> adapt(const Lattice& lattice, std::span<const std::uint16_t> stops, const AdaptOptions& options);
// The same from any source, in memory bounded by the mesh and a few pieces of samples.
Result<AdaptedMesh> adapt(const SampleSource& source, const AdaptOptions& options);

// The piece (px, pz) of adapt(source) alone: the same triangles, in the field's stops. max_triangles is ignored.
Result<LatticeMesh> adapt_piece(const SampleSource& source, const AdaptOptions& options, std::int32_t px,
                                std::int32_t pz);

// Directed edges a-b of one triangle alone, by their lesser end: the rim of the field and of its holes.
std::vector<std::array<std::uint32_t, 2>> rim_edges(const LatticeMesh& mesh);

// ---- Measures of a finished mesh ------------------------------------------------------------------------------------

struct MeshMeasures {
  std::array<double, 3> min_m{};  // x y z
  std::array<double, 3> max_m{};
  double plan_area_m2 = 0;
  double surface_area_m2 = 0;
  double volume_m3 = 0;        // between the mesh and `floor_m`, negative parts below it counted off
  std::int64_t rim_edges = 0;  // edges of one triangle: the field's rim and the rims of holes
  std::int64_t open_edges =
      0;  // edges of one triangle with a vertex of the mesh inside them: cracks; 0 for a right mesh
};
MeshMeasures measure(const Lattice& lattice, const LatticeMesh& mesh, double floor_m);

}  // namespace arete
