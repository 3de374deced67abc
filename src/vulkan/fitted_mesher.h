// A mesher that is large enough for the cuts that it meets.
#pragma once

#include <memory>

#include "arete/vulkan.h"

namespace arete::vulkan {

// Keeps one mesher of picture_layout() until a cut needs more nodes or pages, other quads or another plane; then makes
// one anew, with room to spare.
class FittedMesher {
 public:
  // `bounds` must outlive it.
  FittedMesher(const BorrowedDevice& device, const Bounds& bounds, int frames_in_flight);

  // Whether the mesher at hand can record this cut. Where not, finish all recorded work before make().
  bool fits(const Cut& cut, const Ranges& ranges) const;
  Result<void> make(const Cut& cut, const Ranges& ranges);
  TerrainMesher& mesher() noexcept { return *mesher_; }

 private:
  BorrowedDevice device_;
  const Bounds& bounds_;
  TerrainMesherOptions options_;
  std::unique_ptr<TerrainMesher> mesher_;
};

}  // namespace arete::vulkan
