// Vertical errors of nodes against the lod-0 surface.
#pragma once

#include <span>

#include "arete/core.h"

namespace arete::tiles {

// Raises the errors of all nodes, of both planes, that a lod-0 page lies in. `path` holds that page and its ancestors
// up to the root, finest first, so path[L] is the page of lod L.
void add_errors(Bounds& bounds, std::span<const Page* const> path);

}  // namespace arete::tiles
