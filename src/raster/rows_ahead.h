// Every row of a raster once, read by one thread while another works on those before.
#pragma once

#include <functional>

#include "height_rows.h"

namespace arete {

// Calls visit(row, heights_m) from the calling thread for every row, north to south. Ends at the first row that cannot
// be read, with its failure.
Result<void> each_row(HeightRows& rows,
                      const std::function<void(std::int64_t row, std::span<const double> heights_m)>& visit);

}  // namespace arete
