// Drapes and compression of GLB files, read back by their JSON alone and by meshoptimizer's own decoders.
#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "arete/export.h"
#include "support/mesh_file_reader.h"
#include "support/scratch.h"
#include "support/terrain.h"

namespace arete {
namespace {

using Json = nlohmann::json;

// A GLB whose streams are decoded: `buffers` holds the plain bytes that buffer views without an extension point to.
struct Glb {
  std::string fault;
  Json json;
  std::vector<std::string> buffers;

  std::string view(std::size_t i) const {
    const Json& view = json["bufferViews"][i];
    return buffers.at(view["buffer"]).substr(view["byteOffset"], view["byteLength"]);
  }
  // Component c of element i of an accessor.
  double component(std::size_t accessor, std::size_t i, std::size_t c) const {
    const Json& a = json["accessors"][accessor];
    const std::string type = a["type"];
    const std::size_t components = type == "SCALAR" ? 1 : std::size_t(type.back() - '0');
    const std::string& bytes = streams.at(a["bufferView"]);
    const std::size_t at = i * components + c;
    switch (int(a["componentType"])) {
      case 5126:
        return double(test::value_at<float>(bytes, 4 * at));
      case 5125:
        return double(test::value_at<std::uint32_t>(bytes, 4 * at));
      default:
        return double(test::value_at<std::uint16_t>(bytes, 2 * at));
    }
  }
  std::size_t attribute(const char* name) const { return json["meshes"][0]["primitives"][0]["attributes"].at(name); }

  std::vector<std::string> streams;  // by view, decoded
};

Glb read(const std::filesystem::path& path) {
  Glb glb;
  const std::string bytes = test::read_bytes(path);
  const std::size_t json_bytes = test::value_at<std::uint32_t>(bytes, 12);
  glb.json = Json::parse(bytes.substr(20, json_bytes));
  const std::size_t binary = 20 + json_bytes + 8;
  const std::size_t stored = glb.json["buffers"][0]["byteLength"];
  if (binary + stored != bytes.size() || test::value_at<std::uint32_t>(bytes, 20 + json_bytes) != stored) {
    glb.fault = "the first buffer is not the binary chunk";
    return glb;
  }
  glb.buffers.push_back(bytes.substr(binary));
  for (std::size_t i = 1; i < glb.json["buffers"].size(); ++i) {
    const Json& buffer = glb.json["buffers"][i];
    if (buffer.contains("uri") || buffer["extensions"]["EXT_meshopt_compression"]["fallback"] != true) {
      glb.fault = "a buffer has neither bytes nor the mark of a fallback";
    }
    glb.buffers.emplace_back(std::size_t(buffer["byteLength"]), '\0');
  }
  for (const Json& view : glb.json["bufferViews"]) {
    const std::size_t offset = view["byteOffset"], length = view["byteLength"];
    if (offset % 4 != 0 || offset + length > glb.buffers.at(view["buffer"]).size()) {
      glb.fault = "a view lies outside its buffer, or off its alignment";
      return glb;
    }
    if (view.contains("extensions")) {
      const Json& packed = view["extensions"]["EXT_meshopt_compression"];
      const std::size_t from = packed["byteOffset"], size = packed["byteLength"], stride = packed["byteStride"],
                        count = packed["count"];
      if (from + size > glb.buffers[packed["buffer"]].size() || count * stride != length) {
        glb.fault = "a packed view lies outside its buffer, or decodes to another length";
        return glb;
      }
      const std::string source = glb.buffers[packed["buffer"]].substr(from, size);
      const auto* data = reinterpret_cast<const unsigned char*>(source.data());
      char* to = glb.buffers[view["buffer"]].data() + offset;
      const int failure = packed["mode"] == "TRIANGLES" ? meshopt_decodeIndexBuffer(to, count, stride, data, size)
                                                        : meshopt_decodeVertexBuffer(to, count, stride, data, size);
      if (failure != 0) {
        glb.fault = "a packed view does not decode";
        return glb;
      }
    }
    glb.streams.push_back(glb.buffers[view["buffer"]].substr(offset, length));
  }
  return glb;
}

// Every number of every corner of every triangle, free of the order of triangles and of which corner comes first.
std::vector<std::vector<double>> triangle_numbers(const Glb& glb) {
  const Json& primitive = glb.json["meshes"][0]["primitives"][0];
  const std::size_t indices = primitive["indices"];
  const std::size_t corners = glb.json["accessors"][indices]["count"];
  std::vector<std::vector<double>> triangles;
  for (std::size_t i = 0; i < corners; i += 3) {
    std::array<std::vector<double>, 3> values;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto vertex = std::size_t(glb.component(indices, i + k, 0));
      for (const auto& [name, accessor] : primitive["attributes"].items()) {
        const std::size_t count =
            std::size_t(std::string(glb.json["accessors"][std::size_t(accessor)]["type"])[3] - '0');
        for (std::size_t c = 0; c < count; ++c) {
          values[k].push_back(glb.component(accessor, vertex, c));
        }
      }
    }
    std::rotate(values.begin(), std::min_element(values.begin(), values.end()), values.end());
    std::vector<double> triangle;
    for (const auto& corner : values) {
      triangle.insert(triangle.end(), corner.begin(), corner.end());
    }
    triangles.push_back(triangle);
  }
  std::sort(triangles.begin(), triangles.end());
  return triangles;
}

class GlbFile : public testing::Test {
 protected:
  static Lattice lattice(std::int32_t stops = 70) {
    return {.stops_x = stops,
            .stops_z = 51,
            .registration = Registration::area,
            .spacing_x_m = 2,
            .spacing_z_m = 3,
            .base_m = -5000,
            .step_m = 0.25};
  }
  static LatticeMesh mesh(const Lattice& field, test::Terrain kind, double error_m) {
    AdaptOptions options;
    options.max_error_m = error_m;
    options.piece_cells = 32;
    auto adapted = adapt(field, test::terrain_field(kind, 3, field), options);
    EXPECT_TRUE(adapted);
    return adapted->mesh;
  }
  // Four quarters of different colours; returns the file.
  std::filesystem::path picture() const {
    std::vector<std::uint8_t> rgba;
    for (int y = 0; y < 16; ++y) {
      for (int x = 0; x < 24; ++x) {
        rgba.insert(rgba.end(), {std::uint8_t(x < 12 ? 255 : 0), std::uint8_t(y < 8 ? 255 : 0), 7, 255});
      }
    }
    EXPECT_TRUE(write_png(folder_ / "drape.png", 24, 16, rgba));
    return folder_ / "drape.png";
  }

  test::Scratch folder_;
};

TEST_F(GlbFile, ADrapeIsEmbeddedAndEveryVertexFindsItsPixel) {
  const Lattice field = lattice();
  const LatticeMesh surface = mesh(field, test::Terrain::fractal, 20);
  MeshFileOptions options;
  options.drape = picture();
  for (const bool is_solid : {false, true}) {
    for (const bool compress : {false, true}) {
      options.base_m = is_solid ? std::optional<double>(10) : std::nullopt;
      options.compress = compress;
      const auto report = write_mesh(folder_ / "a.glb", field, surface, options);
      ASSERT_TRUE(report) << report.error().message;
      const Glb glb = read(folder_ / "a.glb");
      ASSERT_EQ(glb.fault, "");

      // From the material to the picture's own bytes.
      const Json& primitive = glb.json["meshes"][0]["primitives"][0];
      const Json& material = glb.json["materials"][std::size_t(primitive["material"])];
      const std::size_t texture = material["pbrMetallicRoughness"]["baseColorTexture"]["index"];
      const Json& image = glb.json["images"][std::size_t(glb.json["textures"][texture]["source"])];
      EXPECT_EQ(image["mimeType"], "image/png");
      EXPECT_EQ(glb.view(image["bufferView"]), test::read_bytes(options.drape));
      EXPECT_FALSE(primitive["attributes"].contains("COLOR_0"));  // would tint the picture

      // uv runs from the north-west corner, u east and v south, as pictures do.
      const std::size_t places = glb.attribute("POSITION"), uvs = glb.attribute("TEXCOORD_0");
      const std::size_t count = glb.json["accessors"][places]["count"];
      ASSERT_EQ(glb.json["accessors"][uvs]["count"], count);
      const Json& offset = glb.json["asset"]["extras"]["offset"];
      double least[2] = {1, 1}, most[2] = {0, 0};
      for (std::size_t i = 0; i < count; ++i) {
        const double across[2] = {field.width_m(), field.depth_m()};
        for (std::size_t axis = 0; axis < 2; ++axis) {
          const double uv = glb.component(uvs, i, axis);
          const double place_m = glb.component(places, i, 2 * axis) + double(offset[2 * axis]);
          ASSERT_NEAR(uv * across[axis], place_m, 1e-3);
          least[axis] = std::min(least[axis], uv);
          most[axis] = std::max(most[axis], uv);
        }
      }
      for (std::size_t axis = 0; axis < 2; ++axis) {
        EXPECT_EQ(least[axis], 0);
        EXPECT_EQ(most[axis], 1);
      }
    }
  }
}

TEST_F(GlbFile, ADrapeThatIsNoPictureIsRefused) {
  const Lattice field = lattice();
  std::ofstream(folder_ / "drape.png") << "not a picture";
  MeshFileOptions options;
  options.drape = folder_ / "drape.png";
  const auto report = write_mesh(folder_ / "a.glb", field, mesh(field, test::Terrain::smooth, 20), options);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().message.find("drape.png: expected a PNG or JPEG"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "a.glb"));
}

TEST_F(GlbFile, CompressionLosesNothing) {
  struct Case {
    std::int32_t stops;
    test::Terrain kind;
    bool is_solid;
    int index_type;
  };
  for (const Case& c : {Case{70, test::Terrain::fractal, false, 5123}, Case{70, test::Terrain::fractal, true, 5123},
                        Case{70, test::Terrain::holes, true, 5123}, Case{1320, test::Terrain::fractal, false, 5125}}) {
    const Lattice field = lattice(c.stops);
    const LatticeMesh surface = mesh(field, c.kind, c.index_type == 5123 ? 20 : 0);
    MeshFileOptions options;
    options.base_m = c.is_solid ? std::optional<double>(10) : std::nullopt;
    const auto plain = write_mesh(folder_ / "plain.glb", field, surface, options);
    options.compress = true;
    const auto packed = write_mesh(folder_ / "packed.glb", field, surface, options);
    ASSERT_TRUE(plain && packed);
    EXPECT_EQ(plain->triangles, packed->triangles);
    EXPECT_EQ(packed->bytes, std::int64_t(std::filesystem::file_size(folder_ / "packed.glb")));
    EXPECT_LT(packed->bytes * 5, plain->bytes * 4);
    const Glb a = read(folder_ / "plain.glb"), b = read(folder_ / "packed.glb");
    ASSERT_EQ(a.fault, "");
    ASSERT_EQ(b.fault, "");
    EXPECT_FALSE(a.json.contains("extensionsUsed"));
    EXPECT_EQ(b.json["extensionsUsed"], Json::array({"EXT_meshopt_compression"}));
    EXPECT_EQ(b.json["extensionsRequired"], Json::array({"EXT_meshopt_compression"}));
    EXPECT_EQ(b.json["accessors"][0]["min"], a.json["accessors"][0]["min"]);
    EXPECT_EQ(b.json["accessors"][0]["max"], a.json["accessors"][0]["max"]);
    EXPECT_EQ(a.json["accessors"][3]["componentType"], c.index_type);
    EXPECT_EQ(b.json["accessors"][3]["componentType"], c.index_type);
    for (const Json& view : b.json["bufferViews"]) {
      EXPECT_TRUE(view.contains("extensions"));
    }
    EXPECT_TRUE(triangle_numbers(a) == triangle_numbers(b)) << c.stops << " terrain " << int(c.kind);
  }
}

TEST_F(GlbFile, OnlyGlbIsCompressed) {
  const Lattice field = lattice();
  MeshFileOptions options;
  options.compress = true;
  const auto report = write_mesh(folder_ / "a.ply", field, mesh(field, test::Terrain::smooth, 20), options);
  ASSERT_FALSE(report);
  EXPECT_EQ(report.error().kind, Error::Kind::usage);
  EXPECT_NE(report.error().message.find("only GLB can be compressed"), std::string::npos);
}

}  // namespace
}  // namespace arete
