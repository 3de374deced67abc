// Reads what the mesh writers wrote, by the formats' own rules and none of the writers' code: triangles as places.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace arete::test {

using Place3 = std::array<double, 3>;

// One frame for all formats: x east, y north, z up.
struct ReadMesh {
  std::string fault;  // empty: well formed
  std::vector<std::array<Place3, 3>> triangles;
  std::vector<std::array<Place3, 3>> normals;  // GLB: of the corners; STL: the triangle's own, three times
  std::string header;                          // the text part
};

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class Value>
Value value_at(const std::string& bytes, std::size_t at) {
  Value value{};
  if (at + sizeof value <= bytes.size()) {
    std::memcpy(&value, bytes.data() + at, sizeof value);
  }
  return value;
}

inline Place3 floats_at(const std::string& bytes, std::size_t at) {
  return {double(value_at<float>(bytes, at)), double(value_at<float>(bytes, at + 4)),
          double(value_at<float>(bytes, at + 8))};
}

inline ReadMesh read_stl(const std::filesystem::path& path) {
  ReadMesh mesh;
  const std::string bytes = read_bytes(path);
  const auto count = value_at<std::uint32_t>(bytes, 80);
  if (bytes.size() != 84 + std::size_t(50) * count || bytes.rfind("solid", 0) == 0) {
    mesh.fault = "not a binary STL of its own count";
    return mesh;
  }
  mesh.header = bytes.substr(0, 80);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = 84 + 50 * i;
    const Place3 normal = floats_at(bytes, at);
    mesh.triangles.push_back({floats_at(bytes, at + 12), floats_at(bytes, at + 24), floats_at(bytes, at + 36)});
    mesh.normals.push_back({normal, normal, normal});
  }
  return mesh;
}

inline ReadMesh read_ply(const std::filesystem::path& path) {
  ReadMesh mesh;
  const std::string bytes = read_bytes(path);
  const std::size_t end = bytes.find("end_header\n");
  std::size_t vertices = 0, faces = 0;
  mesh.header = bytes.substr(0, end);
  std::istringstream lines(mesh.header);
  for (std::string line; std::getline(lines, line);) {
    std::sscanf(line.c_str(), "element vertex %zu", &vertices);
    std::sscanf(line.c_str(), "element face %zu", &faces);
  }
  const std::size_t first = end + 11;
  if (end == std::string::npos || bytes.size() != first + vertices * 27 + faces * 13) {
    mesh.fault = "not a PLY of its own counts";
    return mesh;
  }
  for (std::size_t i = 0; i < faces; ++i) {
    const std::size_t at = first + vertices * 27 + i * 13;
    std::array<Place3, 3> corners{};
    for (std::size_t k = 0; k < 3; ++k) {
      const auto index = value_at<std::uint32_t>(bytes, at + 1 + 4 * k);
      if (index >= vertices || bytes[at] != 3) {
        mesh.fault = "a face is out of range";
        return mesh;
      }
      for (std::size_t axis = 0; axis < 3; ++axis) {
        corners[k][axis] = value_at<double>(bytes, first + index * 27 + axis * 8);
      }
    }
    mesh.triangles.push_back(corners);
  }
  return mesh;
}

inline ReadMesh read_obj(const std::filesystem::path& path) {
  ReadMesh mesh;
  std::istringstream lines(read_bytes(path));
  std::vector<Place3> places;
  for (std::string line; std::getline(lines, line);) {
    Place3 p{};
    unsigned a[3] = {}, t[3] = {};
    if (line.rfind('#', 0) == 0) {
      mesh.header += line + "\n";
    } else if (std::sscanf(line.c_str(), "v %lf %lf %lf", &p[0], &p[1], &p[2]) == 3) {
      places.push_back(p);
    } else if (std::sscanf(line.c_str(), "f %u/%u %u/%u %u/%u", &a[0], &t[0], &a[1], &t[1], &a[2], &t[2]) == 6) {
      for (const unsigned i : a) {
        if (i == 0 || i > places.size()) {
          mesh.fault = "a face is out of range";
          return mesh;
        }
      }
      mesh.triangles.push_back({places[a[0] - 1], places[a[1] - 1], places[a[2] - 1]});
    }
  }
  return mesh;
}

// The whole number that follows `"key": ` after position `from`.
inline std::size_t json_number(const std::string& json, const std::string& key, std::size_t from) {
  const std::size_t at = json.find("\"" + key + "\": ", from);
  return at == std::string::npos ? ~std::size_t(0) : std::size_t(std::stoull(json.substr(at + key.size() + 4)));
}

inline ReadMesh read_glb(const std::filesystem::path& path) {
  ReadMesh mesh;
  const std::string bytes = read_bytes(path);
  const auto json_bytes = value_at<std::uint32_t>(bytes, 12);
  mesh.header = bytes.substr(20, json_bytes);
  const std::size_t binary = 20 + std::size_t(json_bytes) + 8;
  if (bytes.rfind("glTF", 0) != 0 || value_at<std::uint32_t>(bytes, 8) != bytes.size() ||
      value_at<std::uint32_t>(bytes, 20 + json_bytes) + binary != bytes.size()) {
    mesh.fault = "not a GLB of its own lengths";
    return mesh;
  }
  // Views and accessors in their order: places, normals, uv, indices in accessor 3.
  std::vector<std::size_t> offsets;
  for (std::size_t at = mesh.header.find("\"bufferViews\"");
       (at = mesh.header.find("\"byteOffset\"", at + 1)) != std::string::npos;) {
    offsets.push_back(json_number(mesh.header, "byteOffset", at));
  }
  std::vector<std::array<std::size_t, 3>> accessors;  // view, type, count
  const std::size_t views_at = mesh.header.find("\"bufferViews\"");
  for (std::size_t at = mesh.header.find("\"accessors\"");
       (at = mesh.header.find("\"bufferView\"", at + 1)) < views_at;) {
    accessors.push_back({json_number(mesh.header, "bufferView", at), json_number(mesh.header, "componentType", at),
                         json_number(mesh.header, "count", at)});
  }
  if (accessors.size() < 4) {
    mesh.fault = "accessors are missing";
    return mesh;
  }
  const auto corner = [&](std::size_t accessor, std::size_t index) {
    const Place3 p = floats_at(bytes, binary + offsets[accessors[accessor][0]] + 12 * index);
    return Place3{p[0], -p[2], p[1]};
  };
  for (std::size_t i = 0; i < accessors[3][2]; i += 3) {
    std::array<Place3, 3> places{}, normals{};
    for (std::size_t k = 0; k < 3; ++k) {
      const std::size_t at = binary + offsets[accessors[3][0]];
      const std::size_t index = accessors[3][1] == 5123 ? std::size_t(value_at<std::uint16_t>(bytes, at + 2 * (i + k)))
                                                        : std::size_t(value_at<std::uint32_t>(bytes, at + 4 * (i + k)));
      if (index >= accessors[0][2]) {
        mesh.fault = "an index is out of range";
        return mesh;
      }
      places[k] = corner(0, index);
      normals[k] = corner(1, index);
    }
    mesh.triangles.push_back(places);
    mesh.normals.push_back(normals);
  }
  return mesh;
}

struct SolidFacts {
  std::int64_t unmatched_edges = 0;  // directed edges without as many twins
  std::int64_t flat_triangles = 0;   // without area
  std::int64_t flipped = 0;          // of those that face neither sideways nor down in a surface
  double volume = 0;
};

// Welds by exact place bits.
inline SolidFacts solid_facts(const ReadMesh& mesh) {
  SolidFacts facts;
  std::map<std::pair<Place3, Place3>, int> edges;
  for (const auto& t : mesh.triangles) {
    double u[3], v[3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      u[axis] = t[1][axis] - t[0][axis];
      v[axis] = t[2][axis] - t[0][axis];
    }
    const double n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
    facts.flat_triangles += n[0] == 0 && n[1] == 0 && n[2] == 0 ? 1 : 0;
    facts.flipped += n[2] <= 0 ? 1 : 0;
    facts.volume +=
        (t[0][0] * (t[1][1] * t[2][2] - t[1][2] * t[2][1]) + t[0][1] * (t[1][2] * t[2][0] - t[1][0] * t[2][2]) +
         t[0][2] * (t[1][0] * t[2][1] - t[1][1] * t[2][0])) /
        6;
    for (std::size_t i = 0; i < 3; ++i) {
      const Place3 &a = t[i], &b = t[(i + 1) % 3];
      edges[{std::min(a, b), std::max(a, b)}] += a < b ? 1 : -1;
    }
  }
  for (const auto& [edge, balance] : edges) {
    facts.unmatched_edges += balance != 0 ? 1 : 0;
  }
  return facts;
}

}  // namespace arete::test
