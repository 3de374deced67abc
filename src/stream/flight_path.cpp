// Paths of cameras over a field.
#include <algorithm>
#include <cmath>

#include "arete/stream.h"

namespace arete {
namespace {

constexpr double kWaypointsPerSecond = 4;
constexpr int kGroundLod = 3;  // the lod whose node bounds the ground around a place

// Splitmix64: a fixed sequence whatever the standard library.
double next_unit(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return double((z ^ z >> 31) >> 11) * 0x1p-53;
}

double ground_m(const Bounds& bounds, double x_m, double z_m) {
  const Lattice& lattice = bounds.lattice();
  if (lattice.lods() == 1) {
    return lattice.height_m(bounds.field_max);
  }
  const int lod = std::min(kGroundLod, lattice.lods() - 1);
  const auto node = [&](double at_m, double spacing_m, std::int32_t nodes) {
    const double side_m = std::ldexp(spacing_m * kBoundsQuads, lod);
    return std::clamp(std::int32_t(at_m / side_m), 0, nodes - 1);
  };
  const NodeBounds& around = bounds.at(lod, node(x_m, lattice.spacing_x_m, lattice.nodes_x(lod, kBoundsQuads)),
                                       node(z_m, lattice.spacing_z_m, lattice.nodes_z(lod, kBoundsQuads)));
  return lattice.height_m(around.max == 0 ? bounds.field_min : around.max);
}

// Turns back at 0 and `length`.
void reflect(double& at, double& direction, double length) {
  if (at < 0) {
    at = std::min(-at, length);
    direction = std::abs(direction);
  } else if (at > length) {
    at = std::max(2 * length - at, 0.0);
    direction = -std::abs(direction);
  }
}

}  // namespace

FlightPath make_path(const Bounds& bounds, const PathOptions& options) {
  const Lattice& lattice = bounds.lattice();
  std::uint64_t random = options.seed;
  double x = 0, z = 0, direction_x = 0, direction_z = 0;
  const auto start_anywhere = [&] {
    x = next_unit(random) * lattice.width_m();
    z = next_unit(random) * lattice.depth_m();
    const double angle = next_unit(random) * 6.283185307179586;
    direction_x = std::cos(angle);
    direction_z = std::sin(angle);
  };
  start_anywhere();
  FlightPath path;
  const auto add = [&](double time_s) { path.push_back({time_s, x, ground_m(bounds, x, z) + options.clearance_m, z}); };
  const double step_s = 1 / kWaypointsPerSecond;
  const std::int64_t steps = std::int64_t(std::ceil(options.seconds * kWaypointsPerSecond));
  double next_jump_s = options.jump_every_s > 0 ? options.jump_every_s : options.seconds + 1;
  add(0);
  for (std::int64_t step = 1; step <= steps; ++step) {
    const double time_s = double(step) * step_s;
    x += direction_x * options.speed_m_s * step_s;
    z += direction_z * options.speed_m_s * step_s;
    reflect(x, direction_x, lattice.width_m());
    reflect(z, direction_z, lattice.depth_m());
    add(time_s);
    if (time_s >= next_jump_s) {
      next_jump_s += options.jump_every_s;
      start_anywhere();
      add(time_s);
    }
  }
  return path;
}

Waypoint place_on(const FlightPath& path, double time_s) {
  ARETE_ASSERT(!path.empty());
  const auto after = std::upper_bound(path.begin(), path.end(), time_s,
                                      [](double time, const Waypoint& waypoint) { return time < waypoint.time_s; });
  if (after == path.begin()) {
    return path.front();
  }
  const Waypoint& from = *(after - 1);
  if (after == path.end()) {
    return from;
  }
  const double part = (time_s - from.time_s) / (after->time_s - from.time_s);
  const auto blend = [part](double a, double b) { return a + (b - a) * part; };
  return {time_s, blend(from.x_m, after->x_m), blend(from.y_m, after->y_m), blend(from.z_m, after->z_m)};
}

}  // namespace arete
