// A field's nodes as a scene.
#pragma once

#include <vector>

#include "arete/vulkan.h"

namespace arete::vulkan {

// Nine words: position 3, normal 3, uv0 2, colour 1.
kernel::VertexLayout picture_layout();

// The height at which a field's walls end: below its lowest ground.
double walls_end_m(const Bounds& bounds);

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

// The cut's drawn nodes in slots of node_slot_vertices(). `with_words` meshes them on the CPU, on every core; else
// their vertices come from elsewhere.
Result<FieldScene> make_field_scene(const FieldView& view, const Cut& cut, bool with_words);

// Says where a mesher has built the nodes of the same cut.
void place_nodes(Scene& scene, const MeshedNodes& meshed);

// Triangles of the ground, sewn edges counted as plain ones.
std::int64_t count_triangles(const Scene& scene);

}  // namespace arete::vulkan
