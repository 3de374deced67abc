// Cuts for the screen: what is resident, too many nodes, no morph, and the ground below.
#include "view/field_frame.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "arete/collider.h"
#include "support/watertight.h"
#include "unit/vulkan/made_field.h"
#include "view/ground.h"

namespace arete::view {
namespace {

// A field with all the pages that a frame wants.
struct Loaded {
  test::MadeField field{test::Terrain::fractal, 1000, 10, 0.0625};
  std::unique_ptr<Streamer> streamer;

  Loaded() {
    auto made = Streamer::create(field, field.bounds(), {});
    EXPECT_TRUE(made) << made.error().message;
    streamer = std::move(*made);
  }
  void load(const FieldFrame& frame) {
    const Viewpoint viewpoint = frame.viewpoint();
    for (int i = 0; i < 2000; ++i) {
      streamer->update({&viewpoint, 1}, i * 0.005);
      if (i > 0 && streamer->stats().missing_pages == 0) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    FAIL() << streamer->stats().missing_pages << " pages never came";
  }
};

TEST(FieldFrame, WithAllPagesItsCutIsThePictures) {
  Loaded loaded;
  const Bounds& bounds = loaded.field.bounds();
  const vulkan::Camera camera = vulkan::default_camera(bounds);
  FieldFrame frame(loaded.streamer->atlas(), bounds);
  frame.look(camera, 320, 200, {.max_error_px = 2}, true);
  loaded.load(frame);
  frame.select(true);
  const View view = vulkan::picture_view(camera, 320, 200);
  CutWorkspace workspace;
  Cut cut;
  select_cut(bounds, view, make_ranges(bounds, view.pixels_per_radian, {.max_error_px = 2}), workspace, cut);
  EXPECT_EQ(frame.cut().nodes, cut.nodes);
  EXPECT_EQ(frame.cut().drawn, cut.drawn);
  EXPECT_GE(frame.drawn().drawn.size(), cut.drawn.size());
  EXPECT_EQ(frame.detail(), 1);
}

TEST(FieldFrame, TooManyNodesShrinkTheRanges) {
  Loaded loaded;
  FieldFrame frame(loaded.streamer->atlas(), loaded.field.bounds());
  const vulkan::Camera camera = vulkan::overview_camera(loaded.field.bounds(), 1.6);
  const RangeOptions fine{.max_error_px = 1e-4, .node_quads = 4};
  frame.look(camera, 320, 200, fine, true);
  loaded.load(frame);
  frame.select(false);
  EXPECT_LE(frame.drawn().drawn.size(), FieldFrame::kMostNodes);
  EXPECT_LT(frame.detail(), 1);
  const double shrunk = frame.detail();
  frame.look(camera, 320, 200, {.max_error_px = 4}, true);
  frame.select(false);
  EXPECT_GT(frame.detail(), shrunk) << "it recovers";
}

TEST(WithoutMorph, VerticesRestAndNothingCracks) {
  const test::MadeField field(test::Terrain::random, 700, 10, 0.0625);
  const Bounds& bounds = field.bounds();
  const Lattice& lattice = bounds.lattice();
  View view;
  view.eye_x_m = 2900;
  view.eye_y_m = 300;
  view.eye_z_m = 3300;
  const Ranges ranges = without_morph(make_ranges(700.0, RangeOptions{}));
  CutWorkspace workspace;
  Cut cut;
  select_cut(bounds, view, ranges, workspace, cut);
  const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
  test::WorldMesher mesher(field, bounds);
  test::EdgeCounter edges(lattice, anchor);
  int lods = 0;
  for (const Node& node : cut.nodes) lods |= 1 << node.lod;
  ASSERT_GT(lods & (lods - 1), 0) << "one lod alone proves nothing";
  std::int64_t off_the_lattice = 0;
  mesher.each_triangle(view, ranges, anchor, cut.nodes, true,
                       [&](const test::Corner& a, const test::Corner& b, const test::Corner& c) {
                         edges.add(a, b, c);
                         for (const test::Corner& corner : {a, b, c}) {
                           const double half = test::real(corner.x) / lattice.half_x_m();
                           off_the_lattice += half != std::floor(half) ? 1 : 0;
                         }
                       });
  EXPECT_EQ(edges.report().cracks, 0) << edges.report().first;
  EXPECT_EQ(off_the_lattice, 0);
}

TEST(GroundBelow, IsTheHigherOfWhatIsDrawnAndWhatCollides) {
  Loaded loaded;
  const Bounds& bounds = loaded.field.bounds();
  FieldFrame frame(loaded.streamer->atlas(), bounds);
  vulkan::Camera camera = vulkan::default_camera(bounds);
  GroundBelow ground(loaded.streamer->atlas(), bounds);
  // Only the coarsest page is here: the drawn ground alone says where the ground is.
  frame.look(camera, 320, 200, {.max_error_px = 1}, true);
  frame.select(true);
  ground.begin(frame.cut(), frame.constants(), frame.ranges());
  const auto coarse = ground.height_at(4000, 5000);
  ASSERT_TRUE(coarse) << coarse.error().message;
  ASSERT_TRUE(*coarse);
  // With all pages, right below the camera, it is no lower than the collider's.
  camera.eye_x_m = 4000;
  camera.eye_z_m = 5000;
  frame.look(camera, 320, 200, {.max_error_px = 1}, true);
  loaded.load(frame);
  frame.select(true);
  ground.begin(frame.cut(), frame.constants(), frame.ranges());
  const auto fine = ground.height_at(4000, 5000);
  const auto collided = height_at(loaded.field, 4000, 5000);
  ASSERT_TRUE(fine && collided);
  ASSERT_TRUE(*fine);
  EXPECT_GE(**fine, collided->y_m);
  const auto outside = ground.height_at(-10, 5000);
  ASSERT_TRUE(outside);
  EXPECT_FALSE(*outside);
}

TEST(LeastClearance, LiesBeyondTheNearPlane) {
  const test::MadeField field(test::Terrain::fractal, 1000, 10, 0.0625);
  const double size_m = std::hypot(field.lattice().width_m(), field.lattice().depth_m());
  EXPECT_GT(least_clearance_m(field.bounds()), 3e-5 * size_m);
  EXPECT_LT(least_clearance_m(field.bounds()), field.lattice().spacing_x_m);
}

}  // namespace
}  // namespace arete::view
