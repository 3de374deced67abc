// Rays for tests and benchmarks, exact in both worlds: whole numbers of 2^-kQ cells and steps for the exact caster, and
// the same numbers as doubles in metres for the collider. Random ones and those that break ray casters: along grid
// lines and diagonals, at samples, on the surface, from beneath, from far away.
#pragma once

#include <random>

#include "arete/collider.h"
#include "support/exact_ray.h"

namespace arete::test {

enum class RayKind {
  slanted,          // from above, mostly down
  grazing,          // within a few steps of the ground, nearly level
  at_sample,        // towards a sample, through it
  on_line,          // in the plane of a grid line
  on_diagonal,      // in the plane of a diagonal
  level_at_sample,  // level, at a sample's exact height
  vertical,         // at stops, lines, diagonals and anywhere
  from_surface,     // starts on a sample
  from_below,
  from_far,  // about 10^6 cells away
  count
};

class RayMaker {
 public:
  RayMaker(const ExactField& field, std::uint64_t seed) : field_(field), random_(seed) {
    greatest_ = 1;
    for (std::size_t i = 0; i < std::size_t(field.width) * std::size_t(field.depth); ++i) {
      greatest_ = std::max<std::int64_t>(greatest_, field.steps[i]);
    }
  }

  ExactRay make(RayKind kind) {
    ExactRay ray{};
    ray.both_sides = below(2) == 0;
    ray.max_t = below(3) == 0 ? 1 + below(64) : -1;
    const std::int32_t x = std::int32_t(below(field_.width)), z = std::int32_t(below(field_.depth));
    const std::int64_t ground = field_.at(x, z);
    const auto anywhere = [&] {
      ray.o = {below(std::int64_t(field_.width - 1) * kOne), ground * kOne,
               below(std::int64_t(field_.depth - 1) * kOne)};
    };
    const auto heading = [&](double low, double high) {
      const double angle = unit() * 6.283185307179586, slope = low + (high - low) * unit();
      ray.d = {fixed(std::cos(angle)), fixed(slope), fixed(std::sin(angle))};
    };
    const double relief = double(std::max<std::int64_t>(greatest_ / 8, 1));
    switch (kind) {
      case RayKind::slanted:
        anywhere();
        ray.o[1] += fixed(relief * unit() * 4);
        heading(-relief / 8, relief / 32);
        break;
      case RayKind::grazing:
        anywhere();
        ray.o[1] += fixed(2 * unit() - 0.5);
        heading(-0.05 * relief, 0.05 * relief);
        break;
      case RayKind::at_sample: {
        anywhere();
        ray.o[1] += fixed(relief * unit());
        const std::array<std::int64_t, 3> target{x * kOne, ground * kOne, z * kOne};
        const std::int64_t part = std::int64_t(1) << below(6);
        for (std::size_t i = 0; i < 3; ++i) {
          ray.d[i] = (target[i] - ray.o[i]) / part;
          ray.o[i] = target[i] - ray.d[i] * part;
        }
        if (ray.d == std::array<std::int64_t, 3>{}) ray.d[1] = -kOne;
        break;
      }
      case RayKind::on_line:
        anywhere();
        ray.o[1] += fixed(relief * unit());
        heading(-relief / 4, relief / 16);
        if (below(2) == 0) {
          ray.o[0] = x * kOne;
          ray.d[0] = 0;
        } else {
          ray.o[2] = z * kOne;
          ray.d[2] = 0;
        }
        break;
      case RayKind::on_diagonal:
        anywhere();
        ray.o[1] += fixed(relief * unit());
        heading(-relief / 4, relief / 16);
        ray.o[2] = (x + z) * kOne - ray.o[0];
        ray.d[2] = -ray.d[0];
        break;
      case RayKind::level_at_sample:
        anywhere();
        heading(0, 0);
        if (below(2) == 0) ray.o[2] = z * kOne, ray.d = {below(2) == 0 ? kOne : -kOne, 0, 0};
        break;
      case RayKind::vertical:
        anywhere();
        if (below(2) == 0) ray.o[0] = x * kOne;
        if (below(2) == 0) ray.o[2] = z * kOne;
        if (below(3) == 0) ray.o[2] = z * kOne + kOne - ray.o[0] % kOne;
        ray.o[1] = below(2 * greatest_) * kOne;
        ray.d = {0, below(2) == 0 ? -kOne : kOne, 0};
        ray.max_t = ray.max_t < 0 ? ray.max_t : ray.max_t * 1000;
        break;
      case RayKind::from_surface:
        ray.o = {x * kOne, ground * kOne, z * kOne};
        heading(-relief / 4, relief / 4);
        break;
      case RayKind::from_below:
        anywhere();
        ray.o[1] -= fixed(relief * unit());
        heading(-relief / 16, relief / 4);
        break;
      case RayKind::from_far:
      case RayKind::count: {
        anywhere();
        heading(-relief / 4, relief / 16);
        const std::int64_t away = 900000 + below(200000);
        for (std::size_t i = 0; i < 3; ++i) ray.o[i] -= ray.d[i] * away;
        ray.max_t = -1;
        break;
      }
    }
    return ray;
  }

 private:
  std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_); }
  double unit() { return std::uniform_real_distribution<double>(0, 1)(random_); }
  static std::int64_t fixed(double value) { return std::int64_t(std::llround(value * double(kOne))); }

  ExactField field_;
  std::mt19937_64 random_;
  std::int64_t greatest_;
};

// The same ray in metres on a point lattice. Spacings and step must be powers of two and the base a multiple of the
// step.
inline Ray ray_in_metres(const ExactRay& exact, const Lattice& lattice) {
  Ray ray;
  const std::array<double, 3> unit{lattice.spacing_x_m, lattice.step_m, lattice.spacing_z_m};
  for (std::size_t i = 0; i < 3; ++i) {
    ray.origin_m[i] = double(exact.o[i]) / double(kOne) * unit[i] + (i == 1 ? lattice.base_m : 0.0);
    ray.direction[i] = double(exact.d[i]) / double(kOne) * unit[i];
  }
  if (exact.max_t >= 0) ray.max_t = double(exact.max_t);
  ray.sides = exact.both_sides ? Sides::both : Sides::front;
  return ray;
}

}  // namespace arete::test
