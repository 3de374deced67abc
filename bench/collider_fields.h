// The terrains and rays of the collider's benchmarks: 4,096 m square, 1,025 or 4,097 stops a side, the coarser one
// every fourth sample of the finer. Ray places are whole 1/1024 m and directions f32, so that f32 engines get the same
// rays.
#pragma once

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "arete/collider.h"
#include "arete/raster.h"
#include "support/field_pages.h"
#include "support/terrain.h"

namespace arete::bench {

inline constexpr double kWorld = 4096;
inline constexpr int kFinest = 4097;

// Value noise by smooth interpolation, -1..1.
inline double noise(double x, double z, std::uint64_t seed) {
  const auto corner = [&](std::int64_t i, std::int64_t k) {
    return double(test::hash(std::uint64_t(i), std::uint64_t(k), seed) >> 11) * 0x1p-52 - 1;
  };
  const std::int64_t i = std::int64_t(std::floor(x)), k = std::int64_t(std::floor(z));
  const auto ease = [](double f) { return f * f * (3 - 2 * f); };
  const double fx = ease(x - double(i)), fz = ease(z - double(k));
  return (corner(i, k) * (1 - fx) + corner(i + 1, k) * fx) * (1 - fz) +
         (corner(i, k + 1) * (1 - fx) + corner(i + 1, k + 1) * fx) * fz;
}

// Metres at the finest grid's places of the Jacksboro model, 344 x 344 samples squeezed to the world with true slopes,
// Catmull-Rom between them and seven octaves of noise below its spacing.
inline std::vector<float> jacksboro() {
  auto raster = Raster::open(std::string(ARETE_BENCH_SOURCE_DIR) + "/tests/data/jacksboro/jacksboro_i16.tif");
  if (!raster) {
    std::fprintf(stderr, "%s\n", raster.error().message.c_str());
    std::exit(1);
  }
  constexpr int kSide = 344;
  std::vector<double> model, row(std::size_t((*raster)->info().width));
  for (int z = 0; z < kSide; ++z) {
    if (auto read = (*raster)->read_row(z, row); !read) {
      std::fprintf(stderr, "%s\n", read.error().message.c_str());
      std::exit(1);
    }
    model.insert(model.end(), row.begin() + 20, row.begin() + 20 + kSide);
  }
  const auto weights = [](double f) {
    return std::array<double, 4>{((-0.5 * f + 1) * f - 0.5) * f, (1.5 * f - 2.5) * f * f + 1,
                                 ((-1.5 * f + 2) * f + 0.5) * f, (0.5 * f - 0.5) * f * f};
  };
  std::vector<float> heights;
  heights.reserve(std::size_t(kFinest) * kFinest);
  for (int z = 0; z < kFinest; ++z) {
    const double v = double(z) * (kSide - 1) / (kFinest - 1);
    const int k = std::min(int(v), kSide - 2);
    const auto wz = weights(v - k);
    for (int x = 0; x < kFinest; ++x) {
      const double u = double(x) * (kSide - 1) / (kFinest - 1);
      const int i = std::min(int(u), kSide - 2);
      const auto wx = weights(u - i);
      double height = 0;
      for (int b = 0; b < 4; ++b) {
        for (int a = 0; a < 4; ++a) {
          height +=
              wz[std::size_t(b)] * wx[std::size_t(a)] *
              model[std::size_t(std::clamp(k + b - 1, 0, kSide - 1) * kSide + std::clamp(i + a - 1, 0, kSide - 1))];
        }
      }
      height = (height - 236) * 0.4;
      double amplitude = 3;
      for (int period = 64; period >= 1; period /= 2, amplitude *= 0.5) {
        height += amplitude * noise(double(x) / period, double(z) / period, std::uint64_t(period));
      }
      heights.push_back(float(height));
    }
  }
  return heights;
}

// A fractal of the same relief, falling by 2^-0.85 an octave.
inline std::vector<float> fractal() {
  std::vector<float> heights;
  heights.reserve(std::size_t(kFinest) * kFinest);
  for (int z = 0; z < kFinest; ++z) {
    for (int x = 0; x < kFinest; ++x) {
      double height = 0, amplitude = 120;
      for (int period = 1024; period >= 1; period /= 2, amplitude *= 0.555) {
        height += amplitude * noise(double(x) / period, double(z) / period, std::uint64_t(period) + 99);
      }
      heights.push_back(float(height));
    }
  }
  return heights;
}

// Every (4096 / cells)-th sample as steps of 2^-7 m.
inline test::TestField field_of(const std::vector<float>& heights, int stops) {
  const int stride = (kFinest - 1) / (stops - 1);
  const float least = *std::min_element(heights.begin(), heights.end());
  Lattice lattice{.stops_x = stops,
                  .stops_z = stops,
                  .spacing_x_m = double(stride),
                  .spacing_z_m = double(stride),
                  .base_m = std::floor(double(least)) - 1,
                  .step_m = 0x1p-7};
  return test::TestField(lattice, [&](int x, int z) {
    const double height = heights[std::size_t(z) * stride * kFinest + std::size_t(x) * std::size_t(stride)];
    return int(std::lround((height - lattice.base_m) / lattice.step_m));
  });
}

// `count` rays of 4,096 m. Slanted: 5 to 150 m over the ground, -12 to +2 degrees. Grazing: 2 m over it, -1 to +8
// degrees.
inline std::vector<Ray> make_rays(const HeightfieldView& fine, const HeightfieldView& coarse, bool is_grazing,
                                  int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> unit(0, 1);
  const auto between = [&](double low, double high) { return low + (high - low) * unit(random); };
  const auto snapped = [](double value) { return std::round(value * 1024) / 1024; };
  std::vector<Ray> rays;
  for (int i = 0; i < count; ++i) {
    Ray ray;
    const double x = snapped(between(1, kWorld - 1)), z = snapped(between(1, kWorld - 1));
    const double ground = std::max(height_at(fine, x, z).y_m, height_at(coarse, x, z).y_m);
    const double azimuth = between(0, 2 * 3.141592653589793);
    const double pitch = (is_grazing ? between(-1, 8) : between(-12, 2)) * 3.141592653589793 / 180;
    ray.origin_m = {x, snapped(ground + (is_grazing ? 2 : between(5, 150))), z};
    const auto whole = [](double value) { return std::round(value * 0x1p20) * 0x1p-20; };
    ray.direction = {whole(std::cos(pitch) * std::cos(azimuth)), whole(std::sin(pitch)),
                     whole(std::cos(pitch) * std::sin(azimuth))};
    ray.max_t = kWorld;
    rays.push_back(ray);
  }
  return rays;
}

}  // namespace arete::bench
