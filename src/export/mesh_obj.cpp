// Wavefront OBJ: places, uv over the field and triangles. Z up.
#include "export/mesh_writers.h"

namespace arete {

void write_obj(WholeFile& file, const MeshGeometry& geometry, const MeshFileOptions& options) {
  const Lattice& lattice = geometry.lattice();
  file.write("# x east, y north of the field's north-west origin, z up, metres\n");
  if (!options.crs_wkt.empty()) {
    file.write("# crs " + one_line(options.crs_wkt) + "\n");
  }
  if (const auto corner = crs_origin(lattice, options)) {
    file.print("# origin %.17g %.17g\n", (*corner)[0], (*corner)[1]);
  }
  for (std::uint32_t i = 0; i < geometry.vertices(); ++i) {
    const Point p = geometry.position(i);
    file.print("v %.12g %.12g %.12g\n", p[0], p[2] == 0 ? 0.0 : -p[2], p[1]);
  }
  for (std::uint32_t i = 0; i < geometry.vertices(); ++i) {
    const Point p = geometry.position(i);
    file.print("vt %.7g %.7g\n", p[0] / lattice.width_m(), 1 - p[2] / lattice.depth_m());
  }
  for (std::int64_t i = 0; i < geometry.triangles(); ++i) {
    const MeshTriangle t = geometry.triangle(i);
    file.print("f %u/%u %u/%u %u/%u\n", t[0] + 1, t[0] + 1, t[1] + 1, t[1] + 1, t[2] + 1, t[2] + 1);
  }
}

}  // namespace arete
