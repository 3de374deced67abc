// Cuts for the screen.
#include "view/field_frame.h"

#include <algorithm>
#include <limits>

namespace arete::view {

Ranges without_morph(Ranges ranges) {
  ranges.morph_start_sq = std::numeric_limits<float>::max();
  return ranges;
}

void FieldFrame::look(const vulkan::Camera& camera, int width, int height, const RangeOptions& options,
                      bool has_morph) {
  camera_ = camera;
  view_ = vulkan::picture_view(camera, width, height);
  options_ = options;
  has_morph_ = has_morph;
  scale_ = std::min(1.0, scale_ * 1.01);
  make_ranges();
}

void FieldFrame::make_ranges() {
  options_.scale = scale_;
  ranges_ = arete::make_ranges(bounds_, view_.pixels_per_radian, options_);
  if (!has_morph_) ranges_ = without_morph(ranges_);
}

void FieldFrame::select(bool has_walls) {
  const NodeResidency resident(atlas_, ranges_.node_quads);
  for (;;) {
    select_cut(bounds_, view_, ranges_, workspace_, cut_, &resident);
    drawn_ = vulkan::picture_cut(bounds_.lattice(), cut_, ranges_.node_quads, has_walls);
    constexpr double kLeast = 1e-3;
    if (drawn_.drawn.size() <= kMostNodes || scale_ < kLeast) break;
    scale_ *= 0.9;
    make_ranges();
  }
  anchor_ = anchor_near(bounds_.lattice(), view_.eye_x_m, view_.eye_z_m);
  constants_ = make_frame(bounds_, view_, ranges_, anchor_);
}

}  // namespace arete::view
