// Node bounds of 32 quads read for nodes of 4 to 128.
#include "node_ranges.h"

#include <algorithm>
#include <bit>

#include "kernel/height.h"
#include "kernel/morph.h"

namespace arete::cut {

NodeRanges::NodeRanges(const Bounds& bounds, const NodeGrid& grid)
    : bounds_(bounds),
      hole_(bounds.field_min),
      quads_(grid.quads),
      shift_(std::countr_zero(unsigned(kBoundsQuads)) - std::countr_zero(unsigned(grid.quads))) {
  for (int lod = 1; lod < grid.lods; ++lod) {
    levels_[std::size_t(lod)] = {&bounds.at(lod, 0, 0), bounds.lattice().nodes_x(lod, kBoundsQuads),
                                 bounds.lattice().nodes_z(lod, kBoundsQuads)};
  }
}

NodeRange NodeRanges::at_lod_0(Place at) const {
  if (levels_[1].nodes == nullptr) {
    return {bounds_.field_min, bounds_.field_max, bounds_.field_max, 0};
  }
  NodeRange range = this->at(1, {at.x >> 1, at.z >> 1});
  range.split = 0;
  return range;
}

NodeRange NodeRanges::united(int lod, Place at) const {
  const Level& level = levels_[std::size_t(lod)];
  const std::int32_t block = quads_ / kBoundsQuads;
  const std::int32_t end_x = std::min((at.x + 1) * block, level.width);
  const std::int32_t end_z = std::min((at.z + 1) * block, level.depth);
  NodeRange range{UINT16_MAX, 0, 0, UINT8_MAX};
  for (std::int32_t z = at.z * block; z < end_z; ++z) {
    for (std::int32_t x = at.x * block; x < end_x; ++x) {
      const NodeRange part = read(level.nodes[std::ptrdiff_t(z) * level.width + x]);
      range.min = std::min(range.min, part.min);
      range.max = std::max(range.max, part.max);
      range.top = std::max(range.top, part.top);
      range.split = std::min(range.split, part.split);
    }
  }
  return range;
}

float farthest_sq(const kernel::FrameConstants& frame, const Lattice& lattice, StopSpan x, StopSpan z,
                  NodeRange range) {
  const auto farther = [](float a, float b) { return std::max(std::max(a, -a), std::max(b, -b)); };
  const auto offset_x = [&](std::int32_t stop) {
    return kernel::camera_offset(lattice.half_x(stop), frame.camera_half_x, frame.half_x_m, frame.camera_rest_x);
  };
  const auto offset_z = [&](std::int32_t stop) {
    return kernel::camera_offset(lattice.half_z(stop), frame.camera_half_z, frame.half_z_m, frame.camera_rest_z);
  };
  const auto offset_y = [&](std::uint16_t steps) {
    return kernel::height_m(steps, frame.base_m, frame.step_m) - frame.camera_y;
  };
  return kernel::distance_sq(farther(offset_x(x.first), offset_x(x.last)),
                             farther(offset_y(range.min), offset_y(range.max)),
                             farther(offset_z(z.first), offset_z(z.last)));
}

}  // namespace arete::cut
