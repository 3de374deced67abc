// One vertex's words in a layout: attribute_word() for every word at once (tests: unit/mesh).
#pragma once

#include <bit>
#include <cstdint>

#include "kernel/attributes.h"

namespace arete::mesh {

inline void write_vertex(const kernel::FrameConstants& frame, const kernel::VertexLayout& layout,
                         const kernel::SurfaceVertex& vertex, std::uint32_t* words) {
  const auto put = [words](int at, auto... values) {
    if (at >= 0) {
      ((words[at++] = std::bit_cast<std::uint32_t>(values)), ...);
    }
  };
  for (int word = 0; word < layout.stride_words; ++word) {
    words[word] = 0;
  }
  put(layout.position, vertex.x, vertex.y, vertex.z);
  if ((layout.normal & layout.tangent) >= 0) {
    const kernel::SurfaceFrame axes = kernel::surface_frame(vertex.gradient);
    put(layout.normal, axes.normal_x, axes.normal_y, axes.normal_z);
    put(layout.tangent, axes.tangent_x, axes.tangent_y, 0.0f, kernel::kTangentHandedness);
  }
  put(layout.packed_normal, kernel::packed_normal_word(vertex));
  put(layout.uv0, kernel::texture_place(vertex.x, frame.uv0_scale_x, frame.uv0_offset_x),
      kernel::texture_place(vertex.z, frame.uv0_scale_z, frame.uv0_offset_z));
  put(layout.uv1, vertex.x * frame.uv1_scale_x, vertex.z * frame.uv1_scale_z);
  put(layout.colour, kernel::colour_word(vertex));
}

}  // namespace arete::mesh
