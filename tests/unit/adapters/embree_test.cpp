// Embree's robust scenes meet the same surface: grids without holes, triangles with them.
#include "arete/adapters/embree.h"

#include <gtest/gtest.h>

#include <cmath>

#include "adapter_rays.h"

namespace arete {
namespace {

TEST(Embree, MeetsTheCollidersSurface) {
  RTCDevice device = rtcNewDevice("threads=1");
  for (const Registration registration : {Registration::point, Registration::area}) {
    for (const bool has_holes : {false, true}) {
      const test::TestField field = test::adapter_field(registration, has_holes);
      RTCScene scene = rtcNewScene(device);
      rtcSetSceneFlags(scene, RTC_SCENE_FLAG_ROBUST);
      RTCGeometry geometry = adapters::embree_geometry(device, field.view());
      ASSERT_NE(geometry, nullptr);
      rtcAttachGeometry(scene, geometry);
      rtcReleaseGeometry(geometry);
      rtcCommitScene(scene);
      const std::vector<Ray> rays = test::adapter_rays(field.lattice, 100000);
      std::vector<RayHit> hits(rays.size());
      ASSERT_TRUE(raycast(field.view(), field.bounds(), rays, hits));
      std::int64_t met = 0, differing = 0;
      double worst = 0;
      for (std::size_t i = 0; i < rays.size(); ++i) {
        RTCRayHit query{};
        query.ray.org_x = float(rays[i].origin_m[0]);
        query.ray.org_y = float(rays[i].origin_m[1]);
        query.ray.org_z = float(rays[i].origin_m[2]);
        query.ray.dir_x = float(rays[i].direction[0]);
        query.ray.dir_y = float(rays[i].direction[1]);
        query.ray.dir_z = float(rays[i].direction[2]);
        query.ray.tfar = float(rays[i].max_t);
        query.ray.mask = ~0u;
        query.hit.geomID = RTC_INVALID_GEOMETRY_ID;
        RTCIntersectContext context;
        rtcInitIntersectContext(&context);
        rtcIntersect1(scene, &context, &query);
        const bool is_met = query.hit.geomID != RTC_INVALID_GEOMETRY_ID;
        if (is_met != (hits[i].status == RayStatus::surface)) {
          ++differing;
          continue;
        }
        if (!is_met) continue;
        ++met;
        const double t = double(query.ray.tfar);
        const HeightAnswer ground = height_at(field.view(), rays[i].origin_m[0] + t * rays[i].direction[0],
                                              rays[i].origin_m[2] + t * rays[i].direction[2]);
        if (ground.ground == Ground::surface) {
          worst = std::max(worst, std::abs(rays[i].origin_m[1] + t * rays[i].direction[1] - ground.y_m));
        }
      }
      EXPECT_GT(met, 40000);
      EXPECT_LE(worst, 1e-3);
      EXPECT_LE(differing, has_holes ? 5 : 0) << "f32 may differ at the rim of a hole, nowhere else";
      rtcReleaseScene(scene);
    }
  }
  rtcReleaseDevice(device);
}

}  // namespace
}  // namespace arete
