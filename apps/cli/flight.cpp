// Catmull-Rom interpolation of eye and target (Catmull and Rom, "A class of local interpolating splines", 1974).
#include "flight.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "point_file.h"

namespace arete::cli {
namespace {
using Values = std::array<double, 7>;  // eye, target, field of view in radians

double to_rad(double degrees) { return degrees * std::numbers::pi / 180; }

bool read_point(const Json& point, Values& values) {
  std::size_t at = 0;
  for (const char* name : {"eye", "target"}) {
    const auto found = point.find(name);
    if (found == point.end() || !found->is_array() || found->size() != 3) {
      return false;
    }
    for (const Json& metres : *found) {
      if (!metres.is_number() || std::abs(metres.get<double>()) > kFarthest_m) {
        return false;
      }
      values[at++] = metres.get<double>();
    }
  }
  values[6] = vulkan::Camera{}.vertical_fov_rad;
  if (const auto fov = point.find("fov"); fov != point.end()) {
    if (!fov->is_number() || !(fov->get<double>() >= kLeastFov_deg && fov->get<double>() <= kGreatestFov_deg)) {
      return false;
    }
    values[6] = to_rad(fov->get<double>());
  }
  return true;
}

double on_curve(double before, double from, double to, double after, double t) {
  const double slope_from = (to - before) / 2;
  const double slope_to = (after - from) / 2;
  const double a = 2 * from - 2 * to + slope_from + slope_to;
  const double b = -3 * from + 3 * to - 2 * slope_from - slope_to;
  return ((a * t + b) * t + slope_from) * t + from;
}
}  // namespace

Result<std::vector<vulkan::Camera>> read_flight(const std::string& path, int frames) {
  const Result<Json> given = read_points(path, "points", 2);
  if (!given) {
    return Unexpected{given.error()};
  }
  std::vector<Values> points;
  for (const Json& point : *given) {
    Values values{};
    if (!point.is_object() || !read_point(point, values)) {
      return data_error(fmt::format(
          "{}: point {}: expected \"eye\" and \"target\" of three numbers each, at most {}, and "
          "\"fov\" of {} to {} if any, found {}",
          path, points.size(), number(kFarthest_m), kLeastFov_deg, kGreatestFov_deg, describe_point(point)));
    }
    points.push_back(values);
  }
  std::vector<vulkan::Camera> cameras;
  const std::size_t last = points.size() - 1;
  for (int frame = 0; frame < frames; ++frame) {
    const double place = double(frame) / (frames - 1) * double(last);
    const std::size_t from = std::min(static_cast<std::size_t>(place), last - 1);
    Values v{};
    for (std::size_t i = 0; i < v.size(); ++i) {
      v[i] = on_curve(points[from == 0 ? 0 : from - 1][i], points[from][i], points[from + 1][i],
                      points[std::min(from + 2, last)][i], place - double(from));
    }
    const double fov_rad = std::clamp(v[6], to_rad(kLeastFov_deg), to_rad(kGreatestFov_deg));  // curves overshoot
    cameras.push_back({v[0], v[1], v[2], v[3], v[4], v[5], fov_rad});
  }
  return cameras;
}

}  // namespace arete::cli
