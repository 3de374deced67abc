// One camera's look at the field: how much it wants the nodes of a box to be split, now or soon.
//
// A page of lod l is wanted when some node over it of lod l + 1 is split: its box is nearer to the camera than its
// range, the test of select_cut taken over whole quadrants of pages and rounded towards wanting. Soon means that the
// box, grown by its range, is entered on the camera's straight path within the lookahead.
#pragma once

#include <array>
#include <cstdint>

#include "arete/stream.h"
#include "stream/page_ranges.h"

namespace arete::stream {

// Greater comes first. From kNow on the page belongs to a cut of now; below, to one on the path.
using Urgency = std::uint16_t;
inline constexpr Urgency kNow = 1024;
inline constexpr Urgency kUrgencyEnd = 2048;
inline constexpr Urgency kPinned = kUrgencyEnd - 1;

struct Motion {
  double x_m_s = 0, y_m_s = 0, z_m_s = 0;
  bool is_moving() const { return x_m_s != 0 || y_m_s != 0 || z_m_s != 0; }
};

class Look {
 public:
  using Lines = std::array<double, 3>;  // where the quadrants of a page begin and end along an axis, metres

  Look(const Viewpoint& camera, const Motion& motion, double lookahead_s, const Lattice& lattice);
  // For each quadrant of a page of `lod` >= 1, how urgent the child page there is; 0: not wanted. Less than kPinned.
  std::array<Urgency, 4> urgencies(int lod, const PageQuarters& quarters, const Lines& x,
                                   const Lines& z) const noexcept;
  // Draws nodes as large as pages: they split into one node of each child, so all four children are as urgent.
  bool has_whole_nodes() const noexcept { return has_whole_nodes_; }

 private:
  // A box along one axis, from the camera.
  struct Extent {
    double low, high;
    double gap_sq;  // of the distance, lag taken off
  };
  Extent extent(double low, double high) const noexcept;
  Urgency urgency(int lod, const QuarterRange& node, const Extent& x, const Extent& z) const noexcept;
  Urgency urgency_ahead(double range_sq, const Extent& x, const Extent& y, const Extent& z) const noexcept;

  double x_m_, base_y_m_, z_m_;  // the camera's place; base_y_m_: steps of 0 from it
  double step_m_;
  Motion motion_;
  double lookahead_s_;
  double way_m_;  // within the lookahead
  double lag_m_;
  double range_0_sq_, range_0_m_;
  bool is_max_;
  bool has_whole_nodes_;
};

}  // namespace arete::stream
