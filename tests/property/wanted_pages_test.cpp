// Laws of what is wanted: it covers the cut, parents come first, and what lies ahead is asked for before it is entered.
#include <gtest/gtest.h>

#include <set>

#include "arete/stream.h"
#include "stream/atlas_state.h"
#include "stream/wanted.h"
#include "support/field.h"
#include "support/made_pages.h"
#include "support/watertight.h"

namespace arete::test {
namespace {

PageKey page_of(const Node& node, int quads) {
  return {node.lod, node.x * std::uint32_t(quads) / kPageCells, node.z * std::uint32_t(quads) / kPageCells};
}

// The last place on the way from `from` to `to`, bisected, whose cut is that of `from`, or the first one whose is not.
View at_a_change(const Bounds& bounds, const Ranges& ranges, const View& from, View to) {
  CutWorkspace workspace;
  Cut first, cut;
  select_cut(bounds, from, ranges, workspace, first);
  View low = from;
  for (int step = 0; step < 60; ++step) {
    View middle = low;
    middle.eye_x_m += (to.eye_x_m - low.eye_x_m) / 2;
    middle.eye_y_m += (to.eye_y_m - low.eye_y_m) / 2;
    middle.eye_z_m += (to.eye_z_m - low.eye_z_m) / 2;
    select_cut(bounds, middle, ranges, workspace, cut);
    (cut.nodes == first.nodes ? low : to) = middle;
  }
  return first.nodes.size() % 2 == 0 ? low : to;
}

TEST(WantedPages, CoverTheCutWithParentsFirst) {
  std::int64_t needed_pages = 0, wanted_pages = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const Registration registration = random.below(2) == 0 ? Registration::point : Registration::area;
    const Lattice lattice{.stops_x = 300 + random.below(1500),
                          .stops_z = 300 + random.below(1500),
                          .registration = registration,
                          .spacing_z_m = 1.5,
                          .step_m = 0.0078125};
    Bounds bounds = wide_bounds(lattice, 1000, 60000);
    each_node(lattice, [&](int lod, std::int32_t x, std::int32_t z) {
      // Nested: each node has the heights of its lod's share of the field.
      bounds.at(lod, x, z).min = std::uint16_t(1000 + 1000 * (lattice.lods() - lod));
      bounds.at(lod, x, z).max = std::uint16_t(50000 + 1000 * lod);
    });
    set_kappas(bounds, random.below(kKappaKinds), random);
    RangeOptions options;
    options.node_quads = 4 << random.below(6);
    options.plane = random.below(2) == 0 ? HeightPlane::subsample : HeightPlane::max;
    options.camera_lag_m = random.below(3) == 0 ? 5 : 0;
    const Ranges ranges = make_ranges(random.between(20, 900), options);
    stream::WantedPages wanted(bounds, lattice.lods() - 1, 8192, 2);
    CutWorkspace workspace;
    Cut cut;
    View before{.frustum = {}};
    for (int view_index = 0; view_index < 20; ++view_index) {
      View view = random_view(bounds, random);
      if (view_index % 4 == 3) {
        view = at_a_change(bounds, ranges, before, view);
      }
      before = view;
      SCOPED_TRACE(describe(lattice, Terrain::flat, ranges, view, seed));
      select_cut(bounds, view, ranges, workspace, cut);
      wanted.start();
      wanted.add(viewpoint(view, ranges), {}, 0);
      wanted.finish();
      ASSERT_EQ(wanted.refused(), 0);
      std::set<std::uint64_t> needed;
      for (const Node& node : cut.nodes) {
        const PageKey key = page_of(node, options.node_quads);
        ASSERT_NE(wanted.find(key), nullptr) << "lod " << int(key.lod) << " page " << key.x << ' ' << key.z;
        for (PageKey at = key; needed.insert(at.packed()).second && at.lod + 1 < lattice.lods();
             at = stream::parent_key(at)) {
        }
      }
      std::set<std::uint64_t> seen;
      stream::Urgency last = stream::kUrgencyEnd;
      for (const stream::WantedPage& page : wanted.pages()) {
        ASSERT_GE(page.urgency, stream::kNow);
        ASSERT_LE(page.urgency, last);
        last = page.urgency;
        ASSERT_TRUE(page.key.lod + 1 == lattice.lods() || seen.contains(stream::parent_key(page.key).packed()));
        ASSERT_TRUE(seen.insert(page.key.packed()).second);
      }
      needed_pages += std::int64_t(needed.size());
      wanted_pages += std::int64_t(wanted.pages().size());
    }
  }
  EXPECT_LT(double(wanted_pages), 1.25 * double(needed_pages)) << "asks for far more than the cuts read";
  RecordProperty("wanted_per_needed_percent", int(100 * wanted_pages / needed_pages));
}

// What is entered within the lookahead is on the list before it is needed.
TEST(WantedPages, LookAheadOnStraightPaths) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Lattice lattice{.stops_x = 2049, .stops_z = 2049, .spacing_z_m = 1.5, .step_m = 0.0078125};
    const Bounds bounds = wide_bounds(lattice, 1000, 1000);
    const Ranges ranges = make_ranges(random.between(60, 200), {});
    const View from = random_view(bounds, random);
    const stream::Motion motion{random.between(-500, 500), random.between(-100, 100), random.between(-500, 500)};
    stream::WantedPages ahead(bounds, lattice.lods() - 1, 16384, 2), then(bounds, lattice.lods() - 1, 16384, 2);
    ahead.start();
    ahead.add(viewpoint(from, ranges), motion, 1.0);
    ahead.finish();
    for (int i = 0; i <= 10; ++i) {
      View at = from;
      at.eye_x_m += motion.x_m_s * i / 10;
      at.eye_y_m += motion.y_m_s * i / 10;
      at.eye_z_m += motion.z_m_s * i / 10;
      then.start();
      then.add(viewpoint(at, ranges), {}, 0);
      then.finish();
      for (const stream::WantedPage& page : then.pages()) {
        ASSERT_NE(ahead.find(page.key), nullptr) << "seed " << seed << " at " << i;
      }
    }
  }
}

}  // namespace
}  // namespace arete::test
