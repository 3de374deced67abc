// Laws of the adaptive mesh: closed, everywhere once, within its bound, and the same whatever the threads and the
// doors.
#include "arete/adaptive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "arete/tiles.h"
#include "support/mesh_proof.h"
#include "support/terrain.h"

namespace arete {
namespace {

using Random = std::mt19937_64;

std::int32_t pick(Random& random, std::int32_t from, std::int32_t to) {
  return std::uniform_int_distribution<std::int32_t>(from, to)(random);
}

// ---- sew
// --------------------------------------------------------------------------------------------------------------

QuadTree random_tree(Random& random, int depth) {
  QuadTree tree(depth);
  const int splits = pick(random, 0, 12);
  for (int i = 0; i < splits && depth > 0; ++i) {
    const int lod = pick(random, 1, depth);
    const std::int32_t last = (std::int32_t(1) << (depth - lod)) - 1;
    tree.split(lod, pick(random, 0, last), pick(random, 0, last));
  }
  return tree;
}

// Empty when the mesh covers the square of `cells` once without a crack, else what is wrong.
std::string flaw_of_square(const LatticeMesh& mesh, std::int32_t cells) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  std::set<std::pair<std::int32_t, std::int32_t>> places;
  for (const MeshVertex& v : mesh.vertices) {
    if (!places.insert({v.x, v.z}).second) {
      return "a place has two vertices";
    }
  }
  std::int64_t doubled = 0;
  for (const MeshTriangle& t : mesh.triangles) {
    const MeshVertex &a = mesh.vertices[t[0]], &b = mesh.vertices[t[1]], &c = mesh.vertices[t[2]];
    const std::int64_t area = std::int64_t(b.z - a.z) * (c.x - a.x) - std::int64_t(b.x - a.x) * (c.z - a.z);
    if (area <= 0) {
      return "a triangle is turned over or has no area";
    }
    doubled += area;
    for (std::size_t i = 0; i < 3; ++i) {
      if (++edges[{t[i], t[(i + 1) % 3]}] > 1) {
        return "an edge is used twice in one direction";
      }
    }
  }
  for (const auto& [edge, count] : edges) {
    const MeshVertex &a = mesh.vertices[edge.first], &b = mesh.vertices[edge.second];
    const bool on_rim = (a.x == b.x && (a.x == 0 || a.x == cells)) || (a.z == b.z && (a.z == 0 || a.z == cells));
    if (edges.contains({edge.second, edge.first}) == on_rim) {
      return "an edge has no twin, or one beyond the rim";
    }
  }
  return doubled == 2 * std::int64_t(cells) * cells ? "" : "the square is not covered once";
}

TEST(Sew, TenThousandRandomTreesAreClosed) {
  for (std::uint64_t seed = 1; seed <= 10000; ++seed) {
    Random random(seed);
    const int depth = pick(random, 0, 7);
    const QuadTree tree = random_tree(random, depth);
    const SewOptions options{.balance = seed % 4 != 0};
    int asked = 0;
    const LatticeMesh mesh = sew(
        tree,
        [&](std::int32_t x, std::int32_t z) {
          ++asked;
          return float(test::hash(std::uint64_t(x), std::uint64_t(z), seed) % 9000);
        },
        options);
    ASSERT_EQ(flaw_of_square(mesh, tree.cells()), "") << "seed " << seed;
    ASSERT_EQ(asked, int(mesh.vertices.size())) << "heights are asked for once a vertex; seed " << seed;
    for (const MeshVertex& v : mesh.vertices) {
      ASSERT_EQ(v.y_m, float(test::hash(std::uint64_t(v.x), std::uint64_t(v.z), seed) % 9000)) << "seed " << seed;
    }
  }
}

TEST(Sew, EveryMaskAddsOneTriangleAnEdge) {
  // A lod-1 quad in the middle of a 3 x 3 block of lod-1 quads, those over the masked edges split.
  constexpr std::int32_t kAcross[4][2] = {{0, -1}, {1, 0}, {0, 1}, {-1, 0}};
  for (int mask = 0; mask < 16; ++mask) {
    QuadTree tree(3);
    for (const std::int32_t x : {0, 1}) {
      for (const std::int32_t z : {0, 1}) {
        tree.split(2, x, z);
      }
    }
    int finer = 0;
    for (int edge = 0; edge < 4; ++edge) {
      if ((mask >> edge & 1) != 0) {
        tree.split(1, 1 + kAcross[edge][0], 1 + kAcross[edge][1]);
        ++finer;
      }
    }
    ASSERT_TRUE(tree.is_balanced());
    const LatticeMesh mesh = sew(tree, [](std::int32_t, std::int32_t) { return 0.0f; });
    int inside = 0;
    for (const MeshTriangle& t : mesh.triangles) {
      const auto within = [&](std::uint32_t i) {
        const MeshVertex& v = mesh.vertices[i];
        return v.x >= 2 && v.x <= 4 && v.z >= 2 && v.z <= 4;
      };
      inside += within(t[0]) && within(t[1]) && within(t[2]) ? 1 : 0;
    }
    EXPECT_EQ(inside, 2 + finer) << "mask " << mask;
    EXPECT_EQ(flaw_of_square(mesh, 8), "") << "mask " << mask;
  }
}

TEST(Sew, LeavesWithoutFinerNeighboursAreSplitAsCells) {
  QuadTree tree(2);
  tree.split(1, 1, 0);
  const LatticeMesh mesh = sew(tree, [](std::int32_t, std::int32_t) { return 0.0f; });
  int diagonals = 0;
  for (const MeshTriangle& t : mesh.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      const MeshVertex &a = mesh.vertices[t[i]], &b = mesh.vertices[t[(i + 1) % 3]];
      const bool is_fine = std::max({std::abs(a.x - b.x), std::abs(a.z - b.z)}) == 1;
      if (is_fine && a.x != b.x && a.z != b.z && a.x >= 2 && b.x >= 2) {
        EXPECT_EQ(a.x - b.x, b.z - a.z) << "the diagonal runs from the corner along +Z to the one along +X";
        ++diagonals;
      }
    }
  }
  EXPECT_EQ(diagonals, 8);  // four cells of lod 0, two triangles each
}

TEST(Sew, BalanceIsTheLeastClosure) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const QuadTree tree = random_tree(random, 6);
    QuadTree balanced = tree;
    balanced.balance();
    ASSERT_TRUE(balanced.is_balanced()) << "seed " << seed;
    // The definition, to a fixpoint.
    QuadTree expected = tree;
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (int lod = 0; lod < 6; ++lod) {
        const std::int32_t side = std::int32_t(1) << (6 - lod);
        for (std::int32_t z = 0; z < side; ++z) {
          for (std::int32_t x = 0; x < side; ++x) {
            if (!expected.exists(lod, x, z)) continue;
            for (const auto& [dx, dz] : {std::pair{1, 0}, std::pair{-1, 0}, std::pair{0, 1}, std::pair{0, -1}}) {
              const std::int32_t nx = (x + dx) >> 1, nz = (z + dz) >> 1;
              if (x + dx < 0 || z + dz < 0 || x + dx >= side || z + dz >= side) continue;
              if (!expected.exists(lod + 1, nx, nz)) {
                expected.split(lod + 2, nx >> 1, nz >> 1);
                has_changed = true;
              }
            }
          }
        }
      }
    }
    for (int lod = 0; lod <= 6; ++lod) {
      const std::int32_t side = std::int32_t(1) << (6 - lod);
      for (std::int32_t z = 0; z < side; ++z) {
        for (std::int32_t x = 0; x < side; ++x) {
          ASSERT_EQ(balanced.is_split(lod, x, z), expected.is_split(lod, x, z)) << "seed " << seed;
        }
      }
    }
  }
}

// ---- adapt
// ------------------------------------------------------------------------------------------------------------

struct Case {
  Lattice lattice;
  std::vector<std::uint16_t> stops;
  AdaptOptions options;
};

Case random_case(std::uint64_t seed) {
  Random random(seed);
  Case made;
  made.lattice.registration = pick(random, 0, 1) == 0 ? Registration::point : Registration::area;
  made.lattice.stops_x = pick(random, made.lattice.is_area() ? 3 : 2, 60);
  made.lattice.stops_z = pick(random, made.lattice.is_area() ? 3 : 2, 60);
  made.lattice.spacing_x_m = pick(random, 1, 40) * 0.5;
  made.lattice.spacing_z_m = pick(random, 1, 40) * 0.5;
  made.lattice.base_m = -4096;
  made.lattice.step_m = 0.25;
  made.stops = test::terrain_field(test::Terrain(pick(random, 0, 6)), seed, made.lattice);
  if (made.lattice.is_area()) {
    // The rim repeats its nearest texel.
    const std::int32_t w = made.lattice.stops_x, h = made.lattice.stops_z;
    const auto copy = made.stops;
    for (std::int32_t z = 0; z < h; ++z) {
      for (std::int32_t x = 0; x < w; ++x) {
        made.stops[std::size_t(z) * std::size_t(w) + std::size_t(x)] =
            copy[std::size_t(std::clamp(z, 1, h - 2)) * std::size_t(w) + std::size_t(std::clamp(x, 1, w - 2))];
      }
    }
  }
  constexpr double kBounds[] = {0, 0.125, 1, 10, 60, 500, 3000, 20000};
  made.options.max_error_m = kBounds[pick(random, 0, 7)];
  made.options.piece_cells = 1 << pick(random, 1, 6);
  made.options.jobs = 1;
  if (pick(random, 0, 3) == 0) {
    made.options.focus.push_back({pick(random, 0, 60) * made.lattice.spacing_x_m,
                                  pick(random, 0, 60) * made.lattice.spacing_z_m, double(pick(random, 0, 200)),
                                  made.options.max_error_m / 8});
  }
  return made;
}

TEST(Adapt, RandomFieldsAreCoveredOnceWithinTheBound) {
  int meshed = 0;
  for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
    const Case given = random_case(seed);
    const auto adapted = adapt(given.lattice, given.stops, given.options);
    if (!adapted) {
      ASSERT_TRUE(adapted.error().message.find("hole") != std::string::npos) << "seed " << seed;
      continue;
    }
    ++meshed;
    const test::MeshProof proof = test::prove_mesh(given.lattice, given.stops, adapted->mesh);
    ASSERT_EQ(proof.fault, "") << "seed " << seed;
    ASSERT_LE(adapted->error_m, given.options.max_error_m) << "seed " << seed;
    ASSERT_NEAR(proof.error_steps * given.lattice.step_m, adapted->error_m, 1e-6) << "seed " << seed;
    const MeshMeasures measures = measure(given.lattice, adapted->mesh, 0);
    ASSERT_EQ(measures.open_edges, 0) << "seed " << seed;
  }
  EXPECT_GT(meshed, 1400);
}

TEST(Adapt, FocusKeepsItsOwnBound) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Lattice lattice{.stops_x = 90, .stops_z = 77, .spacing_x_m = 2, .spacing_z_m = 3};
    const auto stops = test::terrain_field(test::Terrain::fractal, seed, lattice);
    Random random(seed);
    const Focus focus{double(pick(random, 0, 180)), double(pick(random, 0, 231)), 40, 20};
    AdaptOptions options{.max_error_m = 2000, .focus = {focus}, .piece_cells = 32};
    const auto adapted = adapt(lattice, stops, options);
    ASSERT_TRUE(adapted);
    // The mesh without the triangles that stay clear of the disc's every sample keeps to the disc's bound at its
    // samples.
    for (const MeshTriangle& t : adapted->mesh.triangles) {
      const MeshVertex &a = adapted->mesh.vertices[t[0]], &b = adapted->mesh.vertices[t[1]],
                       &c = adapted->mesh.vertices[t[2]];
      const auto [west, east] = std::minmax({a.x, b.x, c.x});
      const auto [north, south] = std::minmax({a.z, b.z, c.z});
      const test::proof::Corners plane{{{{double(a.x), double(a.z)}, a.y_m},
                                        {{double(b.x), double(b.z)}, b.y_m},
                                        {{double(c.x), double(c.z)}, c.y_m}}};
      for (std::int32_t z = north; z <= south; ++z) {
        for (std::int32_t x = west; x <= east; ++x) {
          const test::proof::Point p{double(x), double(z)};
          bool is_inside = std::hypot(lattice.x_m(x) - focus.x_m, lattice.z_m(z) - focus.z_m) <= focus.radius_m;
          for (std::size_t i = 0; i < 3; ++i) {
            is_inside = is_inside && test::proof::doubled_area(plane[i].at, plane[(i + 1) % 3].at, p) >= 0;
          }
          if (is_inside) {
            const double surface = stops[std::size_t(z) * 90 + std::size_t(x)];
            ASSERT_LE(std::abs(test::proof::height_at(plane, p) - surface), 20 + 1e-9) << "seed " << seed;
          }
        }
      }
    }
  }
}

std::vector<std::array<std::array<std::int32_t, 2>, 3>> triangle_set(const LatticeMesh& mesh) {
  std::vector<std::array<std::array<std::int32_t, 2>, 3>> set;
  for (const MeshTriangle& t : mesh.triangles) {
    std::array<std::array<std::int32_t, 2>, 3> corners;
    for (std::size_t i = 0; i < 3; ++i) {
      corners[i] = {mesh.vertices[t[i]].x, mesh.vertices[t[i]].z};
    }
    std::rotate(corners.begin(), std::min_element(corners.begin(), corners.end()), corners.end());
    set.push_back(corners);
  }
  std::sort(set.begin(), set.end());
  return set;
}

TEST(Adapt, PiecesEqualTheWholeAndJobsChangeNothing) {
  for (const Registration registration : {Registration::point, Registration::area}) {
    for (const test::Terrain kind : {test::Terrain::fractal, test::Terrain::holes, test::Terrain::cliff}) {
      const Lattice lattice{.stops_x = 301, .stops_z = 215, .registration = registration};
      const auto stops = test::terrain_field(kind, 11, lattice);
      const auto source = MemorySource::build(lattice, stops);
      ASSERT_TRUE(source);
      AdaptOptions options{.max_error_m = 150, .piece_cells = 64, .jobs = 1};
      const auto whole = adapt(**source, options);
      ASSERT_TRUE(whole) << whole.error().message;
      const auto from_memory = adapt(lattice, stops, options);
      options.jobs = 5;
      const auto threaded = adapt(**source, options);
      EXPECT_EQ(whole->mesh.vertices, threaded->mesh.vertices);
      EXPECT_EQ(whole->mesh.triangles, threaded->mesh.triangles);
      EXPECT_EQ(whole->mesh.vertices, from_memory->mesh.vertices);
      EXPECT_EQ(whole->mesh.triangles, from_memory->mesh.triangles);
      LatticeMesh together;
      for (std::int32_t pz = 0; pz < 4; ++pz) {
        for (std::int32_t px = 0; px < 5; ++px) {
          const auto piece = adapt_piece(**source, options, px, pz);
          ASSERT_TRUE(piece);
          const auto first = std::uint32_t(together.vertices.size());
          together.vertices.insert(together.vertices.end(), piece->vertices.begin(), piece->vertices.end());
          for (MeshTriangle t : piece->triangles) {
            together.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
          }
        }
      }
      EXPECT_EQ(triangle_set(together), triangle_set(whole->mesh));
    }
  }
}

}  // namespace
}  // namespace arete
