// The triangles that node meshes draw, and the cut of the finest nodes alone.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "arete/cut.h"
#include "arete/mesh.h"

namespace arete::test {

using Place = std::array<float, 3>;
using Corners = std::array<Place, 3>;

class AllSplit final : public SplitPredicate {
 public:
  bool is_split(int lod, std::uint32_t, std::uint32_t) const noexcept override { return lod > 0; }
};

// Every triangle with area in plan, without holes, of the cut's nodes; each begins with its least place.
inline std::vector<Corners> drawn_triangles(const SampleSource& source, const Bounds& bounds, const View& view,
                                            const Ranges& ranges, const Cut& cut) {
  const kernel::FrameConstants frame = make_frame(bounds, view, ranges, {0, 0});
  const kernel::VertexLayout layout = engine_layout();
  NodeMesher mesher(source, bounds);
  std::vector<std::uint32_t> words(std::size_t(node_vertices(ranges.node_quads)) * std::size_t(layout.stride_words));
  const std::vector<std::uint32_t> indices = node_indices(ranges.node_quads);
  std::vector<Corners> drawn;
  for (const Node& node : cut.nodes) {
    EXPECT_TRUE(mesher.build(frame, ranges, node, layout, words));
    for (std::size_t i = 0; i < indices.size(); i += 3) {
      Corners triangle;
      bool is_valid = true;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t* word = words.data() + std::size_t(indices[i + k]) * std::size_t(layout.stride_words);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          triangle[k][axis] = std::bit_cast<float>(word[std::size_t(layout.position) + axis]);
        }
        is_valid = is_valid && word[layout.colour] >> 24 != 0;
      }
      const auto flat = [&](std::size_t a, std::size_t b) {
        return triangle[a][0] == triangle[b][0] && triangle[a][2] == triangle[b][2];
      };
      if (!is_valid || flat(0, 1) || flat(1, 2) || flat(2, 0)) continue;
      std::rotate(triangle.begin(), std::min_element(triangle.begin(), triangle.end()), triangle.end());
      drawn.push_back(triangle);
    }
  }
  return drawn;
}

}  // namespace arete::test
