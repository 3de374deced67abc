// Fields that the adaptive benchmarks mesh: raw files, and a fractal that anybody can make again.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arete/adaptive.h"

namespace arete::bench {

struct Field {
  std::string name;
  Lattice lattice;  // point registration, 1 m spacing, 1 m steps from 0
  std::vector<std::uint16_t> stops;
};

// Diamond-square with amplitude (side / size)^hurst: 2^k + 1 samples a side, heights 1..60,001, a pure function of its
// arguments (std::mt19937).
Field make_fractal(std::int32_t samples, double hurst, unsigned seed);

// Row-major little-endian u16; 0 is a hole.
Result<Field> read_raw(const std::string& path, std::int32_t width, std::int32_t height);

// The most memory that this process has held, in MiB.
double peak_mib();
// Processor time of all threads so far.
double cpu_seconds();

}  // namespace arete::bench
