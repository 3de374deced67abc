// The mesher's vector loops give the words of the kernel's scalar functions, on every target that this machine has.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <array>

#include "arete/mesh.h"
#include "kernel/attributes.h"
#include "mesh/page_samples.h"
#include "support/field.h"

namespace arete::test {
namespace {

// Every word of the node by attribute_word(node_vertex()).
std::vector<std::uint32_t> by_kernel(mesh::PageSamples& samples, const kernel::FrameConstants& frame,
                                     const Ranges& ranges, const Node& node, const kernel::VertexLayout& layout) {
  const int quads = ranges.node_quads;
  const kernel::NodeRecord record = node_record(node, quads);
  samples.begin(node, quads, ranges.plane);
  std::vector<std::uint32_t> words;
  for (int k = 0; k <= quads; ++k) {
    for (int i = 0; i <= quads; ++i) {
      const kernel::SurfaceVertex vertex = kernel::node_vertex(samples, frame, record, i, k);
      const kernel::SurfaceFrame axes = kernel::surface_frame(vertex.gradient);
      for (int word = 0; word < layout.stride_words; ++word) {
        words.push_back(kernel::attribute_word(frame, layout, vertex, axes, word));
      }
    }
  }
  return words;
}

struct Seen {
  std::int64_t nodes = 0, stitched = 0, rims = 0;
};

void compare(std::uint64_t seed, Seen& seen) {
  Random random(seed);
  const Terrain terrain = kTerrains[random.below(7)];
  const Lattice lattice{.stops_x = 2 + random.below(400),
                        .stops_z = 200 + random.below(1200),
                        .registration = Registration(random.below(2)),
                        .spacing_x_m = 1 + random.unit(),
                        .base_m = -32,
                        .step_m = 1.0 / 64};
  const auto source = make_field(terrain, seed, lattice);
  Bounds& bounds = source->bounds();
  set_kappas(bounds, random.below(kKappaKinds), random);
  const int quads = 4 << random.below(6);
  const Ranges ranges = make_ranges(
      quads * random.between(0.5, 4),
      {.morph_fraction = random.between(0.1, 0.9), .node_quads = quads, .plane = HeightPlane(random.below(2))});
  const View view = random_view(bounds, random);
  // Two frames by turns, each of nodes that follow each other in the cut: they share columns and rows.
  View moved = view;
  moved.eye_x_m += 3;
  const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
  const std::array<kernel::FrameConstants, 2> frames{make_frame(bounds, view, ranges, anchor),
                                                     make_frame(bounds, moved, ranges, anchor)};
  CutWorkspace workspace;
  Cut cut;
  if (random.below(2) == 0) {
    select_cut(bounds, view, ranges, workspace, cut);
  } else {
    cut_from_splits(lattice, quads, RandomSplits(seed, 0.6), workspace, cut);
  }
  const kernel::VertexLayout layout = random.below(2) == 0 ? engine_layout() : compact_layout();
  NodeMesher mesher(*source, bounds);
  mesh::PageSamples samples(*source, bounds);
  std::size_t at = 0;
  for (std::size_t i = 0; i < 16; ++i) {
    at = i % 4 == 0 ? std::size_t(random.below(int(cut.nodes.size()))) : (at + 1) % cut.nodes.size();
    const Node& node = cut.nodes[at];
    const kernel::FrameConstants& frame = frames[i / 2 % 2];
    // Words in front of and behind the node's stay as they are.
    const std::size_t size = std::size_t(node_vertices(quads) * layout.stride_words);
    std::vector<std::uint32_t> words(size + 2, 0xdeadbeef);
    ASSERT_TRUE(mesher.build(frame, ranges, node, layout, std::span(words).subspan(1, size)));
    ASSERT_EQ(words.front(), 0xdeadbeef);
    ASSERT_EQ(words.back(), 0xdeadbeef);
    const std::vector<std::uint32_t> expected = by_kernel(samples, frame, ranges, node, layout);
    for (std::size_t word = 0; word < size; ++word) {
      ASSERT_EQ(words[word + 1], expected[word])
          << describe(lattice, terrain, ranges, view, seed) << " node " << int(node.lod) << ' ' << node.x << ' '
          << node.z << " mask " << int(node.coarse_mask) << " vertex " << word / std::size_t(layout.stride_words)
          << " word " << word % std::size_t(layout.stride_words);
    }
    const NodeCells cells = node_cells(lattice, node, quads);
    ++seen.nodes;
    seen.stitched += node.coarse_mask != 0 ? 1 : 0;
    seen.rims += cells.x < quads || cells.z < quads ? 1 : 0;
  }
}

TEST(NodeMesher, WritesTheKernelsWordsOnEveryTarget) {
  int targets = 0;
  for (std::int64_t rest = hwy::SupportedTargets(); rest != 0; rest &= rest - 1) {
    const std::int64_t target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    Seen seen;
    for (std::uint64_t seed = 1; seed <= 9; ++seed) {
      compare(std::uint64_t(targets) * 100 + seed, seen);
      if (HasFatalFailure()) {
        FAIL() << "on target " << hwy::TargetName(target);
      }
    }
    EXPECT_GT(seen.stitched, 10);
    EXPECT_GT(seen.rims, 10);
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  EXPECT_GE(targets, 1);
  std::printf("%d targets\n", targets);
}

}  // namespace
}  // namespace arete::test
