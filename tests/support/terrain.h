// Made-up fields of steps for tests and benchmarks: a pure function of kind, seed and stop, so every test can rebuild
// what another one saw. Steps of 0 are holes.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "arete/core.h"

namespace arete::test {

inline std::uint64_t hash(std::uint64_t x, std::uint64_t z, std::uint64_t seed) {
  std::uint64_t h = x * 0x9e3779b97f4a7c15ull ^ z * 0xc2b2ae3d27d4eb4full ^ seed * 0x165667b19e3779f9ull;
  h ^= h >> 31;
  h *= 0xbf58476d1ce4e5b9ull;
  h ^= h >> 27;
  h *= 0x94d049bb133111ebull;
  return h ^ h >> 31;
}

enum class Terrain {
  random,        // every stop its own height in 1..65,535
  cliff,         // 1 west of the middle column, 1,001 east of it
  fractal,       // bilinear value noise, halving amplitude by an octave
  smooth,        // 30 sin(x/9) cos(z/11), in steps of 1/100
  holes,         // the fractal with discs and single samples missing
  flat,          // all 1,000
  checkerboard,  // 100 and 102
};

inline std::uint16_t terrain_steps(Terrain kind, std::uint64_t seed, std::int64_t x, std::int64_t z,
                                   std::int64_t width) {
  const auto unit = [](std::uint64_t h) { return double(h >> 11) * 0x1p-53; };
  const auto fractal = [&] {
    double sum = 0;
    double amplitude = 30000;
    for (std::int64_t cell = 256; cell >= 1; cell /= 2, amplitude *= 0.5) {
      const std::int64_t i = x / cell, k = z / cell;
      const double fx = double(x % cell) / double(cell), fz = double(z % cell) / double(cell);
      const auto corner = [&](std::int64_t a, std::int64_t b) {
        return unit(hash(std::uint64_t(a), std::uint64_t(b), seed + std::uint64_t(cell)));
      };
      const double north = corner(i, k) * (1 - fx) + corner(i + 1, k) * fx;
      const double south = corner(i, k + 1) * (1 - fx) + corner(i + 1, k + 1) * fx;
      sum += amplitude * (north * (1 - fz) + south * fz);
    }
    return std::uint16_t(1 + sum);
  };
  switch (kind) {
    case Terrain::random:
      return std::uint16_t(1 + hash(std::uint64_t(x), std::uint64_t(z), seed) % 65535);
    case Terrain::cliff:
      return x < width / 2 ? 1 : 1001;
    case Terrain::fractal:
      return fractal();
    case Terrain::smooth:
      return std::uint16_t(std::lround(4000 + 3000 * std::sin(double(x) / 9) * std::cos(double(z) / 11)));
    case Terrain::holes: {
      const std::int64_t i = x / 37, k = z / 37;
      const std::uint64_t h = hash(std::uint64_t(i), std::uint64_t(k), seed + 7);
      const double cx = double(i * 37) + 37 * unit(h), cz = double(k * 37) + 37 * unit(h * 31);
      const bool in_disc = h % 3 == 0 && std::hypot(double(x) - cx, double(z) - cz) < double(h % 11);
      const bool single = hash(std::uint64_t(x), std::uint64_t(z), seed + 8) % 97 == 0;
      return in_disc || single ? std::uint16_t(0) : fractal();
    }
    case Terrain::flat:
      return 1000;
    case Terrain::checkerboard:
      return (x + z) % 2 == 0 ? 100 : 102;
  }
  return 1;
}

// Row-major steps of a whole field, lattice.stops_x * lattice.stops_z.
inline std::vector<std::uint16_t> terrain_field(Terrain kind, std::uint64_t seed, const Lattice& lattice) {
  std::vector<std::uint16_t> field(std::size_t(lattice.stops_x) * std::size_t(lattice.stops_z));
  for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
    for (std::int32_t x = 0; x < lattice.stops_x; ++x) {
      field[std::size_t(z) * std::size_t(lattice.stops_x) + std::size_t(x)] =
          terrain_steps(kind, seed, x, z, lattice.stops_x);
    }
  }
  return field;
}

}  // namespace arete::test
