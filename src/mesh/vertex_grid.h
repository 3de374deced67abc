// The vertices of a node's lattice at one lod, and the vector loops that draw them.
//
// Every loop is a kernel function on as many vertices as the machine has lanes, operation by operation in the same
// order: the vertices are those of kernel/vertex.h on every target (tests: unit/mesh, property/mesher_test).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernel/vertex.h"
#include "lattice_axis.h"

namespace arete::mesh {

// Arrays of vertices, a component each as SurfaceVertex holds one: `is_hole` is 0 or 1.
struct VertexArrays {
  float *x, *y, *z, *gradient_x, *gradient_z;
  std::int32_t* is_hole;
};

// Vertices in rows of x.count without gaps.
struct VertexGrid {
  std::vector<float> x, y, z, gradient_x, gradient_z;
  std::vector<std::int32_t> is_hole;
  bool has_holes = false;  // one of them may be a hole

  // Makes room for `count` vertices and for four vectors behind them.
  void reserve(std::size_t count);
  void set(std::size_t at, const kernel::SurfaceVertex& vertex) {
    x[at] = vertex.x;
    y[at] = vertex.y;
    z[at] = vertex.z;
    gradient_x[at] = vertex.gradient.x;
    gradient_z[at] = vertex.gradient.z;
    is_hole[at] = vertex.is_hole;
  }
  VertexArrays arrays() { return {x.data(), y.data(), z.data(), gradient_x.data(), gradient_z.data(), is_hole.data()}; }
};

// What a lattice reads: samples in steps, from one place before the first on each axis, at `drawn[-stride - 1]`.
struct GridSamples {
  const float* anchor = nullptr;
  const float* drawn = nullptr;
  std::ptrdiff_t stride = 0;
  bool has_holes = false;  // one of them may be 0
};

// How a lattice slides.
struct GridSlide {
  std::array<bool, kMostVertices> rows;            // those in which a weight may be above 0
  std::array<const float*, kMostVertices> scales;  // 2^(kappa - 2 lod) of every place of a row
  float morph_scale = 0;                           // the frame's; 0 where only edges slide
  bool has_target = false;                         // false: all of it rests
  bool is_to_holes = false;                        // a target may be a hole
  VertexArrays target{};                           // the vertices of the next lod
  std::ptrdiff_t target_stride = 0;
};

// The least and the greatest of the steps that were converted.
struct StepRange {
  int least = 65535;
  int greatest = 0;
};

// Steps as floats, exactly. `to` has room for a vector behind each row.
StepRange convert_steps(const std::uint16_t* steps, std::ptrdiff_t stride, int columns, int rows, float* to,
                        std::ptrdiff_t to_stride);

// A lattice to draw: rest_vertex() of every distinct place, slid as cascade_vertex() does.
struct GridDraw {
  const kernel::FrameConstants& frame;
  const LatticeAxis& x;
  const LatticeAxis& z;
  const GridSamples& samples;
  const GridSlide& slide;

  bool has_holes() const { return samples.has_holes || (slide.has_target && slide.is_to_holes); }
};
// As arrays, whose places beyond the rim stay as they are.
void draw_grid(const GridDraw& lattice, VertexGrid& grid);
// As words of the compact layout, x.count vertices a row; those beyond the rim stay as they are.
void draw_compact(const GridDraw& lattice, std::uint32_t* words);

}  // namespace arete::mesh
