// A field's nodes as a scene, with walls along its rim.
#pragma once

#include <vector>

#include "arete/vulkan.h"

namespace arete::vulkan {

// Nine words: position 3, normal 3, uv0 2, colour 1.
kernel::VertexLayout picture_layout();

struct FieldScene {
  Scene scene;  // its words point into `words`
  std::vector<std::uint32_t> words;
};

// What a scene is made from.
struct FieldView {
  const SampleSource& source;
  const Bounds& bounds;
  const kernel::FrameConstants& frame;
  const Ranges& ranges;
  Anchor anchor;
};

// The cut whose drawn nodes a picture needs: with walls, those on the rim as well, whatever the frustum dropped.
Cut picture_cut(const Lattice& lattice, const Cut& cut, int node_quads, bool has_walls);

// Meshes the cut's drawn nodes on the CPU, on every core, and the walls below those on the rim down to `floor_m`.
// `with_nodes` false: the nodes' vertices come from elsewhere, in slots of node_slot_vertices(), and the words hold
// walls alone.
Result<FieldScene> make_field_scene(const FieldView& view, const Cut& cut, bool with_nodes, bool has_walls,
                                    double floor_m);

}  // namespace arete::vulkan
