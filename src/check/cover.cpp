// Cover and balance of a cut, from its nodes alone.
//
// The nodes cover every cell once when no node lies in another one of the cut and their areas within the field add up
// to the field's.
#include <algorithm>
#include <unordered_set>

#include "check/findings.h"
#include "check/node_mesh.h"

namespace arete::check {
namespace {
std::uint64_t key_of(int lod, std::uint32_t x, std::uint32_t z) {
  return PageKey{static_cast<std::uint8_t>(lod), x, z}.packed();
}

class Cover {
 public:
  Cover(const Lattice& lattice, int quads, const Cut& cut) : lattice_(lattice), quads_(quads) {
    nodes_.reserve(cut.nodes.size() * 2);
    for (const Node& node : cut.nodes) {
      nodes_.insert(key_of(node.lod, node.x, node.z));
    }
  }

  bool is_in_field(const Node& node) const {
    return node.lod < lattice_.lods() && std::int64_t(node.x) < lattice_.nodes_x(node.lod, quads_) &&
           std::int64_t(node.z) < lattice_.nodes_z(node.lod, quads_);
  }
  // Lod-0 cells of the field under a node.
  std::int64_t cells(const Node& node) const {
    const auto along = [&](std::uint32_t place, std::int32_t last_stop) {
      const std::int64_t side = std::int64_t(quads_) << node.lod;
      return std::clamp(std::int64_t(last_stop) - std::int64_t(place) * side, std::int64_t(0), side);
    };
    return along(node.x, lattice_.last_stop_x()) * along(node.z, lattice_.last_stop_z());
  }
  // The lod of the leaf that holds node (lod, x, z): its own or a coarser one; -1 where only finer ones do.
  int leaf_lod(int lod, std::uint32_t x, std::uint32_t z) const {
    for (; lod < lattice_.lods(); ++lod, x >>= 1, z >>= 1) {
      if (nodes_.contains(key_of(lod, x, z))) {
        return lod;
      }
    }
    return -1;
  }

 private:
  const Lattice& lattice_;
  int quads_;
  std::unordered_set<std::uint64_t> nodes_;
};
}  // namespace

void judge_cover(const Lattice& lattice, int quads, const Cut& cut, CheckReport& report) {
  const Cover cover(lattice, quads, cut);
  const std::int64_t all = std::int64_t(lattice.last_stop_x()) * lattice.last_stop_z();
  std::int64_t covered = 0;
  std::unordered_set<std::uint64_t> seen;
  for (const Node& node : cut.nodes) {
    const std::string place = text("node lod %d x %u z %u", int(node.lod), node.x, node.z);
    if (!cover.is_in_field(node)) {
      count_failure(report, &CheckReport::uncovered, 1, place + " lies outside the field");
      continue;
    }
    const bool is_twice = !seen.insert(key_of(node.lod, node.x, node.z)).second;
    if (is_twice || cover.leaf_lod(node.lod + 1, node.x >> 1, node.z >> 1) >= 0) {
      count_failure(report, &CheckReport::uncovered, std::max<std::int64_t>(1, cover.cells(node)),
                    place + " covers cells that another node covers");
      continue;
    }
    covered += cover.cells(node);
    const std::int64_t x = node.x;
    const std::int64_t z = node.z;
    for (const auto& [nx, nz] : {std::pair(x, z - 1), std::pair(x + 1, z), std::pair(x, z + 1), std::pair(x - 1, z)}) {
      if (nx < 0 || nz < 0 || nx >= lattice.nodes_x(node.lod, quads) || nz >= lattice.nodes_z(node.lod, quads)) {
        continue;
      }
      const int lod = cover.leaf_lod(node.lod, static_cast<std::uint32_t>(nx), static_cast<std::uint32_t>(nz));
      if (lod > node.lod + 1) {
        count_failure(report, &CheckReport::balance_violations, 1,
                      place + text(" has an edge neighbour of lod %d", lod));
      }
    }
  }
  count_failure(report, &CheckReport::uncovered, all - covered,
                text("%lld cells have no node", (long long)(all - covered)));
}

}  // namespace arete::check
