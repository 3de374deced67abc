// The 2:1 rule over edges: a node exists only beside nodes whose parents exist.
#pragma once

#include "arete/cut.h"
#include "split_set.h"

namespace arete::cut {

// Adds the fewest splits that make the set restricted, by refinement.
void refine_to_restricted(const NodeGrid& grid, SplitSet& splits);

// Fills `kept` with the greatest restricted subtree of `wanted`, itself restricted, whose nodes are all resident.
void coarsen_to_resident(const NodeGrid& grid, const SplitSet& wanted, const Residency& residency, SplitSet& kept);

}  // namespace arete::cut
