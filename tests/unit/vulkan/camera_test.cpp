// Cameras that see what they promise, and a frustum that agrees with the projection.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "made_field.h"
#include "vulkan/field_scene.h"
#include "vulkan/scene_constants.h"

namespace arete::vulkan {
namespace {

struct Clip {
  double x, y, z, w;
  bool is_inside() const { return w > 0 && std::abs(x) <= w && std::abs(y) <= w; }
};

Clip project(const SceneConstants& constants, const Scene& scene, const Lattice& lattice, double x, double y,
             double z) {
  const double from_eye[] = {x - scene.anchor.half_x * double(lattice.half_x_m()) + constants.anchor_from_eye[0],
                             y + constants.anchor_from_eye[1],
                             z - scene.anchor.half_z * double(lattice.half_z_m()) + constants.anchor_from_eye[2], 1};
  double clip[4] = {};
  for (std::size_t row = 0; row < 4; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      clip[row] += double(constants.view_projection[column * 4 + row]) * from_eye[column];
    }
  }
  return {clip[0], clip[1], clip[2], clip[3]};
}

Scene scene_of(const test::MadeField& field, const Camera& camera) {
  Scene scene;
  scene.bounds = &field.bounds();
  scene.anchor = anchor_near(field.lattice(), camera.eye_x_m, camera.eye_z_m);
  scene.layout = picture_layout();
  return scene;
}

TEST(Camera, OverviewHoldsTheWholeField) {
  const test::MadeField field(test::Terrain::fractal, 300, 30, 0.0625);
  const Lattice& lattice = field.lattice();
  for (const auto& [width, height] : {std::pair{1280, 720}, {1920, 1080}, {500, 1000}, {640, 640}}) {
    for (int orbit = 0; orbit < 360; orbit += 25) {
      const Camera camera = overview_camera(field.bounds(), double(width) / height, orbit);
      const Scene scene = scene_of(field, camera);
      PictureOptions options;
      options.width = width;
      options.height = height;
      const SceneConstants constants = make_scene_constants(scene, camera, options, nullptr);
      double widest = 0, highest = 0;
      for (int corner = 0; corner < 8; ++corner) {
        const Clip clip =
            project(constants, scene, lattice, corner % 2 == 0 ? 0 : lattice.width_m(),
                    lattice.height_m(corner / 2 % 2 == 0 ? field.bounds().field_min : field.bounds().field_max),
                    corner / 4 == 0 ? 0 : lattice.depth_m());
        EXPECT_TRUE(clip.is_inside()) << orbit << " " << corner;
        widest = std::max(widest, std::abs(clip.x / clip.w));
        highest = std::max(highest, std::abs(clip.y / clip.w));
      }
      EXPECT_GT(std::max(widest, highest), 0.85) << "the field is drawn too small at orbit " << orbit;
    }
  }
}

TEST(Camera, DefaultStandsAboveTheGroundAndLooksAtTheField) {
  for (const auto kind : {test::Terrain::fractal, test::Terrain::holes, test::Terrain::flat, test::Terrain::smooth}) {
    for (const std::int32_t stops : {2, 50, 300, 1100}) {
      const test::MadeField field(kind, stops, 30, 0.0625);
      const Camera camera = default_camera(field.bounds());
      EXPECT_GT(camera.eye_y_m, field.lattice().height_m(field.bounds().field_max));
      EXPECT_GT(camera.eye_y_m, camera.target_y_m);
      EXPECT_GE(camera.target_x_m, 0);
      EXPECT_LE(camera.target_x_m, field.lattice().width_m());
      EXPECT_GE(camera.target_z_m, 0);
      EXPECT_LE(camera.target_z_m, field.lattice().depth_m());
    }
  }
}

TEST(Camera, DefaultShowsAllOfAFieldHigherThanWide) {
  const test::MadeField field(test::Terrain::fractal, 50, 0.1, 1);
  const Lattice& lattice = field.lattice();
  ASSERT_GT(lattice.height_m(field.bounds().field_max) - lattice.height_m(field.bounds().field_min),
            2 * lattice.width_m());
  const Camera camera = default_camera(field.bounds());
  const Scene scene = scene_of(field, camera);
  PictureOptions options;
  options.width = 1600;
  options.height = 900;
  const SceneConstants constants = make_scene_constants(scene, camera, options, nullptr);
  for (int corner = 0; corner < 8; ++corner) {
    const std::uint16_t steps = corner / 2 % 2 == 0 ? field.bounds().field_min : field.bounds().field_max;
    EXPECT_TRUE(project(constants, scene, lattice, corner % 2 == 0 ? 0 : lattice.width_m(), lattice.height_m(steps),
                        corner / 4 == 0 ? 0 : lattice.depth_m())
                    .is_inside())
        << corner;
  }
}

TEST(Camera, OrbitIsTheSideOfTheViewer) {
  const test::MadeField field(test::Terrain::fractal, 300, 30, 0.0625);
  const Camera south = default_camera(field.bounds(), 0), east = overview_camera(field.bounds(), 1.7, 90);
  EXPECT_GT(south.eye_z_m, south.target_z_m);
  EXPECT_NEAR(south.eye_x_m, south.target_x_m, 1e-6);
  EXPECT_GT(east.eye_x_m, east.target_x_m);
  EXPECT_NEAR(east.eye_z_m, east.target_z_m, 1e-6);
}

TEST(Camera, FrustumAndProjectionAgree) {
  const test::MadeField field(test::Terrain::flat, 300, 30, 1);
  const unsigned seed = 7;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> metres(-9000, 9000);
  for (int trial = 0; trial < 300; ++trial) {
    Camera camera{metres(random), metres(random), metres(random), metres(random), metres(random), metres(random), 0.9};
    PictureOptions options;
    const Scene scene = scene_of(field, camera);
    const SceneConstants constants = make_scene_constants(scene, camera, options, nullptr);
    const View view = picture_view(camera, options.width, options.height);
    if (view.frustum.empty()) continue;
    for (int point = 0; point < 50; ++point) {
      const double x = metres(random), y = metres(random), z = metres(random);
      const Clip clip = project(constants, scene, field.lattice(), x, y, z);
      bool is_kept = true;
      for (const Plane& plane : view.frustum) {
        is_kept = is_kept && plane.x * x + plane.y * y + plane.z * z + plane.d >= 0;
      }
      const double rim = std::min(std::abs(std::abs(clip.x) - clip.w), std::abs(std::abs(clip.y) - clip.w));
      if (rim > 0.1) {
        EXPECT_EQ(is_kept, clip.is_inside()) << "seed " << seed << " trial " << trial;
      }
    }
  }
}

TEST(Camera, ClipMatrixIsThePicturesProjection) {
  const test::MadeField field(test::Terrain::flat, 300, 30, 1);
  const unsigned seed = 8;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> metres(-9000, 9000);
  for (int trial = 0; trial < 100; ++trial) {
    const Camera camera{
        metres(random), metres(random), metres(random), metres(random), metres(random), metres(random), 0.9};
    PictureOptions options;
    const Scene scene = scene_of(field, camera);
    const SceneConstants constants = make_scene_constants(scene, camera, options, nullptr);
    const double near_m = 3;
    const auto matrix = clip_from_anchor(camera, options.width, options.height, field.lattice(), scene.anchor, near_m);
    const double x = metres(random), y = metres(random), z = metres(random);
    const double place[] = {x - scene.anchor.half_x * double(field.lattice().half_x_m()), y,
                            z - scene.anchor.half_z * double(field.lattice().half_z_m()), 1};
    double clip[4] = {};
    for (std::size_t row = 0; row < 4; ++row) {
      for (std::size_t column = 0; column < 4; ++column) clip[row] += double(matrix[column * 4 + row]) * place[column];
    }
    const Clip expected = project(constants, scene, field.lattice(), x, y, z);
    EXPECT_NEAR(clip[0], expected.x, 0.02) << "seed " << seed << " trial " << trial;
    EXPECT_NEAR(clip[1], expected.y, 0.02) << "seed " << seed << " trial " << trial;
    EXPECT_NEAR(clip[3], expected.w, 0.02) << "seed " << seed << " trial " << trial;
    EXPECT_EQ(clip[2], near_m);
  }
}

TEST(Camera, NorthIsUpAndEastIsRightFromTheSouth) {
  const test::MadeField field(test::Terrain::flat, 300, 30, 1);
  const Camera camera{4000, 5000, 9000, 4000, 1000, 4000, 0.7};
  const Scene scene = scene_of(field, camera);
  const SceneConstants constants = make_scene_constants(scene, camera, {}, nullptr);
  const Clip middle = project(constants, scene, field.lattice(), 4000, 1000, 4000);
  EXPECT_NEAR(middle.x / middle.w, 0, 1e-3);
  EXPECT_NEAR(middle.y / middle.w, 0, 1e-3);
  EXPECT_GT(project(constants, scene, field.lattice(), 4500, 1000, 4000).x, 0);  // east: right
  EXPECT_LT(project(constants, scene, field.lattice(), 4000, 1000, 3000).y, 0);  // north: up, where y is negative
  EXPECT_GT(middle.z / middle.w, 0);
  const Clip farther = project(constants, scene, field.lattice(), 4000, 1000, 3000);
  EXPECT_LT(farther.z / farther.w, middle.z / middle.w);  // depth falls with distance
}

}  // namespace
}  // namespace arete::vulkan
