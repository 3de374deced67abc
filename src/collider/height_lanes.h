// Heights at many places at a time, one place a vector lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "field.h"

namespace arete::collider {

// Where the lanes find samples: fields of at least 2 stops an axis.
class HeightLaneUser {
 public:
  virtual ~HeightLaneUser() = default;
  // The sample 00 of each of `count` cells, or nullptr where it cannot be had; a cell may be asked for several times.
  // Pointers hold until the next call.
  virtual void corners(const std::int32_t* x_cell, const std::int32_t* z_cell, std::size_t count,
                       const std::uint16_t** corner) = 0;
  // The single answer, where lanes have none: a hole in the cell, or a corner that cannot be had. False stops.
  virtual bool single(double x_m, double z_m, double& y_m, Ground& ground) = 0;
};

// One row of samples to the next is `stride` samples on. With `whole` set, corners() is not called: it is the field's
// sample (0, 0). Returns how many places were answered: all of them, or those before single() said stop.
std::size_t height_lanes(const Field& field, const std::uint16_t* whole, std::int64_t stride, HeightLaneUser& user,
                         std::size_t count, const double* x_m, const double* z_m, double* y_m, Ground* ground);

}  // namespace arete::collider
