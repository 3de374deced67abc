// The surface as it is drawn now: for things far away that should stand on what is seen, not on ground that no picture
// shows.
//
// Heights come from the very triangles that NodeMesher emits for the cut: lod, morph and edge rule included, bit for
// bit at their vertices. Physics stays with collider.h, which no camera changes.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>

#include "arete/mesh.h"

namespace arete {

enum class DrawnGround : std::uint8_t { surface = 0, hole = 1, outside = 2 };

struct DrawnHeight {
  DrawnGround ground = DrawnGround::outside;
  double y_m = std::numeric_limits<double>::quiet_NaN();  // unless surface
  int lod = 0;                                            // of the node whose triangle answers
};

// Heights of one cut at a time. Meshes a node when a place in it is first asked for, and keeps it until the next
// begin(). One per thread; the source, the bounds and the cut must outlive its use.
class DrawnSurface {
 public:
  DrawnSurface(const SampleSource& source, const Bounds& bounds);
  ~DrawnSurface();
  DrawnSurface(DrawnSurface&&) noexcept;
  DrawnSurface& operator=(DrawnSurface&&) noexcept;

  // Takes up the frame that is drawn: its cut, ranges and constants (their anchor decides how f32 places round).
  void begin(const Cut& cut, const kernel::FrameConstants& frame, const Ranges& ranges);
  // The drawn height at a place in metres; where triangles of a node turn over in mid-morph, the highest. Fails as the
  // source does when a page cannot be had.
  Result<DrawnHeight> height_at(double x_m, double z_m);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// One height: of the cut, view and ranges as they are drawn from the anchor near the eye.
Result<DrawnHeight> drawn_height_at(const SampleSource& source, const Bounds& bounds, const Cut& cut, const View& view,
                                    const Ranges& ranges, double x_m, double z_m);

}  // namespace arete
