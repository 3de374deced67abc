// Frustum culling of leaves by boxes, conservative under the cascade.
//
// A vertex that slides to the lattice of lod L + log2(quads) still lies in its node of lod L. Beyond that it may leave
// it, but only if the whole way there is behind its morph bands, which the farthest corner of the box bounds.
#include "cull.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "kernel/morph.h"

namespace arete::cut {

Culler::Culler(const NodeRanges& nodes, const View& view, const Ranges& ranges, const kernel::FrameConstants& frame)
    : nodes_(nodes),
      lattice_(nodes.bounds().lattice()),
      view_(view),
      ranges_(ranges),
      frame_(frame),
      cascade_lods_(std::countr_zero(unsigned(ranges.node_quads))) {}

Culler::Side Culler::side(int lod, Place at) const {
  // The box by its middle and half its extent.
  struct Interval {
    double middle, reach;
  };
  const auto interval = [](double low, double high) { return Interval{(low + high) / 2, (high - low) / 2}; };
  const StopSpan span_x = stop_span(at.x, ranges_.node_quads, lod, lattice_.last_stop_x());
  const StopSpan span_z = stop_span(at.z, ranges_.node_quads, lod, lattice_.last_stop_z());
  const NodeRange range = nodes_.at(lod, at);
  const Interval x = interval(lattice_.x_m(span_x.first), lattice_.x_m(span_x.last));
  const Interval z = interval(lattice_.z_m(span_z.first), lattice_.z_m(span_z.last));
  const Interval y = interval(lattice_.height_m(range.min),
                              lattice_.height_m(ranges_.plane == HeightPlane::max ? range.top : range.max));
  Side result = Side::inside;
  for (const Plane& plane : view_.frustum) {
    const double middle = plane.x * x.middle + plane.y * y.middle + plane.z * z.middle + plane.d;
    const double reach = std::abs(plane.x) * x.reach + std::abs(plane.y) * y.reach + std::abs(plane.z) * z.reach;
    if (middle < -reach) {
      return Side::outside;
    }
    if (middle < reach) {
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
  const StopSpan x = stop_span(at.x, ranges_.node_quads, lod, lattice_.last_stop_x());
  const StopSpan z = stop_span(at.z, ranges_.node_quads, lod, lattice_.last_stop_z());
  const NodeRange range = nodes_.at(lod, at);
  const float far_sq = farthest_sq(frame_, lattice_, x, z, range);
  int kappa = 0;
  for (const std::int32_t gz : {z.first, z.last}) {
    for (const std::int32_t gx : {x.first, x.last}) {
      kappa = std::max(kappa, nodes_.bounds().kappa_at(reached_lod, gx, gz));
    }
  }
  return kernel::scaled_distance_sq(far_sq, kappa, reached_lod) > frame_.morph_start_sq;
}

bool Culler::is_kept(int lod, Place at) const {
  for (int reached = lod + cascade_lods_;; ++reached, ++lod, at = {at.x >> 1, at.z >> 1}) {
    if (side(lod, at) != Side::outside) {
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
    parents = side(parent_lod, parent);
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
