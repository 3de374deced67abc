// Mesh files, judged from their bytes alone by readers of their own.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "arete/export.h"
#include "support/mesh_file_reader.h"
#include "support/scratch.h"
#include "support/terrain.h"

namespace arete {
namespace {

class MeshFile : public testing::Test {
 protected:
  static Lattice lattice(Registration registration = Registration::point) {
    return {.stops_x = 70,
            .stops_z = 51,
            .registration = registration,
            .spacing_x_m = 2,
            .spacing_z_m = 3,
            .base_m = -5000,
            .step_m = 0.25};
  }
  static LatticeMesh mesh(const Lattice& field, test::Terrain kind, double error_m = 20) {
    AdaptOptions options;
    options.max_error_m = error_m;
    options.piece_cells = 32;
    auto adapted = adapt(field, test::terrain_field(kind, 3, field), options);
    EXPECT_TRUE(adapted);
    return adapted->mesh;
  }
  test::ReadMesh read(const std::string& name) const {
    const auto path = folder_ / name;
    const std::string ending = path.extension().string();
    return ending == ".stl"   ? test::read_stl(path)
           : ending == ".ply" ? test::read_ply(path)
           : ending == ".obj" ? test::read_obj(path)
                              : test::read_glb(path);
  }

  test::Scratch folder_;
};

TEST_F(MeshFile, SolidsAreClosedInEveryFormatHolesAndAll) {
  for (const test::Terrain kind : {test::Terrain::fractal, test::Terrain::holes, test::Terrain::cliff}) {
    for (const Registration registration : {Registration::point, Registration::area}) {
      const Lattice field = lattice(registration);
      const LatticeMesh surface = mesh(field, kind);
      MeshFileOptions options;
      options.base_m = 10;
      for (const std::string name : {"a.stl", "a.ply", "a.obj", "a.glb"}) {
        const auto report = write_mesh(folder_ / name, field, surface, options);
        ASSERT_TRUE(report) << report.error().message;
        EXPECT_TRUE(report->is_closed);
        EXPECT_EQ(report->bytes, std::int64_t(std::filesystem::file_size(folder_ / name)));
        const test::ReadMesh from_file = read(name);
        ASSERT_EQ(from_file.fault, "") << name;
        EXPECT_EQ(std::int64_t(from_file.triangles.size()), report->triangles) << name;
        const test::SolidFacts facts = test::solid_facts(from_file);
        EXPECT_EQ(facts.unmatched_edges, 0) << name << " terrain " << int(kind);
        EXPECT_EQ(facts.flat_triangles, 0) << name;
        EXPECT_NEAR(facts.volume / report->volume_m3, 1, 1e-4) << name;
        EXPECT_GT(report->volume_m3, 0);
      }
    }
  }
}

// B54 (cesium-omniverse#59): normals of the ground were dragged down by the walls that hang from its rim.
TEST_F(MeshFile, B54_WallsBendNoNormal) {
  const Lattice field{.stops_x = 65, .stops_z = 65, .step_m = 0.5};
  const std::vector<std::uint16_t> flat(65 * 65, 100);
  const auto adapted = adapt(field, flat, {.max_error_m = 0.25});
  ASSERT_TRUE(adapted);
  MeshFileOptions options;
  options.base_m = 30;
  ASSERT_TRUE(write_mesh(folder_ / "a.glb", field, adapted->mesh, options));
  const test::ReadMesh solid = read("a.glb");
  ASSERT_EQ(solid.fault, "");
  std::size_t ground = 0, walls = 0;
  for (std::size_t i = 0; i < solid.triangles.size(); ++i) {
    const auto& [a, b, c] = solid.triangles[i];
    const bool is_ground = a[2] == b[2] && b[2] == c[2] && solid.normals[i][0][2] > 0;
    for (const test::Place3& normal : solid.normals[i]) {
      EXPECT_EQ(normal[2], is_ground ? 1 : a[2] == b[2] && b[2] == c[2] ? -1 : 0) << i;
    }
    (is_ground ? ground : walls) += 1;
  }
  EXPECT_EQ(ground, adapted->mesh.triangles.size());
  EXPECT_GT(walls, 8u);
}

TEST_F(MeshFile, SurfacesFaceUpAndAreOpenOnlyAtTheirRims) {
  const Lattice field = lattice();
  for (const test::Terrain kind : {test::Terrain::fractal, test::Terrain::holes}) {
    const LatticeMesh surface = mesh(field, kind);
    const auto rim = std::int64_t(rim_edges(surface).size());
    for (const std::string name : {"a.stl", "a.ply", "a.obj", "a.glb"}) {
      const auto report = write_mesh(folder_ / name, field, surface, {});
      ASSERT_TRUE(report) << report.error().message;
      EXPECT_FALSE(report->is_closed);
      const test::ReadMesh from_file = read(name);
      ASSERT_EQ(from_file.fault, "") << name;
      const test::SolidFacts facts = test::solid_facts(from_file);
      EXPECT_EQ(facts.unmatched_edges, rim) << name;
      EXPECT_EQ(facts.flat_triangles, 0) << name;
      EXPECT_EQ(facts.flipped, 0) << name;
      EXPECT_EQ(from_file.triangles.size(), surface.triangles.size()) << name;
    }
  }
}

TEST_F(MeshFile, PlacesAreThoseOfTheField) {
  const Lattice field = lattice(Registration::area);
  const LatticeMesh surface = mesh(field, test::Terrain::smooth);
  for (const std::string name : {"a.stl", "a.ply", "a.obj", "a.glb"}) {
    ASSERT_TRUE(write_mesh(folder_ / name, field, surface, {}));
    const test::ReadMesh from_file = read(name);
    // The frame's shift, from the first corner; every other corner must agree with it.
    test::Place3 shift{};
    for (std::size_t i = 0; i < surface.triangles.size(); ++i) {
      for (std::size_t k = 0; k < 3; ++k) {
        const MeshVertex& v = surface.vertices[surface.triangles[i][k]];
        const test::Place3 expected{field.x_m(v.x), -field.z_m(v.z), v.y_m};
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double off = from_file.triangles[i][k][axis] - expected[axis];
          if (i == 0 && k == 0) {
            shift[axis] = off;
          }
          ASSERT_NEAR(off, shift[axis], 1e-3) << name;
        }
      }
    }
    if (name == "a.ply" || name == "a.obj") {
      EXPECT_EQ(shift, (test::Place3{0, 0, 0})) << name;
    }
    if (name == "a.glb") {
      EXPECT_EQ(shift[0], -std::round(field.width_m() / 2));
      EXPECT_NE(from_file.header.find("\"offset\": [68, 0, 74]"), std::string::npos) << from_file.header;
    }
    if (name == "a.stl") {
      EXPECT_NEAR(shift[1], field.depth_m(), 1e-9);
    }
  }
}

TEST_F(MeshFile, TexturesLieNorthUp) {
  const Lattice field = lattice(Registration::area);
  ASSERT_TRUE(write_mesh(folder_ / "a.obj", field, mesh(field, test::Terrain::smooth), {}));
  std::ifstream lines(folder_ / "a.obj");
  std::vector<std::array<double, 2>> places, textures;
  for (std::string line; std::getline(lines, line);) {
    double x = 0, y = 0;
    if (std::sscanf(line.c_str(), "v %lf %lf", &x, &y) == 2) {
      places.push_back({x / field.width_m(), 1 + y / field.depth_m()});  // y runs north
    } else if (std::sscanf(line.c_str(), "vt %lf %lf", &x, &y) == 2) {
      textures.push_back({x, y});
    }
  }
  ASSERT_EQ(textures.size(), places.size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_NEAR(textures[i][0], places[i][0], 1e-6) << i;
    ASSERT_NEAR(textures[i][1], places[i][1], 1e-6) << i;
  }
}

TEST_F(MeshFile, NormalsAreUnitAndPointOut) {
  Lattice field = lattice();
  field.step_m = 0x1p-8;  // gentle: no face turns away from the mean of its neighbours
  MeshFileOptions options;
  options.base_m = 4;
  const LatticeMesh surface = mesh(field, test::Terrain::smooth, 0.1);
  for (const std::string name : {"a.stl", "a.glb"}) {
    ASSERT_TRUE(write_mesh(folder_ / name, field, surface, options));
    const test::ReadMesh from_file = read(name);
    for (std::size_t i = 0; i < from_file.triangles.size(); ++i) {
      const auto& t = from_file.triangles[i];
      double u[3], v[3];
      for (std::size_t axis = 0; axis < 3; ++axis) {
        u[axis] = t[1][axis] - t[0][axis];
        v[axis] = t[2][axis] - t[0][axis];
      }
      const test::Place3 face{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
      for (const test::Place3& n : from_file.normals[i]) {
        ASSERT_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-5) << name;
        ASSERT_GT(n[0] * face[0] + n[1] * face[1] + n[2] * face[2], 0) << name << " triangle " << i;
      }
    }
  }
}

TEST_F(MeshFile, SizeAndExaggerationScaleTheSolid) {
  const Lattice field = lattice();
  const LatticeMesh surface = mesh(field, test::Terrain::fractal);
  MeshFileOptions options;
  options.base_m = 100;
  options.size_mm = 180;
  options.exaggerate = 2;
  ASSERT_TRUE(write_mesh(folder_ / "a.stl", field, surface, options));
  const test::ReadMesh from_file = read("a.stl");
  test::Place3 low = from_file.triangles[0][0], high = low;
  for (const auto& t : from_file.triangles) {
    for (const test::Place3& p : t) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] = std::min(low[axis], p[axis]);
        high[axis] = std::max(high[axis], p[axis]);
      }
    }
  }
  EXPECT_EQ(low, (test::Place3{0, 0, 0}));
  const double scale = 180 / field.depth_m();
  EXPECT_NEAR(high[1], 180, 1e-4);
  EXPECT_NEAR(high[0], field.width_m() * scale, 1e-4);
  const MeshMeasures measures = measure(field, surface, 0);
  EXPECT_NEAR(high[2], (measures.max_m[1] - measures.min_m[1] + 100) * 2 * scale, 1e-2);
}

TEST_F(MeshFile, GeoreferenceStandsWhereTheFormatHasRoom) {
  Lattice field = lattice(Registration::area);
  MeshFileOptions options;
  options.crs_wkt = "PROJCRS[\"WGS 84 / UTM zone 11N\",\n  ID[\"EPSG\",32611]]";
  options.geotransform = {400000.5, 2, 0, 3800000, 0, -3};
  const LatticeMesh surface = mesh(field, test::Terrain::smooth);
  for (const std::string name : {"a.ply", "a.obj", "a.glb"}) {
    ASSERT_TRUE(write_mesh(folder_ / name, field, surface, options));
    EXPECT_NE(read(name).header.find("UTM zone 11N"), std::string::npos) << name;
    EXPECT_NE(read(name).header.find("400000.5"), std::string::npos) << name;
  }
  double west = 1e300, north = -1e300;
  for (const auto& t : read("a.ply").triangles) {
    for (const test::Place3& p : t) {
      west = std::min(west, p[0]);
      north = std::max(north, p[1]);
    }
  }
  EXPECT_EQ(west, 400000.5);
  EXPECT_EQ(north, 3800000);
}

TEST_F(MeshFile, RefusesInWordsAndLeavesNothingBehind) {
  const Lattice field = lattice();
  const LatticeMesh surface = mesh(field, test::Terrain::flat);
  const auto message = [&](const std::string& name, const MeshFileOptions& options) {
    const auto report = write_mesh(folder_ / name, field, surface, options);
    return report ? std::string("written") : report.error().message;
  };
  MeshFileOptions options;
  EXPECT_NE(message("a.xyz", options).find(".glb, .ply, .obj or .stl"), std::string::npos);
  EXPECT_EQ(message("A.STL", options), "written");
  std::filesystem::remove(folder_ / "A.STL");
  options.base_m = 0;
  EXPECT_NE(message("a.stl", options).find("thickness"), std::string::npos);
  options = {};
  options.exaggerate = std::nan("");
  EXPECT_NE(message("a.stl", options).find("positive"), std::string::npos);
  options = {};
  options.size_mm = 100;
  EXPECT_NE(message("a.glb", options).find("STL"), std::string::npos);
  for (const double size_mm : {-1.0, 0.0, 1e-300, 1e300, std::nan("")}) {
    options.size_mm = size_mm;
    EXPECT_NE(message("a.stl", options).find("0.001 to 1e9"), std::string::npos) << size_mm;
  }
  options = {};
  options.drape = folder_ / "none.png";
  EXPECT_NE(message("a.glb", options).find("none.png"), std::string::npos);
  EXPECT_NE(message("a.obj", options).find("drape"), std::string::npos);
  EXPECT_NE(message("no/such/folder/a.ply", {}).find("cannot be written"), std::string::npos);
  EXPECT_TRUE(std::filesystem::is_empty(folder_.folder()));
}

}  // namespace
}  // namespace arete
