// A field's numbers and the answers that a spot of it gives.
#pragma once

#include "arete/collider.h"
#include "cell.h"
#include "place.h"

namespace arete::collider {

using Field = detail::QueryField;

inline Field make_field(const Lattice& lattice) {
  const Axis x = x_axis(lattice);
  const Axis z = z_axis(lattice);
  return {
      x, z, lattice.base_m, lattice.step_m, 1 / lattice.step_m, lattice.step_m / x.half_m, lattice.step_m / z.half_m};
}

inline Samples view_samples(const HeightfieldView& view) { return {view.data(), view.step_x(), view.step_z()}; }

inline HeightAnswer height_answer(const Field& field, const Spot& spot) {
  HeightAnswer answer;
  answer.ground = spot.ground;
  if (spot.ground == Ground::surface) {
    answer.y_m = field.base_m + field.step_m * spot_steps(spot);
  }
  return answer;
}

// The height on the place's own triangle in the cell of `corner`; false where that triangle is missing.
inline bool quick_answer(const Field& field, const Samples& samples, const std::uint16_t* corner, const AxisPlace& x,
                         const AxisPlace& z, HeightAnswer& answer) {
  double steps;
  if (!quick_height(samples, corner, x.f, z.f, steps)) {
    return false;
  }
  answer = {Ground::surface, field.base_m + field.step_m * steps};
  return true;
}

inline std::array<double, 3> spot_normal(const Field& field, const Corners& corners, bool is_upper, std::int32_t x_cell,
                                         std::int32_t z_cell) {
  return triangle_normal(corners, is_upper, field.slope_x * cell_scale(field.x, x_cell),
                         field.slope_z * cell_scale(field.z, z_cell));
}

inline NormalAnswer normal_answer(const Field& field, const Spot& spot) {
  NormalAnswer answer;
  answer.ground = spot.ground;
  if (spot.ground == Ground::surface) {
    answer.normal = spot_normal(field, spot.corners, spot.is_upper, spot.x_cell, spot.z_cell);
  }
  return answer;
}

inline SurfaceSample sample_answer(const Field& field, const Spot& spot) {
  SurfaceSample sample;
  sample.ground = spot.ground;
  sample.is_upper = spot.is_upper;
  sample.x_cell = spot.x_cell;
  sample.z_cell = spot.z_cell;
  sample.fx = spot.fx;
  sample.fz = spot.fz;
  if (spot.ground == Ground::surface) {
    sample.barycentrics = barycentrics(spot.is_upper, spot.fx, spot.fz);
    sample.y_m = height_answer(field, spot).y_m;
    sample.normal = normal_answer(field, spot).normal;
  }
  return sample;
}

// A spot without cell: outside the field or on a page that is not loaded.
inline Spot no_spot(Ground ground) { return {ground, false, 0, 0, 0, 0, {}}; }

// The step is 0 only along an axis whose one cell is 0.
inline const std::uint16_t* view_corner(const Samples& samples, const AxisPlace& x, const AxisPlace& z) {
  return samples.data + x.cell + z.cell * samples.step_z;
}

// What stands at a place of a field in memory.
inline Spot view_spot(const Field& field, const Samples& samples, double x_m, double z_m) {
  AxisPlace x;
  AxisPlace z;
  if (!locate(field.x, x_m, x) || !locate(field.z, z_m, z)) {
    return no_spot(Ground::outside);
  }
  return spot_at(samples, view_corner(samples, x, z), x.cell, z.cell, x.f, z.f);
}

}  // namespace arete::collider
