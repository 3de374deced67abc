// The lattice of one lod along one axis of a node.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernel/axis.h"

namespace arete::mesh {

// Vertices a side of the greatest node, lanes of the greatest vector (64 bytes), and room for both in whole vectors.
inline constexpr int kMostVertices = 129;
inline constexpr std::size_t kMostLanes = 16;
inline constexpr std::size_t kRowRoom = kMostVertices + 2 * kMostLanes - 1;

// Places, and what gradients and distances need of them; arrays hold harmless numbers behind the last place.
struct LatticeAxis {
  int lod = 0;
  int first = 0;                                            // lod index of the first place
  int count = 0;                                            // places, 1 to 129
  int distinct = 0;                                         // those up to the rim; the others repeat the last of them
  bool at_start = false;                                    // the first place has no neighbour below it
  bool at_end = false;                                      // the last distinct place has none above it
  bool is_inside = false;                                   // all places and their neighbours lie inside the rim
  alignas(64) std::array<std::int32_t, kRowRoom> fine{};    // fine whole indices, lod_index()
  alignas(64) std::array<std::int32_t, kRowRoom> parent{};  // which place of the next lod's axis each one goes to
  alignas(64) std::array<float, kRowRoom> emitted{};        // metres from the anchor
  alignas(64) std::array<float, kRowRoom> offset_sq{};      // square metres from the camera
  // The gradient of a step of rise over both neighbours: the reciprocal of the run times a power of two, so a product
  // with it has the bits of axis_gradient().
  alignas(64) std::array<float, kRowRoom> slope_both{};
  // The same from here upwards and from below to here; fill_one_sided() fills them.
  alignas(64) std::array<float, kRowRoom> slope_above{}, slope_below{};
  alignas(64) std::array<float, kRowRoom> least_weight{};  // no weight is below it: 1 on stitched edges
};

// Fills all but what holes ask for.
void fill_axis(LatticeAxis& axis, int lod, int first, int count, const kernel::FrameAxis& frame, float step_m);
// The slopes beside holes.
void fill_one_sided(LatticeAxis& axis);

}  // namespace arete::mesh
