// The vertex layouts that the product draws with.
#include "arete/mesh.h"

namespace arete {

kernel::VertexLayout engine_layout() {
  return {.stride_words = 23,
          .position = 0,
          .normal = 3,
          .tangent = 6,
          .uv0 = 10,
          .uv1 = 12,
          .colour = 14,
          .joints = 15,
          .weights = 19,
          .packed_normal = -1};
}

kernel::VertexLayout compact_layout() {
  return {.stride_words = 4,
          .position = 0,
          .normal = -1,
          .tangent = -1,
          .uv0 = -1,
          .uv1 = -1,
          .colour = -1,
          .joints = -1,
          .weights = -1,
          .packed_normal = 3};
}

}  // namespace arete
