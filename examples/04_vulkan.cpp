// Terrain inside a program's own Vulkan frame: TerrainMesher records uploads and the build of a cut's vertices into the
// program's command buffer, and indexed, indirect draws into its rendering. The program's own part is own_vulkan.h.
//
//   04_vulkan STORE OUT.ppm
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "arete/cut.h"
#include "arete/tiles.h"
#include "arete/vulkan.h"
#include "own_vulkan.h"

namespace {

constexpr std::uint32_t kVertexShader[] = {
#include "04_ground.vert.spv.inc"
};
constexpr std::uint32_t kFragmentShader[] = {
#include "04_ground.frag.spv.inc"
};
constexpr int kWidth = 960, kHeight = 540;

template <class T>
T must(arete::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "%s\n", result.error().message.c_str());
  std::exit(1);
}

// The compact layout as a pipeline reads it.
own::Shading compact_shading() {
  const arete::kernel::VertexLayout layout = arete::compact_layout();
  const auto bytes = [](int words) { return static_cast<std::uint32_t>(4 * words); };
  return {kVertexShader,
          kFragmentShader,
          bytes(layout.stride_words),
          {{0, 0, VK_FORMAT_R32G32B32_SFLOAT, bytes(layout.position)},
           {1, 0, VK_FORMAT_R32_UINT, bytes(layout.packed_normal)}}};
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fprintf(stderr, "usage: 04_vulkan STORE OUT.ppm\n");
    return 2;
  }
  const auto store = must(arete::TileStore::open(arguments[1]));
  const arete::Bounds& bounds = store->bounds();
  const arete::Lattice& lattice = store->lattice();

  // What this program would have anyhow. Of the device the mesher asks for synchronization2 and bufferDeviceAddress.
  const own::Device gpu;
  own::Frame frame(gpu, {kWidth, kHeight}, compact_shading(), sizeof(std::array<float, 16>));

  // The camera's cut.
  const arete::vulkan::Camera camera = arete::vulkan::default_camera(bounds);
  const arete::View view = arete::vulkan::picture_view(camera, kWidth, kHeight);
  const arete::Ranges ranges = arete::make_ranges(bounds, view.pixels_per_radian, {.max_error_px = 1});
  arete::CutWorkspace workspace;
  arete::Cut cut;
  arete::select_cut(bounds, view, ranges, workspace, cut);
  const arete::Anchor anchor = arete::anchor_near(lattice, camera.eye_x_m, camera.eye_z_m);

  // Its vertices and draws, in this program's frame.
  auto mesher =
      must(arete::vulkan::TerrainMesher::create({.instance = gpu.instance,
                                                 .physical_device = gpu.physical,
                                                 .device = gpu.device,
                                                 .queue_family = gpu.family,
                                                 .get_instance_proc_addr = vkGetInstanceProcAddr},
                                                bounds, {.layout = arete::compact_layout(), .frames_in_flight = 1}));
  const arete::vulkan::MeshedNodes nodes =
      must(mesher->record(frame.commands(), *store, cut, arete::make_frame(bounds, view, ranges, anchor)));
  const std::array<float, 16> matrix = arete::vulkan::clip_from_anchor(camera, kWidth, kHeight, lattice, anchor);
  frame.begin_rendering({0.35f, 0.55f, 0.85f, 1}, matrix.data());
  mesher->record_draws(frame.commands(), nodes);
  const std::vector<std::uint8_t> rgba = frame.finish();
  mesher = nullptr;  // before the device

  std::ofstream file(arguments[2], std::ios::binary);
  file << "P6\n" << kWidth << ' ' << kHeight << "\n255\n";
  std::size_t ground = 0;
  for (std::size_t i = 0; i < rgba.size(); i += 4) {
    file.write(reinterpret_cast<const char*>(&rgba[i]), 3);
    ground += rgba[i + 2] < rgba[i + 1] ? 1 : 0;  // the sky is blue
  }
  if (!file.flush()) {
    std::fprintf(stderr, "%s: cannot be written\n", arguments[2]);
    return 1;
  }
  std::printf("%u of %zu nodes drawn, %zu %% of the picture is ground\n", nodes.draw_count, cut.nodes.size(),
              400 * ground / rgba.size());
  return 0;
}
