// The farthest corner of a node's box against the morph bands.
#include "node_rest.h"

#include <algorithm>

#include "kernel/morph.h"

namespace arete::cut {
namespace {

// The greatest kappa that vertices of `lod` in the closed span of stops use.
int greatest_kappa(const Bounds& bounds, int lod, StopSpan x, StopSpan z) {
  if (bounds.is_uniform()) return 0;
  const std::int64_t block = std::int64_t(kBoundsQuads) << (lod + 1);
  int kappa = 0;
  for (std::int64_t gz = z.first;; gz = std::min<std::int64_t>(gz + block, z.last)) {
    for (std::int64_t gx = x.first;; gx = std::min<std::int64_t>(gx + block, x.last)) {
      kappa = std::max(kappa, bounds.kappa_at(lod, std::int32_t(gx), std::int32_t(gz)));
      if (gx == x.last) break;
    }
    if (gz == z.last) break;
  }
  return kappa;
}

}  // namespace

NodeRest::NodeRest(const Bounds& bounds, int node_quads)
    : bounds_(bounds), quads_(node_quads), ranges_(bounds, NodeGrid(bounds.lattice(), node_quads)) {}

bool NodeRest::is_at_rest(const kernel::FrameConstants& frame, const Node& node) const {
  const Lattice& lattice = bounds_.lattice();
  const Place at{std::int32_t(node.x), std::int32_t(node.z)};
  const StopSpan x = stop_span(at.x, quads_, node.lod, lattice.last_stop_x());
  const StopSpan z = stop_span(at.z, quads_, node.lod, lattice.last_stop_z());
  const NodeRange range = ranges_.at(node.lod, at);
  const float far_sq = farthest_sq(frame, lattice, x, z, range);
  for (int lod = node.lod; lod <= node.lod + 2 && lod < frame.coarsest_lod; ++lod) {
    const int kappa = greatest_kappa(bounds_, lod, x, z);
    if (kernel::scaled_distance_sq(far_sq, kappa, lod) > frame.morph_start_sq) return false;
  }
  return true;
}

}  // namespace arete::cut
