// What every mesh writer walks over: the surface, and for a solid its walls and floor, as numbered vertices in metres.
//
// A wall stands under each rim edge. The floor under a field without holes is a fan around its middle; under holes it
// is the surface again, seen from below. Either way each edge of the solid has a twin that runs the other way.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "arete/adaptive.h"
#include "arete/export.h"

namespace arete {

using Point = std::array<double, 3>;

class MeshGeometry {
 public:
  MeshGeometry(const Lattice& lattice, const LatticeMesh& mesh, const MeshFileOptions& options);

  std::uint32_t vertices() const { return surface_vertices_ + floor_vertices_; }
  std::uint32_t surface_vertices() const { return surface_vertices_; }
  // Metres, heights exaggerated: x east, y up, z south of the field's origin.
  Point position(std::uint32_t vertex) const;
  std::int64_t triangles() const;
  MeshTriangle triangle(std::int64_t i) const;
  bool is_solid() const { return !rim_.empty(); }
  // Of the solid, before exaggeration; 0 for a surface.
  double volume_m3() const { return volume_m3_; }
  double floor_m() const { return floor_m_; }    // exaggerated; the lowest vertex for a surface
  double lowest_m() const { return lowest_m_; }  // of the surface, as stored
  double highest_m() const { return highest_m_; }
  const Lattice& lattice() const { return lattice_; }
  const LatticeMesh& surface() const { return mesh_; }
  const std::vector<std::array<std::uint32_t, 2>>& walls() const { return rim_; }
  std::uint32_t below(std::uint32_t surface_vertex) const;

 private:
  const Lattice& lattice_;
  const LatticeMesh& mesh_;
  double exaggerate_;
  double lowest_m_ = 0, highest_m_ = 0, floor_m_ = 0, volume_m3_ = 0;
  std::uint32_t surface_vertices_ = 0, floor_vertices_ = 0;
  bool has_fan_floor_ = false;
  std::vector<std::array<std::uint32_t, 2>> rim_;
  std::vector<std::uint32_t> below_;      // floor vertex of a surface vertex, where the floor is a fan
  std::vector<std::uint32_t> fan_stops_;  // surface vertex of a floor vertex, likewise
};

}  // namespace arete
