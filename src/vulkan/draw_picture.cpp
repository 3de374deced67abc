// From a field to its pictures: cut, meshes, light, pixels.
#include <algorithm>
#include <chrono>
#include <cmath>

#include "arete/cut.h"
#include "vulkan/check.h"
#include "vulkan/field_scene.h"
#include "vulkan/fitted_mesher.h"
#include "vulkan/picture_checks.h"

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

struct FieldPictures::State {
  Renderer& renderer;
  const SampleSource& source;
  const Bounds& bounds;
  CutWorkspace workspace;
  Cut cut;
  std::shared_ptr<const LightMap> light;
  double light_azimuth_deg = 0, light_altitude_deg = 0;
  FittedMesher mesher;

  Result<void> make_light(const PictureOptions& options);
};

Result<void> FieldPictures::State::make_light(const PictureOptions& options) {
  if (light != nullptr && light_azimuth_deg == options.sun_azimuth_deg &&
      light_altitude_deg == options.sun_altitude_deg) {
    return {};
  }
  auto made = make_light_map(source, bounds, options.sun_azimuth_deg, options.sun_altitude_deg);
  if (!made) return Unexpected{made.error()};
  light = std::move(*made);
  light_azimuth_deg = options.sun_azimuth_deg;
  light_altitude_deg = options.sun_altitude_deg;
  return {};
}

FieldPictures::FieldPictures(Renderer& renderer, const SampleSource& source, const Bounds& bounds)
    : state_(new State{.renderer = renderer,
                       .source = source,
                       .bounds = bounds,
                       .workspace = {},
                       .cut = {},
                       .light = nullptr,
                       .mesher = FittedMesher(renderer.device(), bounds, 1)}) {}
FieldPictures::~FieldPictures() = default;

Result<DrawnPicture> FieldPictures::draw(const Camera& camera, const PictureOptions& options,
                                         const RangeOptions& range_options, const Residency* residency) {
  State& state = *state_;
  const Bounds& bounds = state.bounds;
  if (bounds.field_max == 0) {
    return data_error("the field holds no heights: every sample is missing, so there is nothing to draw");
  }
  ARETE_TRY(check_options(camera, options));
  DrawnPicture drawn;
  PictureStatistics& statistics = drawn.statistics;
  const Lattice& lattice = bounds.lattice();
  Stopwatch watch;

  const View view = picture_view(camera, options.width, options.height);
  const Ranges ranges = make_ranges(bounds, view.pixels_per_radian, range_options);
  Cut& cut = state.cut;
  select_cut(bounds, view, ranges, state.workspace, cut, residency);
  statistics.cut_nodes = std::int64_t(cut.nodes.size());
  statistics.cut_ms = watch.lap_ms();

  const Anchor anchor = anchor_near(lattice, view.eye_x_m, view.eye_z_m);
  const kernel::FrameConstants frame = make_frame(bounds, view, ranges, anchor);
  const Cut wanted = picture_cut(lattice, cut, ranges.node_quads, options.walls);
  const FieldView field_view{state.source, bounds, frame, ranges, anchor};
  const bool is_on_cpu = options.mesher == MesherKind::cpu;
  auto field = make_field_scene(field_view, wanted, is_on_cpu);
  if (!field) return Unexpected{field.error()};
  Scene& scene = field->scene;
  if (!is_on_cpu) {
    if (!state.mesher.fits(wanted, ranges)) ARETE_TRY(state.mesher.make(wanted, ranges));
    auto meshed = state.renderer.build_nodes(state.mesher.mesher(), state.source, wanted, frame);
    if (!meshed) return Unexpected{meshed.error()};
    place_nodes(scene, *meshed);
  }
  statistics.nodes = std::int64_t(scene.nodes.size());
  statistics.triangles = count_triangles(scene);
  statistics.vertices = statistics.nodes * node_vertices(ranges.node_quads);
  statistics.mesh_ms = watch.lap_ms();

  if (options.shadows) {
    ARETE_TRY(state.make_light(options));
    scene.light = state.light;
  }
  statistics.light_ms = watch.lap_ms();
  auto picture = state.renderer.render(scene, camera, options);
  if (!picture) return Unexpected{picture.error()};
  drawn.picture = std::move(*picture);
  statistics.draw_ms = watch.lap_ms();
  return drawn;
}

Result<DrawnPicture> draw_picture(Renderer& renderer, const SampleSource& source, const Bounds& bounds,
                                  const Camera& camera, const PictureOptions& options, const RangeOptions& ranges) {
  return FieldPictures(renderer, source, bounds).draw(camera, options, ranges);
}

}  // namespace arete::vulkan
