// Asks a store for the ground: a height, its normal and where a ray meets it.
//
//   01_height_query STORE X Z      metres from the field's north-west corner
#include <cstdio>
#include <cstdlib>

#include "arete/collider.h"
#include "arete/tiles.h"

int main(int count, char** arguments) {
  if (count != 4) {
    std::fprintf(stderr, "usage: 01_height_query STORE X Z\n");
    return 2;
  }
  const auto store = arete::TileStore::open(arguments[1]);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  const double x_m = std::atof(arguments[2]);
  const double z_m = std::atof(arguments[3]);

  // For many places keep one collider: it holds the pages that it has read.
  arete::PageCollider collider(**store, {.bounds = &(*store)->bounds()});
  const auto sample = collider.sample_at(x_m, z_m);
  if (!sample) {
    std::fprintf(stderr, "%s\n", sample.error().message.c_str());
    return 1;
  }
  if (sample->ground != arete::Ground::surface) {
    std::printf("%s\n", arete::ground_name(sample->ground));
    return 0;
  }
  std::printf("height %.4f m, normal (%.4f, %.4f, %.4f), cell (%d, %d), %s triangle\n", sample->y_m, sample->normal[0],
              sample->normal[1], sample->normal[2], sample->x_cell, sample->z_cell,
              sample->is_upper ? "upper" : "lower");

  // From 1 km above, straight down: the same point, from the same triangle.
  const auto hit = collider.raycast({.origin_m = {x_m, sample->y_m + 1000, z_m}, .direction = {0, -1, 0}});
  if (hit && hit->status == arete::RayStatus::surface) {
    std::printf("a ray from above meets it after %.4f m\n", hit->t);
  }
  return 0;
}
