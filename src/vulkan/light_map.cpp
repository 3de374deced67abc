// Sun and sky visibility of a field by sweeps over its heights: one pass a direction, whatever the length of shadows.
//
// Walking away from the light, the height below which a place lies in shadow is the greater of the last place's ground
// and shadow, less what the light's ray falls on the way (the horizon recurrence of Timonen and Westerholm, "Scalable
// Height Field Self-Shadowing", 2010, for a fixed direction). Two rays, by the light's upper and lower rim, bound its
// penumbra. The sky is 36 such lights.
#include "vulkan/light_map.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numbers>

namespace arete::vulkan {
namespace {

constexpr int kMaxSide = 2048;
constexpr double kSunRadius = 0.012;  // radians: a little more than the real sun's, as through thin haze
constexpr float kNoShadow = -1e30f;

// One sweep of the shadow heights of a ray that rises by `rise` metres a metre of plan, towards (toward_x, toward_z).
class Sweep {
 public:
  Sweep(const HeightGrid& grid, double azimuth_rad) : grid_(grid) {
    const double toward_x = std::sin(azimuth_rad);
    const double toward_z = -std::cos(azimuth_rad);
    const double steps_x = toward_x / grid.spacing_x_m;
    const double steps_z = toward_z / grid.spacing_z_m;
    is_along_x_ = std::abs(steps_x) >= std::abs(steps_z);
    const double major = is_along_x_ ? steps_x : steps_z;
    is_ascending_ = major < 0;  // the light lies towards lesser indices: they come first
    shift_ = float((is_along_x_ ? steps_z : steps_x) / std::abs(major));
    length_m_ = float(1 / std::abs(major));
    lines_ = is_along_x_ ? grid.width : grid.height;
    line_length_ = is_along_x_ ? grid.height : grid.width;
  }

  int lines() const { return lines_; }
  int line_length() const { return line_length_; }
  std::size_t index(int line, int place) const {
    const int at = is_ascending_ ? line : lines_ - 1 - line;
    return is_along_x_ ? std::size_t(place) * std::size_t(grid_.width) + std::size_t(at)
                       : std::size_t(at) * std::size_t(grid_.width) + std::size_t(place);
  }

  // Shadow heights of line `line` from those of the line before it.
  void advance(int line, float rise, const std::vector<float>& before, std::vector<float>& after) const {
    if (line == 0) {
      std::fill(after.begin(), after.end(), kNoShadow);
      return;
    }
    const float fall = rise * length_m_;
    for (int place = 0; place < line_length_; ++place) {
      const float from = float(place) + shift_;
      const int low = int(std::floor(from));
      const float part = from - float(low);
      after[std::size_t(place)] = kNoShadow;
      if (low < 0 || low + 1 >= line_length_) continue;
      const float a = std::max(before[std::size_t(low)], grid_.y_m[index(line - 1, low)]);
      const float b = std::max(before[std::size_t(low) + 1], grid_.y_m[index(line - 1, low + 1)]);
      after[std::size_t(place)] = a + (b - a) * part - fall;
    }
  }

 private:
  const HeightGrid& grid_;
  bool is_along_x_ = true;
  bool is_ascending_ = true;
  float shift_ = 0;
  float length_m_ = 1;
  int lines_ = 0;
  int line_length_ = 0;
};

// The finest lod whose samples fit the texture, read page by page.
struct Reading {
  HeightGrid grid;
  int lod = 0;
};

Result<Reading> read_heights(const SampleSource& source, const Bounds& bounds) {
  const Lattice& lattice = source.lattice();
  Reading reading;
  while (reading.lod + 1 < lattice.lods() &&
         std::max(lattice.cells_x(reading.lod), lattice.cells_z(reading.lod)) >= kMaxSide) {
    ++reading.lod;
  }
  HeightGrid& grid = reading.grid;
  grid.width = lattice.cells_x(reading.lod) + 1;
  grid.height = lattice.cells_z(reading.lod) + 1;
  grid.spacing_x_m = std::ldexp(lattice.spacing_x_m, reading.lod);
  grid.spacing_z_m = std::ldexp(lattice.spacing_z_m, reading.lod);
  grid.y_m.resize(std::size_t(grid.width) * std::size_t(grid.height));
  for (std::int32_t page_z = 0; page_z < lattice.pages_z(reading.lod); ++page_z) {
    for (std::int32_t page_x = 0; page_x < lattice.pages_x(reading.lod); ++page_x) {
      auto page = source.require_page({std::uint8_t(reading.lod), std::uint32_t(page_x), std::uint32_t(page_z)});
      if (!page) return Unexpected{page.error()};
      const int columns = std::min(kPageSamples, grid.width - page_x * kPageCells);
      const int rows = std::min(kPageSamples, grid.height - page_z * kPageCells);
      for (int k = 0; k < rows; ++k) {
        float* row = &grid.y_m[std::size_t(page_z * kPageCells + k) * std::size_t(grid.width) +
                               std::size_t(page_x * kPageCells)];
        for (int i = 0; i < columns; ++i) {
          const std::uint16_t steps = (*page)->at(HeightPlane::subsample, i, k);
          row[i] = float(lattice.height_m(steps == kHole ? bounds.field_min : steps));
        }
      }
    }
  }
  return reading;
}

}  // namespace

void add_visibility(const HeightGrid& grid, double azimuth_rad, double altitude_rad, double radius_rad, float weight,
                    std::vector<float>& seen) {
  const Sweep sweep(grid, azimuth_rad);
  const float low_rise = float(std::tan(altitude_rad - radius_rad));
  const float high_rise = float(std::tan(altitude_rad + radius_rad));
  std::vector<float> low(std::size_t(sweep.line_length())), high = low, low_before = low, high_before = low;
  for (int line = 0; line < sweep.lines(); ++line) {
    std::swap(low, low_before);
    std::swap(high, high_before);
    sweep.advance(line, low_rise, low_before, low);
    sweep.advance(line, high_rise, high_before, high);
    for (int place = 0; place < sweep.line_length(); ++place) {
      const std::size_t at = sweep.index(line, place);
      // Above the lower rim's shadow the whole light is seen, below the upper rim's none of it.
      const float y = grid.y_m[at];
      const float dark = high[std::size_t(place)];
      const float lit = low[std::size_t(place)];
      float part = y >= lit ? 1.0f : 0.0f;
      if (y < lit && y > dark) {
        part = (y - dark) / (lit - dark);
        part = part * part * (3 - 2 * part);
      }
      seen[at] += weight * part;
    }
  }
}

std::vector<std::uint8_t> coarser_level(const std::vector<std::uint8_t>& level, int width, int height) {
  const int columns = std::max(width / 2, 1), rows = std::max(height / 2, 1);
  std::vector<std::uint8_t> coarser;
  coarser.reserve(2 * std::size_t(columns) * std::size_t(rows));
  for (int k = 0; k < rows; ++k) {
    for (int i = 0; i < columns; ++i) {
      for (const int part : {0, 1}) {
        const auto at = [&](int x, int z) {
          return level[2 * (std::size_t(std::min(z, height - 1)) * std::size_t(width) +
                            std::size_t(std::min(x, width - 1))) +
                       std::size_t(part)];
        };
        const int sum = at(2 * i, 2 * k) + at(2 * i + 1, 2 * k) + at(2 * i, 2 * k + 1) + at(2 * i + 1, 2 * k + 1);
        coarser.push_back(std::uint8_t((sum + 2) / 4));
      }
    }
  }
  return coarser;
}

Result<std::shared_ptr<const LightMap>> make_light_map(const SampleSource& source, const Bounds& bounds,
                                                       double sun_azimuth_deg, double sun_altitude_deg) {
  auto reading = read_heights(source, bounds);
  if (!reading) return Unexpected{reading.error()};
  const HeightGrid& grid = reading->grid;
  constexpr double kDegree = std::numbers::pi / 180;
  std::vector<float> sun(grid.y_m.size(), 0.0f), sky(grid.y_m.size(), 0.0f);
  const double altitude = std::clamp(sun_altitude_deg * kDegree, 1.5 * kSunRadius, 1.5);
  add_visibility(grid, sun_azimuth_deg * kDegree, altitude, kSunRadius, 1.0f, sun);

  // Rings of sky; what a level surface receives from altitudes a..b is sin^2 b - sin^2 a. The last ring is always seen.
  constexpr int kAzimuths = 12;
  constexpr double kRings[] = {0, 14, 28, 46};
  for (int ring = 0; ring < 3; ++ring) {
    const double low = kRings[ring] * kDegree;
    const double high = kRings[ring + 1] * kDegree;
    const double share = std::pow(std::sin(high), 2) - std::pow(std::sin(low), 2);
    const double middle = (low + high) / 2;
    const double radius = (high - low) / 2 - 0.01;
    for (int i = 0; i < kAzimuths; ++i) {
      const double azimuth = (i + 0.5 * (ring % 2)) * 2 * std::numbers::pi / kAzimuths;
      add_visibility(grid, azimuth, middle, radius, float(share / kAzimuths), sky);
    }
  }
  const float always = float(1 - std::pow(std::sin(kRings[3] * kDegree), 2));

  auto map = std::make_shared<LightMap>();
  map->width = grid.width;
  map->height = grid.height;
  map->lod = reading->lod;
  std::vector<std::uint8_t> finest(2 * sun.size());
  const auto byte = [](float part) { return std::uint8_t(std::lround(255 * std::clamp(part, 0.0f, 1.0f))); };
  for (std::size_t i = 0; i < sun.size(); ++i) {
    finest[2 * i] = byte(sun[i]);
    finest[2 * i + 1] = byte(sky[i] + always);
  }
  map->levels.push_back(std::move(finest));
  for (int width = map->width, height = map->height; width > 1 || height > 1;) {
    map->levels.push_back(coarser_level(map->levels.back(), width, height));
    width = std::max(width / 2, 1), height = std::max(height / 2, 1);
  }
  // Area stops stand half a texel before their index; texel centres are half a texel into the texture.
  const Lattice& lattice = source.lattice();
  const double first = lattice.is_area() == 1 ? 0.5 : 0.0;
  const double texels = std::ldexp(1.0, -reading->lod);
  map->u_scale = texels / lattice.spacing_x_m / grid.width;
  map->v_scale = texels / lattice.spacing_z_m / grid.height;
  map->u_offset = (first * texels + 0.5) / grid.width;
  map->v_offset = (first * texels + 0.5) / grid.height;
  return std::shared_ptr<const LightMap>(std::move(map));
}

}  // namespace arete::vulkan
