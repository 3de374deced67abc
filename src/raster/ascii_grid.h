// A check of ESRI ASCII grids before GDAL reads them: GDAL takes words for zeros, guesses the type from the first
// 100 kB, and allocates by the header alone.
#pragma once

#include "arete/result.h"
#include "input_file.h"

namespace arete {

struct AsciiGridFacts {
  bool has_fractions = false;  // some value is no 32-bit integer
};

bool is_ascii_grid(const InputFile& file);
// Reads the whole text once. Refused with the row: a header that the file's size cannot hold, a word that is no number,
// fewer or more values than the header says.
Result<AsciiGridFacts> check_ascii_grid(const InputFile& file);

}  // namespace arete
