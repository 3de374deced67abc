// From a field to a picture in one call: cut, meshes, light, pixels.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "arete/cut.h"
#include "vulkan/field_scene.h"

namespace arete::vulkan {
namespace {

class Stopwatch {
 public:
  // Milliseconds since the last call.
  double lap_ms() {
    const auto now = std::chrono::steady_clock::now();
    const double lap = std::chrono::duration<double, std::milli>(now - last_).count();
    last_ = now;
    return lap;
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace

Result<DrawnPicture> draw_picture(Renderer& renderer, const SampleSource& source, const Bounds& bounds,
                                  const Camera& camera, const PictureOptions& options,
                                  const RangeOptions& range_options) {
  if (bounds.field_max == 0) {
    return data_error("the field holds no heights: every sample is missing, so there is nothing to draw");
  }
  if (options.width < 1 || options.height < 1) {
    return usage_error("a picture must be at least 1x1 pixels");
  }
  DrawnPicture drawn;
  PictureStatistics& statistics = drawn.statistics;
  const Lattice& lattice = bounds.lattice();
  Stopwatch watch;

  const View view = picture_view(camera, options.width, options.height);
  const Ranges ranges = make_ranges(bounds, view.pixels_per_radian, range_options);
  CutWorkspace workspace;
  Cut cut;
  select_cut(bounds, view, ranges, workspace, cut);
  statistics.cut_nodes = std::int64_t(cut.nodes.size());
  statistics.cut_ms = watch.lap_ms();

  const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
  const kernel::FrameConstants frame = make_frame(bounds, view, ranges, anchor);
  const double low = lattice.height_m(bounds.field_min), high = lattice.height_m(bounds.field_max);
  const double floor_m = low - std::max(0.12 * (high - low), 0.006 * std::hypot(lattice.width_m(), lattice.depth_m()));
  const Cut wanted = picture_cut(lattice, cut, ranges.node_quads, options.walls);
  const FieldView field_view{source, bounds, frame, ranges, anchor};
  const bool is_on_cpu = options.mesher == MesherKind::cpu;
  auto field = make_field_scene(field_view, wanted, is_on_cpu, options.walls, floor_m);
  if (!field) return Unexpected{field.error()};
  Scene& scene = field->scene;
  if (!is_on_cpu) {
    auto address = renderer.build_nodes(source, bounds, wanted, frame, ranges, scene.layout);
    if (!address) return Unexpected{address.error()};
    scene.node_words = *address;
  }
  statistics.nodes = std::int64_t(scene.nodes.size());
  for (const SceneNode& node : scene.nodes) {
    statistics.triangles += std::int64_t(2) * node.cells.x * node.cells.z;
  }
  statistics.vertices = statistics.nodes * node_vertices(ranges.node_quads);
  statistics.mesh_ms = watch.lap_ms();

  scene.light = options.light;
  if (options.shadows && scene.light == nullptr) {
    auto light = make_light_map(source, bounds, options.sun_azimuth_deg, options.sun_altitude_deg);
    if (!light) return Unexpected{light.error()};
    scene.light = std::move(*light);
  }
  statistics.light_ms = watch.lap_ms();
  auto picture = renderer.render(scene, camera, options);
  if (!picture) return Unexpected{picture.error()};
  drawn.picture = std::move(*picture);
  statistics.draw_ms = watch.lap_ms();
  return drawn;
}

}  // namespace arete::vulkan
