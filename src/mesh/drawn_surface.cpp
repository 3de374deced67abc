// Heights on the drawn triangles of a cut.
//
// A place's leaf is found by its stop, then the place is searched among the node's triangles, nearest cells first.
// Morphing slides vertices towards lower indices (the rim stays), so a place may lie under a triangle of a leaf beside
// or beyond its own: leaves are searched in growing squares around it until one covers it. The drawn triangles cover
// the field, holes counted as triangles without ground, so the search ends.
#include "arete/drawn.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>
#include <vector>

namespace arete {
namespace {

struct DrawnVertex {
  double x, y, z;  // metres
  bool is_hole;
};

struct DrawnNode {
  std::vector<DrawnVertex> vertices;
  double min_x, min_z, max_x, max_z;
};

// What covers a place so far.
struct Cover {
  bool is_found = false;
  DrawnHeight height;

  void add(bool has_ground, double y_m, int lod) {
    if (has_ground && (height.ground != DrawnGround::surface || y_m > height.y_m)) {
      height = {DrawnGround::surface, y_m, lod};
    } else if (!has_ground && !is_found) {
      height = {DrawnGround::hole, std::numeric_limits<double>::quiet_NaN(), lod};
    }
    is_found = true;
  }
};

// Adds the closed triangle if it covers (x, z) in plan, whichever way round it lies.
void cover_by(const DrawnVertex& a, const DrawnVertex& b, const DrawnVertex& c, double x, double z, int lod,
              Cover& cover) {
  const double area = (b.x - a.x) * (c.z - a.z) - (c.x - a.x) * (b.z - a.z);
  if (area == 0) {
    return;
  }
  const double to_b = ((x - a.x) * (c.z - a.z) - (c.x - a.x) * (z - a.z)) / area;
  const double to_c = ((b.x - a.x) * (z - a.z) - (x - a.x) * (b.z - a.z)) / area;
  constexpr double kRoom = 1e-9;  // a place on an edge belongs to both sides, however it rounds
  if (!(to_b >= -kRoom && to_c >= -kRoom && to_b + to_c <= 1 + kRoom)) {
    return;
  }
  cover.add(!a.is_hole && !b.is_hole && !c.is_hole, a.y + to_b * (b.y - a.y) + to_c * (c.y - a.y), lod);
}

// Stop before or at a place, clamped to the field.
std::int32_t stop_before(double place_m, double half_m, std::int32_t last_stop, int is_area) {
  const double half = std::clamp(place_m / half_m, 0.0, double(kernel::stop_half(last_stop, last_stop, is_area)));
  return std::min((static_cast<std::int32_t>(half) + is_area) / 2, std::max(last_stop - 1, 0));
}

std::uint64_t node_key(int lod, std::uint32_t x, std::uint32_t z) {
  return PageKey{static_cast<std::uint8_t>(lod), x, z}.packed();
}
}  // namespace

struct DrawnSurface::State {
  State(const SampleSource& samples, const Bounds& field_bounds)
      : source(samples), bounds(field_bounds), mesher(samples, field_bounds) {}

  // The leaf that holds a cell of stops, or nullptr.
  const Node* leaf_at(std::int32_t x_stop, std::int32_t z_stop) const {
    for (int lod = 0; lod < source.lattice().lods(); ++lod) {
      const int shift = lod + quads_shift;
      const auto found = leaves.find(node_key(lod, std::uint32_t(x_stop) >> shift, std::uint32_t(z_stop) >> shift));
      if (found != leaves.end()) {
        return found->second;
      }
    }
    return nullptr;
  }

  Result<const DrawnNode*> mesh(const Node& node) {
    DrawnNode& drawn = nodes[node_key(node.lod, node.x, node.z)];
    if (!drawn.vertices.empty()) {
      return &drawn;
    }
    const kernel::VertexLayout layout = engine_layout();
    const std::size_t stride = std::size_t(layout.stride_words);
    words.resize(std::size_t(node_vertices(ranges.node_quads)) * stride);
    if (auto built = mesher.build(frame, ranges, node, layout, words); !built) {
      return Unexpected{built.error()};
    }
    const double anchor_x = double(frame.anchor_half_x) * double(frame.half_x_m);
    const double anchor_z = double(frame.anchor_half_z) * double(frame.half_z_m);
    drawn.min_x = drawn.min_z = std::numeric_limits<double>::infinity();
    drawn.max_x = drawn.max_z = -drawn.min_x;
    drawn.vertices.reserve(words.size() / stride);
    for (const std::uint32_t* word = words.data(); word != words.data() + words.size(); word += stride) {
      const auto metres = [&](int axis) { return double(std::bit_cast<float>(word[layout.position + axis])); };
      const DrawnVertex vertex{anchor_x + metres(0), metres(1), anchor_z + metres(2), word[layout.colour] >> 24 == 0};
      drawn.min_x = std::min(drawn.min_x, vertex.x);
      drawn.min_z = std::min(drawn.min_z, vertex.z);
      drawn.max_x = std::max(drawn.max_x, vertex.x);
      drawn.max_z = std::max(drawn.max_z, vertex.z);
      drawn.vertices.push_back(vertex);
    }
    return &drawn;
  }

  Result<void> search(const Node& node, double x_m, double z_m, Cover& cover) {
    const Result<const DrawnNode*> meshed = mesh(node);
    if (!meshed) {
      return Unexpected{meshed.error()};
    }
    const DrawnNode& drawn = **meshed;
    // The rim is drawn where f32 puts it: a place that rounding leaves outside stands on it.
    const double x = std::clamp(x_m, drawn.min_x, drawn.max_x);
    const double z = std::clamp(z_m, drawn.min_z, drawn.max_z);
    if (std::abs(x - x_m) > kRimRoom * double(frame.half_x_m) ||
        std::abs(z - z_m) > kRimRoom * double(frame.half_z_m)) {
      return {};
    }
    const std::size_t row = std::size_t(ranges.node_quads) + 1;
    for (int k = 0; k < ranges.node_quads; ++k) {
      const DrawnVertex* north = drawn.vertices.data() + std::size_t(k) * row;
      for (int i = 0; i < ranges.node_quads; ++i, ++north) {
        const DrawnVertex* south = north + row;
        const auto [west, east] = std::minmax({north[0].x, north[1].x, south[0].x, south[1].x});
        const auto [low, high] = std::minmax({north[0].z, north[1].z, south[0].z, south[1].z});
        if (x < west || x > east || z < low || z > high) {
          continue;
        }
        cover_by(north[0], south[0], north[1], x, z, node.lod, cover);
        cover_by(south[1], north[1], south[0], x, z, node.lod, cover);
      }
    }
    return {};
  }

  static constexpr double kRimRoom = 1.0 / 256;  // half texels
  const SampleSource& source;
  const Bounds& bounds;
  NodeMesher mesher;
  kernel::FrameConstants frame{};
  Ranges ranges;
  int quads_shift = 0;
  std::unordered_map<std::uint64_t, const Node*> leaves;
  std::unordered_map<std::uint64_t, DrawnNode> nodes;
  std::vector<std::uint32_t> words;
};

DrawnSurface::DrawnSurface(const SampleSource& source, const Bounds& bounds)
    : state_(std::make_unique<State>(source, bounds)) {}
DrawnSurface::~DrawnSurface() = default;
DrawnSurface::DrawnSurface(DrawnSurface&&) noexcept = default;
DrawnSurface& DrawnSurface::operator=(DrawnSurface&&) noexcept = default;

void DrawnSurface::begin(const Cut& cut, const kernel::FrameConstants& frame, const Ranges& ranges) {
  State& state = *state_;
  state.frame = frame;
  state.ranges = ranges;
  state.quads_shift = std::countr_zero(unsigned(ranges.node_quads));
  state.nodes.clear();
  state.leaves.clear();
  state.mesher.clear();
  for (const Node& node : cut.nodes) {
    state.leaves.emplace(node_key(node.lod, node.x, node.z), &node);
  }
}

Result<DrawnHeight> DrawnSurface::height_at(double x_m, double z_m) {
  State& state = *state_;
  const Lattice& lattice = state.source.lattice();
  if (!(x_m >= 0 && z_m >= 0 && x_m <= lattice.width_m() && z_m <= lattice.depth_m())) {
    return DrawnHeight{};
  }
  const std::int32_t x_stop = stop_before(x_m, double(lattice.half_x_m()), lattice.last_stop_x(), lattice.is_area());
  const std::int32_t z_stop = stop_before(z_m, double(lattice.half_z_m()), lattice.last_stop_z(), lattice.is_area());
  const Node* own = state.leaf_at(x_stop, z_stop);
  ARETE_ASSERT(own != nullptr);  // cuts cover the field
  Cover cover;
  if (auto done = state.search(*own, x_m, z_m, cover); !done) {
    return Unexpected{done.error()};
  }
  // Squares of leaves around the place: their corners' steps are a finest node wide, so none is missed.
  std::vector<const Node*> searched{own};
  const std::int32_t step = state.ranges.node_quads;
  const std::int32_t last = std::max(lattice.last_stop_x(), lattice.last_stop_z());
  for (std::int32_t reach = step; cover.height.ground != DrawnGround::surface && reach < 2 * last + step; reach *= 2) {
    if (cover.is_found && reach > step) {
      break;  // a hole, and no ground beside it
    }
    const auto clamped = [](std::int64_t stop, std::int32_t last_stop) {
      return std::int32_t(std::clamp<std::int64_t>(stop, 0, std::max(last_stop - 1, 0)));
    };
    for (std::int64_t z = std::int64_t(z_stop) - reach; z <= std::int64_t(z_stop) + reach; z += step) {
      for (std::int64_t x = std::int64_t(x_stop) - reach; x <= std::int64_t(x_stop) + reach; x += step) {
        const Node* leaf = state.leaf_at(clamped(x, lattice.last_stop_x()), clamped(z, lattice.last_stop_z()));
        if (leaf == nullptr || std::find(searched.begin(), searched.end(), leaf) != searched.end()) {
          continue;
        }
        searched.push_back(leaf);
        if (auto done = state.search(*leaf, x_m, z_m, cover); !done) {
          return Unexpected{done.error()};
        }
      }
    }
  }
  return cover.height;
}

Result<DrawnHeight> drawn_height_at(const SampleSource& source, const Bounds& bounds, const Cut& cut, const View& view,
                                    const Ranges& ranges, double x_m, double z_m) {
  DrawnSurface surface(source, bounds);
  const Anchor anchor = anchor_near(bounds.lattice(), view.eye_x_m, view.eye_z_m);
  surface.begin(cut, make_frame(bounds, view, ranges, anchor), ranges);
  return surface.height_at(x_m, z_m);
}

}  // namespace arete
