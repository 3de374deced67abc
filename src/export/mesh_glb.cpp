// Binary glTF 2.0: one mesh of one primitive, Y up, metres around the field's middle as f32. The f64 offset that leads
// back to the field's origin, and the CRS, stand in the asset's extras.
//
// A compressed file holds the same numbers in meshoptimizer's coding (EXT_meshopt_compression), without a plain copy.
//
// Walls have vertices of their own, for their normals; their places repeat those of the surface bit for bit.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>

#include "export/mesh_pack.h"
#include "export/mesh_writers.h"
#include "export/relief.h"

namespace arete {
namespace {

constexpr std::uint32_t kMagic = 0x46546c67, kJsonChunk = 0x4e4f534a, kBinaryChunk = 0x004e4942;
constexpr int kFloat = 5126, kUnsignedShort = 5123, kUnsignedInt = 5125;
constexpr int kVertices = 34962, kIndices = 34963;  // targets of views

struct Float3 {
  float x, y, z;
};

std::string number(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

std::string list(std::initializer_list<double> values) {
  std::string text;
  for (const double value : values) {
    text += (text.empty() ? "[" : ", ") + number(value);
  }
  return text + "]";
}

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", unsigned(static_cast<unsigned char>(c)));
      result += escape;
    } else {
      result += c;
    }
  }
  return result + "\"";
}

// The vertices as the file holds them: surface, floor, then four a wall.
class GlbVertices {
 public:
  explicit GlbVertices(const MeshGeometry& geometry)
      : geometry_(geometry),
        offset_{std::round(geometry.lattice().width_m() / 2), 0, std::round(geometry.lattice().depth_m() / 2)} {
    find_surface_normals();
  }

  std::int64_t size() const { return std::int64_t(geometry_.vertices()) + 4 * std::int64_t(geometry_.walls().size()); }
  const Point& offset() const { return offset_; }

  // The geometry's vertex whose place vertex i has.
  std::uint32_t source(std::int64_t i) const {
    if (i < geometry_.vertices()) {
      return std::uint32_t(i);
    }
    const std::int64_t wall = (i - geometry_.vertices()) / 4, corner = (i - geometry_.vertices()) % 4;
    const std::uint32_t top = geometry_.walls()[std::size_t(wall)][std::size_t(corner % 2)];
    return corner < 2 ? top : geometry_.below(top);
  }

  Float3 place(std::uint32_t vertex) const {
    const Point p = geometry_.position(vertex);
    return {float(p[0] - offset_[0]), float(p[1] - offset_[1]), float(p[2] - offset_[2])};
  }

  Float3 normal(std::int64_t i) const {
    if (i < geometry_.surface_vertices()) {
      const Float3 n = normals_[std::size_t(i)];
      const double length = std::sqrt(double(n.x) * n.x + double(n.y) * n.y + double(n.z) * n.z);
      return {float(n.x / length), float(n.y / length), float(n.z / length)};
    }
    if (i < geometry_.vertices()) {
      return {0, -1, 0};
    }
    const auto& wall = geometry_.walls()[std::size_t((i - geometry_.vertices()) / 4)];
    const Point a = geometry_.position(wall[0]), b = geometry_.position(wall[1]);
    const double length = std::hypot(b[0] - a[0], b[2] - a[2]);
    // The surface lies to the left of a-b, seen from above.
    return {float((a[2] - b[2]) / length), 0, float((b[0] - a[0]) / length)};
  }

  MeshTriangle triangle(std::int64_t i) const {
    const auto surface = std::int64_t(geometry_.surface().triangles.size());
    const auto walls = 2 * std::int64_t(geometry_.walls().size());
    if (i < surface || i >= surface + walls) {
      return geometry_.triangle(i);
    }
    const auto first = geometry_.vertices() + 4 * std::uint32_t((i - surface) / 2);
    return (i - surface) % 2 == 0 ? MeshTriangle{first + 1, first, first + 2}
                                  : MeshTriangle{first + 1, first + 2, first + 3};
  }

 private:
  // Sums of the triangles' normals, longer for larger triangles.
  void find_surface_normals() {
    normals_.assign(geometry_.surface_vertices(), {0, 0, 0});
    for (const MeshTriangle& t : geometry_.surface().triangles) {
      const Point a = geometry_.position(t[0]), b = geometry_.position(t[1]), c = geometry_.position(t[2]);
      const double ux = b[0] - a[0], uy = b[1] - a[1], uz = b[2] - a[2];
      const double vx = c[0] - a[0], vy = c[1] - a[1], vz = c[2] - a[2];
      for (const std::uint32_t i : t) {
        normals_[i].x += float(uy * vz - uz * vy);
        normals_[i].y += float(uz * vx - ux * vz);
        normals_[i].z += float(ux * vy - uy * vx);
      }
    }
  }

  const MeshGeometry& geometry_;
  Point offset_;
  std::vector<Float3> normals_;
};

using Bytes = std::vector<unsigned char>;

// A stream of the file: its decoded bytes, and in a compressed file their coding.
struct View {
  std::int64_t offset = 0, bytes = 0;  // decoded
  int target = 0;                      // 0: none
  int stride = 0;
  const char* mode = nullptr;  // of the coding; none: stored as it is
  std::int64_t packed_offset = 0;
  Bytes packed;
};

// Lays streams out one after another, each aligned to 4 bytes. Coded streams have their decoded place in buffer 1,
// which holds nothing; all that is stored lies in buffer 0.
class Views {
 public:
  int add(std::int64_t bytes, int target) {
    views_.push_back({stored_, bytes, target, 0, nullptr, 0, {}});
    stored_ += aligned(bytes);
    return int(views_.size()) - 1;
  }
  int add_packed(std::int64_t bytes, int target, int stride, const char* mode, Bytes packed) {
    const auto packed_bytes = std::int64_t(packed.size());
    views_.push_back({decoded_, bytes, target, stride, mode, stored_, std::move(packed)});
    decoded_ += aligned(bytes);
    stored_ += aligned(packed_bytes);
    return int(views_.size()) - 1;
  }
  std::int64_t stored_bytes() const { return stored_; }
  bool is_packed() const { return decoded_ > 0; }
  int size() const { return int(views_.size()); }
  const View& operator[](int i) const { return views_[std::size_t(i)]; }

  std::string json() const {
    std::string text;
    for (const View& view : views_) {
      text += (text.empty() ? "" : ", ") + std::string("{\"buffer\": ") + (view.mode != nullptr ? "1" : "0") +
              ", \"byteOffset\": " + std::to_string(view.offset) + ", \"byteLength\": " + std::to_string(view.bytes) +
              (view.target != 0 ? ", \"target\": " + std::to_string(view.target) : "");
      if (view.mode != nullptr) {
        text += ", \"extensions\": {\"EXT_meshopt_compression\": {\"buffer\": 0, \"byteOffset\": " +
                std::to_string(view.packed_offset) + ", \"byteLength\": " + std::to_string(view.packed.size()) +
                ", \"byteStride\": " + std::to_string(view.stride) +
                ", \"count\": " + std::to_string(view.bytes / view.stride) + ", \"mode\": \"" + view.mode + "\"}}";
      }
      text += "}";
    }
    return text;
  }
  std::string buffers_json() const {
    std::string text = "{\"byteLength\": " + std::to_string(stored_) + "}";
    if (is_packed()) {
      text += ", {\"byteLength\": " + std::to_string(decoded_) +
              ", \"extensions\": {\"EXT_meshopt_compression\": {\"fallback\": true}}}";
    }
    return text;
  }

 private:
  static std::int64_t aligned(std::int64_t bytes) { return (bytes + 3) / 4 * 4; }
  std::vector<View> views_;
  std::int64_t stored_ = 0, decoded_ = 0;
};

std::string accessor(int view, int component, std::int64_t count, const char* type, const std::string& more = "") {
  return "{\"bufferView\": " + std::to_string(view) + ", \"componentType\": " + std::to_string(component) +
         ", \"count\": " + std::to_string(count) + ", \"type\": \"" + type + "\"" + more + "}";
}

Result<std::vector<char>> read_drape(const std::filesystem::path& path, std::string& mime) {
  if (path.empty()) {
    return std::vector<char>{};
  }
  std::ifstream file(path, std::ios::binary);
  std::vector<char> bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof()) {
    return io_error(path.string() + ": cannot be read");
  }
  if (bytes.size() > 8 && std::memcmp(bytes.data(), "\x89PNG\r\n\x1a\n", 8) == 0) {
    mime = "image/png";
  } else if (bytes.size() > 3 && std::memcmp(bytes.data(), "\xff\xd8\xff", 3) == 0) {
    mime = "image/jpeg";
  } else {
    return data_error(path.string() + ": expected a PNG or JPEG to drape, found neither; convert it first");
  }
  return bytes;
}

}  // namespace

Result<void> write_glb(WholeFile& file, const MeshGeometry& geometry, const MeshFileOptions& options,
                       MeshFileReport& report) {
  std::string mime;
  const auto drape = read_drape(options.drape, mime);
  if (!drape) {
    return Unexpected{drape.error()};
  }
  const bool has_drape = !drape->empty();
  const Lattice& lattice = geometry.lattice();
  const GlbVertices vertices(geometry);
  const std::int64_t count = vertices.size(), corners = 3 * geometry.triangles();
  const bool is_short = count < 65535;
  const int index_bytes = is_short ? 2 : 4;
  report.vertices = count;

  // In a compressed file vertices and triangles stand in the order that codes best.
  std::vector<std::uint32_t> order, order_corners;
  if (options.compress) {
    order_corners.reserve(std::size_t(corners));
    for (std::int64_t i = 0; i < geometry.triangles(); ++i) {
      const MeshTriangle t = vertices.triangle(i);
      order_corners.insert(order_corners.end(), t.begin(), t.end());
    }
    order = reorder_mesh(order_corners, std::size_t(count));
  }
  const double lowest = geometry.lowest_m() * options.exaggerate;
  const double span = std::max(geometry.highest_m() - geometry.lowest_m(), 1e-9) * options.exaggerate;
  const auto place = [&](std::int64_t i) { return vertices.place(vertices.source(i)); };
  const auto normal = [&](std::int64_t i) { return vertices.normal(i); };
  const auto uv = [&](std::int64_t i) {
    const Point p = geometry.position(vertices.source(i));
    return std::array<float, 2>{float(p[0] / lattice.width_m()), float(p[2] / lattice.depth_m())};
  };
  const auto colour = [&](std::int64_t i) {
    return relief_linear((geometry.position(vertices.source(i))[1] - lowest) / span);
  };

  Views views;
  const auto add_vertices = [&](int stride, const auto& value_of) {
    const std::int64_t bytes = count * stride;
    if (!options.compress) {
      return views.add(bytes, kVertices);
    }
    Bytes raw(std::size_t(bytes), 0);
    for (std::int64_t i = 0; i < count; ++i) {
      const auto value = value_of(order[std::size_t(i)]);
      ARETE_ASSERT(sizeof value == std::size_t(stride));
      std::memcpy(raw.data() + i * stride, &value, sizeof value);
    }
    return views.add_packed(bytes, kVertices, stride, "ATTRIBUTES", pack_vertices(raw, std::size_t(stride)));
  };
  const int places = add_vertices(12, place), normals = add_vertices(12, normal), uvs = add_vertices(8, uv);
  const int colours = has_drape ? -1 : add_vertices(8, colour);
  const int indices = options.compress ? views.add_packed(corners * index_bytes, kIndices, index_bytes, "TRIANGLES",
                                                          pack_triangles(order_corners, std::size_t(count)))
                                       : views.add(corners * index_bytes, kIndices);
  const int image = has_drape ? views.add(std::int64_t(drape->size()), 0) : -1;
  if (views.stored_bytes() > std::int64_t(0xfff00000)) {
    return data_error("a GLB holds at most 4 GiB, this mesh needs " + std::to_string(views.stored_bytes() >> 20) +
                      " MiB; ask for a larger error or write PLY");
  }

  Float3 low{}, high{};
  for (std::uint32_t i = 0; i < geometry.vertices(); ++i) {
    const Float3 p = vertices.place(i);
    low = i == 0 ? p : Float3{std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = i == 0 ? p : Float3{std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const Point& offset = vertices.offset();
  std::string extras = "\"offset\": " + list({offset[0], offset[1], offset[2]}) +
                       ", \"axes\": \"x east, y up, z south; metres; offset leads to the field's north-west origin\"" +
                       ", \"exaggerate\": " + number(options.exaggerate);
  if (!options.crs_wkt.empty()) {
    extras += ", \"crs\": " + quoted(options.crs_wkt);
  }
  if (const auto origin = crs_origin(lattice, options)) {
    const auto& g = *options.geotransform;
    extras += ", \"origin\": " + list({(*origin)[0], (*origin)[1]}) +
              ", \"geotransform\": " + list({g[0], g[1], g[2], g[3], g[4], g[5]});
  }
  std::string json = "{\"asset\": {\"version\": \"2.0\", \"generator\": \"arete\", \"extras\": {" + extras + "}}, ";
  if (views.is_packed()) {
    json += "\"extensionsUsed\": [\"EXT_meshopt_compression\"], ";
    json += "\"extensionsRequired\": [\"EXT_meshopt_compression\"], ";
  }
  json += "\"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0, \"name\": \"terrain\"}], ";
  json += "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0, \"NORMAL\": 1, \"TEXCOORD_0\": 2";
  json += has_drape ? "}" : ", \"COLOR_0\": 4}";
  json += ", \"indices\": 3, \"material\": 0}]}], ";
  json += "\"materials\": [{\"pbrMetallicRoughness\": {\"metallicFactor\": 0, \"roughnessFactor\": 1";
  json += has_drape ? ", \"baseColorTexture\": {\"index\": 0}}" : "}";
  json += geometry.is_solid() ? "}], " : ", \"doubleSided\": true}], ";
  if (has_drape) {
    json += "\"textures\": [{\"source\": 0, \"sampler\": 0}], \"samplers\": [{\"wrapS\": 33071, \"wrapT\": 33071}], ";
    json += "\"images\": [{\"bufferView\": " + std::to_string(image) + ", \"mimeType\": \"" + mime + "\"}], ";
  }
  json += "\"accessors\": [" +
          accessor(places, kFloat, count, "VEC3",
                   ", \"min\": " + list({low.x, low.y, low.z}) + ", \"max\": " + list({high.x, high.y, high.z})) +
          ", " + accessor(normals, kFloat, count, "VEC3") + ", " + accessor(uvs, kFloat, count, "VEC2") + ", " +
          accessor(indices, is_short ? kUnsignedShort : kUnsignedInt, corners, "SCALAR");
  if (!has_drape) {
    json += ", " + accessor(colours, kUnsignedShort, count, "VEC4", ", \"normalized\": true");
  }
  json += "], \"bufferViews\": [" + views.json() + "], \"buffers\": [" + views.buffers_json() + "]}";
  json.resize((json.size() + 3) / 4 * 4, ' ');

  file.put(kMagic);
  file.put(std::uint32_t(2));
  file.put(std::uint32_t(12 + 8 + std::int64_t(json.size()) + 8 + views.stored_bytes()));
  file.put(std::uint32_t(json.size()));
  file.put(kJsonChunk);
  file.write(json);
  file.put(std::uint32_t(views.stored_bytes()));
  file.put(kBinaryChunk);
  const auto start = file.bytes();
  const auto pad = [&] {
    while ((file.bytes() - start) % 4 != 0) {
      file.put(char(0));
    }
  };
  if (options.compress) {
    for (int i = 0; i < views.size(); ++i) {
      file.write(views[i].packed.data(), views[i].packed.size());
      pad();
    }
  } else {
    const auto put_vertices = [&](const auto& value_of) {
      for (std::int64_t i = 0; i < count; ++i) {
        file.put(value_of(i));
      }
    };
    put_vertices(place);
    put_vertices(normal);
    put_vertices(uv);
    if (!has_drape) {
      put_vertices(colour);
    }
    for (std::int64_t i = 0; i < geometry.triangles(); ++i) {
      for (const std::uint32_t corner : vertices.triangle(i)) {
        if (is_short) {
          file.put(std::uint16_t(corner));
        } else {
          file.put(corner);
        }
      }
    }
  }
  pad();
  file.write(drape->data(), drape->size());
  pad();
  return {};
}

}  // namespace arete
