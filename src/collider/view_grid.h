// A field in memory as walk_ray() reads it.
#pragma once

#include "ray_walk.h"

namespace arete::collider {

class ViewGrid {
 public:
  static constexpr int kGateLevel = 0;

  ViewGrid(const Field& field, const HeightfieldView& view, const RayBounds& bounds)
      : field_(field), samples_(view_samples(view)), bounds_(bounds) {
    ARETE_ASSERT(bounds.blocks_x(2) == (field.x.last_cell >> 2) + 1 &&
                 bounds.blocks_z(2) == (field.z.last_cell >> 2) + 1);
  }

  bool block(int level, std::int32_t x, std::int32_t z, std::uint32_t& word) const {
    const std::size_t index = std::size_t(z >> level) * std::size_t(bounds_.blocks_x(level)) + std::size_t(x >> level);
    word = bounds_.level(level)[index];
    return true;
  }
  const std::uint16_t* corner(std::int32_t x, std::int32_t z) const {
    return samples_.data + x * samples_.step_x + z * samples_.step_z;
  }
  const Samples& samples() const { return samples_; }
  int top_level() const { return bounds_.top_level(); }
  int start_level() const { return std::min(kStartLevel, bounds_.top_level()); }
  std::uint32_t top_word() const { return bounds_.level(bounds_.top_level())[0]; }
  Spot spot(double x_m, double z_m) const { return view_spot(field_, samples_, x_m, z_m); }

 private:
  const Field& field_;
  Samples samples_;
  const RayBounds& bounds_;
};

}  // namespace arete::collider
