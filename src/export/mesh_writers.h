// One writer a format. Each fails only through its file.
#pragma once

#include "export/mesh_geometry.h"
#include "export/whole_file.h"

namespace arete {

Result<void> write_glb(WholeFile& file, const MeshGeometry& geometry, const MeshFileOptions& options,
                       MeshFileReport& report);
void write_ply(WholeFile& file, const MeshGeometry& geometry, const MeshFileOptions& options);
void write_obj(WholeFile& file, const MeshGeometry& geometry, const MeshFileOptions& options);
void write_stl(WholeFile& file, const MeshGeometry& geometry, const MeshFileOptions& options);

// The place of the field's origin in its CRS; unset without a geotransform.
std::optional<std::array<double, 2>> crs_origin(const Lattice& lattice, const MeshFileOptions& options);
// Whether metres from the origin are units of the CRS: projected, in metres, north up.
bool is_metric(const Lattice& lattice, const MeshFileOptions& options);
// Text on one line, for the comments of text headers.
std::string one_line(const std::string& text);

}  // namespace arete
