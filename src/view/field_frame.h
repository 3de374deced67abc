// One frame's cut of a field: from where it is made, what is resident, and how it is meshed.
#pragma once

#include "arete/cut.h"
#include "arete/stream.h"
#include "vulkan/field_scene.h"

namespace arete::view {

// Ranges under which nothing morphs: every vertex rests, and what is seen of a merge or a split is all of it.
Ranges without_morph(Ranges ranges);

// Keeps the cut of the last camera that it was made for, which a frozen one outlives.
class FieldFrame {
 public:
  // The atlas and bounds must outlive it.
  FieldFrame(const Atlas& atlas, const Bounds& bounds) : atlas_(atlas), bounds_(bounds) {}

  // Takes up another camera in a picture of that size. Select after the streamer's update.
  void look(const vulkan::Camera& camera, int width, int height, const RangeOptions& options, bool has_morph);
  // What the streamer is to bring.
  Viewpoint viewpoint() const { return arete::viewpoint(view_, ranges_); }
  // Selects among what is resident. Ranges shrink until no more than kMostNodes are drawn, and recover by and by.
  void select(bool has_walls);
  static constexpr std::size_t kMostNodes = 6000;

  const vulkan::Camera& camera() const noexcept { return camera_; }
  const kernel::FrameConstants& constants() const noexcept { return constants_; }
  const Ranges& ranges() const noexcept { return ranges_; }
  const Cut& cut() const noexcept { return cut_; }      // plain
  const Cut& drawn() const noexcept { return drawn_; }  // with what walls ask for
  double detail() const noexcept { return scale_; }
  vulkan::FieldView field_view() const { return {atlas_, bounds_, constants_, ranges_, anchor_}; }

 private:
  void make_ranges();

  const Atlas& atlas_;
  const Bounds& bounds_;
  vulkan::Camera camera_;
  View view_;
  RangeOptions options_;
  bool has_morph_ = true;
  double scale_ = 1;
  Ranges ranges_;
  Anchor anchor_;
  kernel::FrameConstants constants_{};
  CutWorkspace workspace_;
  Cut cut_, drawn_;
};

}  // namespace arete::view
