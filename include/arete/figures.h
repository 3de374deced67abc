// The product's own figures, each beside the hardware's floor: what the same bytes, reads or nodes cost when nothing
// but them is done. Both are measured by turns in one run, so that the ratio holds where times drift.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "arete/tiles.h"

namespace arete {

struct Figure {
  std::string name;       // stays as it is: "reduction", "decode", ...
  int threads = 1;        // that do both
  std::string unit;       // of both rates: "GB/s", "M heights/s", ...
  double rate = 0;        // the best turn
  std::string floor;      // what is done instead
  double floor_rate = 0;  // the best turn
  double ratio = 0;       // of the floor's rate: the median over turns. 1: as fast
  double ratio_p10 = 0;   // nine of ten turns are better
};

// Measures on the store at `path`, about a second a figure, by one thread but where a figure says more. Pages that are
// read must be sound, a store without pages is refused, and figures for which the field is too small are left out.
// Memory: a third of a GiB for the reduction, and 2,049 x 2,049 stops around the field's middle.
Result<std::vector<Figure>> measure_figures(const std::filesystem::path& path, const Progress& progress = {});

// Writes a store of a fractal of `stops` x `stops` stops, from 0 to 1,000 m high, for fields without data of their own.
Result<void> write_fractal_store(const std::filesystem::path& path, int stops);

}  // namespace arete
