// Binary little-endian PLY: f64 places, relief colours, triangles. Z up.
#include "export/mesh_writers.h"
#include "export/relief.h"

namespace arete {

void write_ply(WholeFile& file, const MeshGeometry& geometry, const MeshFileOptions& options) {
  const Lattice& lattice = geometry.lattice();
  const bool is_placed = is_metric(lattice, options);
  const auto origin = is_placed ? *crs_origin(lattice, options) : std::array<double, 2>{0, 0};
  file.write("ply\nformat binary_little_endian 1.0\n");
  file.write(is_placed ? "comment x east, y north in the CRS, z up, metres\n"
                       : "comment x east, y north of the field's north-west origin, z up, metres\n");
  if (!options.crs_wkt.empty()) {
    file.write("comment crs " + one_line(options.crs_wkt) + "\n");
  }
  if (const auto corner = crs_origin(lattice, options)) {
    file.print("comment origin %.17g %.17g\n", (*corner)[0], (*corner)[1]);
  }
  file.print("element vertex %u\n", geometry.vertices());
  file.write(
      "property double x\nproperty double y\nproperty double z\n"
      "property uchar red\nproperty uchar green\nproperty uchar blue\n");
  file.print("element face %lld\n", static_cast<long long>(geometry.triangles()));
  file.write("property list uchar uint vertex_indices\nend_header\n");
  const double span = std::max(geometry.highest_m() - geometry.lowest_m(), 1e-9) * options.exaggerate;
  for (std::uint32_t i = 0; i < geometry.vertices(); ++i) {
    const Point p = geometry.position(i);
    file.put(Point{origin[0] + p[0], origin[1] - p[2], p[1]});
    file.put(relief_srgb((p[1] - geometry.lowest_m() * options.exaggerate) / span));
  }
  for (std::int64_t i = 0; i < geometry.triangles(); ++i) {
    file.put(std::uint8_t(3));
    file.put(geometry.triangle(i));
  }
}

}  // namespace arete
