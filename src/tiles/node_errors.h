// Vertical errors of nodes against the lod-0 surface.
#pragma once

#include "arete/tiles.h"
#include "tiles/cell_bounds.h"
#include "tiles/node_bounds.h"

namespace arete::tiles {

// Sets the errors, of both planes, of node (i, k), 0..3 each, of a page of lod >= 1; nodes outside the field are left.
// `cells` are bounds of the page's cells; those that are measured get their errors for bounds. The lod-0 pages under
// cells that may hold the greatest error are asked from `pages`; `heights` must have taken them.
Result<void> measure_node(Bounds& bounds, const HeightCollector& heights, const Page& page, PageCells& cells, int i,
                          int k, const PageStorage& pages);

}  // namespace arete::tiles
