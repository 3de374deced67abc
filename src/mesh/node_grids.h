// A node's vertices at the node's lod and, where they are morph targets, at coarser ones.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "arete/core.h"
#include "page_samples.h"
#include "vertex_grid.h"

namespace arete::mesh {

// A vertex that stands at a place of a node instead of the lattice's own.
struct PlacedVertex {
  int column, row;
  kernel::SurfaceVertex vertex;
};

// V(lod, .) of the node's lattice and of the coarser lattices that it slides to, each made when first asked for.
class NodeGrids {
 public:
  explicit NodeGrids(const Bounds& bounds) : bounds_(bounds) {}

  // Names the node; `samples` must have begun it.
  void begin(const kernel::FrameConstants& frame, const PageSamples& samples, const Node& node, int quads);

  // The node's vertices, row-major, in the arrays of a grid or as words of the compact layout. Its stitched edges are
  // those of the lod above, corners included, but for vertices that the caller places.
  const VertexGrid& vertices(std::span<const PlacedVertex> placed);
  void write_compact(std::span<const PlacedVertex> placed, std::uint32_t* words);

 private:
  // Axes are the frame's and a node's column or row: nodes that follow each other in a cut share them.
  class Axes {
   public:
    void forget() { kept_.fill({}); }
    LatticeAxis& of(int lod, int first, int count, const kernel::FrameAxis& frame, float step_m);

   private:
    std::array<LatticeAxis, 4> kept_;  // by the least bits of the column or row
  };
  struct Level {
    Axes axes_x, axes_z;
    LatticeAxis* x = nullptr;  // null: not asked for yet
    LatticeAxis* z = nullptr;
    bool has_vertices = false;
    VertexGrid vertices;
    GridSamples samples;
    GridSlide slide;
    std::vector<float> subsamples;
    std::vector<float> tops;  // of the max plane, where it is drawn
    std::vector<float> scales;

    GridDraw draw(const kernel::FrameConstants& frame) const { return {frame, *x, *z, samples, slide}; }
  };
  Level& level(int up);
  VertexGrid& grid(int up);
  // Fills all that drawing a level reads.
  Level& prepare(int up);
  StepRange convert_samples(Level& level) const;
  void find_scales(Level& level) const;
  bool find_sliding(Level& level, StepRange anchors) const;
  void stitch(Level& level) const;

  const Bounds& bounds_;
  const kernel::FrameConstants* frame_ = nullptr;
  kernel::FrameConstants axes_frame_{};  // that of the kept axes
  const PageSamples* samples_ = nullptr;
  Node node_;
  int quads_ = 0;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace arete::mesh
