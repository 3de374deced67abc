// Embree geometry of a field: the same triangles, for scenes that mix terrain with other meshes.
//
// A field without holes becomes one grid geometry, whose quads Embree splits along our diagonal when u runs along +X:
// 12 bytes a stop and Embree's own tree. A field with holes becomes a triangle mesh of the triangles that exist. Places
// and heights are rounded to f32 once. Include after installing Embree 3 or 4; build the scene with
// RTC_SCENE_FLAG_ROBUST, or rays slip through edges.
#pragma once

#if __has_include(<embree4/rtcore.h>)
#include <embree4/rtcore.h>
#else
#include <embree3/rtcore.h>
#endif

#include <algorithm>
#include <cstdint>
#include <vector>

#include "arete/collider.h"

namespace arete::adapters {

// Embree holds grids of up to this many stops a side.
inline constexpr std::int32_t kEmbreeGridStops = 32767;

// A committed geometry that the caller attaches and releases. `view` may go afterwards. The caller's contract: a field
// of 2 to kEmbreeGridStops stops a side. Returns nullptr when Embree is out of memory (see rtcGetDeviceError).
inline RTCGeometry embree_geometry(RTCDevice device, const HeightfieldView& view) {
  const Lattice& lattice = view.lattice();
  ARETE_ASSERT(std::min(lattice.stops_x, lattice.stops_z) >= 2);
  ARETE_ASSERT(std::max(lattice.stops_x, lattice.stops_z) <= kEmbreeGridStops);
  const std::size_t stops = std::size_t(lattice.stops_x) * std::size_t(lattice.stops_z);
  const bool has_holes = std::find(view.data(), view.data() + stops, kHole) != view.data() + stops;
  RTCGeometry geometry = rtcNewGeometry(device, has_holes ? RTC_GEOMETRY_TYPE_TRIANGLE : RTC_GEOMETRY_TYPE_GRID);
  auto* vertex = static_cast<float*>(
      rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3, 3 * sizeof(float), stops));
  if (vertex == nullptr) {
    rtcReleaseGeometry(geometry);
    return nullptr;
  }
  for (std::int32_t z = 0; z < lattice.stops_z; ++z) {
    for (std::int32_t x = 0; x < lattice.stops_x; ++x, vertex += 3) {
      vertex[0] = static_cast<float>(lattice.x_m(x));
      vertex[1] = static_cast<float>(lattice.height_m(view.at(x, z)));
      vertex[2] = static_cast<float>(lattice.z_m(z));
    }
  }
  if (!has_holes) {
    auto* grid = static_cast<RTCGrid*>(
        rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_GRID, 0, RTC_FORMAT_GRID, sizeof(RTCGrid), 1));
    if (grid == nullptr) {
      rtcReleaseGeometry(geometry);
      return nullptr;
    }
    *grid = {0, static_cast<unsigned>(lattice.stops_x), static_cast<unsigned short>(lattice.stops_x),
             static_cast<unsigned short>(lattice.stops_z)};
  } else {
    std::vector<std::uint32_t> corners;
    for (std::int32_t z = 0; z + 1 < lattice.stops_z; ++z) {
      for (std::int32_t x = 0; x + 1 < lattice.stops_x; ++x) {
        if (view.at(x + 1, z) == kHole || view.at(x, z + 1) == kHole) {
          continue;
        }
        const std::uint32_t at =
            static_cast<std::uint32_t>(z) * static_cast<std::uint32_t>(lattice.stops_x) + static_cast<std::uint32_t>(x);
        const std::uint32_t south = at + static_cast<std::uint32_t>(lattice.stops_x);
        if (view.at(x, z) != kHole) {
          corners.insert(corners.end(), {at, south, at + 1});
        }
        if (view.at(x + 1, z + 1) != kHole) {
          corners.insert(corners.end(), {south + 1, at + 1, south});
        }
      }
    }
    auto* index = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
        geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), corners.size() / 3));
    if (index == nullptr && !corners.empty()) {
      rtcReleaseGeometry(geometry);
      return nullptr;
    }
    std::copy(corners.begin(), corners.end(), index);
  }
  rtcCommitGeometry(geometry);
  return geometry;
}

}  // namespace arete::adapters
