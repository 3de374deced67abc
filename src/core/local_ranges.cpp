// Local ranges from the errors of nodes: flat ground merges early, rough ground late.
//
// Under the ranges of make_ranges, R_0 = k e* with e* the greatest of error 2^(1 - lod) over all lods, a node of lod l
// with error e may merge from distance k e on, so kappa is the greatest whole number with 2^(l - 1 - kappa/2) e* >= e.
// Neither k nor the wanted pixel error is in it. Vertices on a border take the shorter range of the nodes beside it:
// there both surfaces are the one border line, whose error neither node exceeds.
#include <algorithm>
#include <cmath>

#include "arete/core.h"

namespace arete {
namespace {

// An error of 0 counts as half a step, which is how well a stored height is known.
double error_sq(std::uint16_t error) { return error == 0 ? 0.25 : double(error) * error; }

// (e*)^2 of a plane, in steps; exact.
double roughest_sq(const Bounds& bounds, HeightPlane plane) {
  double roughest = 0;
  for (int lod = 1; lod < bounds.lattice().lods(); ++lod) {
    roughest = std::max(roughest, std::ldexp(error_sq(bounds.lod_error(lod, plane)), 2 - 2 * lod));
  }
  return roughest;
}

// A quotient of whole numbers below 2^34 never rounds up to a power of two that it does not reach.
int kappa_of(std::uint16_t error, int lod, double roughest) {
  return std::min(std::ilogb(std::ldexp(roughest, 2 * lod - 2) / error_sq(error)), kernel::kKappaLimit);
}

}  // namespace

void choose_local_ranges(Bounds& bounds) {
  bounds.finish();
  const double roughest = roughest_sq(bounds, HeightPlane::subsample);
  const double roughest_max = roughest_sq(bounds, HeightPlane::max);
  const Lattice& lattice = bounds.lattice();
  for (int lod = 1; lod < lattice.lods(); ++lod) {
    for (std::int32_t z = 0; z < lattice.nodes_z(lod, kBoundsQuads); ++z) {
      for (std::int32_t x = 0; x < lattice.nodes_x(lod, kBoundsQuads); ++x) {
        NodeBounds& node = bounds.at(lod, x, z);
        node.kappa = static_cast<std::uint8_t>(
            std::min(kappa_of(node.error, lod, roughest), kappa_of(node.error_max, lod, roughest_max)));
      }
    }
  }
  bounds.finish();
}

}  // namespace arete
