// A ray in one cell: does it meet one of the cell's triangles?
//
// Within a triangle the ray's height over its plane is linear, so its values where the ray enters, crosses the diagonal
// and leaves tell all. The side of the surface is carried on from cell to cell instead of being computed again on each
// edge's far side: rounding may move a meeting by an ulp but can never let the ray through.
#pragma once

#include "ray_setup.h"

namespace arete::collider {

// A point of the ray within a cell: scaled t, the place, c = fx + fz - 1 (over the diagonal when positive), the ray's
// height.
struct CellPoint {
  double t, fx, fz, c, y;
};

// Where a cell starts along one axis, in shifted cells, and 1 / its width.
struct CellFrame {
  double low;
  double scale;
};
inline CellFrame cell_frame(const Axis& axis, std::int32_t cell) {
  if (axis.is_area != 0 && (cell == 0 || cell == axis.last_cell)) {
    return {cell == 0 ? 0.5 : double(cell), 2.0};
  }
  return {double(cell), 1.0};
}

inline CellPoint cell_point(const Walk& walk, const CellFrame& x, const CellFrame& z, double t) {
  CellPoint point;
  point.t = t;
  point.fx = (walk.ox + walk.dx * t - x.low) * x.scale;
  point.fz = (walk.oz + walk.dz * t - z.low) * z.scale;
  point.c = point.fx + point.fz - 1;
  point.y = walk.oy + walk.dy * t;
  return point;
}

inline bool crosses_diagonal(const CellPoint& a, const CellPoint& b) {
  return (a.c < 0 && b.c > 0) || (a.c > 0 && b.c < 0);
}

// The diagonal between two points on its two sides.
inline CellPoint diagonal_point(const Walk& walk, const CellFrame& x, const CellFrame& z, const CellPoint& from,
                                const CellPoint& to) {
  return cell_point(walk, x, z, from.t + (to.t - from.t) * (from.c / (from.c - to.c)));
}

// The ray's height over the surface at a point on the diagonal.
inline double over_diagonal(const Corners& corners, const CellPoint& point) {
  const double h01 = corners.h01;
  return point.y - (h01 + point.fx * (double(corners.h10) - h01));
}

// A straight piece from (t_a, over_a) to (t_b, over_b) within one valid triangle; true when it meets the ground.
inline bool meet_piece(Walk& walk, double t_a, double over_a, double t_b, double over_b, bool is_upper, Meet& meet) {
  const auto met = [&](double t, bool from_below) {
    meet = {t, walk.x, walk.z, is_upper, from_below};
    return true;
  };
  if (walk.side == Side::unknown) {
    if (over_a < 0) {
      if (walk.meeting == Meeting::solid) {
        return met(t_a, false);
      }
      walk.side = Side::below;
    } else if (over_a == 0 && walk.meeting == Meeting::both) {
      return met(t_a, false);
    } else {
      walk.side = Side::above;
    }
  }
  if (walk.side == Side::above) {
    return over_b <= 0 && met(over_a > 0 ? t_a + (t_b - t_a) * (over_a / (over_a - over_b)) : t_a, false);
  }
  if (walk.meeting == Meeting::both) {
    return over_b >= 0 && met(over_a < 0 ? t_a + (t_b - t_a) * (over_a / (over_a - over_b)) : t_a, true);
  }
  if (over_b > 0) {
    walk.side = Side::above;
  }
  return false;
}

// The ray crosses a cell without holes from t_a to t_b.
inline bool meet_whole_cell(const Field& field, Walk& walk, const Corners& corners, double t_a, double t_b,
                            Meet& meet) {
  const CellFrame x = cell_frame(field.x, walk.x);
  const CellFrame z = cell_frame(field.z, walk.z);
  const CellPoint a = cell_point(walk, x, z, t_a);
  const CellPoint b = cell_point(walk, x, z, t_b);
  const double over_a = a.y - corners.height(a.fx, a.fz);
  const double over_b = b.y - corners.height(b.fx, b.fz);
  if (!crosses_diagonal(a, b)) {
    return meet_piece(walk, a.t, over_a, b.t, over_b, a.c + b.c > 0, meet);
  }
  const CellPoint d = diagonal_point(walk, x, z, a, b);
  const double over_d = over_diagonal(corners, d);
  return meet_piece(walk, a.t, over_a, d.t, over_d, a.c > 0, meet) ||
         meet_piece(walk, d.t, over_d, b.t, over_b, b.c > 0, meet);
}

// The ray's height over the named triangle's plane. Rounding may put a point of the diagonal on its other side.
inline double over_triangle(const Corners& corners, bool is_upper, const CellPoint& point) {
  if ((kernel::in_lower_triangle(point.fx, point.fz) == 0) != is_upper) {
    return over_diagonal(corners, point);
  }
  return point.y - corners.height(point.fx, point.fz);
}

// The ray runs along the edge that its cell shares with the one to the west or north, which alone has a triangle there.
// f_a and f_b are the ends' fractions along the edge, h_start and h_end the steps of its samples.
inline bool meet_edge(Walk& walk, const CellPoint& a, const CellPoint& b, double f_a, double f_b, double h_start,
                      double h_end, Meet& meet) {
  const double rise = h_end - h_start;
  return meet_piece(walk, a.t, a.y - (h_start + f_a * rise), b.t, b.y - (h_start + f_b * rise), true, meet);
}

// Whether the ray runs in the plane of a diagonal of square cells: its places on it would round to either side.
inline bool runs_on_diagonal(const Walk& walk) {
  const double sum = walk.ox + walk.oz;
  const double part = sum - walk.ox;
  const double lost = (walk.ox - (sum - part)) + (walk.oz - part);
  return walk.dx == -walk.dz && lost == 0 && sum == std::floor(sum);
}

// The same as meet_whole_cell() for a cell with a missing corner. Where the ray leaves valid ground its side becomes
// unknown.
inline bool meet_broken_cell(const Field& field, const Samples& samples, const std::uint16_t* corner, Walk& walk,
                             const Corners& corners, double t_a, double t_b, Meet& meet) {
  const CellFrame x = cell_frame(field.x, walk.x);
  const CellFrame z = cell_frame(field.z, walk.z);
  const CellPoint a = cell_point(walk, x, z, t_a);
  const CellPoint b = cell_point(walk, x, z, t_b);
  const bool has_lower = corners.has_lower();
  const bool has_upper = corners.has_upper();
  if (walk.dx == 0 && a.fx == 0 && !has_lower && walk.x > 0 &&
      corners_at(samples, corner - samples.step_x).has_upper()) {
    if (meet_edge(walk, a, b, a.fz, b.fz, corners.h00, corners.h01, meet)) {
      --meet.x_cell;
      return true;
    }
    return false;
  }
  if (walk.dz == 0 && a.fz == 0 && !has_lower && walk.z > 0 &&
      corners_at(samples, corner - samples.step_z).has_upper()) {
    if (meet_edge(walk, a, b, a.fx, b.fx, corners.h00, corners.h10, meet)) {
      --meet.z_cell;
      return true;
    }
    return false;
  }
  const auto meet_triangle = [&](const CellPoint& from, const CellPoint& to, bool is_upper) {
    if (!(is_upper ? has_upper : has_lower)) {
      walk.side = Side::unknown;
      return false;
    }
    return meet_piece(walk, from.t, over_triangle(corners, is_upper, from), to.t, over_triangle(corners, is_upper, to),
                      is_upper, meet);
  };
  if ((a.c == 0 && b.c == 0) || (x.scale == 1 && z.scale == 1 && runs_on_diagonal(walk))) {
    return meet_triangle(a, b, !has_lower);
  }
  if (!crosses_diagonal(a, b)) {
    return meet_triangle(a, b, a.c + b.c > 0);
  }
  const CellPoint d = diagonal_point(walk, x, z, a, b);
  return meet_triangle(a, d, a.c > 0) || meet_triangle(d, b, b.c > 0);
}

// A ray that runs straight up or down at a spot of the surface.
inline bool meet_vertical(const Spot& spot, Walk& walk, Meet& meet) {
  if (spot.ground != Ground::surface) {
    return false;
  }
  const double steps = spot_steps(spot);
  const double over = walk.oy - steps;
  double t = -over / walk.dy;
  if (walk.meeting == Meeting::solid && over < 0) {
    t = 0;
  } else if (walk.meeting != Meeting::both && walk.dy > 0) {
    return false;
  }
  if (!(t >= 0 && t <= walk.t_end)) {
    return false;
  }
  meet = {t + 0.0, spot.x_cell, spot.z_cell, spot.is_upper, over < 0};
  return true;
}

}  // namespace arete::collider
