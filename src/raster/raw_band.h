// Headerless files: rows of numbers, north first, in a layout that the user names.
#pragma once

#include "band.h"
#include "input_file.h"

namespace arete {

Result<std::unique_ptr<Band>> open_raw_band(const InputFile& file, const RawLayout& layout);

}  // namespace arete
