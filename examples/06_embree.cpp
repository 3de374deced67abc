// Terrain in an Embree scene: other meshes and the ground in one tree, and the same answers as the collider's own rays.
#include <cmath>
#include <cstdio>
#include <vector>

#include "arete/adapters/embree.h"

int main() {
  // A hill of 257 x 257 samples, 2 m apart, steps of 1/64 m.
  const arete::Lattice lattice{.stops_x = 257, .stops_z = 257, .spacing_x_m = 2, .spacing_z_m = 2, .step_m = 1.0 / 64};
  std::vector<std::uint16_t> stops;
  for (int z = 0; z < 257; ++z) {
    for (int x = 0; x < 257; ++x) {
      stops.push_back(
          static_cast<std::uint16_t>(1 + 6000 * std::exp(-0.0004 * ((x - 128) * (x - 128) + (z - 128) * (z - 128)))));
    }
  }
  const arete::HeightfieldView field(lattice, stops);

  RTCDevice device = rtcNewDevice(nullptr);
  RTCScene scene = rtcNewScene(device);
  rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);  // without it rays slip through edges
  RTCGeometry ground = arete::adapters::embree_geometry(device, field);
  if (ground == nullptr) {
    std::fprintf(stderr, "Embree: error %d\n", static_cast<int>(rtcGetDeviceError(device)));
    return 1;
  }
  rtcAttachGeometry(scene, ground);
  rtcReleaseGeometry(ground);
  rtcCommitScene(scene);

  RTCRayHit query{};
  query.ray.org_x = 10, query.ray.org_y = 90, query.ray.org_z = 250;
  query.ray.dir_x = 1, query.ray.dir_y = -0.1f, query.ray.dir_z = 0.02f;
  query.ray.tfar = 1000;
  query.ray.mask = ~0u;
  query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
  RTCIntersectContext context;
  rtcInitIntersectContext(&context);
  rtcIntersect1(scene, &context, &query);

  const arete::RayBounds bounds(field);
  const auto hit = arete::raycast(field, bounds, {{10, 90, 250}, {1, double(-0.1f), double(0.02f)}, 1000});
  std::printf("Embree meets the ground at t = %.4f, arete at %.4f\n", double(query.ray.tfar), hit->t);
  rtcReleaseScene(scene);
  rtcReleaseDevice(device);
  return std::abs(double(query.ray.tfar) - hit->t) < 0.01 ? 0 : 1;
}
