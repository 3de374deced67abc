// Invariant 5 and the errors of nodes: boxes nest and hold every anchor, tops hold every vertex wherever the cascade
// takes it, and errors equal those of an independent overlay of both triangulated surfaces.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "arete/tiles.h"
#include "support/made_pages.h"
#include "support/terrain.h"

namespace arete {
namespace {

using test::Terrain;

// A field with its pages' planes as global functions of the lattice.
class Field {
 public:
  Field(const Lattice& on, Terrain kind, std::uint64_t seed) : Field(on, test::terrain_field(kind, seed, on)) {}
  Field(const Lattice& on, std::vector<std::uint16_t> heights) : lattice(on), stops(std::move(heights)) {
    auto built = MemorySource::build(lattice, stops);
    EXPECT_TRUE(built) << built.error().message;
    source = *std::move(built);
    for (int lod = 0; lod < lattice.lods(); ++lod) {
      for (std::int32_t z = 0; z < lattice.pages_z(lod); ++z) {
        for (std::int32_t x = 0; x < lattice.pages_x(lod); ++x) {
          pages_.push_back(*source->page({std::uint8_t(lod), std::uint32_t(x), std::uint32_t(z)}));
        }
      }
      first_.push_back(pages_.size());
    }
  }
  int stop(std::int64_t x, std::int64_t z) const {
    return stops[std::size_t(std::min<std::int64_t>(z, lattice.last_stop_z()) * lattice.stops_x +
                             std::min<std::int64_t>(x, lattice.last_stop_x()))];
  }
  // Sample (i, k) of a lod's lattice; indices beyond the pages clamp to them.
  int sample(HeightPlane plane, int lod, std::int64_t i, std::int64_t k) const {
    const auto x = std::clamp<std::int64_t>(i / kPageCells, 0, lattice.pages_x(lod) - 1);
    const auto z = std::clamp<std::int64_t>(k / kPageCells, 0, lattice.pages_z(lod) - 1);
    const std::size_t first = lod == 0 ? 0 : first_[std::size_t(lod) - 1];
    const Page& page = *pages_[first + std::size_t(z * lattice.pages_x(lod) + x)];
    return page.at(plane, int(std::min<std::int64_t>(i - x * kPageCells, kPageCells)),
                   int(std::min<std::int64_t>(k - z * kPageCells, kPageCells)));
  }

  Lattice lattice;
  std::vector<std::uint16_t> stops;
  std::unique_ptr<MemorySource> source;

 private:
  std::vector<std::shared_ptr<const Page>> pages_;
  std::vector<std::size_t> first_;  // of the next lod
};

struct Point {
  double x, z;
};

// A triangle in half texels with heights in steps; is_drawn is false when a corner is a hole.
struct Triangle {
  Point at[3];
  int steps[3];

  bool is_drawn() const { return steps[0] != 0 && steps[1] != 0 && steps[2] != 0; }
  double height(Point p) const {
    const double a = cross(p, at[1], at[2]), b = cross(at[0], p, at[2]), c = cross(at[0], at[1], p);
    return (a * steps[0] + b * steps[1] + c * steps[2]) / (a + b + c);
  }
  static double cross(Point a, Point b, Point c) { return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x); }
};

// The two triangles of the cell with corners at (x0, z0) and (x1, z1), by the split contract, all turning one way.
std::array<Triangle, 2> cell_triangles(double x0, double x1, double z0, double z1, int h00, int h10, int h01, int h11) {
  return {{{{{x0, z0}, {x1, z0}, {x0, z1}}, {h00, h10, h01}}, {{{x1, z0}, {x1, z1}, {x0, z1}}, {h10, h11, h01}}}};
}

// At most six corners of a triangle cut by a triangle.
struct Polygon {
  std::array<Point, 8> at;
  std::size_t size = 0;
  void add(Point p) { at[size++] = p; }
};

// The corners of the closed intersection of two triangles (Sutherland and Hodgman, "Reentrant Polygon Clipping", 1974).
Polygon overlap(const Triangle& a, const Triangle& b) {
  Polygon polygon{{a.at[0], a.at[1], a.at[2]}, 3};
  for (std::size_t edge = 0; edge < 3 && polygon.size > 0; ++edge) {
    const Point from = b.at[edge], to = b.at[(edge + 1) % 3];
    Polygon kept{};
    for (std::size_t i = 0; i < polygon.size; ++i) {
      const Point p = polygon.at[i], q = polygon.at[(i + 1) % polygon.size];
      const double at_p = Triangle::cross(from, to, p), at_q = Triangle::cross(from, to, q);
      if (at_p >= 0) {
        kept.add(p);
      }
      if ((at_p > 0 && at_q < 0) || (at_p < 0 && at_q > 0)) {
        const double t = at_p / (at_p - at_q);
        kept.add({p.x + (q.x - p.x) * t, p.z + (q.z - p.z) * t});
      }
    }
    polygon = kept;
  }
  return polygon;
}

// The greatest distance between the surface that node (x, z) draws at rest and the lod-0 surface.
double overlay_error(const Field& field, HeightPlane plane, int lod, std::int32_t x, std::int32_t z) {
  const Lattice& lattice = field.lattice;
  const std::int32_t side = 1 << lod, last_x = lattice.last_stop_x(), last_z = lattice.last_stop_z();
  double worst = 0;
  for (std::int32_t k = z * kBoundsQuads; k < (z + 1) * kBoundsQuads && k * side < last_z; ++k) {
    for (std::int32_t i = x * kBoundsQuads; i < (x + 1) * kBoundsQuads && i * side < last_x; ++i) {
      const std::int32_t west = i * side, east = std::min(west + side, last_x);
      const std::int32_t north = k * side, south = std::min(north + side, last_z);
      const auto coarse =
          cell_triangles(lattice.half_x(west), lattice.half_x(east), lattice.half_z(north), lattice.half_z(south),
                         field.sample(plane, lod, i, k), field.sample(plane, lod, i + 1, k),
                         field.sample(plane, lod, i, k + 1), field.sample(plane, lod, i + 1, k + 1));
      // Fine cells around it count where they touch it.
      for (std::int32_t b = std::max(north - 1, 0); b < std::min(south + 1, last_z); ++b) {
        for (std::int32_t a = std::max(west - 1, 0); a < std::min(east + 1, last_x); ++a) {
          const auto fine =
              cell_triangles(lattice.half_x(a), lattice.half_x(a + 1), lattice.half_z(b), lattice.half_z(b + 1),
                             field.stop(a, b), field.stop(a + 1, b), field.stop(a, b + 1), field.stop(a + 1, b + 1));
          for (const Triangle& over : coarse) {
            for (const Triangle& under : fine) {
              if (over.is_drawn() && under.is_drawn()) {
                const Polygon common = overlap(under, over);
                for (std::size_t corner = 0; corner < common.size; ++corner) {
                  const Point p = common.at[corner];
                  worst = std::max(worst, std::fabs(over.height(p) - under.height(p)));
                }
              }
            }
          }
        }
      }
    }
  }
  return worst;
}

struct Shape {
  Lattice lattice;
  Terrain kind;
};
std::vector<Shape> shapes() {
  const auto point = [](std::int32_t x, std::int32_t z) { return Lattice{.stops_x = x, .stops_z = z}; };
  const auto area = [](std::int32_t x, std::int32_t z) {
    return Lattice{.stops_x = x, .stops_z = z, .registration = Registration::area, .spacing_z_m = 2.5};
  };
  return {{point(257, 257), Terrain::fractal}, {point(300, 211), Terrain::holes},  {area(300, 211), Terrain::random},
          {area(258, 140), Terrain::holes},    {point(131, 600), Terrain::random}, {area(131, 131), Terrain::holes},
          {point(1, 300), Terrain::random},    {point(2, 290), Terrain::random},   {area(3, 400), Terrain::random},
          {area(150, 530), Terrain::fractal},  {point(513, 135), Terrain::holes},  {point(260, 260), Terrain::flat}};
}

TEST(Bounds, BoxesHoldEveryAnchorTightly) {
  for (const Shape& shape : shapes()) {
    const Field field(shape.lattice, shape.kind, 11);
    const Bounds& bounds = field.source->bounds();
    int least = 65536, most = 0;
    for (const int steps : field.stops) {
      least = steps != 0 ? std::min(least, steps) : least;
      most = std::max(most, steps);
    }
    ASSERT_EQ(bounds.field_min, least);
    ASSERT_EQ(bounds.field_max, most);
    test::each_node(field.lattice, [&](int lod, std::int32_t x, std::int32_t z) {
      const std::int32_t side = kBoundsQuads << lod;
      int low = 65536, high = 0;
      bool has_hole = false;
      for (std::int32_t b = z * side; b <= std::min((z + 1) * side, field.lattice.last_stop_z()); ++b) {
        for (std::int32_t a = x * side; a <= std::min((x + 1) * side, field.lattice.last_stop_x()); ++a) {
          const int steps = field.stop(a, b);
          has_hole = has_hole || steps == 0;
          low = steps != 0 ? std::min(low, steps) : low;
          high = std::max(high, steps);
        }
      }
      const NodeBounds& node = bounds.at(lod, x, z);
      ASSERT_EQ(node.max, high) << lod << ' ' << x << ' ' << z;
      ASSERT_EQ(node.min, high == 0 ? 0 : has_hole ? bounds.field_min : low) << lod << ' ' << x << ' ' << z;
    });
  }
}

// B27: the box of a node holds each vertex at its lod and at every coarser one that the cascade may take it to, in
// both planes; weights in between stay between. Boxes nest.
TEST(Bounds, B27_TopsHoldEveryVertexOfTheCascadeAndBoxesNest) {
  for (const Shape& shape : shapes()) {
    const Field field(shape.lattice, shape.kind, 12);
    const Bounds& bounds = field.source->bounds();
    const int lods = field.lattice.lods();
    test::each_node(field.lattice, [&](int lod, std::int32_t x, std::int32_t z) {
      const NodeBounds& node = bounds.at(lod, x, z);
      int top = 0;
      for (int k = 0; k <= kBoundsQuads; ++k) {
        for (int i = 0; i <= kBoundsQuads; ++i) {
          const std::int64_t gx = (std::int64_t(x) * kBoundsQuads + i) << lod;
          const std::int64_t gz = (std::int64_t(z) * kBoundsQuads + k) << lod;
          for (int coarser = lod; coarser < lods; ++coarser) {
            const int at_x = kernel::lod_index(int(gx), coarser, field.lattice.last_stop_x()) >> coarser;
            const int at_z = kernel::lod_index(int(gz), coarser, field.lattice.last_stop_z()) >> coarser;
            top = std::max(top, field.sample(HeightPlane::max, coarser, at_x, at_z));
            const int drawn = field.sample(HeightPlane::subsample, coarser, at_x, at_z);
            ASSERT_LE(drawn, node.top) << lod << ' ' << x << ' ' << z;
          }
        }
      }
      ASSERT_EQ(node.top, top) << field.lattice.stops_x << 'x' << field.lattice.stops_z << " node " << lod << ' ' << x
                               << ' ' << z;
      ASSERT_LE(node.max, node.top);
      if (lod + 1 < lods) {
        const NodeBounds& parent = bounds.at(lod + 1, x / 2, z / 2);
        ASSERT_LE(node.max, parent.max);
        ASSERT_LE(node.top, parent.top) << lod << ' ' << x << ' ' << z;
        if (node.max != 0) {
          ASSERT_GE(node.min, parent.min);
        }
      }
    });
  }
}

// Compares the errors of the nodes of `first_lod` and above with the overlay's; returns the greatest.
double expect_overlay_errors(const Field& field, int first_lod) {
  const Bounds& bounds = field.source->bounds();
  double most = 0;
  test::each_node(field.lattice, [&](int lod, std::int32_t x, std::int32_t z) {
    const NodeBounds& node = bounds.at(lod, x, z);
    for (const HeightPlane plane : {HeightPlane::subsample, HeightPlane::max}) {
      if (lod < first_lod) {
        continue;
      }
      const double error = overlay_error(field, plane, lod, x, z);
      const int stored = plane == HeightPlane::max ? node.error_max : node.error;
      most = std::max(most, error);
      EXPECT_TRUE(stored >= error - 1e-6 && stored <= std::ceil(error + 1e-6))
          << stored << " stored, " << error << " found: " << field.lattice.stops_x << 'x' << field.lattice.stops_z
          << " area " << field.lattice.is_area() << " plane " << int(plane) << " node " << lod << ' ' << x << ' ' << z;
    }
  });
  return most;
}

TEST(Bounds, ErrorsEqualTheOverlayOfBothSurfaces) {
  double most = 0;
  for (const Shape& shape : shapes()) {
    const Field field(shape.lattice, shape.kind, 13);
    most = std::max(most, expect_overlay_errors(field, 1));
    const Bounds& bounds = field.source->bounds();
    std::vector<int> greatest(std::size_t(field.lattice.lods()), 0);
    test::each_node(field.lattice, [&](int lod, std::int32_t x, std::int32_t z) {
      greatest[std::size_t(lod)] = std::max(greatest[std::size_t(lod)], int(bounds.at(lod, x, z).error));
    });
    for (int lod = 1; lod < field.lattice.lods(); ++lod) {
      EXPECT_EQ(bounds.lod_error(lod, HeightPlane::subsample), greatest[std::size_t(lod)]);
    }
  }
  EXPECT_GT(most, 1000);
}

// Cells as large as a page of lod 0, of which the nodes of lod 1 bound parts.
TEST(Bounds, ErrorsOfLargeCellsEqualTheOverlay) {
  for (const Terrain kind : {Terrain::fractal, Terrain::random}) {
    const Field field(Lattice{.stops_x = 8321, .stops_z = 129}, kind, 17);
    ASSERT_EQ(field.lattice.lods(), 8);
    EXPECT_GT(expect_overlay_errors(field, 6), 1000);
  }
  // A lone peak, then a lone pit, that no coarse sample knows.
  for (const std::uint16_t height : {60000, 5}) {
    const Lattice lattice{.stops_x = 8321, .stops_z = 129};
    std::vector<std::uint16_t> stops(std::size_t(8321) * 129, 20000);
    stops[std::size_t(45) * 8321 + 4133] = height;
    const Field field(lattice, std::move(stops));
    EXPECT_GT(expect_overlay_errors(field, 6), 19000);
  }
}

// Whole cells of 2^k stops on a plane: no error, in either registration, away from clamped rims.
TEST(Bounds, APlaneHasNoError) {
  const Lattice lattice{.stops_x = 257, .stops_z = 257};
  std::vector<std::uint16_t> stops(257 * 257);
  for (std::size_t z = 0; z < 257; ++z) {
    for (std::size_t x = 0; x < 257; ++x) {
      stops[z * 257 + x] = std::uint16_t(1 + 3 * x + 5 * z);
    }
  }
  auto source = MemorySource::build(lattice, stops);
  ASSERT_TRUE(source);
  EXPECT_EQ((*source)->bounds().lod_error(1, HeightPlane::subsample), 0);
  EXPECT_GT((*source)->bounds().lod_error(1, HeightPlane::max), 0);
}

}  // namespace
}  // namespace arete
