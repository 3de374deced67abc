// Binary STL, Z up, the least corner at 0 0 0 as printers want it: metres, or millimetres where a size is asked for.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "export/mesh_writers.h"

namespace arete {

void write_stl(WholeFile& file, const MeshGeometry& geometry, const MeshFileOptions& options) {
  const Lattice& lattice = geometry.lattice();
  const double scale = options.size_mm ? *options.size_mm / std::max(lattice.width_m(), lattice.depth_m()) : 1.0;
  char header[80] = {};
  std::snprintf(header, sizeof header, "arete terrain, z up, %s", options.size_mm ? "millimetres" : "metres");
  file.write(header, sizeof header);
  file.put(std::uint32_t(geometry.triangles()));
  // One rounding a vertex: every triangle that meets there writes the same bits.
  const auto place = [&](std::uint32_t vertex) {
    const Point p = geometry.position(vertex);
    return std::array<float, 3>{float(p[0] * scale), float((lattice.depth_m() - p[2]) * scale),
                                float((p[1] - geometry.floor_m()) * scale)};
  };
  for (std::int64_t i = 0; i < geometry.triangles(); ++i) {
    const MeshTriangle t = geometry.triangle(i);
    const auto a = place(t[0]), b = place(t[1]), c = place(t[2]);
    double u[3], v[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      u[axis] = double(b[axis]) - a[axis];
      v[axis] = double(c[axis]) - a[axis];
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    const double length = std::sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    const double inverse = length > 0 ? 1 / length : 0;
    file.put(std::array<float, 3>{float(n[0] * inverse), float(n[1] * inverse), float(n[2] * inverse)});
    file.put(a);
    file.put(b);
    file.put(c);
    file.put(std::uint16_t(0));
  }
}

}  // namespace arete
