// Public bug reports about terrain in pages, as laws of this one: each test bears the number of its report.
#include <gtest/gtest.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "arete/collider.h"
#include "arete/stream.h"
#include "stream/virtual_jobs.h"
#include "support/field.h"
#include "support/made_pages.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

double thread_cpu_ms() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) * 1e3 + double(time.tv_nsec) * 1e-6;
}

// B19 (maplibre-gl-js#6701): the height under a place must not depend on what the camera has loaded.
TEST(Reports, B19_HeightsAreTheFinestLodsOrNotLoaded) {
  const Lattice lattice{.stops_x = 1025, .stops_z = 1025};
  std::vector<std::uint16_t> stops(std::size_t(1025) * 1025, 1);
  stops[500 * 1025 + 700] = 1001;  // no coarser lod's subsample holds it, and every max plane does
  const auto source = make_field(lattice, stops);
  stream::VirtualJobs jobs(0.05, 4, 128);
  StreamOptions options;
  options.budget_bytes = std::size_t(16) << 20;
  options.jobs = &jobs;
  const auto streamer = std::move(Streamer::create(*source, source->bounds(), options).value());
  const Ranges ranges = make_ranges(150, {});
  int answered = 0, not_loaded = 0;
  for (int i = 0; i < 240; ++i) {
    // Far, near, and far again.
    const Viewpoint camera{700, i < 60 || i >= 120 ? 9000.0 : 100.0, 500, ranges};
    jobs.advance(i / 60.0);
    streamer->update({&camera, 1}, i / 60.0);
    const auto peak = height_at(streamer->atlas(), 700, 500), beside = height_at(streamer->atlas(), 700.5, 500);
    ASSERT_TRUE(peak && beside);
    if (peak->ground == Ground::not_loaded) {
      ++not_loaded;
      continue;
    }
    ASSERT_EQ(peak->y_m, 1001);
    ASSERT_EQ(beside->y_m, 501);
    ++answered;
  }
  EXPECT_GE(not_loaded, 60) << "nothing was near before";
  EXPECT_GT(answered, 60);
}

// B65 (osgearth#1297): a tile in which there is nothing.
TEST(Reports, B65_AnEmptyPageHasNoMeshNoColliderAndNoMaximum) {
  const Lattice lattice{.stops_x = 385, .stops_z = 385};
  std::vector<std::uint16_t> whole = terrain_field(Terrain::fractal, 3, lattice), stops = whole;
  const auto is_empty = [](std::int32_t x, std::int32_t z) { return x >= 128 && x <= 256 && z >= 128 && z <= 256; };
  for (std::int32_t z = 0; z < 385; ++z) {
    for (std::int32_t x = 0; x < 385; ++x) {
      if (is_empty(x, z)) {
        stops[std::size_t(z) * 385 + std::size_t(x)] = kHole;
      }
    }
  }
  const auto full = make_field(lattice, whole), source = make_field(lattice, stops);
  const std::shared_ptr<const Page> middle = *source->page({0, 1, 1});
  EXPECT_EQ(std::count(middle->subsample.begin(), middle->subsample.end(), kHole), std::ptrdiff_t(kPlaneSamples));
  for (int node = 0; node < 4; ++node) {
    EXPECT_EQ(source->bounds().at(1, 2 + node % 2, 2 + node / 2).max, 0) << "of nothing, not of the lowest number";
  }
  // Drawn at lod 0: of the cells that touch the empty page two have a triangle that does not, outside its corners.
  const Ranges ranges = make_ranges(1e6, {});
  CutWorkspace workspace;
  Cut cut;
  select_cut(source->bounds(), View{}, ranges, workspace, cut);
  WorldMesher mesher(*source, source->bounds());
  std::int64_t drawn = 0, over_the_empty = 0;
  mesher.each_triangle({}, ranges, {}, cut.nodes, true, [&](const Corner& a, const Corner& b, const Corner& c) {
    const double x = (real(a.x) + real(b.x) + real(c.x)) / 3, z = (real(a.z) + real(b.z) + real(c.z)) / 3;
    const bool is_drawn = a.hole + b.hole + c.hole == 0;
    drawn += is_drawn ? 1 : 0;
    over_the_empty += is_drawn && x > 127 && x < 257 && z > 127 && z < 257 ? 1 : 0;
  });
  EXPECT_EQ(over_the_empty, 2);
  EXPECT_EQ(drawn, 2 * (384 * 384 - 130 * 130) + 2);
  for (int k = 0; k < 54; ++k) {
    for (int i = 0; i < 54; ++i) {
      const double x = 100.25 + 3.5 * i, z = 100.25 + 3.5 * k;
      const HeightAnswer answer = *height_at(*source, x, z);
      const RayHit hit = *raycast(*source, {{x, 1e5, z}, {0, -1, 0}});
      if (x > 127 && x < 257 && z > 127 && z < 257) {
        ASSERT_EQ(answer.ground, Ground::hole) << x << ' ' << z;
        ASSERT_NE(hit.status, RayStatus::surface) << x << ' ' << z;
      } else {
        ASSERT_EQ(answer.ground, Ground::surface) << x << ' ' << z;
        ASSERT_EQ(answer.y_m, height_at(*full, x, z)->y_m) << "a neighbour changed at " << x << ' ' << z;
        ASSERT_EQ(hit.status, RayStatus::surface) << x << ' ' << z;
      }
    }
  }
}

// B73 (Terrain3D#161, #1004): a body crosses a tile of 257 a second. No step takes long, and the ground under the body
// and before it is there to collide with when it arrives.
TEST(Reports, B73_StepsAreShortAndTheGroundIsThereBeforeTheBody) {
  const Lattice lattice{.stops_x = 2049, .stops_z = 2049, .step_m = 0.0078125};
  const auto source = make_field(Terrain::fractal, 4, lattice);
  stream::VirtualJobs jobs(0.05, 2, 128);  // 40 pages a second
  StreamOptions options;
  options.budget_bytes = std::size_t(24) << 20;
  options.jobs = &jobs;
  const auto streamer = std::move(Streamer::create(*source, source->bounds(), options).value());
  PageColliderOptions collider_options;
  collider_options.budget_bytes = std::size_t(16) << 20;
  PageCollider collider(streamer->atlas(), collider_options);
  const Ranges ranges = make_ranges(200, {});
  constexpr double kStep_s = 1.0 / 60, kSpeed_m_s = 256, kWarmUp_s = 5;
  std::vector<double> steps_ms;
  for (int i = 0; i < 60 * 11; ++i) {
    const double time_s = i * kStep_s;
    const double x = 130 + kSpeed_m_s * std::max(0.0, time_s - kWarmUp_s), z = 900 + 0.1 * x;
    const Viewpoint camera{x, height_at(*source, x, z)->y_m + 2, z, ranges};
    jobs.advance(time_s);
    const double begin_ms = thread_cpu_ms();
    streamer->update({&camera, 1}, time_s);
    const Result<HeightAnswer> under = collider.height_at(x, z), ahead = collider.height_at(x + 20, z + 2);
    steps_ms.push_back(thread_cpu_ms() - begin_ms);
    ASSERT_TRUE(under && ahead);
    if (time_s >= kWarmUp_s) {
      ASSERT_EQ(under->ground, Ground::surface) << "at " << x;
      ASSERT_EQ(ahead->ground, Ground::surface) << "at " << x;
      ASSERT_EQ(under->y_m, height_at(*source, x, z)->y_m);
    }
  }
  EXPECT_GT(streamer->stats().placed, 100);
  std::sort(steps_ms.begin(), steps_ms.end());
  EXPECT_LT(steps_ms[steps_ms.size() * 99 / 100], 4) << "of 99 steps in a hundred, in ms of one core";
}

// A field of one row or one column of pages that reaches far from the origin; flat but for a pattern of the stops.
class FarField final : public SampleSource {
 public:
  explicit FarField(const Lattice& lattice) : lattice_(lattice) {}
  const Lattice& lattice() const noexcept override { return lattice_; }
  Result<std::shared_ptr<const Page>> page(PageKey key) const override {
    return std::shared_ptr<const Page>(
        made_page(lattice_, key, [](std::int64_t x, std::int64_t z) { return 1000 + (x * 7 + z * 13) % 50; }));
  }

 private:
  Lattice lattice_;
};

// B75 (superterrainplus#35, Terrain3D#814): hairline seams and wrong distances 10,000 km from the origin.
TEST(Reports, B75_FarFromTheOriginBordersAreEqualAndDistancesExact) {
  for (const bool is_east : {true, false}) {
    Lattice lattice{.stops_x = 257, .stops_z = 257, .spacing_x_m = 150.5, .spacing_z_m = 150.5};
    (is_east ? lattice.stops_x : lattice.stops_z) = 66561;  // 1.0017e7 m
    const FarField source(lattice);
    const Bounds bounds = wide_bounds(lattice, 1000, 1050);
    View view;
    view.eye_x_m = is_east ? 1e7 : 8848.5;
    view.eye_y_m = 1500;
    view.eye_z_m = is_east ? 805.5 : 1e7;
    const Ranges ranges = make_ranges(30000, {});
    const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
    CutWorkspace workspace;
    Cut cut;
    select_cut(bounds, view, ranges, workspace, cut);
    WorldMesher mesher(source, bounds);
    EdgeCounter edges(lattice, anchor);
    std::int64_t sides = 0;
    const auto check_side = [&](const Corner& a, const Corner& b) {
      const double from_eye_x = real(a.x) + anchor.half_x * double(lattice.half_x_m()) - view.eye_x_m;
      const double from_eye_z = real(a.z) + anchor.half_z * double(lattice.half_z_m()) - view.eye_z_m;
      const double dx = double(real(b.x)) - real(a.x), dz = double(real(b.z)) - real(a.z);
      // Near the camera nothing morphs: the sides along the axes are one spacing long.
      if (std::hypot(from_eye_x, from_eye_z) < 15000 && (dx == 0 || dz == 0)) {
        ASSERT_EQ(std::abs(dx + dz), 150.5);
        ++sides;
      }
    };
    mesher.each_triangle(view, ranges, anchor, cut.nodes, true, [&](const Corner& a, const Corner& b, const Corner& c) {
      check_side(a, b);
      check_side(b, c);
      check_side(c, a);
      edges.add(a, b, c);
    });
    EXPECT_GT(sides, 20000);
    const EdgeCounter::Report report = edges.report();
    EXPECT_EQ(report.cracks, 0) << report.first;
    EXPECT_EQ(report.misplaced, 0);
    // A column further on is exactly a spacing further, whatever the distance.
    const std::int32_t last = is_east ? lattice.last_stop_x() : lattice.last_stop_z();
    for (std::int32_t stop = last - 1000; stop < last; ++stop) {
      const double step =
          is_east ? lattice.x_m(stop + 1) - lattice.x_m(stop) : lattice.z_m(stop + 1) - lattice.z_m(stop);
      ASSERT_EQ(step, 150.5);
    }
  }
}

}  // namespace
}  // namespace arete::test
