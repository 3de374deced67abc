// Two open-addressed tables: position bits to vertex ids, and pairs of ids to the net use of their edge. Exact: entries
// are compared in full, hashes only say where to look.
#include "check/edge_net.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <tuple>

namespace arete::check {
namespace {
constexpr std::size_t kFirstSlots = 1 << 12;

std::uint64_t mix(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0x9fb21c651e98df25ull;
  return value ^ value >> 28;
}

std::size_t place_of(const Words3& position, bool is_hole) {
  const std::uint64_t plan = std::uint64_t(position[0]) << 32 | position[2];
  return static_cast<std::size_t>(mix(mix(plan) + position[1] + (is_hole ? 0x8000000000ull : 0)));
}

float metres(std::uint32_t bits) { return std::bit_cast<float>(bits); }
}  // namespace

void EdgeNet::clear() {
  vertices_.clear();
  edges_.clear();
  std::fill(vertex_slots_.begin(), vertex_slots_.end(), 0u);
  std::fill(edge_slots_.begin(), edge_slots_.end(), 0u);
}

void EdgeNet::grow_vertices() {
  vertex_slots_.assign(std::max(kFirstSlots, vertex_slots_.size() * 2), 0u);
  for (std::size_t i = 0; i < vertices_.size(); ++i) {
    std::size_t slot = place_of(vertices_[i].position, vertices_[i].is_hole);
    while (vertex_slots_[slot &= vertex_slots_.size() - 1] != 0) {
      ++slot;
    }
    vertex_slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

void EdgeNet::grow_edges() {
  edge_slots_.assign(std::max(kFirstSlots, edge_slots_.size() * 2), 0u);
  for (std::size_t i = 0; i < edges_.size(); ++i) {
    std::size_t slot = static_cast<std::size_t>(mix(edges_[i].key));
    while (edge_slots_[slot &= edge_slots_.size() - 1] != 0) {
      ++slot;
    }
    edge_slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

std::uint32_t EdgeNet::vertex(const Words3& position, bool is_hole) {
  if (vertices_.size() * 2 >= vertex_slots_.size()) {
    grow_vertices();
  }
  std::size_t slot = place_of(position, is_hole);
  while (const std::uint32_t entry = vertex_slots_[slot &= vertex_slots_.size() - 1]) {
    const Vertex& at = vertices_[entry - 1];
    if (at.position == position && at.is_hole == is_hole) {
      return entry - 1;
    }
    ++slot;
  }
  vertices_.push_back({position, is_hole});
  vertex_slots_[slot] = static_cast<std::uint32_t>(vertices_.size());
  return static_cast<std::uint32_t>(vertices_.size() - 1);
}

void EdgeNet::add(std::uint32_t from, std::uint32_t to, bool is_hole) {
  if (edges_.size() * 2 >= edge_slots_.size()) {
    grow_edges();
  }
  const std::uint64_t key = std::uint64_t(std::min(from, to)) << 32 | std::max(from, to);
  std::size_t slot = static_cast<std::size_t>(mix(key));
  std::uint32_t entry = 0;
  while ((entry = edge_slots_[slot &= edge_slots_.size() - 1]) != 0 && edges_[entry - 1].key != key) {
    ++slot;
  }
  if (entry == 0) {
    edges_.push_back({key, 0, 0});
    entry = static_cast<std::uint32_t>(edges_.size());
    edge_slots_[slot] = entry;
  }
  (is_hole ? edges_[entry - 1].hole : edges_[entry - 1].drawn) += from < to ? 1 : -1;
}

EdgeNet::Opening EdgeNet::open_edges(const Rim& rim) const {
  Opening opening;
  std::vector<Loose> loose;
  for (const Edge& edge : edges_) {
    if (edge.drawn == 0 || edge.drawn + edge.hole == 0) {
      continue;
    }
    const Words3& a = vertices_[edge.key >> 32].position;
    const Words3& b = vertices_[edge.key & 0xffffffffu].position;
    const bool on_rim = (a[0] == b[0] && (a[0] == rim.west || a[0] == rim.east)) ||
                        (a[2] == b[2] && (a[2] == rim.north || a[2] == rim.south));
    if (on_rim && std::abs(edge.drawn) == 1) {
      continue;
    }
    const std::array<float, 6> ends = {metres(a[0]), metres(a[1]), metres(a[2]),
                                       metres(b[0]), metres(b[1]), metres(b[2])};
    if (!opening.first) {
      opening.first = ends;
    }
    const std::uint32_t axis = a[2] == b[2] ? 0 : 2;  // runs along x or along z
    if (a[2 - axis] != b[2 - axis] || a[axis] == b[axis]) {
      ++opening.cracks;  // slanting in plan, or upright
      continue;
    }
    const auto [from, to] = std::minmax({metres(a[axis]), metres(b[axis])});
    loose.push_back({from, to, axis, a[2 - axis], ends});
  }
  classify(loose, opening);
  return opening;
}

void EdgeNet::classify(std::vector<Loose>& loose, Opening& opening) {
  std::sort(loose.begin(), loose.end(), [](const Loose& a, const Loose& b) {
    return std::tie(a.axis, a.line, a.from, b.to) < std::tie(b.axis, b.line, b.from, a.to);
  });
  std::vector<char> is_explained(loose.size(), 0);
  std::vector<float> inside;
  for (std::size_t e = 0; e < loose.size(); ++e) {
    // Shorter edges within this one follow it in the order of (line, from, longest first).
    inside.clear();
    for (std::size_t f = e + 1; f < loose.size() && loose[f].axis == loose[e].axis && loose[f].line == loose[e].line &&
                                loose[f].from < loose[e].to;
         ++f) {
      const bool is_part = loose[f].to <= loose[e].to && (loose[f].from > loose[e].from || loose[f].to < loose[e].to);
      if (is_part) {
        for (const float end : {loose[f].from, loose[f].to}) {
          if (end > loose[e].from && end < loose[e].to) {
            inside.push_back(end);
          }
        }
        is_explained[f] = 1;
      }
    }
    if (!inside.empty()) {
      std::sort(inside.begin(), inside.end());
      opening.t_junctions += std::unique(inside.begin(), inside.end()) - inside.begin();
      is_explained[e] = 1;
    }
  }
  opening.cracks += std::count(is_explained.begin(), is_explained.end(), 0);
}

}  // namespace arete::check
