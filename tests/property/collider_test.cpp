// The collider against an exact judge, against brute force over all triangles, and against what is drawn.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "arete/drawn.h"
#include "arete/mesh.h"
#include "support/drawn_triangles.h"
#include "support/field.h"
#include "support/field_pages.h"
#include "support/ray_kinds.h"

namespace arete {
namespace {
using test::ExactCaster;
using test::ExactField;
using test::ExactRay;
using test::RayKind;
using test::RayMaker;
using test::Terrain;
using test::TestField;

// Heights of random fields are kept low, so that rays from above meet more than the first spike.
std::vector<std::uint16_t> judged_field(Terrain terrain, std::uint64_t seed, const Lattice& lattice) {
  std::vector<std::uint16_t> stops = test::terrain_field(terrain, seed, lattice);
  if (terrain == Terrain::random) {
    for (std::uint16_t& steps : stops) steps = std::uint16_t(1 + steps % 9);
  }
  return stops;
}

// 10^6 rays of every kind. Where the collider meets ground, its point lies on the exact surface. Where the exact ray
// meets ground earlier, or the collider none, the exact ray only touches: lifted or lowered by 4 nanosteps it does not
// meet that ground.
TEST(Collider, RaysAgreeWithExactArithmetic) {
  constexpr int kRaysOfAKind = 3600;
  std::int64_t rays = 0, hits = 0, touches = 0, early = 0;
  double worst = 0;
  for (const Terrain terrain : test::kTerrains) {
    for (const auto& [stops_x, stops_z] : {std::pair{21, 21}, {37, 20}, {65, 129}, {2, 2}}) {
      const std::uint64_t seed = std::uint64_t(stops_x) * 31 + std::uint64_t(terrain);
      const Lattice lattice{
          .stops_x = stops_x, .stops_z = stops_z, .spacing_x_m = 4, .spacing_z_m = 2, .base_m = -16, .step_m = 0.25};
      const TestField field(lattice, judged_field(terrain, seed, lattice));
      const HeightfieldView view = field.view();
      const RayBounds bounds(view);
      const ExactField exact_field{stops_x, stops_z, field.stops.data()};
      const ExactCaster judge(exact_field);
      RayMaker maker(exact_field, seed);
      std::vector<ExactRay> exact_rays;
      std::vector<Ray> batch;
      for (int kind = 0; kind < int(RayKind::count); ++kind) {
        for (int i = 0; i < kRaysOfAKind; ++i) {
          exact_rays.push_back(maker.make(RayKind(kind)));
          batch.push_back(test::ray_in_metres(exact_rays.back(), lattice));
        }
      }
      std::vector<RayHit> answers(batch.size());
      std::vector<std::uint8_t> is_hit(batch.size());
      ASSERT_TRUE(raycast(view, bounds, batch, answers));
      ASSERT_TRUE(raycast_any(view, bounds, batch, is_hit));
      for (std::size_t i = 0; i < batch.size(); ++i) {
        const std::string where = std::string(test::name(terrain)) + ' ' + std::to_string(stops_x) + 'x' +
                                  std::to_string(stops_z) + " seed " + std::to_string(seed) + " ray " +
                                  std::to_string(i) + " of kind " + std::to_string(i / kRaysOfAKind);
        const auto single = raycast(view, bounds, batch[i]);
        const RayHit& hit = *single;
        ASSERT_EQ(hit.status, answers[i].status) << where;
        ASSERT_EQ(hit.t, answers[i].t) << where;
        ASSERT_EQ(hit.position_m, answers[i].position_m) << where;
        ASSERT_EQ(hit.barycentrics, answers[i].barycentrics) << where;
        ASSERT_EQ(hit.normal, answers[i].normal) << where;
        ASSERT_EQ(hit.status == RayStatus::surface, is_hit[i] == 1) << where;
        const bool is_met = hit.status == RayStatus::surface;
        ++rays;
        hits += is_met ? 1 : 0;
        // Whether the exact ray meets ground that the answer went through.
        const auto goes_through = [&](std::int64_t lift) {
          ExactRay ray = exact_rays[i];
          ray.o[1] += lift;
          const auto expected = judge.cast(ray);
          return expected && (!is_met || test::to_double(expected->t) < hit.t - 1e-6 * (1 + hit.t));
        };
        if (goes_through(0)) {
          ++touches;
          ASSERT_FALSE(goes_through(1) && goes_through(-1))
              << where << ": meets at " << hit.t << ", exact " << test::to_double(judge.cast(exact_rays[i])->t);
        }
        if (is_met) {
          const auto over = judge.height_over(exact_rays[i], hit.t);
          ASSERT_TRUE(over) << where;
          const double scale = std::max({1.0, std::abs(batch[i].origin_m[0]), std::abs(batch[i].origin_m[1])});
          worst = std::max(worst, std::abs(double(*over)) * lattice.step_m / scale);
          const auto expected = judge.cast(exact_rays[i]);
          early += !expected || test::to_double(expected->t) > hit.t + 1e-6 * (1 + hit.t) ? 1 : 0;
          const std::array<double, 3>& d = batch[i].direction;
          const double along = d[0] * hit.normal[0] + d[1] * hit.normal[1] + d[2] * hit.normal[2];
          if (*std::min_element(hit.barycentrics.begin(), hit.barycentrics.end()) > 1e-6 && hit.t > 0) {
            ASSERT_TRUE(batch[i].sides == Sides::both || along <= 1e-9) << where;
            ASSERT_TRUE(!hit.from_below || along >= -1e-9) << where;
          }
        }
      }
    }
  }
  EXPECT_GE(rays, 1000000);
  EXPECT_GT(hits, rays / 4);
  EXPECT_LT(touches, rays / 500);
  EXPECT_LE(worst, 1e-9);
  EXPECT_LT(early, rays / 500);
  std::printf("rays %lld, hits %lld, touches missed %lld, taken early %lld, worst distance %.2g\n",
              static_cast<long long>(rays), static_cast<long long>(hits), static_cast<long long>(touches),
              static_cast<long long>(early), worst);
}

// The least t over every triangle, in long double, with room for rounding at the edges.
std::optional<long double> brute_force(const std::vector<Triangle>& triangles, const Ray& ray) {
  std::optional<long double> least;
  for (const Triangle& triangle : triangles) {
    using Vector = std::array<long double, 3>;
    const auto minus = [](const auto& a, const auto& b) {
      return Vector{a[0] - static_cast<long double>(b[0]), a[1] - static_cast<long double>(b[1]),
                    a[2] - static_cast<long double>(b[2])};
    };
    const auto cross = [](const Vector& a, const Vector& b) {
      return Vector{a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    };
    const auto dot = [](const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; };
    const Vector d{ray.direction[0], ray.direction[1], ray.direction[2]};
    const Vector e1 = minus(
        std::array<long double, 3>{triangle.vertices_m[1][0], triangle.vertices_m[1][1], triangle.vertices_m[1][2]},
        triangle.vertices_m[0]);
    const Vector e2 = minus(
        std::array<long double, 3>{triangle.vertices_m[2][0], triangle.vertices_m[2][1], triangle.vertices_m[2][2]},
        triangle.vertices_m[0]);
    const Vector s =
        minus(std::array<long double, 3>{ray.origin_m[0], ray.origin_m[1], ray.origin_m[2]}, triangle.vertices_m[0]);
    const Vector p = cross(d, e2);
    const long double determinant = dot(e1, p);
    if (determinant == 0) continue;
    const long double u = dot(s, p) / determinant;
    const Vector q = cross(s, e1);
    const long double v = dot(d, q) / determinant;
    const long double t = dot(e2, q) / determinant;
    constexpr long double kRoom = 1e-13L;
    if (u >= -kRoom && v >= -kRoom && u + v <= 1 + kRoom && t >= 0 && (!least || t < *least)) least = t;
  }
  return least;
}

TEST(Collider, FirstHitsInTheLastPartialBlocksEqualBruteForce_B22) {
  for (const auto& [stops_x, stops_z] : {std::pair{21, 21}, {37, 20}}) {
    for (const Registration registration : {Registration::point, Registration::area}) {
      const Lattice lattice{.stops_x = stops_x,
                            .stops_z = stops_z,
                            .registration = registration,
                            .spacing_x_m = 5,
                            .spacing_z_m = 5,
                            .step_m = 0.125};
      const TestField field(
          lattice, [](int x, int z) { return 1 + int(test::hash(std::uint64_t(x), std::uint64_t(z), 3) % 300); });
      const RayBounds bounds = field.bounds();
      std::vector<Triangle> all;
      triangles(field.view(), {{-1, -1, -1}, {1e4, 1e4, 1e4}}, [&](const Triangle& triangle) {
        all.push_back(triangle);
        return true;
      });
      test::Random random{std::uint64_t(stops_x)};
      for (int i = 0; i < 10000; ++i) {
        const double x = lattice.width_m() * (i % 3 == 0 ? random.unit() : random.between(0.75, 1));
        const double z = lattice.depth_m() * (i % 3 == 1 ? random.unit() : random.between(0.75, 1));
        const double y = height_at(field.view(), x, z).y_m;
        const double angle = random.between(0, 6.3), rise = random.between(0.02, 1);
        Ray ray{{x + 500 * std::cos(angle), y + 500 * rise, z + 500 * std::sin(angle)}, {}};
        ray.direction = {x - ray.origin_m[0], y - ray.origin_m[1], z - ray.origin_m[2]};
        const auto hit = raycast(field.view(), bounds, ray);
        const auto expected = brute_force(all, ray);
        ASSERT_EQ(hit->status == RayStatus::surface, expected.has_value()) << stops_x << " ray " << i;
        if (expected) {
          ASSERT_NEAR(hit->t, double(*expected), 1e-12) << stops_x << " ray " << i;
        }
      }
    }
  }
}

using test::AllSplit;
using test::Place;

// Every triangle with area of the cut's nodes, and how often it is drawn.
std::map<std::array<Place, 3>, int> drawn_triangles(const MemorySource& source, const View& view, const Ranges& ranges,
                                                    const Cut& cut) {
  std::map<std::array<Place, 3>, int> drawn;
  for (const test::Corners& triangle : test::drawn_triangles(source, source.bounds(), view, ranges, cut)) {
    ++drawn[triangle];
  }
  return drawn;
}

// The finest mesh and the collider's triangles are one set, bit for bit; heights and rays lie on its planes.
TEST(Collider, DrawnIsCollided_B12_B20) {
  test::Random random(7);
  for (const Registration registration : {Registration::point, Registration::area}) {
    for (const Terrain terrain : {Terrain::random, Terrain::holes, Terrain::checkerboard}) {
      for (const auto& [stops_x, stops_z] : {std::pair{33, 33}, {9, 9}, {300, 140}}) {
        const Lattice lattice{.stops_x = stops_x,
                              .stops_z = stops_z,
                              .registration = registration,
                              .spacing_x_m = 2.5,
                              .spacing_z_m = 4,
                              .base_m = 50,
                              .step_m = 0.5};
        const auto source = test::make_field(terrain, 5, lattice);
        const TestField field(lattice, test::terrain_field(terrain, 5, lattice));
        const RayBounds bounds = field.bounds();
        CutWorkspace workspace;
        Cut cut;
        cut_from_splits(lattice, 32, AllSplit(), workspace, cut);
        std::map<std::array<Place, 3>, int> drawn = drawn_triangles(*source, {}, make_ranges(1e9, {}), cut);
        PageCollider collider(*source, {.bounds = &source->bounds()});
        std::int64_t collided = 0;
        ASSERT_TRUE(collider.triangles({{-1, -1e9, -1}, {1e9, 1e9, 1e9}}, [&](const Triangle& triangle) {
          std::array<Place, 3> places;
          for (std::size_t k = 0; k < 3; ++k) {
            for (std::size_t axis = 0; axis < 3; ++axis) places[k][axis] = float(triangle.vertices_m[k][axis]);
          }
          std::rotate(places.begin(), std::min_element(places.begin(), places.end()), places.end());
          const auto found = drawn.find(places);
          EXPECT_TRUE(found != drawn.end() && found->second == 1) << triangle.x_cell << ' ' << triangle.z_cell;
          return found != drawn.end() && ++collided > 0;
        }));
        EXPECT_EQ(std::size_t(collided), drawn.size());
        for (int i = 0; i < 2000; ++i) {
          double x = random.unit() * lattice.width_m(), z = random.unit() * lattice.depth_m();
          if (i % 4 == 0) x = lattice.x_m(random.below(stops_x));
          if (i % 5 == 0) z = lattice.z_m(random.below(stops_z));
          if (i % 7 == 0) {  // the middle of a cell stands on its diagonal
            const int cell_x = random.below(stops_x - 1), cell_z = random.below(stops_z - 1);
            x = (lattice.x_m(cell_x) + lattice.x_m(cell_x + 1)) / 2;
            z = (lattice.z_m(cell_z) + lattice.z_m(cell_z + 1)) / 2;
          }
          const SurfaceSample sample = *collider.sample_at(x, z);
          const auto hit = raycast(field.view(), bounds, {{x, 1e5, z}, {0, -1, 0}});
          ASSERT_EQ(hit->status == RayStatus::surface, sample.ground == Ground::surface);
          if (sample.ground != Ground::surface) continue;
          ASSERT_NEAR(hit->position_m[1], sample.y_m, 1e-10);
          // The drawn triangle that it names, at its weights.
          double drawn_y = 0;
          collider
              .triangles({{x, -1e9, z}, {x, 1e9, z}},
                         [&](const Triangle& triangle) {
                           if (triangle.x_cell != sample.x_cell || triangle.z_cell != sample.z_cell ||
                               triangle.is_upper != sample.is_upper) {
                             return true;
                           }
                           for (std::size_t k = 0; k < 3; ++k)
                             drawn_y += sample.barycentrics[k] * double(float(triangle.vertices_m[k][1]));
                           return false;
                         })
              .value();
          ASSERT_NEAR(drawn_y, sample.y_m, 1e-8);
        }
      }
    }
  }
}

// A world that puts the field at an origin subtracts it once, from places, and adds it once, to heights.
TEST(Collider, OneOriginPlacesMeshHeightAndRayAlike_B13) {
  constexpr std::array<double, 3> kOrigin{1000, 50, -500};
  const Lattice lattice{.stops_x = 129, .stops_z = 129, .spacing_x_m = 2.5, .spacing_z_m = 2.5, .step_m = 0.25};
  const TestField field(lattice, [](int x, int z) { return 1 + 3 * x + 2 * z; });
  const auto source = test::make_field(lattice, field.stops);
  const RayBounds bounds = field.bounds();
  const Ranges ranges = make_ranges(1e9, {});
  CutWorkspace workspace;
  Cut cut;
  cut_from_splits(lattice, ranges.node_quads, AllSplit(), workspace, cut);
  DrawnSurface drawn(*source, source->bounds());
  drawn.begin(cut, make_frame(source->bounds(), {}, ranges, {0, 0}), ranges);
  test::Random random(13);
  for (int i = 0; i < 1000; ++i) {
    const double x = kOrigin[0] + random.unit() * 320, z = kOrigin[2] + random.unit() * 320;
    const double plane = kOrigin[1] + 0.25 * (1 + 3 * (x - kOrigin[0]) / 2.5 + 2 * (z - kOrigin[2]) / 2.5);
    const double queried = kOrigin[1] + height_at(field.view(), x - kOrigin[0], z - kOrigin[2]).y_m;
    const auto hit = raycast(field.view(), bounds, {{x - kOrigin[0], 900 - kOrigin[1], z - kOrigin[2]}, {0, -1, 0}});
    ASSERT_EQ(hit->status, RayStatus::surface);
    ASSERT_NEAR(queried, plane, 1e-9);
    ASSERT_NEAR(900 - hit->t, queried, 1e-9);
    ASSERT_NEAR(kOrigin[1] + drawn.height_at(x - kOrigin[0], z - kOrigin[2])->y_m, queried, 1e-4);  // f32 vertices
  }
}

// However coarse the cut, the collider stands under all of it: stitched strips hold no ground of their own.
TEST(Collider, DoesNotDependOnTheCut_B18) {
  const Lattice lattice{.stops_x = 257, .stops_z = 257};
  const TestField field(lattice, [](int x, int) { return 1 + x; });
  const auto source = test::make_field(lattice, field.stops);
  const RayBounds bounds = field.bounds();
  View view;
  view.eye_x_m = 40;
  view.eye_z_m = 128;
  view.eye_y_m = 45;
  const Ranges ranges = make_ranges(70, {});
  CutWorkspace workspace;
  Cut cut;
  select_cut(source->bounds(), view, ranges, workspace, cut);
  int stitched = 0;
  for (const Node& node : cut.nodes) stitched += node.coarse_mask != 0 ? 1 : 0;
  ASSERT_GT(stitched, 0);
  for (const auto& [triangle, count] : drawn_triangles(*source, view, ranges, cut)) {
    const double x = (double(triangle[0][0]) + triangle[1][0] + triangle[2][0]) / 3;
    const double z = (double(triangle[0][2]) + triangle[1][2] + triangle[2][2]) / 3;
    const auto hit = raycast(field.view(), bounds, {{x, 1000, z}, {0, -1, 0}});
    ASSERT_EQ(hit->status, RayStatus::surface) << x << ' ' << z;
    ASSERT_NEAR(hit->position_m[1], 1 + x, 1e-9);
    ASSERT_NEAR(hit->position_m[1], (double(triangle[0][1]) + triangle[1][1] + triangle[2][1]) / 3, 1e-3);
  }
}

}  // namespace
}  // namespace arete
