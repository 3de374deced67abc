// The collider over a streamer's resident pages: what was edited is met once the streamer has it, and nothing that left
// the atlas is answered from.
#include <gtest/gtest.h>

#include "arete/collider.h"
#include "unit/stream/stream_support.h"

namespace arete::test {
namespace {

// Flat ground at 1000 but for a wall of 1090 over the stops x, z of first..last.
struct Streamed {
  Streamed()
      : source(square(2049),
               [this](std::int32_t x, std::int32_t z) {
                 return std::uint16_t(x >= first && x <= last && z >= first && z <= last ? 1090 : 1000);
               }),
        bounds(wide_bounds(source.lattice(), 900, 1100)),
        loader(source),
        faulty(loader, [this](PageKey key, int) {
          return fails && key == PageKey{0, 7, 7} ? 1 : 0;
        }) {
    StreamOptions options;
    options.budget_bytes = std::size_t(12) << 20;
    options.jobs = &jobs;
    streamer = std::move(Streamer::create(faulty, bounds, options).value());
  }
  void settle() {
    for (int i = 0; i < 300; ++i) {
      streamer->update({&camera, 1}, time_s += 1.0 / 60);
      if (jobs.waiting.empty() && streamer->stats().missing_pages == 0 && streamer->stats().stale_pages == 0) {
        return;
      }
      jobs.run_all();
    }
    FAIL() << "missing " << streamer->stats().missing_pages << ", stale " << streamer->stats().stale_pages;
  }
  std::int32_t first = -9, last = -9;
  FunctionSource source;
  Bounds bounds;
  SourceLoader loader;
  bool fails = false;
  FaultyLoader faulty;
  ManualJobs jobs;
  Viewpoint camera = eye(1000, 1020, 1000);
  std::unique_ptr<Streamer> streamer;
  double time_s = 0;
};

TEST(ColliderOverAtlas, AnEditIsMetWithItsBordersOnceTheStreamerHasIt) {
  Streamed field;
  field.settle();
  PageCollider collider(field.streamer->atlas(), {.bounds = &field.bounds});
  const Ray down{{1000, 2000, 1000}, {0, -1, 0}};
  const Ray level{{1000, 1050, 890}, {0, 0, 1}, 300};  // over the border of pages (7, 7) and (7, 8) at z = 1024
  ASSERT_EQ(collider.raycast(down)->t, 1000);
  ASSERT_EQ(collider.raycast(level)->status, RayStatus::miss);
  ASSERT_EQ(collider.height_at(1024, 1024)->y_m, 1000);  // kept of all four pages around the corner
  ASSERT_EQ(collider.height_at(1024.25, 1024)->y_m, 1000);

  field.first = 990;
  field.last = 1024;
  field.loader.mark_edited({0, 7, 7});
  field.settle();
  collider.forget_replaced();
  EXPECT_EQ(collider.raycast(down)->t, 910);
  EXPECT_EQ(collider.raycast(level)->status, RayStatus::surface);
  EXPECT_EQ(collider.height_at(1024, 1024)->y_m, 1090);
  EXPECT_EQ(collider.height_at(1024.25, 1024)->y_m, 1067.5);  // on page (8, 8), which holds the corner
  EXPECT_EQ(collider.height_at(1025, 1025)->y_m, 1000);
}

TEST(ColliderOverAtlas, PagesThatStayAreKept) {
  Streamed field;
  field.settle();
  PageCollider collider(field.streamer->atlas());
  ASSERT_EQ(collider.height_at(1000, 1000)->y_m, 1000);
  ASSERT_EQ(collider.height_at(1100, 1000)->y_m, 1000);
  ASSERT_EQ(collider.resident_pages(), 2u);
  field.streamer->update({&field.camera, 1}, field.time_s += 1.0 / 60);
  collider.forget_replaced();
  EXPECT_EQ(collider.resident_pages(), 2u);
}

// The atlas drops a page whose edit cannot be read: no ground rather than ground from before.
TEST(ColliderOverAtlas, PagesThatLeftAreNotLoadedInsteadOfOld) {
  Streamed field;
  field.settle();
  PageCollider collider(field.streamer->atlas());
  ASSERT_EQ(collider.height_at(1000, 1000)->y_m, 1000);
  field.fails = true;
  field.loader.mark_edited({0, 7, 7});
  for (int i = 0; i < 20; ++i) {
    field.streamer->update({&field.camera, 1}, field.time_s += 1.0 / 60);
    collider.forget_replaced();
    field.jobs.run_all();
  }
  ASSERT_FALSE(field.streamer->atlas().is_resident({0, 7, 7}));
  EXPECT_EQ(collider.height_at(1000, 1000)->ground, Ground::not_loaded);
  EXPECT_EQ(collider.raycast({{1000, 2000, 1000}, {0, -1, 0}})->status, RayStatus::not_loaded);
}

}  // namespace
}  // namespace arete::test
