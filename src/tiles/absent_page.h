// Keys that a field has, and the page that stands for one of holes alone.
#pragma once

#include <memory>

#include "arete/core.h"

namespace arete::tiles {

// Refuses (usage) a key outside the lattice's quadtree.
Result<void> check_key(const Lattice& lattice, PageKey key);

// A page whose samples are all holes.
std::shared_ptr<const Page> page_of_holes(PageKey key);

}  // namespace arete::tiles
