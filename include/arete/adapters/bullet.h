// A Bullet heightfield of a field: the same cells and diagonal, heights as f32 that Bullet reads in place.
//
// Bullet puts a heightfield's middle at the origin of its body; `centre_m` says where that middle lies in the field, so
// a body placed there stands where the terrain is drawn. Its triangles use our diagonal with flipped edges off; diamond
// and zigzag subdivision must stay off. Include after installing Bullet 3 (single precision or double).
#pragma once

#include <BulletCollision/CollisionShapes/btHeightfieldTerrainShape.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "arete/collider.h"

namespace arete::adapters {

struct BulletHeightfield {
  std::vector<float> heights_m;  // Bullet's samples; as long-lived as the shape
  std::unique_ptr<btHeightfieldTerrainShape> shape;
  std::array<double, 3> centre_m{};  // where to place the body
};

// The shape of stops of equal spacing: all of a point field; of an area field its texel centres, without the half-wide
// rim cells, which Bullet cannot hold. The caller's contract: at least 2 such stops a side and no holes (Bullet has
// none); see triangles() for fields with holes.
inline BulletHeightfield bullet_heightfield(const HeightfieldView& view) {
  const Lattice& lattice = view.lattice();
  const std::int32_t rim = lattice.is_area();
  const std::int32_t width = lattice.stops_x - 2 * rim;
  const std::int32_t depth = lattice.stops_z - 2 * rim;
  ARETE_ASSERT(width >= 2 && depth >= 2);
  BulletHeightfield field;
  field.heights_m.reserve(std::size_t(width) * std::size_t(depth));
  std::uint16_t least = 65535;
  std::uint16_t greatest = 0;
  for (std::int32_t z = rim; z < rim + depth; ++z) {
    for (std::int32_t x = rim; x < rim + width; ++x) {
      const std::uint16_t steps = view.at(x, z);
      least = std::min(least, steps);
      greatest = std::max(greatest, steps);
      field.heights_m.push_back(static_cast<float>(lattice.height_m(steps)));
    }
  }
  ARETE_ASSERT(least != kHole);
  const double low_m = lattice.height_m(least);
  const double high_m = lattice.height_m(greatest);
  constexpr int kUpAxis = 1;
  constexpr bool kFlipEdges = false;
  field.shape = std::make_unique<btHeightfieldTerrainShape>(int(width), int(depth),
                                                            static_cast<const float*>(field.heights_m.data()),
                                                            btScalar(low_m), btScalar(high_m), kUpAxis, kFlipEdges);
  field.shape->setLocalScaling(
      btVector3(btScalar(2.0 * double(lattice.half_x_m())), btScalar(1), btScalar(2.0 * double(lattice.half_z_m()))));
  field.shape->buildAccelerator();
  field.centre_m = {(lattice.x_m(rim) + lattice.x_m(rim + width - 1)) / 2, (low_m + high_m) / 2,
                    (lattice.z_m(rim) + lattice.z_m(rim + depth - 1)) / 2};
  return field;
}

}  // namespace arete::adapters
