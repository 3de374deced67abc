// Nets of a few edges: what is open, what faces a hole or the rim, and what is a T-junction.
#include "check/edge_net.h"

#include <gtest/gtest.h>

#include <bit>

namespace arete::check {
namespace {

constexpr auto kBits = [](float metres) { return std::bit_cast<std::uint32_t>(metres); };
const EdgeNet::Rim kRim{kBits(0), kBits(8), kBits(0), kBits(8)};

class Net : public testing::Test {
 protected:
  std::uint32_t at(float x, float y, float z, bool is_hole = false) {
    return net_.vertex({kBits(x), kBits(y), kBits(z)}, is_hole);
  }
  // Edges of a drawn triangle.
  void triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    net_.add_drawn(a, b);
    net_.add_drawn(b, c);
    net_.add_drawn(c, a);
  }
  void hole_triangle(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
    net_.add_hole(a, b);
    net_.add_hole(b, c);
    net_.add_hole(c, a);
  }
  // The western half of the field from (0, 0) to (8, 8); its east edge lies inside.
  void west_square() {
    triangle(at(0, 0, 0), at(4, 0, 0), at(0, 0, 8));
    triangle(at(4, 0, 0), at(4, 0, 8), at(0, 0, 8));
  }

  EdgeNet net_;
};

TEST_F(Net, TwoSquaresOverTheFieldAreClosed) {
  west_square();
  triangle(at(4, 0, 0), at(8, 0, 0), at(4, 0, 8));
  triangle(at(8, 0, 0), at(8, 0, 8), at(4, 0, 8));
  const EdgeNet::Opening opening = net_.open_edges(kRim);
  EXPECT_EQ(opening.cracks, 0);
  EXPECT_EQ(opening.t_junctions, 0);
  EXPECT_FALSE(opening.first);
}

TEST_F(Net, AnEdgeInsideTheFieldWithoutItsReverseIsACrack) {
  west_square();
  const EdgeNet::Opening opening = net_.open_edges(kRim);
  EXPECT_EQ(opening.cracks, 1);
  EXPECT_EQ(opening.t_junctions, 0);
  EXPECT_TRUE(opening.first);
}

TEST_F(Net, AVertexHalfwayAlongAnEdgeIsATJunction) {
  for (const float height : {0.0f, 5.0f}) {  // on the edge itself, and above it
    net_.clear();
    west_square();
    triangle(at(4, 0, 0), at(8, 0, 0), at(4, height, 4));
    triangle(at(8, 0, 0), at(8, 0, 8), at(4, height, 4));
    triangle(at(8, 0, 8), at(4, 0, 8), at(4, height, 4));
    const EdgeNet::Opening opening = net_.open_edges(kRim);
    EXPECT_EQ(opening.t_junctions, 1);
    EXPECT_EQ(opening.cracks, 0);
  }
}

TEST_F(Net, ABorderVertexAtTwoHeightsIsACrack) {
  west_square();
  const std::uint32_t moved = at(4, 1e-6f, 8);
  triangle(at(4, 0, 0), at(8, 0, 0), moved);
  triangle(at(8, 0, 0), at(8, 0, 8), moved);
  const EdgeNet::Opening opening = net_.open_edges(kRim);
  EXPECT_EQ(opening.t_junctions, 0);
  EXPECT_EQ(opening.cracks, 2);
}

TEST_F(Net, AnEdgeThatFacesAHoleIsNone) {
  west_square();
  hole_triangle(at(4, 0, 0), at(8, 0, 4, true), at(4, 0, 8));
  const EdgeNet::Opening opening = net_.open_edges(kRim);
  EXPECT_EQ(opening.cracks, 0);
}

TEST_F(Net, ASquareDrawnTwiceIsOpenBesideAHole) {
  west_square();
  west_square();
  hole_triangle(at(4, 0, 0), at(8, 0, 4, true), at(4, 0, 8));
  const EdgeNet::Opening opening = net_.open_edges({kBits(-1), kBits(9), kBits(-1), kBits(9)});
  net_.clear();
  west_square();
  hole_triangle(at(4, 0, 0), at(8, 0, 4, true), at(4, 0, 8));
  // The three outer edges are open both times, the one that faces the hole where it is drawn twice.
  EXPECT_EQ(opening.cracks, net_.open_edges({kBits(-1), kBits(9), kBits(-1), kBits(9)}).cracks + 1);
}

TEST_F(Net, ASquareDrawnTwiceIsOpenOnTheRim) {
  for (int times = 0; times < 2; ++times) {
    west_square();
    triangle(at(4, 0, 0), at(8, 0, 0), at(4, 0, 8));
    triangle(at(8, 0, 0), at(8, 0, 8), at(4, 0, 8));
  }
  EXPECT_GT(net_.open_edges(kRim).cracks, 0);
}

}  // namespace
}  // namespace arete::check
