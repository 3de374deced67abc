// Invariant 6: cuts cover the field once, edges are restricted, masks and corner lods are what the leaves beside a node
// ask for, and closure and residency give the least and the greatest such cut.
#include "arete/cut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "kernel/axis.h"
#include "support/field.h"

namespace arete::test {
namespace {

// The lod of the leaf over every lod-0 node; counts how often each is covered.
struct LeafMap {
  LeafMap(const Lattice& lattice, int quads, const std::vector<Node>& nodes)
      : width(lattice.nodes_x(0, quads)), depth(lattice.nodes_z(0, quads)) {
    lods.assign(std::size_t(width) * std::size_t(depth), -1);
    for (const Node& node : nodes) {
      for (int z = int(node.z) << node.lod; z < std::min((int(node.z) + 1) << node.lod, depth); ++z) {
        for (int x = int(node.x) << node.lod; x < std::min((int(node.x) + 1) << node.lod, width); ++x) {
          int& lod = lods[std::size_t(z) * std::size_t(width) + std::size_t(x)];
          twice = twice || lod >= 0;
          lod = node.lod;
        }
      }
    }
    uncovered = std::find(lods.begin(), lods.end(), -1) != lods.end();
  }
  int at(int x, int z, int outside) const {
    return x < 0 || z < 0 || x >= width || z >= depth ? outside
                                                      : lods[std::size_t(z) * std::size_t(width) + std::size_t(x)];
  }
  int width, depth;
  std::vector<int> lods;
  bool twice = false;
  bool uncovered = false;
};

void expect_right(const Lattice& lattice, int quads, const Cut& cut, const std::string& what) {
  const LeafMap leaves(lattice, quads, cut.nodes);
  ASSERT_FALSE(leaves.twice) << what;
  ASSERT_FALSE(leaves.uncovered) << what;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < cut.nodes.size(); ++i) {
    const Node& node = cut.nodes[i];
    const std::uint64_t order = PageKey{node.lod, node.x, node.z}.packed() + 1;
    ASSERT_GT(order, before) << what << ": out of the order (lod, Morton)";
    before = order;
    const int side = 1 << node.lod;
    const int x = int(node.x) * side, z = int(node.z) * side;
    int mask = 0;
    const auto greatest = [&](int from_x, int from_z, int step_x, int step_z, int count) {
      int lod = 0;
      for (int step = 0; step < count; ++step) {
        lod = std::max(lod, leaves.at(from_x + step * step_x, from_z + step * step_z, 0));
      }
      return lod;
    };
    const int beside[4] = {greatest(x, z - 1, 1, 0, side), greatest(x + side, z, 0, 1, side),
                           greatest(x, z + side, 1, 0, side), greatest(x - 1, z, 0, 1, side)};
    for (int edge = 0; edge < 4; ++edge) {
      ASSERT_LE(beside[edge], node.lod + 1) << what << ": not restricted";
      mask |= beside[edge] > node.lod ? 1 << edge : 0;
    }
    ASSERT_EQ(int(node.coarse_mask), mask) << what << " node " << int(node.lod) << ' ' << node.x << ' ' << node.z;
    const auto corner = [&](int at_x, int at_z) {
      int lod = node.lod;
      for (int dz = -1; dz <= 0; ++dz) {
        for (int dx = -1; dx <= 0; ++dx) {
          lod = std::max(lod, leaves.at(at_x + dx, at_z + dz, 0));
        }
      }
      return lod - node.lod;
    };
    // Corners beyond the rim stand on it.
    const int end_x = std::min(x + side, leaves.width), end_z = std::min(z + side, leaves.depth);
    const int corners = corner(x, z) | corner(end_x, z) << 2 | corner(end_x, end_z) << 4 | corner(x, end_z) << 6;
    ASSERT_EQ(int(node.corner_lods), corners) << what << " node " << int(node.lod) << ' ' << node.x << ' ' << node.z;
  }
}

// Invariant and cut of the definition, node by node.
TEST(Cut, IsTheRestrictedClosureOfTheNodesWithinRange) {
  std::int64_t leaves = 0;
  std::int64_t closed = 0;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Random random(seed);
    const Terrain terrain = kTerrains[random.below(7)];
    const Lattice lattice{.stops_x = 2 + random.below(400),
                          .stops_z = 300 + random.below(1000),
                          .registration = Registration(random.below(2)),
                          .spacing_z_m = 1 + random.unit(),
                          .step_m = 1.0 / 64};
    const auto source = make_field(terrain, seed, lattice);
    Bounds& bounds = source->bounds();
    set_kappas(bounds, int(seed) % kKappaKinds, random);
    const int quads = 4 << random.below(6);
    // The camera may have moved by so much along each axis since the cut was selected.
    const double lag_m = seed % 3 == 0 ? quads * random.between(0, 2) : 0;
    const Ranges ranges = make_ranges(quads * random.between(0.3, 5), {.camera_lag_m = lag_m, .node_quads = quads});
    const View view = random_view(bounds, random);
    const std::string what = describe(lattice, terrain, ranges, view, seed) + " lag " + std::to_string(lag_m);
    CutWorkspace workspace;
    Cut cut;
    select_cut(bounds, view, ranges, workspace, cut);
    expect_right(lattice, quads, cut, what);
    ASSERT_EQ(cut.drawn.size(), cut.nodes.size());

    // The definition in doubles, but for places within rounding of the threshold: a node is split if its box is in
    // range.
    const CutSplits splits(lattice, quads, cut.nodes);
    const double range_0 = std::sqrt(double(ranges.select_sq));
    for (int lod = 1; lod < lattice.lods(); ++lod) {
      for (int z = 0; z < lattice.nodes_z(lod, quads); ++z) {
        for (int x = 0; x < lattice.nodes_x(lod, quads); ++x) {
          const NodeBox box = node_box(bounds, quads, lod, std::uint32_t(x), std::uint32_t(z), HeightPlane::subsample);
          const auto away = [&](double low, double high, double eye) {
            return std::max({low - eye - lag_m, 0.0, eye - high - lag_m});
          };
          const double distance =
              std::hypot(away(box.min_x_m, box.max_x_m, view.eye_x_m), away(box.min_y_m, box.max_y_m, view.eye_y_m),
                         away(box.min_z_m, box.max_z_m, view.eye_z_m));
          double range = 0;
          const int side = quads << lod;
          const int owner = std::max(side, kBoundsQuads << lod);
          const int first_x = x * side / owner * owner, first_z = z * side / owner * owner;
          for (int finer = 0; finer < lod; ++finer) {
            const int step = kBoundsQuads << (finer + 1);
            for (int gz = first_z; gz <= std::min(first_z + owner, lattice.last_stop_z());
                 gz += std::min(step, owner)) {
              for (int gx = first_x; gx <= std::min(first_x + owner, lattice.last_stop_x());
                   gx += std::min(step, owner)) {
                range = std::max(range, range_0 * std::exp2(finer - bounds.kappa_at(finer, gx, gz) / 2.0));
              }
            }
          }
          if (distance < range * (1 - 1e-5)) {
            ASSERT_TRUE(splits.is_split(lod, std::uint32_t(x), std::uint32_t(z))) << what << " lod " << lod;
          }
        }
      }
    }
    // And nothing is split beyond the closure of those.
    class InRange final : public SplitPredicate {
     public:
      InRange(const Bounds& b, const View& v, const Ranges& r)
          : bounds_(b), ranges_(r), frame_(make_frame(b, v, r, {})) {}
      bool is_split(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
        const Lattice& l = bounds_.lattice();
        const NodeBox box = node_box(bounds_, ranges_.node_quads, lod, x, z, HeightPlane::subsample);
        const auto offset = [](double at_m, double half_m, int camera, float rest) {
          return kernel::camera_offset(int(std::lround(at_m / half_m)), camera, float(half_m), rest);
        };
        const auto nearest = [&](float low, float high) {
          return kernel::nearest_offset(low - ranges_.lag_m, high + ranges_.lag_m);
        };
        const float dx = nearest(offset(box.min_x_m, l.half_x_m(), frame_.camera_half_x, frame_.camera_rest_x),
                                 offset(box.max_x_m, l.half_x_m(), frame_.camera_half_x, frame_.camera_rest_x));
        const float dz = nearest(offset(box.min_z_m, l.half_z_m(), frame_.camera_half_z, frame_.camera_rest_z),
                                 offset(box.max_z_m, l.half_z_m(), frame_.camera_half_z, frame_.camera_rest_z));
        const float dy = nearest(float(box.min_y_m) - frame_.camera_y, float(box.max_y_m) - frame_.camera_y);
        int split = kernel::kKappaLimit;
        const int scale = std::max(kBoundsQuads / ranges_.node_quads, 1);
        const int block = std::max(ranges_.node_quads / kBoundsQuads, 1);
        for (int k = 0; k < block; ++k) {
          for (int i = 0; i < block; ++i) {
            const int at_x = int(x) * block / scale + i, at_z = int(z) * block / scale + k;
            if (at_x < l.nodes_x(lod, kBoundsQuads) && at_z < l.nodes_z(lod, kBoundsQuads)) {
              split = std::min(split, int(bounds_.at(lod, at_x, at_z).split));
            }
          }
        }
        return kernel::scaled_distance_sq(kernel::distance_sq(dx, dy, dz), split, lod - 1) < ranges_.select_sq;
      }

     private:
      const Bounds& bounds_;
      const Ranges& ranges_;
      kernel::FrameConstants frame_;
    };
    Cut expected;
    cut_from_splits(lattice, quads, InRange(bounds, view, ranges), workspace, expected);
    ASSERT_EQ(cut.nodes, expected.nodes) << what;
    leaves += std::int64_t(cut.nodes.size());
    closed += cut.nodes.size() != bare_leaves(lattice, quads, InRange(bounds, view, ranges)).size() ? 1 : 0;
  }
  EXPECT_GT(leaves, 3000);
  EXPECT_GT(closed, 10) << "some cuts must have needed the closure";
}

TEST(Cut, ClosureIsTheLeastThatRestricts) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Lattice lattice{.stops_x = 200 + random.below(900), .stops_z = 500 + random.below(900)};
    const int quads = 16 << random.below(3);
    const RandomSplits wanted(seed, random.between(0.2, 0.9));
    CutWorkspace workspace;
    Cut cut;
    cut_from_splits(lattice, quads, wanted, workspace, cut);
    expect_right(lattice, quads, cut, "seed " + std::to_string(seed));
    // By fixpoint over the definition: a node exists => its edge neighbours' parents exist.
    CutSplits splits(lattice, quads, bare_leaves(lattice, quads, wanted));
    const auto exists = [&](int lod, int x, int z) {
      return lod >= lattice.lods() - 1 || splits.is_split(lod + 1, std::uint32_t(x) >> 1, std::uint32_t(z) >> 1);
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (int lod = 0; lod + 2 < lattice.lods(); ++lod) {
        for (int z = 0; z < lattice.nodes_z(lod, quads); ++z) {
          for (int x = 0; x < lattice.nodes_x(lod, quads); ++x) {
            if (!exists(lod, x, z)) {
              continue;
            }
            for (const auto& [dx, dz] : {std::pair{0, -1}, {1, 0}, {0, 1}, {-1, 0}}) {
              const int at_x = x + dx, at_z = z + dz;
              if (at_x < 0 || at_z < 0 || at_x >= lattice.nodes_x(lod, quads) || at_z >= lattice.nodes_z(lod, quads) ||
                  exists(lod + 1, at_x >> 1, at_z >> 1)) {
                continue;
              }
              for (int up = lod + 2; up < lattice.lods(); ++up) {
                splits.set(up, std::uint32_t(at_x) >> (up - lod), std::uint32_t(at_z) >> (up - lod), true);
              }
              changed = true;
            }
          }
        }
      }
    }
    std::vector<Node> expected = bare_leaves(lattice, quads, splits);
    std::sort(expected.begin(), expected.end(), [](const Node& a, const Node& b) {
      return PageKey{a.lod, a.x, a.z}.packed() < PageKey{b.lod, b.x, b.z}.packed();
    });
    ASSERT_EQ(cut.nodes.size(), expected.size()) << "seed " << seed;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_TRUE(cut.nodes[i].lod == expected[i].lod && cut.nodes[i].x == expected[i].x &&
                  cut.nodes[i].z == expected[i].z);
    }
  }
}

TEST(Cut, ResidencyGivesTheGreatestRestrictedSubtree) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    Random random(seed);
    const Lattice lattice{.stops_x = 300 + random.below(300), .stops_z = 900, .step_m = 1.0 / 64};
    const auto source = make_field(Terrain::fractal, seed, lattice);
    const Bounds& bounds = source->bounds();
    const int quads = 16 << random.below(2);
    const Ranges ranges = make_ranges(quads * random.between(1, 6), {.node_quads = quads});
    const View view = random_view(bounds, random);
    // Whole pages come and go, each only with its ancestors.
    class Pages final : public Residency {
     public:
      Pages(std::uint64_t seed, double chance, int lods, int quads)
          : splits_(seed, chance), lods_(lods), quads_(quads) {}
      bool is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
        for (; lod < lods_ - 1; ++lod, x >>= 1, z >>= 1) {
          const std::uint32_t nodes = std::uint32_t(kPageCells / quads_);
          if (!splits_.is_split(lod, x / nodes, z / nodes)) {
            return false;
          }
        }
        return true;
      }

     private:
      RandomSplits splits_;
      int lods_;
      int quads_;
    };
    const Pages residency(seed, random.between(0.6, 1.0), lattice.lods(), quads);
    CutWorkspace workspace;
    Cut cut, whole;
    select_cut(bounds, view, ranges, workspace, whole);
    select_cut(bounds, view, ranges, workspace, cut, &residency);
    expect_right(lattice, quads, cut, "seed " + std::to_string(seed));
    for (const Node& node : cut.nodes) {
      ASSERT_TRUE(residency.is_resident(node.lod, node.x, node.z));
    }
    // The fixpoint that takes splits away until the rule holds is the greatest one.
    CutSplits splits(lattice, quads, whole.nodes);
    const auto exists = [&](int lod, int x, int z) {
      return lod >= lattice.lods() - 1 || splits.is_split(lod + 1, std::uint32_t(x) >> 1, std::uint32_t(z) >> 1);
    };
    for (bool changed = true; changed;) {
      changed = false;
      for (int lod = 1; lod < lattice.lods(); ++lod) {
        for (int z = 0; z < lattice.nodes_z(lod, quads); ++z) {
          for (int x = 0; x < lattice.nodes_x(lod, quads); ++x) {
            if (!splits.is_split(lod, std::uint32_t(x), std::uint32_t(z))) {
              continue;
            }
            bool may_stay = exists(lod, x, z);
            for (int child = 0; child < 4; ++child) {
              const int cx = 2 * x + (child & 1), cz = 2 * z + (child >> 1);
              if (cx < lattice.nodes_x(lod - 1, quads) && cz < lattice.nodes_z(lod - 1, quads)) {
                may_stay = may_stay && residency.is_resident(lod - 1, std::uint32_t(cx), std::uint32_t(cz));
              }
            }
            for (const auto& [dx, dz] : {std::pair{0, -1}, {1, 0}, {0, 1}, {-1, 0}}) {
              const int at_x = x + dx, at_z = z + dz;
              if (at_x >= 0 && at_z >= 0 && at_x < lattice.nodes_x(lod, quads) && at_z < lattice.nodes_z(lod, quads)) {
                may_stay = may_stay && exists(lod, at_x, at_z);
              }
            }
            if (!may_stay) {
              splits.set(lod, std::uint32_t(x), std::uint32_t(z), false);
              changed = true;
            }
          }
        }
      }
    }
    ASSERT_EQ(cut.nodes.size(), bare_leaves(lattice, quads, splits).size()) << "seed " << seed;
    const CutSplits got(lattice, quads, cut.nodes);
    for (int lod = 1; lod < lattice.lods(); ++lod) {
      for (int z = 0; z < lattice.nodes_z(lod, quads); ++z) {
        for (int x = 0; x < lattice.nodes_x(lod, quads); ++x) {
          ASSERT_EQ(got.is_split(lod, std::uint32_t(x), std::uint32_t(z)),
                    splits.is_split(lod, std::uint32_t(x), std::uint32_t(z)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace arete::test
