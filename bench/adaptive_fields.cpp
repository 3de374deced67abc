#include "adaptive_fields.h"

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <random>

namespace arete::bench {

Field make_fractal(std::int32_t samples, double hurst, unsigned seed) {
  Field field;
  field.name = "fractal " + std::to_string(samples) + " H " + std::to_string(hurst) + " seed " + std::to_string(seed);
  field.lattice.stops_x = field.lattice.stops_z = samples;
  std::vector<float> heights(std::size_t(samples) * std::size_t(samples), 0.0f);
  std::mt19937 random(seed);
  const auto signed_unit = [&] { return float(double(random() >> 8) * 0x1p-24 * 2 - 1); };
  const auto at = [&](std::int32_t x, std::int32_t z) -> float& {
    return heights[std::size_t(z) * std::size_t(samples) + std::size_t(x)];
  };
  for (std::int32_t side = samples - 1; side > 1; side /= 2) {
    const auto amplitude = float(400 * std::pow(double(side) / (samples - 1), hurst));
    const std::int32_t half = side / 2;
    for (std::int32_t z = half; z < samples; z += side) {
      for (std::int32_t x = half; x < samples; x += side) {
        const float sum =
            at(x - half, z - half) + at(x + half, z - half) + at(x - half, z + half) + at(x + half, z + half);
        at(x, z) = sum / 4 + amplitude * signed_unit();
      }
    }
    for (std::int32_t z = 0; z < samples; z += half) {
      for (std::int32_t x = (z / half) % 2 != 0 ? 0 : half; x < samples; x += side) {
        float sum = 0;
        int count = 0;
        const auto add = [&](std::int32_t i, std::int32_t k) {
          if (i >= 0 && k >= 0 && i < samples && k < samples) {
            sum += at(i, k);
            ++count;
          }
        };
        add(x - half, z);
        add(x + half, z);
        add(x, z - half);
        add(x, z + half);
        at(x, z) = sum / float(count) + amplitude * 0.7f * signed_unit();
      }
    }
  }
  const auto [low, high] = std::minmax_element(heights.begin(), heights.end());
  const double base = *low, span = double(*high) - double(*low);
  field.stops.resize(heights.size());
  std::transform(heights.begin(), heights.end(), field.stops.begin(),
                 [&](float height) { return std::uint16_t(1 + std::lround((double(height) - base) / span * 60000)); });
  return field;
}

Result<Field> read_raw(const std::string& path, std::int32_t width, std::int32_t height) {
  Field field;
  field.name = path;
  field.lattice.stops_x = width;
  field.lattice.stops_z = height;
  field.stops.resize(std::size_t(width) * std::size_t(height));
  std::ifstream file(path, std::ios::binary);
  const auto bytes = std::streamsize(field.stops.size() * 2);
  if (!file.read(reinterpret_cast<char*>(field.stops.data()), bytes) || file.peek() != EOF) {
    return io_error(path + ": expected " + std::to_string(bytes) + " bytes of u16 samples");
  }
  return field;
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

}  // namespace arete::bench
