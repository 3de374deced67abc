#include "export/mesh_geometry.h"

#include <algorithm>

namespace arete {
namespace {
constexpr std::uint32_t kNone = ~std::uint32_t(0);
}

MeshGeometry::MeshGeometry(const Lattice& lattice, const LatticeMesh& mesh, const MeshFileOptions& options)
    : lattice_(lattice),
      mesh_(mesh),
      exaggerate_(options.exaggerate),
      surface_vertices_(std::uint32_t(mesh.vertices.size())) {
  const MeshMeasures measures = measure(lattice, mesh, 0);
  lowest_m_ = measures.min_m[1];
  highest_m_ = measures.max_m[1];
  floor_m_ = lowest_m_ * exaggerate_;
  if (!options.base_m) {
    return;
  }
  const double floor = lowest_m_ - *options.base_m;
  floor_m_ = floor * exaggerate_;
  volume_m3_ = measures.volume_m3 - floor * measures.plan_area_m2;
  rim_ = rim_edges(mesh);
  // Without holes the surface covers the field's rectangle: in half texels that is exact.
  std::int64_t doubled = 0;
  for (const MeshTriangle& t : mesh.triangles) {
    const auto x = [&](std::uint32_t i) { return std::int64_t(lattice.half_x(mesh.vertices[i].x)); };
    const auto z = [&](std::uint32_t i) { return std::int64_t(lattice.half_z(mesh.vertices[i].z)); };
    doubled += (z(t[1]) - z(t[0])) * (x(t[2]) - x(t[0])) - (x(t[1]) - x(t[0])) * (z(t[2]) - z(t[0]));
  }
  has_fan_floor_ =
      doubled == 2 * std::int64_t(lattice.half_x(lattice.last_stop_x())) * lattice.half_z(lattice.last_stop_z());
  if (!has_fan_floor_) {
    floor_vertices_ = surface_vertices_;
    return;
  }
  below_.assign(mesh.vertices.size(), kNone);
  for (const auto& edge : rim_) {
    for (const std::uint32_t vertex : edge) {
      if (below_[vertex] == kNone) {
        below_[vertex] = surface_vertices_ + std::uint32_t(fan_stops_.size());
        fan_stops_.push_back(vertex);
      }
    }
  }
  floor_vertices_ = std::uint32_t(fan_stops_.size()) + 1;
}

std::uint32_t MeshGeometry::below(std::uint32_t surface_vertex) const {
  return has_fan_floor_ ? below_[surface_vertex] : surface_vertices_ + surface_vertex;
}

Point MeshGeometry::position(std::uint32_t vertex) const {
  if (vertex < surface_vertices_) {
    const MeshVertex& v = mesh_.vertices[vertex];
    return {lattice_.x_m(v.x), double(v.y_m) * exaggerate_, lattice_.z_m(v.z)};
  }
  const std::uint32_t on_floor = vertex - surface_vertices_;
  if (has_fan_floor_ && on_floor == fan_stops_.size()) {
    return {lattice_.width_m() / 2, floor_m_, lattice_.depth_m() / 2};
  }
  const MeshVertex& v = mesh_.vertices[has_fan_floor_ ? fan_stops_[on_floor] : on_floor];
  return {lattice_.x_m(v.x), floor_m_, lattice_.z_m(v.z)};
}

std::int64_t MeshGeometry::triangles() const {
  const auto surface = std::int64_t(mesh_.triangles.size()), rim = std::int64_t(rim_.size());
  return surface + 2 * rim + (!is_solid() ? 0 : has_fan_floor_ ? rim : surface);
}

MeshTriangle MeshGeometry::triangle(std::int64_t i) const {
  const auto surface = std::int64_t(mesh_.triangles.size()), walls = 2 * std::int64_t(rim_.size());
  if (i < surface) {
    return mesh_.triangles[std::size_t(i)];
  }
  i -= surface;
  if (i < walls) {
    const auto [a, b] = rim_[std::size_t(i / 2)];
    return i % 2 == 0 ? MeshTriangle{b, a, below(a)} : MeshTriangle{b, below(a), below(b)};
  }
  i -= walls;
  if (has_fan_floor_) {
    const auto [a, b] = rim_[std::size_t(i)];
    return {below(b), below(a), surface_vertices_ + floor_vertices_ - 1};
  }
  const MeshTriangle& t = mesh_.triangles[std::size_t(i)];
  return {below(t[0]), below(t[2]), below(t[1])};
}

}  // namespace arete
