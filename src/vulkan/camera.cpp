// Cameras that show a field well, and the view that cuts and culls for them.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "arete/vulkan.h"
#include "vulkan/field_scene.h"

namespace arete::vulkan {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kWide = 16.0 / 9;

struct Extent {
  double centre_x_m, centre_z_m, size_m;  // size: the diagonal
  double breadth_m;                       // of a field that is much longer than broad three breadths, else the size
  double low_m, high_m;
};

Extent extent_of(const Bounds& bounds) {
  const Lattice& lattice = bounds.lattice();
  const double width = lattice.width_m(), depth = lattice.depth_m();
  const double size = std::max(std::hypot(width, depth), 1e-3);
  return {.centre_x_m = width / 2,
          .centre_z_m = depth / 2,
          .size_m = size,
          .breadth_m = std::clamp(3 * std::min(width, depth), 1e-3 * size, size),
          .low_m = lattice.height_m(bounds.field_min),
          .high_m = lattice.height_m(bounds.field_max)};
}

// Where a field is worth looking at, from the bounds of some thousand nodes.
class Ruggedness {
 public:
  struct Place {
    double x_m, z_m, low_m, high_m;
  };

  explicit Ruggedness(const Bounds& bounds) : bounds_(bounds), lattice_(bounds.lattice()) {
    lod_ = std::min(1, lattice_.lods() - 1);
    while (lod_ + 1 < lattice_.lods() &&
           lattice_.nodes_x(lod_, kBoundsQuads) * lattice_.nodes_z(lod_, kBoundsQuads) > 1024) {
      ++lod_;
    }
    if (lod_ == 0) return;  // a field of one page: no bounds but its own
    nodes_x_ = lattice_.nodes_x(lod_, kBoundsQuads);
    nodes_z_ = lattice_.nodes_z(lod_, kBoundsQuads);
  }

  // The node with the greatest relief in and around it; the field's middle where there is one node.
  Place most_rugged() const {
    Place best{lattice_.width_m() / 2, lattice_.depth_m() / 2, lattice_.height_m(bounds_.field_min),
               lattice_.height_m(bounds_.field_max)};
    double best_score = -1;
    for (int z = 1; z + 1 < nodes_z_; ++z) {
      for (int x = 1; x + 1 < nodes_x_; ++x) {
        double score = 0;
        double low = 1e300, high = -1e300;
        for (int dz = -1; dz <= 1; ++dz) {
          for (int dx = -1; dx <= 1; ++dx) {
            const NodeBounds& node = bounds_.at(lod_, x + dx, z + dz);
            if (node.max == 0) continue;
            const double weight = (2 - std::abs(dx)) * (2 - std::abs(dz));
            // A node with a hole bears the field's least height, which says nothing of its own relief.
            const bool has_hole = node.min == bounds_.field_min;
            score += weight * ((has_hole ? 0 : node.max - node.min) + 0.5 * (node.max - bounds_.field_min));
            if (!has_hole) low = std::min(low, lattice_.height_m(node.min));
            high = std::max(high, lattice_.height_m(node.max));
          }
        }
        if (score > best_score && high > -1e300) {
          best_score = score;
          best = {(x + 0.5) * side_x_m(), (z + 0.5) * side_z_m(), std::min(low, high), high};
        }
      }
    }
    return best;
  }

  // The highest ground within a node of a place.
  double highest_near(double x_m, double z_m) const {
    const int at_x = int(std::clamp(x_m / side_x_m(), 0.0, double(std::max(nodes_x_ - 1, 0))));
    const int at_z = int(std::clamp(z_m / side_z_m(), 0.0, double(std::max(nodes_z_ - 1, 0))));
    double highest = lattice_.height_m(nodes_x_ == 0 ? bounds_.field_max : bounds_.field_min);
    for (int z = std::max(at_z - 1, 0); z <= std::min(at_z + 1, nodes_z_ - 1); ++z) {
      for (int x = std::max(at_x - 1, 0); x <= std::min(at_x + 1, nodes_x_ - 1); ++x) {
        highest = std::max(highest, lattice_.height_m(bounds_.at(lod_, x, z).max));
      }
    }
    return highest;
  }

 private:
  double side_x_m() const { return std::ldexp(kBoundsQuads * lattice_.spacing_x_m, lod_); }
  double side_z_m() const { return std::ldexp(kBoundsQuads * lattice_.spacing_z_m, lod_); }

  const Bounds& bounds_;
  const Lattice& lattice_;
  int lod_ = 0;
  int nodes_x_ = 0;
  int nodes_z_ = 0;
};

}  // namespace

Camera default_camera(const Bounds& bounds, std::optional<double> orbit_deg) {
  const Extent field = extent_of(bounds);
  const Ruggedness rugged(bounds);
  const Ruggedness::Place sight = rugged.most_rugged();
  const auto inside = [&](double x, double z) {
    const double margin = 0.01 * field.breadth_m;
    return x > -margin && z > -margin && x < 2 * field.centre_x_m + margin && z < 2 * field.centre_z_m + margin;
  };
  // How far the field reaches from the sight, looking along (x, z).
  const auto reach = [&](double x, double z) {
    double distance = 0;
    while (distance < field.size_m && inside(sight.x_m + distance * x, sight.z_m + distance * z)) {
      distance += 0.01 * field.breadth_m;
    }
    return distance;
  };
  const double wanted_distance = std::max(0.14 * field.breadth_m, 2.2 * (sight.high_m - sight.low_m));
  if (wanted_distance > field.size_m) {
    return overview_camera(bounds, kWide, orbit_deg.value_or(30));  // higher than wide: no ground to stand on
  }
  double best_score = -1, best_azimuth = 0, best_distance = wanted_distance;
  for (int i = 0; i < 24; ++i) {
    const double azimuth = orbit_deg ? *orbit_deg * kDegree : i * 15 * kDegree;
    const double toward_x = std::sin(azimuth), toward_z = std::cos(azimuth);
    const double distance = std::min(wanted_distance, reach(toward_x, toward_z));
    // A long field behind the sight, room before it, and the light of an evening in the north-west from the side.
    const double score = (distance / wanted_distance) * (reach(-toward_x, -toward_z) + 0.1 * field.size_m) *
                         (0.7 + 0.3 * std::abs(std::sin(azimuth + 48 * kDegree)));
    if (score > best_score) {
      best_score = score;
      best_azimuth = azimuth;
      best_distance = std::max(distance, 0.5 * wanted_distance);
    }
  }
  Camera camera;
  camera.vertical_fov_rad = 38 * kDegree;
  camera.eye_x_m = sight.x_m + best_distance * std::sin(best_azimuth);
  camera.eye_z_m = sight.z_m + best_distance * std::cos(best_azimuth);
  const double clearance = 0.16 * wanted_distance;
  camera.eye_y_m = std::max(sight.high_m, rugged.highest_near(camera.eye_x_m, camera.eye_z_m)) + clearance;
  camera.target_x_m = sight.x_m;
  camera.target_z_m = sight.z_m;
  camera.target_y_m = sight.high_m - 0.35 * (sight.high_m - sight.low_m);
  return camera;
}

Camera overview_camera(const Bounds& bounds, double aspect, double orbit_deg) {
  const Lattice& lattice = bounds.lattice();
  const Extent field = extent_of(bounds);
  const double low_m = walls_end_m(bounds);
  constexpr double kFov = 30 * kDegree, kPitch = 32 * kDegree;
  constexpr double kFilled = 0.9;  // of the picture, either way
  const double sine = std::sin(orbit_deg * kDegree), cosine = std::cos(orbit_deg * kDegree);
  // The field's box in the view's axes, from its centre: right, up, ahead.
  struct Place {
    double right, up, ahead;
  };
  std::array<Place, 8> corners;
  for (std::size_t i = 0; i < 8; ++i) {
    const double x = (i % 2 == 0 ? -0.5 : 0.5) * lattice.width_m();
    const double y = (i / 2 % 2 == 0 ? -0.5 : 0.5) * (field.high_m - low_m);
    const double z = (i / 4 == 0 ? -0.5 : 0.5) * lattice.depth_m();
    const double nearer = x * sine + z * cosine;
    corners[i] = {x * cosine - z * sine, y * std::cos(kPitch) - nearer * std::sin(kPitch),
                  -nearer * std::cos(kPitch) - y * std::sin(kPitch)};
  }
  // At a distance, the shifts of the view that keep every corner within `reach`; none when low > high.
  struct Interval {
    double low, high;
  };
  const auto shifts = [&](double distance, double reach, auto coordinate) {
    Interval interval{-1e300, 1e300};
    for (const Place& corner : corners) {
      const double room = reach * (distance + corner.ahead);
      interval.low = std::max(interval.low, coordinate(corner) - room);
      interval.high = std::min(interval.high, coordinate(corner) + room);
    }
    return interval;
  };
  const double reach_y = kFilled * std::tan(kFov / 2), reach_x = reach_y * aspect;
  const auto sideways = [&](double distance) { return shifts(distance, reach_x, [](Place p) { return p.right; }); };
  const auto upwards = [&](double distance) { return shifts(distance, reach_y, [](Place p) { return p.up; }); };
  double too_near = field.size_m / 2, distance = 1e3 * std::max(field.size_m, field.high_m - low_m);
  for (int step = 0; step < 60; ++step) {
    const double middle = (too_near + distance) / 2;
    const Interval x = sideways(middle), y = upwards(middle);
    (x.low <= x.high && y.low <= y.high ? distance : too_near) = middle;
  }
  const Interval x = sideways(distance), y = upwards(distance);
  const double right = (x.low + x.high) / 2, up = (y.low + y.high) / 2;

  Camera camera;
  camera.vertical_fov_rad = kFov;
  camera.target_x_m = field.centre_x_m + right * cosine - up * std::sin(kPitch) * sine;
  camera.target_z_m = field.centre_z_m - right * sine - up * std::sin(kPitch) * cosine;
  camera.target_y_m = (low_m + field.high_m) / 2 + up * std::cos(kPitch);
  camera.eye_x_m = camera.target_x_m + distance * std::cos(kPitch) * sine;
  camera.eye_z_m = camera.target_z_m + distance * std::cos(kPitch) * cosine;
  camera.eye_y_m = camera.target_y_m + distance * std::sin(kPitch);
  return camera;
}

View picture_view(const Camera& camera, int width, int height) {
  View view;
  view.eye_x_m = camera.eye_x_m;
  view.eye_y_m = camera.eye_y_m;
  view.eye_z_m = camera.eye_z_m;
  const double reach_y = std::tan(camera.vertical_fov_rad / 2);
  const double reach_x = reach_y * width / height;
  view.pixels_per_radian = height / (2 * reach_y);
  double fx = camera.target_x_m - camera.eye_x_m, fy = camera.target_y_m - camera.eye_y_m,
         fz = camera.target_z_m - camera.eye_z_m;
  const double length = std::sqrt(fx * fx + fy * fy + fz * fz);
  fx /= length, fy /= length, fz /= length;
  // right = forward x up; looking straight up or down, north is up.
  double rx = -fz, rz = fx;
  const double flat = std::hypot(rx, rz);
  if (flat < 5e-3) {
    return view;  // nothing is culled
  }
  rx /= flat, rz /= flat;
  const double ux = -rz * fy, uy = rz * fx - rx * fz, uz = rx * fy;
  const auto plane = [&](double nx, double ny, double nz) {
    view.frustum.push_back({nx, ny, nz, -(nx * view.eye_x_m + ny * view.eye_y_m + nz * view.eye_z_m)});
  };
  plane(fx * reach_x + rx, fy * reach_x, fz * reach_x + rz);
  plane(fx * reach_x - rx, fy * reach_x, fz * reach_x - rz);
  plane(fx * reach_y + ux, fy * reach_y + uy, fz * reach_y + uz);
  plane(fx * reach_y - ux, fy * reach_y - uy, fz * reach_y - uz);
  plane(fx, fy, fz);
  return view;
}

}  // namespace arete::vulkan
