// Groups of figures, in the order of the flow.
#pragma once

#include "arete/figures.h"

namespace arete::figures {

// Appends figures of the reduction of a plane that no cache holds.
void add_reduction(std::vector<Figure>& figures);
// Of pages: decoding and encoding beside zstd alone, node bounds beside reading the samples once.
Result<void> add_pages(const TileStore& store, std::vector<Figure>& figures);
// Of reading the store's pages beside pread of as many bytes of its file.
Result<void> add_reads(const std::filesystem::path& path, std::vector<Figure>& figures);
// Of the cut beside a bare CDLOD selection of as many nodes, and of node vertices beside streaming stores.
Result<void> add_nodes(const TileStore& store, std::vector<Figure>& figures);
// Of heights and rays beside random reads of the same arrays.
Result<void> add_queries(const TileStore& store, std::vector<Figure>& figures);

}  // namespace arete::figures
