// Pictures on the software device: the same bytes each time and from any vertex layout, no gap in the ground, holes
// that show the sky, and not one message of the validation layers, synchronisation included.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "arete/cut.h"
#include "arete/mesh.h"
#include "arete/vulkan.h"
#include "made_field.h"

namespace arete::vulkan {
namespace {

Renderer& renderer() {
  static const std::unique_ptr<Renderer> made = [] {
    auto result = Renderer::create({.device = "", .software = true, .validation = true});
    if (!result) {
      ADD_FAILURE() << result.error().message;
      std::abort();
    }
    return std::move(*result);
  }();
  return *made;
}

PictureOptions small_options() {
  PictureOptions options;
  options.width = 320;
  options.height = 200;
  return options;
}

Picture draw(const test::MadeField& field, const Camera& camera, const PictureOptions& options, double error_px = 4) {
  RangeOptions ranges;
  ranges.max_error_px = error_px;
  auto drawn = draw_picture(renderer(), field, field.bounds(), camera, options, ranges);
  if (!drawn) {
    ADD_FAILURE() << drawn.error().message;
    return {};
  }
  return std::move(drawn->picture);
}

// The same camera over nothing.
Picture draw_sky(const test::MadeField& field, const Camera& camera, const PictureOptions& options) {
  Scene scene;
  scene.bounds = &field.bounds();
  scene.anchor = anchor_near(field.lattice(), camera.eye_x_m, camera.eye_z_m);
  scene.layout = engine_layout();
  auto picture = renderer().render(scene, camera, options);
  if (!picture) {
    ADD_FAILURE() << picture.error().message;
    return {};
  }
  return std::move(*picture);
}

// Looks straight down on a part of the field that fills the picture.
Camera overhead(const test::MadeField& field, double height_m) {
  const double x = field.lattice().width_m() / 2, z = field.lattice().depth_m() / 2;
  return {x, field.lattice().height_m(field.bounds().field_max) + height_m, z, x, 0, z, 0.7};
}

std::size_t equal_pixels(const Picture& a, const Picture& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.rgba.size(); i += 4) {
    equal += std::equal(&a.rgba[i], &a.rgba[i] + 4, &b.rgba[i]) ? 1 : 0;
  }
  return equal;
}

TEST(Renderer, DrawsTheSameBytesTwice) {
  const test::MadeField field(test::Terrain::fractal, 400, 30, 0.03125);
  for (const Colour colour : {Colour::relief, Colour::slope, Colour::lod, Colour::contour}) {
    PictureOptions options = small_options();
    options.colour = colour;
    options.wireframe = colour == Colour::lod;
    const Camera camera = default_camera(field.bounds());
    const Picture first = draw(field, camera, options);
    EXPECT_EQ(first.rgba, draw(field, camera, options).rgba);
    const std::size_t sky = equal_pixels(first, draw_sky(field, camera, options));
    EXPECT_GT(first.rgba.size() / 4 - sky, first.rgba.size() / 8) << "ground fills less than half of the picture";
    for (std::size_t i = 3; i < first.rgba.size(); i += 4) ASSERT_EQ(first.rgba[i], 255);
  }
}

// Several lods meet under this camera; wherever two of them left a gap the floor of the sky would show.
TEST(Renderer, NoSkyShowsThroughTheGround) {
  for (const auto kind : {test::Terrain::random, test::Terrain::cliff, test::Terrain::smooth}) {
    const test::MadeField field(kind, 1000, 10, 0.0078125);
    PictureOptions options = small_options();
    options.colour = Colour::lod;
    options.haze = 0;
    options.shadows = false;
    const Camera camera = overhead(field, 2500);
    const Picture ground = draw(field, camera, options, 1);
    EXPECT_EQ(equal_pixels(ground, draw_sky(field, camera, options)), 0u) << int(kind);
  }
}

// A tower of ground is seen from far off, but not through more air than a mountain.
TEST(Renderer, TallFieldsStandClearOfTheHaze) {
  const test::MadeField field(test::Terrain::fractal, 200, 1, 0.03125);
  const Camera camera = overview_camera(field.bounds(), 1.6);
  PictureOptions options = small_options();
  const Picture hazy = draw(field, camera, options), sky = draw_sky(field, camera, options);
  options.haze = 0;
  const Picture clear = draw(field, camera, options);
  double difference = 0;
  std::size_t ground = 0;
  for (std::size_t i = 0; i < sky.rgba.size(); i += 4) {
    if (std::equal(&sky.rgba[i], &sky.rgba[i] + 4, &hazy.rgba[i])) continue;
    ++ground;
    difference += std::abs(hazy.rgba[i + 2] - clear.rgba[i + 2]);  // haze is blue
  }
  ASSERT_GT(ground, 200u);
  EXPECT_LT(difference / double(ground), 40);
}

TEST(Renderer, HolesShowTheSky) {
  const test::MadeField field(test::Terrain::holes, 200, 10, 0.0009765625);
  PictureOptions options = small_options();
  options.walls = false;
  const Camera camera = overhead(field, 700);
  const std::size_t seen = equal_pixels(draw(field, camera, options), draw_sky(field, camera, options));
  EXPECT_GT(seen, 100u);
  EXPECT_LT(seen, std::size_t(options.width * options.height / 2));
}

TEST(Renderer, AnyVertexLayoutDrawsTheSamePicture) {
  const test::MadeField field(test::Terrain::fractal, 129, 30, 0.03125);
  const Camera camera = overhead(field, 3000);
  const PictureOptions options = small_options();
  const View view = picture_view(camera, options.width, options.height);
  const Ranges ranges = make_ranges(field.bounds(), view.pixels_per_radian, RangeOptions{});
  CutWorkspace workspace;
  Cut cut;
  select_cut(field.bounds(), view, ranges, workspace, cut);
  const Anchor anchor = anchor_near(field.lattice(), view.eye_x_m, view.eye_z_m);
  const kernel::FrameConstants frame = make_frame(field.bounds(), view, ranges, anchor);
  std::vector<Picture> pictures;
  kernel::VertexLayout shuffled = engine_layout();
  shuffled.stride_words = 12;
  shuffled.colour = 0;
  shuffled.uv0 = 1;
  shuffled.normal = 4;
  shuffled.position = 8;
  shuffled.tangent = shuffled.uv1 = shuffled.joints = shuffled.weights = -1;
  for (const kernel::VertexLayout& layout : {engine_layout(), shuffled}) {
    Scene scene;
    scene.bounds = &field.bounds();
    scene.anchor = anchor;
    scene.layout = layout;
    const std::size_t slot = std::size_t(node_slot_vertices(32)) * std::size_t(layout.stride_words);
    std::vector<std::uint32_t> words(slot * cut.nodes.size());
    NodeMesher mesher(field, field.bounds());
    for (std::size_t i = 0; i < cut.nodes.size(); ++i) {
      ASSERT_TRUE(mesher.build(frame, ranges, cut.nodes[i], layout, std::span(words).subspan(i * slot, slot)));
      scene.nodes.push_back({.first_vertex = std::uint32_t(i * std::size_t(node_slot_vertices(32))),
                             .lod = cut.nodes[i].lod,
                             .coarse_mask = cut.nodes[i].coarse_mask,
                             .cells = node_cells(field.lattice(), cut.nodes[i], 32)});
    }
    scene.words = words;
    auto picture = renderer().render(scene, camera, options);
    ASSERT_TRUE(picture) << picture.error().message;
    pictures.push_back(std::move(*picture));
  }
  EXPECT_EQ(pictures[0].rgba, pictures[1].rgba);
  EXPECT_LT(equal_pixels(pictures[0], draw_sky(field, camera, options)), pictures[0].rgba.size() / 8);
}

// The GPU's vertices are the CPU's, so no pixel can differ: with walls, holes, lines and both height planes.
TEST(Renderer, EitherMesherDrawsTheSamePicture) {
  for (const auto kind : {test::Terrain::fractal, test::Terrain::holes}) {
    const test::MadeField field(kind, 700, 30, 0.03125);
    for (const Camera& camera : {default_camera(field.bounds()), overview_camera(field.bounds(), 1.6)}) {
      PictureOptions options = small_options();
      options.wireframe = kind == test::Terrain::fractal;
      const Picture by_cpu = draw(field, camera, options);
      options.mesher = MesherKind::vulkan;
      EXPECT_EQ(by_cpu.rgba, draw(field, camera, options).rgba);
    }
  }
}

TEST(Renderer, ADrapeLiesNorthUp) {
  const test::MadeField field(test::Terrain::flat, 129, 10, 1);
  Picture drape{2, 2, {250, 10, 10, 255, 10, 250, 10, 255, 10, 10, 250, 255, 240, 240, 240, 255}};
  PictureOptions options = small_options();
  options.colour = Colour::drape;
  options.drape = &drape;
  options.haze = 0;
  const Picture picture = draw(field, overhead(field, 1000), options);
  const auto pixel = [&](int x, int y) { return &picture.rgba[std::size_t(4 * (y * picture.width + x))]; };
  const std::uint8_t* north_west = pixel(40, 20);
  const std::uint8_t* north_east = pixel(280, 20);
  const std::uint8_t* south_west = pixel(40, 180);
  EXPECT_GT(north_west[0], north_west[1] + 60);
  EXPECT_GT(north_east[1], north_east[0] + 60);
  EXPECT_GT(south_west[2], south_west[0] + 60);
}

TEST(Renderer, RefusesInOneLine) {
  const test::MadeField field(test::Terrain::flat, 40, 10, 1);
  const Camera camera = overhead(field, 500);
  const auto refusal = [&](const Camera& from, const PictureOptions& options) {
    const auto drawn = draw_picture(renderer(), field, field.bounds(), from, options);
    EXPECT_FALSE(drawn);
    return drawn ? std::string() : drawn.error().message;
  };
  PictureOptions options = small_options();
  options.width = 0;
  EXPECT_NE(refusal(camera, options).find("0x"), std::string::npos);
  options.width = 20000;
  EXPECT_NE(refusal(camera, options).find("20000x200"), std::string::npos);
  options = small_options();
  options.colour = Colour::drape;
  EXPECT_NE(refusal(camera, options).find("drape"), std::string::npos);
  options = small_options();
  options.sun_altitude_deg = 95;
  EXPECT_NE(refusal(camera, options).find("altitude"), std::string::npos);
  Camera still = camera;
  still.target_y_m = still.eye_y_m;
  EXPECT_NE(refusal(still, small_options()).find("one point"), std::string::npos);
  for (const double wrong : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Camera nowhere = camera;
    nowhere.eye_y_m = wrong;
    EXPECT_NE(refusal(nowhere, small_options()).find("finite"), std::string::npos);
    Camera blind = camera;
    blind.vertical_fov_rad = wrong;
    EXPECT_NE(refusal(blind, small_options()).find("field of view"), std::string::npos);
  }
  const auto absent = Renderer::create({.device = "no such device", .software = false, .validation = false});
  ASSERT_FALSE(absent);
  EXPECT_NE(absent.error().message.find("no device named 'no such device'"), std::string::npos);
}

// Last, after all that the others drew.
TEST(RendererValidation, LayersSaidNothing) { EXPECT_EQ(renderer().validation_messages(), 0); }

}  // namespace
}  // namespace arete::vulkan
