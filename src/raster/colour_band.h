// Heights packed into the channels of a colour image (Terrarium, Mapbox Terrain-RGB).
#pragma once

#include "band.h"
#include "input_file.h"

namespace arete {

// Takes the raw channel bytes: gamma, colour profiles and transparent colours of the file change nothing. Refused:
// anything but 3 or 4 channels of 8 bits, palettes, and JPEG, which does not keep bytes.
Result<std::unique_ptr<Band>> open_colour_band(const InputFile& file, Encoding encoding);

}  // namespace arete
