// Rows of a node's vertices at the node's lod and, where they are morph targets, at coarser ones.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "arete/core.h"
#include "page_samples.h"
#include "vertex_row.h"

namespace arete::mesh {

// V(lod, .) row by row. A row is made when asked for and kept until another row of its lod is; the two fine rows that
// share a target find it there.
class NodeRows {
 public:
  explicit NodeRows(const Bounds& bounds) : bounds_(bounds) {}

  // Names the node; `samples` must have begun it.
  void begin(const kernel::FrameConstants& frame, const PageSamples& samples, const Node& node, int quads);

  // Row `place` of the lod `up` above the node's, with its vertices in the order of axis_x(up).
  VertexRow& row(int up, int place);
  // Makes the node's own row again when it is asked for next: its caller has changed it.
  void forget_row() { level(0).held = -1; }
  const LatticeAxis& axis_x(int up) { return level(up).x; }
  const LatticeAxis& axis_z(int up) { return level(up).z; }

 private:
  struct Level {
    bool is_ready = false;
    int held = -1;  // the place whose row is held
    LatticeAxis x, z;
    VertexRow row;
    // The places' samples, from one before the first on each axis; in the page, or copies where the rim repeats its
    // own.
    std::ptrdiff_t stride = 0;
    const std::uint16_t* anchor = nullptr;
    const std::uint16_t* drawn = nullptr;
    std::vector<std::uint16_t> anchor_copy;
    std::vector<std::uint16_t> drawn_copy;
    std::array<float, kRowRoom> scale;  // 2^(kappa - 2 lod) along the row
    int scale_place = -1;
  };
  Level& level(int up);
  void find_samples(Level& level) const;
  const float* scale_of(Level& level, int place) const;

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
