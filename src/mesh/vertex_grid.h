// The vertices of a node's lattice at one lod, an array a component, and the vector loops over them.
//
// Every loop is a kernel function on as many vertices as the machine has lanes, operation by operation in the same
// order: the vertices are those of kernel/vertex.h on every target (tests: unit/mesh, property/mesher_test).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/layout.h"

namespace arete::mesh {

// Vertices a side of the greatest node, and room behind them for a whole vector.
inline constexpr int kMostVertices = 129;
inline constexpr std::size_t kRowRoom = kMostVertices + 63;

// Vertices in rows of x.count without gaps, as SurfaceVertex holds one: `is_hole` is 0 or 1.
struct VertexGrid {
  std::vector<float> x, y, z, gradient_x, gradient_z;
  std::vector<std::int32_t> is_hole;
  bool has_holes = false;  // one of them may be a hole

  // Makes room for `count` vertices and for four vectors behind them.
  void reserve(std::size_t count);
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

// What a lattice reads: samples in steps, from one place before the first on each axis, at `drawn[-stride - 1]`.
struct GridSamples {
  const float* anchor = nullptr;
  const float* drawn = nullptr;
  std::ptrdiff_t stride = 0;
  bool has_holes = false;  // one of them may be 0
};

// 2^(kappa - 2 lod) of each place; a stride of 0 repeats one row.
struct GridScales {
  const float* values = nullptr;
  std::ptrdiff_t stride = 0;
};

// How a lattice slides: the weight of each place, `stride` a row, and the vertices of the next lod.
struct GridSlide {
  const float* weights = nullptr;  // null: all of it rests
  std::ptrdiff_t stride = 0;
  VertexGrid* target = nullptr;
  std::ptrdiff_t target_stride = 0;
};

// Steps as floats, exactly; true when one of them is 0. `to` has room for a vector behind each row.
bool convert_steps(const std::uint16_t* steps, std::ptrdiff_t stride, int columns, int rows, float* to,
                   std::ptrdiff_t to_stride);

// sample_weight() of every distinct place, rows `stride` apart; true when one is above 0.
bool weigh_grid(const kernel::FrameConstants& frame, const LatticeAxis& x, const LatticeAxis& z,
                const GridSamples& samples, const GridScales& scales, float* weights, std::ptrdiff_t stride);

// rest_vertex() of every distinct place, slid as cascade_vertex() does.
void draw_grid(const kernel::FrameConstants& frame, const LatticeAxis& x, const LatticeAxis& z,
               const GridSamples& samples, const GridSlide& slide, VertexGrid& grid);

}  // namespace arete::mesh
