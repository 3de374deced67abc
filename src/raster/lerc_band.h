// Standalone LERC blobs (LERC1 and LERC2) with their masks, which GDAL reads wrongly or not at all.
#pragma once

#include "band.h"
#include "input_file.h"

namespace arete {

bool is_lerc(const InputFile& file);
Result<std::unique_ptr<Band>> open_lerc_band(const InputFile& file);

}  // namespace arete
