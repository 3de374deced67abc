// Builds what a renderer needs for one frame: the cut of a camera, every node's vertices and its index buffer.
//
//   03_cut_and_mesh STORE
#include <cstdio>
#include <vector>

#include "arete/cut.h"
#include "arete/mesh.h"
#include "arete/tiles.h"

int main(int count, char** arguments) {
  if (count != 2) {
    std::fprintf(stderr, "usage: 03_cut_and_mesh STORE\n");
    return 2;
  }
  const auto store = arete::TileStore::open(arguments[1]);
  if (!store) {
    std::fprintf(stderr, "%s\n", store.error().message.c_str());
    return 1;
  }
  const arete::Bounds& bounds = (*store)->bounds();
  const arete::Lattice& lattice = (*store)->lattice();

  // A camera over the middle of the field. Ranges hold the wanted error; they change with the lens, not with the eye.
  const arete::View view{.eye_x_m = lattice.width_m() / 2,
                         .eye_y_m = lattice.height_m(bounds.field_max) + 200,
                         .eye_z_m = lattice.depth_m() / 2,
                         .pixels_per_radian = 1000,
                         .frustum = {}};  // nothing is culled
  const arete::Ranges ranges = arete::make_ranges(bounds, view.pixels_per_radian, {.max_error_px = 2});
  arete::CutWorkspace workspace;  // kept between frames, so that a frame allocates nothing
  arete::Cut cut;
  arete::select_cut(bounds, view, ranges, workspace, cut);

  const arete::Anchor anchor = arete::anchor_near(lattice, view.eye_x_m, view.eye_z_m);
  const arete::kernel::FrameConstants frame = arete::make_frame(bounds, view, ranges, anchor);
  const arete::kernel::VertexLayout layout = arete::engine_layout();
  const std::vector<std::uint32_t> indices = arete::node_indices(ranges.node_quads);  // one buffer for every node
  std::vector<std::uint32_t> words(std::size_t(arete::node_vertices(ranges.node_quads) * layout.stride_words));
  arete::NodeMesher mesher(**store, bounds);

  std::vector<int> nodes_of_lod(std::size_t(lattice.lods()), 0);
  for (const std::uint32_t index : cut.drawn) {
    const arete::Node& node = cut.nodes[index];
    const auto built = mesher.build(frame, ranges, node, layout, words);
    if (!built) {
      std::fprintf(stderr, "%s\n", built.error().message.c_str());
      return 1;
    }
    // A renderer would copy `words` to the node's slot and draw it with `indices`; positions are metres from the
    // anchor.
    ++nodes_of_lod[node.lod];
  }
  for (std::size_t lod = 0; lod < nodes_of_lod.size(); ++lod) {
    std::printf("lod %zu: %d nodes\n", lod, nodes_of_lod[lod]);
  }
  std::printf("%zu triangles in all\n", cut.drawn.size() * indices.size() / 3);
  return 0;
}
