// A node's vertices at the node's lod and, where they are morph targets, at coarser ones.
#pragma once

#include <memory>
#include <vector>

#include "arete/core.h"
#include "page_samples.h"
#include "vertex_grid.h"

namespace arete::mesh {

// V(lod, .) of the node's lattice and of the coarser lattices that it slides to, each made when first asked for.
class NodeGrids {
 public:
  explicit NodeGrids(const Bounds& bounds) : bounds_(bounds) {}

  // Names the node; `samples` must have begun it.
  void begin(const kernel::FrameConstants& frame, const PageSamples& samples, const Node& node, int quads);

  // The vertices of the lod `up` above the node's, in rows of axis_x(up).count.
  VertexGrid& grid(int up);
  const LatticeAxis& axis_x(int up) { return level(up).x; }
  const LatticeAxis& axis_z(int up) { return level(up).z; }

 private:
  struct Level {
    LatticeAxis x, z;
    bool has_axes = false;
    bool has_vertices = false;
    VertexGrid vertices;
    std::vector<float> subsamples;
    std::vector<float> tops;  // of the max plane, where it is drawn
    std::vector<float> weights;
    std::vector<float> scales;
  };
  Level& level(int up);
  GridSamples convert_samples(Level& level) const;
  GridScales scales_of(Level& level) const;

  const Bounds& bounds_;
  const kernel::FrameConstants* frame_ = nullptr;
  const PageSamples* samples_ = nullptr;
  int lod_ = 0;
  int first_x_ = 0;
  int first_z_ = 0;
  int quads_ = 0;
  std::vector<std::unique_ptr<Level>> levels_;
};

}  // namespace arete::mesh
