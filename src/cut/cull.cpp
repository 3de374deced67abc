// Frustum culling of leaves by boxes, conservative under the cascade.
//
// A vertex that slides to the lattice of lod L + log2(quads) still lies in its node of lod L. Beyond that it may leave
// it, but only if the whole way there is behind its morph bands, which the farthest corner of the box bounds.
#include "cull.h"

#include <algorithm>
#include <bit>

#include "kernel/morph.h"

namespace arete::cut {

Culler::Culler(const Bounds& bounds, const View& view, const Ranges& ranges, const kernel::FrameConstants& frame)
    : bounds_(bounds),
      view_(view),
      ranges_(ranges),
      frame_(frame),
      cascade_lods_(std::countr_zero(unsigned(ranges.node_quads))) {}

Culler::Side Culler::side(const NodeBox& box) const {
  Side result = Side::inside;
  for (const Plane& plane : view_.frustum) {
    const auto farthest = [](double n, double low, double high) { return n * (n >= 0 ? high : low); };
    const double out = farthest(plane.x, box.min_x_m, box.max_x_m) + farthest(plane.y, box.min_y_m, box.max_y_m) +
                       farthest(plane.z, box.min_z_m, box.max_z_m) + plane.d;
    if (out < 0) {
      return Side::outside;
    }
    const double in = farthest(plane.x, box.max_x_m, box.min_x_m) + farthest(plane.y, box.max_y_m, box.min_y_m) +
                      farthest(plane.z, box.max_z_m, box.min_z_m) + plane.d;
    if (in < 0) {
      result = Side::across;
    }
  }
  return result;
}

// Whether a vertex of the node may slide from `reached_lod` to the lod above it.
bool Culler::may_leave(int lod, Place at, int reached_lod) const {
  if (reached_lod >= frame_.coarsest_lod) {
    return false;
  }
  const Lattice& lattice = bounds_.lattice();
  const StopSpan x = stop_span(at.x, ranges_.node_quads, lod, lattice.last_stop_x());
  const StopSpan z = stop_span(at.z, ranges_.node_quads, lod, lattice.last_stop_z());
  const NodeRange range = node_range(bounds_, ranges_.node_quads, lod, at);
  const auto farther = [](float a, float b) { return std::max(std::max(a, -a), std::max(b, -b)); };
  const auto offset_x = [&](std::int32_t stop) {
    return kernel::camera_offset(lattice.half_x(stop), frame_.camera_half_x, frame_.half_x_m, frame_.camera_rest_x);
  };
  const auto offset_z = [&](std::int32_t stop) {
    return kernel::camera_offset(lattice.half_z(stop), frame_.camera_half_z, frame_.half_z_m, frame_.camera_rest_z);
  };
  const auto offset_y = [&](std::uint16_t steps) {
    return kernel::height_m(steps, frame_.base_m, frame_.step_m) - frame_.camera_y;
  };
  const float far_sq = kernel::distance_sq(farther(offset_x(x.first), offset_x(x.last)),
                                           farther(offset_y(range.min), offset_y(range.max)),
                                           farther(offset_z(z.first), offset_z(z.last)));
  int kappa = 0;
  for (const std::int32_t gz : {z.first, z.last}) {
    for (const std::int32_t gx : {x.first, x.last}) {
      kappa = std::max(kappa, bounds_.kappa_at(reached_lod, gx, gz));
    }
  }
  return kernel::scaled_distance_sq(far_sq, kappa, reached_lod) > frame_.morph_start_sq;
}

bool Culler::is_kept(int lod, Place at) const {
  for (int reached = lod + cascade_lods_;; ++reached, ++lod, at = {at.x >> 1, at.z >> 1}) {
    const NodeBox box =
        node_box(bounds_, ranges_.node_quads, lod, std::uint32_t(at.x), std::uint32_t(at.z), ranges_.plane);
    if (side(box) != Side::outside) {
      return true;
    }
    if (!may_leave(lod, at, reached)) {
      return false;
    }
  }
}

void Culler::keep(std::span<const Node> leaves, int parent_lod, Place parent, std::uint32_t first,
                  std::vector<std::uint32_t>& drawn) const {
  Side parents = Side::across;
  if (parent_lod <= frame_.coarsest_lod) {
    parents = side(node_box(bounds_, ranges_.node_quads, parent_lod, std::uint32_t(parent.x), std::uint32_t(parent.z),
                            ranges_.plane));
    if (parents == Side::outside && !may_leave(parent_lod, parent, parent_lod - 1 + cascade_lods_)) {
      return;
    }
  }
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Node& leaf = leaves[i];
    if (parents == Side::inside || is_kept(leaf.lod, {std::int32_t(leaf.x), std::int32_t(leaf.z)})) {
      drawn.push_back(first + std::uint32_t(i));
    }
  }
}

}  // namespace arete::cut
