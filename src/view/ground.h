// The ground under a camera: nothing may fly below what is drawn, nor below what collides.
#pragma once

#include <optional>

#include "arete/collider.h"
#include "arete/cut.h"
#include "arete/drawn.h"

namespace arete::view {

// How far a picture's eye stays above the ground: beyond the near plane, and small beside the samples' spacing.
double least_clearance_m(const Bounds& bounds);

// Reads resident pages alone. The source, bounds and each cut must outlive its use.
class GroundBelow {
 public:
  GroundBelow(const SampleSource& resident, const Bounds& bounds);
  // Takes up what is drawn now; the pages may have changed.
  void begin(const Cut& cut, const kernel::FrameConstants& frame, const Ranges& ranges);
  // The higher of the drawn ground and the collider's; nothing over holes and outside of the field.
  Result<std::optional<double>> height_at(double x_m, double z_m);

 private:
  PageCollider collider_;
  DrawnSurface drawn_;
};

}  // namespace arete::view
