// From split nodes to the leaves of a cut, in order and with their edge rule.
#pragma once

#include "arete/cut.h"
#include "split_set.h"

namespace arete::cut {

class Culler;

// Fills cut.nodes with the leaves of a restricted split set in the order (lod, Morton), with coarse masks and corner
// lods, and cut.drawn with those that `culler` keeps; all when it is null.
void emit_leaves(const NodeGrid& grid, const SplitSet& splits, const Culler* culler, Cut& cut);

}  // namespace arete::cut
