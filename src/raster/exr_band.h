// OpenEXR height maps: channel Y, else R, else the only one.
#pragma once

#include "band.h"
#include "input_file.h"

namespace arete {

bool is_exr(const InputFile& file);
Result<std::unique_ptr<Band>> open_exr_band(const InputFile& file);

}  // namespace arete
