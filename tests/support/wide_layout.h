// The widest vertex: every attribute in an order of its own, with words that none claims.
#pragma once

#include "arete/mesh.h"

namespace arete::test {

inline kernel::VertexLayout wide_layout() {
  kernel::VertexLayout layout{};
  layout.stride_words = 32;
  layout.packed_normal = 0;
  layout.colour = 2;
  layout.position = 5;
  layout.tangent = 9;
  layout.normal = 13;
  layout.uv1 = 17;
  layout.weights = 20;
  layout.uv0 = 25;
  layout.joints = 28;
  return layout;
}

}  // namespace arete::test
