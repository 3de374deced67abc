// Invariants 1 to 3: the closed form of the nearest stop, node triangles that are the collider's cells, heights at
// stops; and the lattices of the lods, which nest and keep the rim.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

#include "arete/mesh.h"
#include "kernel/height.h"
#include "kernel/rect.h"
#include "support/field.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

// By the definition: all stops of the axis, ties to the greater one. Places and stops in 1/2^(q+1) texel.
int nearest_by_search(std::int64_t place, int q, int texels, int is_area) {
  const int last = is_area == 1 ? texels + 1 : texels - 1;
  int best = 0;
  for (int stop = 1; stop <= last; ++stop) {
    const auto distance = [&](int s) {
      return std::abs(2 * place - (std::int64_t(kernel::stop_half(s, last, is_area)) << q));
    };
    best = distance(stop) <= distance(best) ? stop : best;
  }
  return best;
}

TEST(NearestStop, EqualsTheDefinitionAndIsMonotone) {
  for (int is_area = 0; is_area < 2; ++is_area) {
    for (int texels = 1; texels <= 9; ++texels) {
      for (int q = 1; q <= 6; ++q) {
        const std::int64_t unit = std::int64_t(1) << q;
        int before = 0;
        for (std::int64_t place = -3 * unit; place <= (texels + 3) * unit; ++place) {
          const int stop = kernel::nearest_stop(place, q, texels, is_area);
          ASSERT_EQ(stop, nearest_by_search(place, q, texels, is_area))
              << "area " << is_area << " texels " << texels << " q " << q << " place " << place;
          ASSERT_GE(stop, before);
          before = stop;
        }
      }
    }
  }
}

TEST(NearestStop, FarPlacesStayInTheField) {
  const std::int64_t far = std::int64_t(1) << 60;
  for (int is_area = 0; is_area < 2; ++is_area) {
    EXPECT_EQ(kernel::nearest_stop(-far, 20, 1'296'001, is_area), 0);
    EXPECT_EQ(kernel::nearest_stop(far, 20, 1'296'001, is_area), is_area == 1 ? 1'296'002 : 1'296'000);
  }
}

TEST(LodIndex, LatticesNestAndKeepTheRim) {
  for (int last = 0; last <= 70; ++last) {
    for (int lod = 0; lod <= 7; ++lod) {
      int before = 0;
      for (int g = 0; g <= 200; ++g) {
        const int at = kernel::lod_index(g, lod, last);
        ASSERT_EQ(at & ((1 << lod) - 1), 0);
        ASSERT_EQ(kernel::lod_index(at, lod, last), at);
        ASSERT_GE(at, before);
        before = at;
        if (g < last) {
          ASSERT_EQ(at, g >> lod << lod);
        } else {
          ASSERT_EQ(kernel::stop_of(at, last), last);
          ASSERT_LT(at - last, 1 << lod);
        }
        // An even index of a lod is half of it one lod coarser, and going up by single lods leads to the same place.
        ASSERT_EQ(kernel::lod_index(at, lod + 1, last), kernel::lod_index(g, lod + 1, last));
      }
    }
  }
}

using StopTriangle = std::array<std::pair<int, int>, 3>;

// Triangles with area of a lod-0 rect grid over a field of half texels one metre long, in half texels.
std::multiset<StopTriangle> rect_triangles(const Lattice& lattice, const std::vector<std::uint16_t>& stops,
                                           const RectGrid& rect, int nodes, int quads) {
  Bounds bounds(lattice);
  bounds.field_min = 1;
  kernel::FrameConstants frame = make_frame(bounds, {}, make_ranges(1e6, {.node_quads = quads}), {});
  frame.coarsest_lod = 0;
  std::vector<std::uint32_t> words(std::size_t(node_vertices(quads)) * 4);
  const std::vector<std::uint32_t> indices = node_indices(quads);
  std::multiset<StopTriangle> triangles;
  for (int z = 0; z < nodes; ++z) {
    for (int x = 0; x < nodes; ++x) {
      build_rect_node_vertices(lattice, stops, rect, frame, {0, x, z, quads, 0, 0}, corner_layout(), words);
      for (std::size_t i = 0; i < indices.size(); i += 3) {
        StopTriangle triangle;
        for (std::size_t c = 0; c < 3; ++c) {
          const std::uint32_t* at = words.data() + 4 * std::size_t(indices[i + c]);
          triangle[c] = {int(real(at[0])), int(real(at[2]))};
        }
        const auto [a, b, c] = triangle;
        const int area = (b.second - a.second) * (c.first - a.first) - (b.first - a.first) * (c.second - a.second);
        EXPECT_GE(area, 0) << "turned over";
        if (area != 0) {
          std::sort(triangle.begin(), triangle.end());
          triangles.insert(triangle);
        }
      }
    }
  }
  return triangles;
}

std::multiset<StopTriangle> collider_triangles(const Lattice& lattice) {
  std::multiset<StopTriangle> triangles;
  for (int z = 0; z + 1 < lattice.stops_z; ++z) {
    for (int x = 0; x + 1 < lattice.stops_x; ++x) {
      const auto at = [&](int i, int k) { return std::pair(lattice.half_x(x + i), lattice.half_z(z + k)); };
      for (StopTriangle triangle :
           {StopTriangle{at(0, 0), at(1, 0), at(0, 1)}, StopTriangle{at(1, 0), at(1, 1), at(0, 1)}}) {
        std::sort(triangle.begin(), triangle.end());
        triangles.insert(triangle);
      }
    }
  }
  return triangles;
}

Lattice small_field(Registration registration, int texels_x, int texels_z) {
  const int rim = registration == Registration::area ? 2 : 0;
  return {.stops_x = texels_x + rim,
          .stops_z = texels_z + rim,
          .registration = registration,
          .spacing_x_m = 2,
          .spacing_z_m = 2};
}

TEST(RectNodes, DrawTheCollidersCells) {
  constexpr int kQ = 3;  // eighths of a texel
  constexpr std::int64_t kUnit = 1 << kQ;
  int grids = 0;
  for (const Registration registration : {Registration::point, Registration::area}) {
    for (int texels = 2; texels <= 4; ++texels) {
      const Lattice lattice = small_field(registration, texels, texels + 1);
      const std::vector<std::uint16_t> stops = terrain_field(Terrain::random, 3, lattice);
      const std::multiset<StopTriangle> cells = collider_triangles(lattice);
      const std::int64_t greatest = registration == Registration::area ? 6 : 8;
      for (std::int64_t d = 2; d <= greatest; ++d) {
        for (std::int64_t corner = -kUnit; corner <= 0; ++corner) {
          const RectGrid rect{.q = kQ, .p0_x = corner, .p0_z = -kUnit - corner, .d_x = d, .d_z = d};
          const int nodes = int(((texels + 2) * kUnit - corner) / d / 8 + 1);
          ASSERT_EQ(rect_triangles(lattice, stops, rect, nodes, 8), cells)
              << "area " << lattice.is_area() << " texels " << texels << " d " << d << " corner " << corner;
          ++grids;
        }
      }
    }
  }
  EXPECT_EQ(grids, 3 * 9 * (7 + 5));
}

TEST(RectNodes, ATexelApartMissesAStopOfAnAreaFieldThatTheRectEquals) {
  const Lattice lattice = small_field(Registration::area, 8, 8);
  const std::vector<std::uint16_t> stops = terrain_field(Terrain::random, 4, lattice);
  // Finer than a texel with the rect equal to the field: every cell. 8 texels in 9 or more spacings, in 1/16 texel.
  for (const std::int64_t d : {14, 15}) {
    EXPECT_EQ(rect_triangles(lattice, stops, {.q = 4, .d_x = d, .d_z = d}, 2, 8), collider_triangles(lattice));
  }
  std::set<std::pair<int, int>> places;
  for (const StopTriangle& triangle : rect_triangles(lattice, stops, {.q = 4, .d_x = 16, .d_z = 16}, 1, 8)) {
    places.insert(triangle.begin(), triangle.end());
  }
  EXPECT_EQ(places.size(), 81u) << "nine stops an axis of ten";
  // Half a texel outside the field, vertex g takes stop g.
  EXPECT_EQ(rect_triangles(lattice, stops, {.q = 4, .p0_x = -8, .p0_z = -8, .d_x = 16, .d_z = 16}, 2, 8),
            collider_triangles(lattice));
}

TEST(RectNodes, AtStopsTheWordsAreThoseOfPages) {
  const Lattice lattice{.stops_x = 260, .stops_z = 250, .registration = Registration::area, .step_m = 0.25};
  const std::vector<std::uint16_t> stops = terrain_field(Terrain::holes, 6, lattice);
  const auto source = make_field(lattice, stops);
  const Ranges ranges = make_ranges(1e6, {.node_quads = 16});
  const kernel::FrameConstants frame = make_frame(source->bounds(), {}, ranges, {});
  NodeMesher mesher(*source, source->bounds());
  const kernel::VertexLayout layout = engine_layout();
  std::vector<std::uint32_t> pages(std::size_t(node_vertices(16) * layout.stride_words));
  std::vector<std::uint32_t> rect(pages.size());
  const auto expect_equal = [&](const Node& node) {
    ASSERT_TRUE(mesher.build(frame, ranges, node, layout, pages));
    build_rect_node_vertices(lattice, stops, {.q = 1, .p0_x = -1, .p0_z = -1, .d_x = 2, .d_z = 2}, frame,
                             node_record(node, 16), layout, rect);
    ASSERT_EQ(pages, rect) << int(node.lod) << ' ' << node.x << ' ' << node.z;
  };
  for (std::uint32_t z = 0; z < 16; ++z) {
    for (std::uint32_t x = 0; x < 17; ++x) {
      expect_equal({.x = x, .z = z});
    }
  }
  // Coarser nodes off the rim: gradients run to samples of their own lod.
  for (std::uint32_t z = 0; z < 7; ++z) {
    for (std::uint32_t x = 0; x < 7; ++x) {
      expect_equal({.lod = 1, .x = x, .z = z});
    }
  }
}

// B38: the lattice must not depend on the lower bound, the anchor or the step.
TEST(RectNodes, B38_TranslationMovesNothingElse) {
  Lattice lattice{.stops_x = 65, .stops_z = 65, .step_m = 0.5};
  const std::vector<std::uint16_t> stops = terrain_field(Terrain::random, 7, lattice);
  const Ranges ranges = make_ranges(1e6, {.node_quads = 64});
  const auto vertices = [&](double base_m, Anchor anchor, const RectGrid& rect) {
    lattice.base_m = base_m;
    Bounds bounds(lattice);
    bounds.field_min = 1;
    std::vector<std::uint32_t> words(std::size_t(node_vertices(64)) * 4);
    build_rect_node_vertices(lattice, stops, rect, make_frame(bounds, {}, ranges, anchor), {0, 0, 0, 64, 0, 0},
                             corner_layout(), words);
    return words;
  };
  const std::vector<std::uint32_t> plain = vertices(0, {}, {});
  const std::vector<std::uint32_t> moved = vertices(-512, {-1024, -1024}, {});
  // A corner a third of a texel off: every vertex still stands on its stop.
  const std::vector<std::uint32_t> shifted =
      vertices(0, {}, {.q = 10, .p0_x = 307, .p0_z = -314, .d_x = 1024, .d_z = 1024});
  for (std::size_t i = 0; i < plain.size(); i += 4) {
    ASSERT_EQ(real(moved[i]), real(plain[i]) + 512);
    ASSERT_EQ(real(moved[i + 1]), real(plain[i + 1]) - 512);
    ASSERT_EQ(real(moved[i + 2]), real(plain[i + 2]) + 512);
    ASSERT_EQ(shifted[i], plain[i]);
    ASSERT_EQ(shifted[i + 1], plain[i + 1]);
    ASSERT_EQ(shifted[i + 2], plain[i + 2]);
  }
  // A step of three does not divide 64: the last vertex still stands on the rim's sample.
  const std::vector<std::uint32_t> thirds = vertices(0, {}, {.d_x = 3, .d_z = 3});
  for (int i = 0; i <= 64; ++i) {
    EXPECT_EQ(real(thirds[std::size_t(4 * i)]), float(std::min(3 * i, 64)));
  }
}

TEST(CellHeight, AStopReturnsItsSamplesBits) {
  Random random(8);
  for (int i = 0; i < 300'000; ++i) {
    const double h[4] = {double(random.below(65536)), double(random.below(65536)), double(random.below(65536)),
                         double(random.below(65536))};
    ASSERT_EQ(kernel::cell_height(h[0], h[1], h[2], h[3], 0, 0), h[0]);
    ASSERT_EQ(kernel::cell_height(h[0], h[1], h[2], h[3], 1, 0), h[1]);
    ASSERT_EQ(kernel::cell_height(h[0], h[1], h[2], h[3], 0, 1), h[2]);
    ASSERT_EQ(kernel::cell_height(h[0], h[1], h[2], h[3], 1, 1), h[3]);
    const double f = random.below(65) / 64.0;  // the diagonal: both triangles hold it, the lower one's form counts
    ASSERT_EQ(kernel::cell_height(h[0], h[1], h[2], h[3], f, 1 - f),
              h[0] + f * (h[1] - h[0]) + (1 - f) * (h[2] - h[0]));
  }
}

}  // namespace
}  // namespace arete::test
