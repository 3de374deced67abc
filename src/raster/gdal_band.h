// One band of a file that GDAL reads, row by row in bounded memory.
#pragma once

#include <memory>

#include "band.h"
#include "input_file.h"

namespace arete {

// Which bands of the file are wanted, and what else bears on opening it.
struct GdalBandRequest {
  std::optional<int> band;       // counted from 1; unset: the only one
  bool is_colour = false;        // 8-bit channels are meant: `band` may be one of several
  bool allows_rotation = false;  // a warp will straighten it
};
Result<std::unique_ptr<Band>> open_gdal_band(const InputFile& file, const GdalBandRequest& request);

}  // namespace arete
