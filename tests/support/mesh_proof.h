// Brute-force proof of an adaptive mesh against its field, sharing no code with the mesher: every mesh triangle is
// clipped by every cell triangle of the field that it may meet.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arete/adaptive.h"

namespace arete::test {

struct MeshProof {
  std::string fault;       // empty: a right mesh
  double error_steps = 0;  // the greatest vertical distance to the field
};

namespace proof {

struct Point {
  double x, z;
};
struct Corner {
  Point at;
  double h;
};
using Corners = std::array<Corner, 3>;

inline double doubled_area(Point a, Point b, Point c) { return (b.z - a.z) * (c.x - a.x) - (b.x - a.x) * (c.z - a.z); }

inline double height_at(const Corners& t, Point p) {
  const double whole = doubled_area(t[0].at, t[1].at, t[2].at);
  const double a = doubled_area(p, t[1].at, t[2].at), b = doubled_area(t[0].at, p, t[2].at);
  return (a * t[0].h + b * t[1].h + (whole - a - b) * t[2].h) / whole;
}

// The part of a convex polygon left of each side of `by` (counter-clockwise from above).
inline std::vector<Point> clip(std::vector<Point> polygon, const Corners& by) {
  for (int side = 0; side < 3 && !polygon.empty(); ++side) {
    const Point a = by[std::size_t(side)].at, b = by[std::size_t((side + 1) % 3)].at;
    std::vector<Point> kept;
    for (std::size_t i = 0; i < polygon.size(); ++i) {
      const Point p = polygon[i], q = polygon[(i + 1) % polygon.size()];
      const double at_p = doubled_area(a, b, p), at_q = doubled_area(a, b, q);
      if (at_p >= 0) {
        kept.push_back(p);
      }
      if ((at_p < 0) != (at_q < 0)) {
        const double part = at_p / (at_p - at_q);
        kept.push_back({p.x + part * (q.x - p.x), p.z + part * (q.z - p.z)});
      }
    }
    polygon = std::move(kept);
  }
  return polygon;
}

inline double polygon_area(const std::vector<Point>& polygon) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < polygon.size(); ++i) {
    sum += doubled_area(polygon[0], polygon[i], polygon[i + 1]) / 2;
  }
  return sum;
}

}  // namespace proof

// Checks indices, orientation, heights, that every cell triangle with three samples is covered once and no other, that
// inner edges have their twins and that no vertex stands inside another edge.
inline MeshProof prove_mesh(const Lattice& lattice, std::span<const std::uint16_t> stops, const LatticeMesh& mesh) {
  using namespace proof;
  MeshProof result;
  const auto fail = [&](std::string what) {
    if (result.fault.empty()) {
      result.fault = std::move(what);
    }
    return result;
  };
  const auto steps = [&](std::int32_t x, std::int32_t z) {
    return stops[std::size_t(z) * std::size_t(lattice.stops_x) + std::size_t(x)];
  };
  const auto corner = [&](std::int32_t x, std::int32_t z) {
    return Corner{{double(lattice.half_x(x)), double(lattice.half_z(z))}, double(steps(x, z))};
  };
  std::set<std::pair<std::int32_t, std::int32_t>> places;
  for (const MeshVertex& v : mesh.vertices) {
    if (v.x < 0 || v.z < 0 || v.x >= lattice.stops_x || v.z >= lattice.stops_z || steps(v.x, v.z) == kHole) {
      return fail("a vertex stands outside the field or on a hole");
    }
    if (double(v.y_m) != lattice.height_m(steps(v.x, v.z))) {
      return fail("a vertex does not have its sample's height");
    }
    if (!places.insert({v.x, v.z}).second) {
      return fail("two vertices at stop " + std::to_string(v.x) + " " + std::to_string(v.z));
    }
  }
  const std::int32_t cells_x = lattice.stops_x - 1, cells_z = lattice.stops_z - 1;
  std::vector<double> covered(std::size_t(cells_x) * std::size_t(cells_z) * 2, 0);
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const MeshTriangle& t : mesh.triangles) {
    if (std::max({t[0], t[1], t[2]}) >= mesh.vertices.size()) {
      return fail("an index is out of range");
    }
    Corners corners;
    std::array<std::int32_t, 3> xs{}, zs{};
    for (std::size_t i = 0; i < 3; ++i) {
      const MeshVertex& v = mesh.vertices[t[i]];
      corners[i] = corner(v.x, v.z);
      xs[i] = v.x;
      zs[i] = v.z;
      ++edges[{t[i], t[(i + 1) % 3]}];
    }
    if (!(doubled_area(corners[0].at, corners[1].at, corners[2].at) > 0)) {
      return fail("a triangle is turned over or has no area");
    }
    for (std::int32_t z = *std::min_element(zs.begin(), zs.end()); z < *std::max_element(zs.begin(), zs.end()); ++z) {
      for (std::int32_t x = *std::min_element(xs.begin(), xs.end()); x < *std::max_element(xs.begin(), xs.end()); ++x) {
        const Corners lower{corner(x, z), corner(x, z + 1), corner(x + 1, z)};
        const Corners upper{corner(x + 1, z), corner(x, z + 1), corner(x + 1, z + 1)};
        for (const bool is_upper : {false, true}) {
          const Corners& cell = is_upper ? upper : lower;
          const auto part = clip({corners[0].at, corners[1].at, corners[2].at}, cell);
          const double area = polygon_area(part);
          if (area < 1e-9) {
            continue;
          }
          for (const Point p : part) {
            result.error_steps = std::max(result.error_steps, std::abs(height_at(corners, p) - height_at(cell, p)));
          }
          covered[(std::size_t(z) * std::size_t(cells_x) + std::size_t(x)) * 2 + (is_upper ? 1 : 0)] += area;
        }
      }
    }
  }
  for (std::int32_t z = 0; z < cells_z; ++z) {
    for (std::int32_t x = 0; x < cells_x; ++x) {
      const double area =
          double(lattice.half_x(x + 1) - lattice.half_x(x)) * double(lattice.half_z(z + 1) - lattice.half_z(z)) / 2;
      const bool both = steps(x + 1, z) != kHole && steps(x, z + 1) != kHole;
      const bool valid[2] = {both && steps(x, z) != kHole, both && steps(x + 1, z + 1) != kHole};
      for (std::size_t half = 0; half < 2; ++half) {
        const double here = covered[(std::size_t(z) * std::size_t(cells_x) + std::size_t(x)) * 2 + half];
        if (std::abs(here - (valid[half] ? area : 0)) > 1e-6) {
          return fail("cell " + std::to_string(x) + " " + std::to_string(z) + (half == 0 ? " lower" : " upper") +
                      " is covered " + std::to_string(here / area) + " times");
        }
      }
    }
  }
  // An edge of one triangle must lie on the rim of the field or beside a cell triangle without surface.
  const auto has_surface = [&](double x_half, double z_half) {
    for (std::int32_t z = 0; z < cells_z; ++z) {
      if (z_half <= lattice.half_z(z) || z_half >= lattice.half_z(z + 1)) continue;
      for (std::int32_t x = 0; x < cells_x; ++x) {
        if (x_half <= lattice.half_x(x) || x_half >= lattice.half_x(x + 1)) continue;
        const double fx = (x_half - lattice.half_x(x)) / (lattice.half_x(x + 1) - lattice.half_x(x));
        const double fz = (z_half - lattice.half_z(z)) / (lattice.half_z(z + 1) - lattice.half_z(z));
        return steps(x + 1, z) != kHole && steps(x, z + 1) != kHole &&
               (fx + fz <= 1 ? steps(x, z) : steps(x + 1, z + 1)) != kHole;
      }
    }
    return false;
  };
  for (const auto& [edge, count] : edges) {
    if (count != 1) {
      return fail("an edge is used twice in one direction");
    }
    if (edges.contains({edge.second, edge.first})) {
      continue;
    }
    const MeshVertex& a = mesh.vertices[edge.first];
    const MeshVertex& b = mesh.vertices[edge.second];
    const double ax = lattice.half_x(a.x), az = lattice.half_z(a.z), bx = lattice.half_x(b.x), bz = lattice.half_z(b.z);
    const double length = std::hypot(bx - ax, bz - az);
    // A point just outside the edge, off its middle so that it stands on no lattice line.
    const double part = 0.5 + 0.01 / length, out = 0.01;
    if (has_surface(ax + part * (bx - ax) - out * (bz - az) / length,
                    az + part * (bz - az) + out * (bx - ax) / length)) {
      return fail("an edge at stop " + std::to_string(a.x) + " " + std::to_string(a.z) + " to " + std::to_string(b.x) +
                  " " + std::to_string(b.z) + " has no twin");
    }
  }
  return result;
}

}  // namespace arete::test
