// A line over the ground, point by point: its crossings with stops and diagonals in the order of its way.
//
// Crossings of stops are merged from both axes; between two of them the line lies in one cell, whose diagonal it may
// cross once more. What lies between two points is asked at their middle.
#pragma once

#include <cmath>
#include <optional>

#include "ray_walk.h"

namespace arete::collider {

// The stops along one axis that the line comes to, in its order.
class StopCrossings {
 public:
  StopCrossings(const Axis& axis, std::int32_t last_stop, double from_m, double to_m)
      : axis_(axis), last_stop_(last_stop), from_m_(from_m), way_m_(to_m - from_m) {
    AxisPlace place{};
    const bool is_inside = locate(axis, from_m, place);
    if (way_m_ > 0) {
      stop_ = is_inside ? place.cell : from_m < 0 ? 0 : last_stop + 1;
      while (stop_ <= last_stop_ && place_m() <= from_m) {
        ++stop_;
      }
    } else {
      stop_ = is_inside ? place.cell + 1 : from_m < 0 ? -1 : last_stop;
      stop_ = stop_ < last_stop ? stop_ : last_stop;
      while (stop_ >= 0 && place_m() >= from_m) {
        --stop_;
      }
    }
  }
  // The part of the line at the next stop; 1 or more when there is none before the end.
  double part() const {
    if (way_m_ == 0 || stop_ < 0 || stop_ > last_stop_) {
      return 2;
    }
    return (place_m() - from_m_) / way_m_;
  }
  double place_m() const { return kernel::stop_half(stop_, last_stop_, axis_.is_area) * axis_.half_m; }
  void advance() { stop_ += way_m_ > 0 ? 1 : -1; }

 private:
  const Axis& axis_;
  std::int32_t last_stop_;
  double from_m_, way_m_;
  std::int32_t stop_;
};

// `spot(x_m, z_m)` says what stands at a place; false from it stops the walk. Returns whether it came to the end.
template <class SpotAt>
bool walk_line(const Field& field, const Lattice& lattice, std::array<double, 2> from_m, std::array<double, 2> to_m,
               const SpotAt& spot_at_place, const ProfileVisitor& visit) {
  const auto on_line = [&](double part, std::size_t axis) { return from_m[axis] + (to_m[axis] - from_m[axis]) * part; };
  StopCrossings x(field.x, lattice.last_stop_x(), from_m[0], to_m[0]);
  StopCrossings z(field.z, lattice.last_stop_z(), from_m[1], to_m[1]);
  double part = 0;
  double x_m = from_m[0];
  double z_m = from_m[1];
  Spot here{};
  Spot before = no_spot(Ground::outside);  // in the middle of the piece that ends here
  // A point on an edge may round into a hole beside it: then it stands on the triangle of the piece before or behind
  // it.
  const auto settle = [&](const Spot& piece) {
    if (here.ground != Ground::hole || piece.ground != Ground::surface) {
      return;
    }
    here = piece;
    here.fx = (x_m / field.x.half_m - cell_half(field.x, piece.x_cell)) * cell_scale(field.x, piece.x_cell);
    here.fz = (z_m / field.z.half_m - cell_half(field.z, piece.z_cell)) * cell_scale(field.z, piece.z_cell);
  };
  const auto emit = [&](Ground onward) {
    ProfilePoint point;
    point.part = part;
    point.x_m = x_m;
    point.z_m = z_m;
    const HeightAnswer answer = height_answer(field, here);
    point.ground = answer.ground;
    point.y_m = answer.y_m;
    point.onward = onward;
    return visit(point);
  };
  while (part < 1) {
    const double x_part = x.part();
    const double z_part = z.part();
    const double next = std::min({x_part, z_part, 1.0});
    double next_x_m = next == 1 ? to_m[0] : on_line(next, 0);
    double next_z_m = next == 1 ? to_m[1] : on_line(next, 1);
    if (x_part <= next) {
      next_x_m = x.place_m();
      x.advance();
    }
    if (z_part <= next) {
      next_z_m = z.place_m();
      z.advance();
    }
    if (!(next > part) && next < 1) {
      x_m = next_x_m;
      z_m = next_z_m;
      continue;
    }
    // The middle lies in the cell that the line crosses between the two points.
    Spot middle{};
    const double middle_part = part + (next - part) * 0.5;
    AxisPlace cell_x{};
    AxisPlace cell_z{};
    const bool is_inside =
        locate(field.x, on_line(middle_part, 0), cell_x) && locate(field.z, on_line(middle_part, 1), cell_z);
    double diagonal_part = 2;
    if (is_inside) {
      const auto c_at = [&](double px_m, double pz_m) {
        const double fx = (px_m / field.x.half_m - cell_half(field.x, cell_x.cell)) * cell_scale(field.x, cell_x.cell);
        const double fz = (pz_m / field.z.half_m - cell_half(field.z, cell_z.cell)) * cell_scale(field.z, cell_z.cell);
        return fx + fz - 1;
      };
      const double c_here = c_at(x_m, z_m);
      const double c_next = c_at(next_x_m, next_z_m);
      if ((c_here < 0 && c_next > 0) || (c_here > 0 && c_next < 0)) {
        diagonal_part = part + (next - part) * (c_here / (c_here - c_next));
      }
    }
    const bool crosses = diagonal_part > part && diagonal_part < next;
    for (int piece = 0; piece < (crosses ? 2 : 1); ++piece) {
      const double end = crosses && piece == 0 ? diagonal_part : next;
      const double half_way = part + (end - part) * 0.5;
      if (!spot_at_place(x_m, z_m, here) || !spot_at_place(on_line(half_way, 0), on_line(half_way, 1), middle)) {
        return false;
      }
      settle(before);
      settle(middle);
      if (!emit(middle.ground)) {
        return false;
      }
      before = middle;
      part = end;
      x_m = crosses && piece == 0 ? on_line(end, 0) : next_x_m;
      z_m = crosses && piece == 0 ? on_line(end, 1) : next_z_m;
    }
  }
  if (!spot_at_place(x_m, z_m, here)) {
    return false;
  }
  settle(before);
  return emit(here.ground);
}

// The message when a line's ends are not finite.
template <std::size_t n>
std::optional<const char*> line_fault(const std::array<double, n>& from_m, const std::array<double, n>& to_m) {
  for (std::size_t axis = 0; axis < n; ++axis) {
    if (!std::isfinite(from_m[axis]) || !std::isfinite(to_m[axis]) || !std::isfinite(to_m[axis] - from_m[axis])) {
      return "line: an end is not finite, or they are too far apart; give two finite places in metres";
    }
  }
  return std::nullopt;
}

// A line of sight: a ray, lifted by the slack that ground may stand over it, which ground blocks from within as well.
template <class Grid>
Sight look(const Field& field, Grid& grid, const std::array<double, 3>& from_m, const std::array<double, 3>& to_m) {
  Ray ray{{from_m[0], from_m[1] + kSightSlack_m, from_m[2]},
          {to_m[0] - from_m[0], to_m[1] - from_m[1], to_m[2] - from_m[2]}};
  ray.max_t = 1;
  if (ray.direction == std::array<double, 3>{}) {  // one place: is it under ground?
    ray.direction = {0, 1, 0};
    ray.max_t = 0;
  }
  Walk walk;
  Meet meet;
  Sight sight;
  const WalkEnd end = cast_ray(field, grid, ray, Meeting::solid, walk, meet, NoCost{});
  if (end != WalkEnd::miss) {
    sight.status = end == WalkEnd::met ? SightStatus::blocked : SightStatus::not_loaded;
    sight.part = times_power_of_two(end == WalkEnd::met ? meet.t : walk.t, -direction_exponent(ray));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    sight.position_m[axis] =
        sight.status == SightStatus::clear ? to_m[axis] : from_m[axis] + (to_m[axis] - from_m[axis]) * sight.part;
  }
  return sight;
}

}  // namespace arete::collider
