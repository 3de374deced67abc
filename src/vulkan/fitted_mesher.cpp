// Makes meshers by what cuts need.
#include "vulkan/fitted_mesher.h"

#include <algorithm>

#include "vulkan/field_scene.h"
#include "vulkan/mesher_frame.h"

namespace arete::vulkan {

FittedMesher::FittedMesher(const BorrowedDevice& device, const Bounds& bounds, int frames_in_flight)
    : device_(device), bounds_(bounds) {
  options_.layout = picture_layout();
  options_.frames_in_flight = frames_in_flight;
}

bool FittedMesher::fits(const Cut& cut, const Ranges& ranges) const {
  return mesher_ != nullptr && options_.node_quads == ranges.node_quads && options_.plane == ranges.plane &&
         cut.drawn.size() <= options_.pool_nodes &&
         count_pages(cut, ranges.node_quads, bounds_.lattice().lods()) <= options_.page_slots;
}

Result<void> FittedMesher::make(const Cut& cut, const Ranges& ranges) {
  mesher_ = nullptr;
  const auto with_room = [](std::size_t needed) { return std::uint32_t(std::max<std::size_t>(needed * 3 / 2, 256)); };
  options_.node_quads = ranges.node_quads;
  options_.plane = ranges.plane;
  options_.pool_nodes = with_room(cut.drawn.size());
  options_.page_slots = with_room(count_pages(cut, ranges.node_quads, bounds_.lattice().lods()));
  options_.page_uploads = options_.page_slots;
  auto made = TerrainMesher::create(device_, bounds_, options_);
  if (!made) return Unexpected{made.error()};
  mesher_ = std::move(*made);
  return {};
}

}  // namespace arete::vulkan
