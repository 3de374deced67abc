// Colours by height: from a lowland green over ochre and brown to white.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace arete {

// sRGB, 0..255, at `part` 0..1 of the way up.
inline std::array<double, 3> relief_colour(double part) {
  constexpr std::array<std::array<double, 3>, 5> kStops{
      {{76, 115, 70}, {151, 166, 96}, {196, 172, 120}, {142, 117, 99}, {245, 245, 242}}};
  const double at = std::clamp(part, 0.0, 1.0) * double(kStops.size() - 1);
  const auto low = std::min(std::size_t(at), kStops.size() - 2);
  std::array<double, 3> colour{};
  for (std::size_t i = 0; i < 3; ++i) {
    colour[i] = kStops[low][i] + (kStops[low + 1][i] - kStops[low][i]) * (at - double(low));
  }
  return colour;
}

inline std::array<std::uint8_t, 3> relief_srgb(double part) {
  const auto colour = relief_colour(part);
  return {std::uint8_t(std::lround(colour[0])), std::uint8_t(std::lround(colour[1])),
          std::uint8_t(std::lround(colour[2]))};
}

// Linear light as 16 bits, as glTF wants its vertex colours.
inline std::array<std::uint16_t, 4> relief_linear(double part) {
  std::array<std::uint16_t, 4> linear{0, 0, 0, 65535};
  const auto colour = relief_colour(part);
  for (std::size_t i = 0; i < 3; ++i) {
    const double value = colour[i] / 255;
    const double light = value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
    linear[i] = std::uint16_t(std::lround(light * 65535));
  }
  return linear;
}

}  // namespace arete
