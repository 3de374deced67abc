// Areas, volume and edges of a finished mesh, in one pass over its triangles and one over its rim.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <unordered_set>

#include "arete/adaptive.h"

namespace arete {
namespace {

std::uint64_t place_key(std::int32_t x, std::int32_t z) {
  return std::uint64_t(std::uint32_t(x)) << 32 | std::uint32_t(z);
}

}  // namespace

// Half edges in lists by their lesser end keep memory near that of the mesh.
std::vector<std::array<std::uint32_t, 2>> rim_edges(const LatticeMesh& mesh) {
  struct Half {
    std::uint32_t other;
    bool is_up;  // runs from the lesser end to the greater
  };
  std::vector<std::uint32_t> first(mesh.vertices.size() + 1, 0);
  for (const MeshTriangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      ++first[std::min(t[i], t[(i + 1) % 3]) + 1];
    }
  }
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Half> halves(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for (const MeshTriangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const std::uint32_t a = t[i], b = t[(i + 1) % 3];
      halves[next[std::min(a, b)]++] = {std::max(a, b), a < b};
    }
  }
  std::vector<std::array<std::uint32_t, 2>> rim;
  for (std::uint32_t low = 0; low < mesh.vertices.size(); ++low) {
    const auto from = halves.begin() + first[low], to = halves.begin() + first[low + 1];
    for (auto half = from; half != to; ++half) {
      const bool has_twin =
          std::any_of(from, to, [&](const Half& h) { return h.other == half->other && h.is_up != half->is_up; });
      if (!has_twin) {
        rim.push_back(half->is_up ? std::array{low, half->other} : std::array{half->other, low});
      }
    }
  }
  return rim;
}

MeshMeasures measure(const Lattice& lattice, const LatticeMesh& mesh, double floor_m) {
  MeshMeasures result;
  const auto point = [&](std::uint32_t i) {
    const MeshVertex& v = mesh.vertices[i];
    return std::array<double, 3>{lattice.x_m(v.x), v.y_m, lattice.z_m(v.z)};
  };
  for (std::uint32_t i = 0; i < mesh.vertices.size(); ++i) {
    const auto p = point(i);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result.min_m[axis] = i == 0 ? p[axis] : std::min(result.min_m[axis], p[axis]);
      result.max_m[axis] = i == 0 ? p[axis] : std::max(result.max_m[axis], p[axis]);
    }
  }
  for (const MeshTriangle& t : mesh.triangles) {
    const auto a = point(t[0]), b = point(t[1]), c = point(t[2]);
    const double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    const double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
    const double nx = by * cz - bz * cy, ny = bz * cx - bx * cz, nz = bx * cy - by * cx;
    result.plan_area_m2 += ny / 2;
    result.surface_area_m2 += std::sqrt(nx * nx + ny * ny + nz * nz) / 2;
    result.volume_m3 += ny / 2 * ((a[1] + b[1] + c[1]) / 3 - floor_m);
  }
  const auto rim = rim_edges(mesh);
  result.rim_edges = std::int64_t(rim.size());
  std::unordered_set<std::uint64_t> on_rim;
  for (const auto& edge : rim) {
    on_rim.insert(place_key(mesh.vertices[edge[0]].x, mesh.vertices[edge[0]].z));
  }
  for (const auto& edge : rim) {
    const MeshVertex &a = mesh.vertices[edge[0]], &b = mesh.vertices[edge[1]];
    const std::int32_t dx = b.x - a.x, dz = b.z - a.z, parts = std::gcd(std::abs(dx), std::abs(dz));
    for (std::int32_t i = 1; i < parts; ++i) {
      if (on_rim.contains(place_key(a.x + dx / parts * i, a.z + dz / parts * i))) {
        ++result.open_edges;
        break;
      }
    }
  }
  return result;
}

}  // namespace arete
