// The viewer's wasm under node, fed by a real server, beside the library of this machine: every word of every node that
// would be drawn, whatever pages have come and whichever nodes keep their words as the camera moves, and every height
// and ray.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "arete/collider.h"
#include "arete/cut.h"
#include "arete/mesh.h"
#include "arete/serve.h"
#include "support/field.h"
#include "unit/tiles/store_fixture.h"

namespace arete {
namespace {

constexpr int kQuads = 32;

struct Camera {
  View view;
  double max_error_px = 2;
  HeightPlane plane = HeightPlane::subsample;
};

// The pages that the viewer held, as a cut asks for them.
class HeldPages final : public Residency {
 public:
  explicit HeldPages(const Lattice& lattice) : lattice_(lattice) {}
  bool is_resident(int lod, std::uint32_t x, std::uint32_t z) const noexcept override {
    for (x /= kPageCells / kQuads, z /= kPageCells / kQuads; lod < lattice_.lods(); ++lod, x /= 2, z /= 2) {
      if (!keys.contains(PageKey{std::uint8_t(lod), x, z}.packed())) return false;
    }
    return true;
  }
  std::set<std::uint64_t> keys;

 private:
  const Lattice& lattice_;
};

class Input {
 public:
  explicit Input(const std::filesystem::path& path) : bytes_(test::read_bytes(path)) {}
  template <class T>
  T next() {
    T value{};
    if (at_ + sizeof value <= bytes_.size()) std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  std::vector<std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

std::string numbers_text(std::initializer_list<double> numbers) {
  std::ostringstream text;
  text.precision(17);
  const char* comma = "[";
  for (const double number : numbers) {
    text << comma << number;
    comma = ",";
  }
  return text.str() + ']';
}

std::string camera_text(const Camera& camera) {
  std::ostringstream text;
  text.precision(17);
  const View& view = camera.view;
  text << R"({"eye":)" << numbers_text({view.eye_x_m, view.eye_y_m, view.eye_z_m}) << R"(,"pixelsPerRadian":)"
       << view.pixels_per_radian << R"(,"maxErrorPx":)" << camera.max_error_px << R"(,"drawsMax":)"
       << (camera.plane == HeightPlane::max ? "true" : "false") << R"(,"planes":[)";
  for (std::size_t i = 0; i < view.frustum.size(); ++i) {
    const Plane& plane = view.frustum[i];
    text << (i > 0 ? "," : "") << numbers_text({plane.x, plane.y, plane.z, plane.d});
  }
  return text.str() + "]}";
}

// Half of the cameras see all around; the others drop what is behind them or beside.
Camera random_camera(const Bounds& bounds, test::Random& random) {
  Camera camera;
  camera.view = test::random_view(bounds, random);
  camera.max_error_px = random.between(1, 8);
  camera.plane = random.below(2) == 0 ? HeightPlane::subsample : HeightPlane::max;
  const bool sees_all = random.below(2) == 0;
  const double angle = random.between(0, 6.28);
  for (int i = 0; i < 5; ++i) {
    const double turn = angle + 0.5 * i;
    const double x = sees_all ? 0 : std::cos(turn), z = sees_all ? 0 : std::sin(turn);
    camera.view.frustum.push_back({x, 0, z, sees_all ? 1 : -(x * camera.view.eye_x_m + z * camera.view.eye_z_m)});
  }
  return camera;
}

// Steps of a camera from `first` on: ahead, turns in place, another wanted error, the other plane and back.
std::vector<Camera> moving_cameras(const Bounds& bounds, const Camera& first, test::Random& random) {
  std::vector<Camera> cameras(16, first);
  for (std::size_t i = 1; i < cameras.size(); ++i) {
    Camera& camera = cameras[i] = cameras[i - 1];
    switch (i % 8) {
      case 3:
        camera.view.frustum = random_camera(bounds, random).view.frustum;
        break;
      case 5:
        camera.max_error_px *= 1.25;
        break;
      case 6:
        camera.plane = camera.plane == HeightPlane::max ? HeightPlane::subsample : HeightPlane::max;
        break;
      default:
        camera.view.eye_x_m += 0.002 * bounds.lattice().width_m();
        camera.view.eye_z_m += 0.001 * bounds.lattice().depth_m();
        break;
    }
  }
  return cameras;
}

struct Case {
  test::Terrain terrain;
  Lattice lattice;
  std::size_t budget_bytes;
};

class ViewerTest : public testing::TestWithParam<Case> {
 protected:
  // One record of the script: what was held, and the words of the nodes that were drawn.
  void compare(Input& input, const TileStore& store, const Camera& camera) {
    const Lattice& lattice = store.lattice();
    EXPECT_LE(input.next<std::uint32_t>(), GetParam().budget_bytes);
    HeldPages held(lattice);
    for (std::uint32_t pages = input.next<std::uint32_t>(); pages > 0; --pages) {
      const auto lod = std::uint8_t(input.next<std::uint32_t>());
      const auto x = input.next<std::uint32_t>();
      held.keys.insert(PageKey{lod, x, input.next<std::uint32_t>()}.packed());
    }
    Cut cut;
    const Bounds& bounds = store.bounds();
    const Ranges ranges =
        make_ranges(bounds, camera.view.pixels_per_radian,
                    {.max_error_px = camera.max_error_px, .node_quads = kQuads, .plane = camera.plane});
    if (held.is_resident(lattice.lods() - 1, 0, 0)) {
      select_cut(bounds, camera.view, ranges, workspace_, cut, &held);
    }
    ASSERT_EQ(input.next<std::uint32_t>(), cut.nodes.size());
    ASSERT_EQ(input.next<std::uint32_t>(), cut.drawn.size());
    const std::size_t built = input.next<std::uint32_t>();
    ASSERT_LE(built, cut.drawn.size());
    nodes_kept_ += cut.drawn.size() - built;
    const std::size_t slot = input.next<std::uint32_t>();
    ASSERT_EQ(slot, std::size_t(node_slot_vertices(kQuads)) * 4);
    const auto frame =
        make_frame(bounds, camera.view, ranges, anchor_near(lattice, camera.view.eye_x_m, camera.view.eye_z_m));
    NodeMesher mesher(store, bounds);
    std::vector<std::uint32_t> words(slot);
    for (const std::uint32_t drawn : cut.drawn) {
      const Node& node = cut.nodes[drawn];
      ASSERT_TRUE(mesher.build(frame, ranges, node, compact_layout(), words));
      for (std::size_t i = 0; i < slot; ++i) {
        const auto found = input.next<std::uint32_t>();
        if (i < std::size_t(node_vertices(kQuads)) * 4) {
          ASSERT_EQ(found, words[i]) << "word " << i << " of node " << int(node.lod) << ' ' << node.x << ' ' << node.z;
          ++words_compared_;
        }
      }
    }
    nodes_compared_ += cut.drawn.size();
  }

  CutWorkspace workspace_;
  std::size_t words_compared_ = 0;
  std::size_t nodes_compared_ = 0;
  std::size_t nodes_kept_ = 0;
};

TEST_P(ViewerTest, DrawsTheWordsOfTheLibrary) {
  if (std::string(ARETE_NODE).empty()) GTEST_SKIP() << "node is not installed: the viewer's wasm is not run";
  const Case& param = GetParam();
  const test::Scratch folder;
  const auto field = test::terrain_field(param.terrain, 11, param.lattice);
  ASSERT_TRUE(test::write_store(folder / "field.arete", param.lattice, field));
  const auto store = TileStore::open(folder / "field.arete");
  ASSERT_TRUE(store);
  const Bounds& bounds = (*store)->bounds();
  const Lattice& lattice = param.lattice;
  std::ostringstream metadata;
  metadata.precision(17);
  metadata << R"({"stops_x":)" << lattice.stops_x << R"(,"stops_z":)" << lattice.stops_z << R"(,"registration":")"
           << (lattice.is_area() != 0 ? "area" : "point") << R"(","spacing_x":)" << lattice.spacing_x_m
           << R"(,"spacing_z":)" << lattice.spacing_z_m << R"(,"height_base":)" << lattice.base_m
           << R"(,"height_step":)" << lattice.step_m << R"(,"lods":)" << lattice.lods() << "}";
  const auto server = TileServer::start(**store, (*store)->statistics().value(), metadata.str(), {.port = 0});
  ASSERT_TRUE(server) << server.error().message;

  test::Random random(29);
  std::vector<Camera> cameras;
  for (int i = 0; i < 7; ++i) {
    cameras.push_back(random_camera(bounds, random));
  }
  std::ranges::copy(moving_cameras(bounds, cameras.back(), random), std::back_inserter(cameras));
  std::string text = R"({"cameras":[)";
  for (const Camera& camera : cameras) {
    text += &camera == cameras.data() ? "" : ",";
    text += camera_text(camera);
  }
  std::vector<std::array<double, 2>> places;
  text += R"(],"places":[)";
  for (int i = 0; i < 300; ++i) {
    places.push_back(
        {random.between(-0.02, 1.02) * lattice.width_m(), random.between(-0.02, 1.02) * lattice.depth_m()});
    text += (i > 0 ? "," : "") + numbers_text({places.back()[0], places.back()[1]});
  }
  std::vector<Ray> rays;
  text += R"(],"rays":[)";
  for (int i = 0; i < 40; ++i) {
    const View view = test::random_view(bounds, random);
    rays.push_back({.origin_m = {view.eye_x_m, view.eye_y_m, view.eye_z_m},
                    .direction = {random.between(-1, 1), random.between(-0.6, 0.1), random.between(-1, 1)}});
    const auto& [o, d, max_t, sides] = rays.back();
    text += (i > 0 ? ",[" : "[") + numbers_text({o[0], o[1], o[2]}) + ',' + numbers_text({d[0], d[1], d[2]}) + ']';
  }
  std::ofstream(folder / "in.json") << text << "]}";
  const std::string command = std::string(ARETE_NODE) + " " + ARETE_SOURCE_DIR + "/tests/web/words.mjs " +
                              (*server)->address() + " " + std::to_string(param.budget_bytes) + " " +
                              (folder / "in.json").string() + " " + (folder / "out").string();
  ASSERT_EQ(std::system(command.c_str()), 0) << command;

  Input input(folder / "out");
  for (std::size_t i = 0; i < cameras.size(); ++i) {
    for (const char* when : {"as it came", "settled"}) {
      SCOPED_TRACE("camera " + std::to_string(i) + ' ' + when);
      ASSERT_NO_FATAL_FAILURE(compare(input, **store, cameras[i]));
    }
  }
  EXPECT_GE(words_compared_, nodes_compared_ * std::size_t(node_vertices(kQuads)) * 4);
  EXPECT_GT(nodes_kept_, 0u);
  EXPECT_LT(nodes_kept_, nodes_compared_);
  int known = 0;
  for (const auto& [x, z] : places) {
    const auto ground = Ground(input.next<std::uint32_t>());
    const auto y = std::bit_cast<std::uint64_t>(input.next<double>());
    const auto height = height_at(**store, x, z);
    ASSERT_TRUE(height);
    if (ground == Ground::not_loaded) {
      EXPECT_NE(height->ground, Ground::outside);
      continue;
    }
    ++known;
    ASSERT_EQ(ground, height->ground) << x << ' ' << z;
    if (ground == Ground::surface) {
      ASSERT_EQ(y, std::bit_cast<std::uint64_t>(height->y_m)) << x << ' ' << z;
    }
  }
  EXPECT_GT(known, 0);
  for (const Ray& ray : rays) {
    const auto status = RayStatus(input.next<std::uint32_t>());
    const auto hit = raycast(**store, ray);
    ASSERT_TRUE(hit);
    ASSERT_EQ(status, hit->status);
    for (const double expected : hit->position_m) {
      const auto found = input.next<double>();
      if (status == RayStatus::surface) {
        ASSERT_EQ(std::bit_cast<std::uint64_t>(found), std::bit_cast<std::uint64_t>(expected));
      }
    }
  }
  EXPECT_TRUE(input.is_at_end());
}

Lattice lattice_of(std::int32_t stops_x, std::int32_t stops_z, Registration registration) {
  return {.stops_x = stops_x,
          .stops_z = stops_z,
          .registration = registration,
          .spacing_x_m = 27.5,
          .spacing_z_m = 30.1,
          .base_m = -64,
          .step_m = 0.03125};
}

constexpr std::size_t kAmple = std::size_t(64) << 20;
INSTANTIATE_TEST_SUITE_P(
    Fields, ViewerTest,
    testing::Values(Case{test::Terrain::holes, lattice_of(700, 451, Registration::area), kAmple},
                    Case{test::Terrain::fractal, lattice_of(1500, 900, Registration::point), kAmple},
                    Case{test::Terrain::fractal, lattice_of(1500, 900, Registration::point), 1'500'000},
                    Case{test::Terrain::random, lattice_of(300, 280, Registration::area), kAmple},
                    Case{test::Terrain::cliff, lattice_of(129, 129, Registration::point), kAmple},
                    Case{test::Terrain::flat, lattice_of(3, 3, Registration::area), kAmple},
                    Case{test::Terrain::flat, lattice_of(1, 1, Registration::point), kAmple}));

}  // namespace
}  // namespace arete
